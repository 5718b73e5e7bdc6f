//! The other page, and the server it comes from.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

pub(super) struct Evil {
    pub(super) port: u16,
}

impl Evil {
    /// Serves the page on a free port, for as long as the test runs.
    pub(super) fn serve(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let page = PAGE.replace("TARGET", target);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let page = page.clone();
                // A browser opens connections ahead of time and says nothing on some of them.
                std::thread::spawn(move || {
                    let head =
                        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n";
                    let mut request = [0; 4_096];
                    let _read = stream.read(&mut request);
                    let length = page.len();
                    let _sent = write!(stream, "{head}content-length: {length}\r\n\r\n{page}");
                });
            }
        });
        Self { port }
    }
}

/// Every attempt ends as `nothing`, or with what it got.
const PAGE: &str = r#"<!doctype html><title>evil</title>
<iframe name="sink"></iframe>
<form id="form" method="post" action="TARGET/api/v1/agents/secret-agent/reports" target="sink"
  enctype="text/plain"><input name='{"turn":"done","detail":"' value='"}'></form>
<form id="plain" method="post" action="TARGET/api/v1/agents/secret-agent/seen" target="sink"></form>
<script>
const api = "TARGET/api/v1";
const report = api + "/agents/secret-agent/reports";
const body = '{"turn":"done"}';
const read = (promise) => promise.then((a) => a.type === "opaque" ? "" : a.text()).then((text) => text || "nothing", () => "nothing");
const event = (make) => new Promise((done) => make(done));
const element = (tag, attributes) => event((done) => {
  const made = Object.assign(document.createElement(tag), attributes);
  made.onerror = () => done("nothing");
  made.onload = () => done(tag === "iframe" ? frame(made) : "loaded");
  document.body.append(made);
});
function frame(made) {
  try { return made.contentDocument ? made.contentDocument.body.innerText || "nothing" : "nothing"; } catch { return "nothing"; }
}
const json = { "content-type": "application/json" };
const credentials = "include";
(async () => {
  const attempts = {
    get: read(fetch(api + "/agents", { credentials })),
    blind_get: read(fetch(api + "/agents", { mode: "no-cors", credentials })),
    text_post: read(fetch(report, { method: "POST", credentials, body, headers: { "content-type": "text/plain" } })),
    blind_post: read(fetch(report, { method: "POST", mode: "no-cors", credentials, body })),
    json_post: read(fetch(report, { method: "POST", credentials, body, headers: json })),
    delete: read(fetch(api + "/agents/secret-agent?force=true", { method: "DELETE", credentials })),
    fragments: read(fetch("TARGET/ui/events", { credentials })),
    beacon: event((done) => { navigator.sendBeacon(report, body); done("nothing"); }),
    image: element("img", { src: api + "/agents" }),
    script: element("script", { src: api + "/agents" }),
    style: element("link", { rel: "stylesheet", href: "TARGET/ui/events" }),
    frame: element("iframe", { src: "TARGET/" }),
    event_source: event((done) => {
      const source = new EventSource(api + "/events", { withCredentials: true });
      source.onopen = () => done("opened");
      source.onerror = () => { source.close(); done("nothing"); };
    }),
    web_socket: event((done) => {
      const socket = new WebSocket(api.replace("http", "ws") + "/ws");
      socket.onopen = () => done("opened");
      socket.onerror = () => done("nothing");
    }),
  };
  document.getElementById("form").submit();
  document.getElementById("plain").submit();
  const results = {};
  for (const [name, attempt] of Object.entries(attempts)) results[name] = await attempt;
  window.results = results;
})();
</script>"#;
