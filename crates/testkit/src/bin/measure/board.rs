//! How long after its hook a change is on the page, in a real browser with forty live agents.

use crate::progress::{Progress, note};
use crate::{Outcome, row, say};
use headsup_testkit::browser::Browser;
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::{http, wait};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const AGENTS: usize = 40;

/// Writes down when a step of `api` is first in the document, and when it has been painted: after
/// the next frame, on the browser's own wall clock.
const WATCH: &str = "
    window.seen = {};
    new MutationObserver(() => {
      const step = document.getElementById('a-api')?.innerText.match(/step (\\d+)/)?.[1];
      if (!step || window.seen[step]) return;
      const times = window.seen[step] = [Date.now()];
      requestAnimationFrame(() => setTimeout(() => times.push(Date.now())));
    }).observe(document.getElementById('main'), {subtree: true, childList: true});";

pub(crate) fn measure(home: &Home, rounds: usize) -> Outcome<()> {
    note("starting a browser");
    let Some(browser) = Browser::start(&[]) else { return Ok(()) };
    let _hub = Hub::start_with(home, &["--listen", "127.0.0.1:0"]);
    let link = wait::until("a link", || {
        let done = home.run(["open", "--no-browser", "--json"]);
        (done.code == 0).then(|| done.json())
    });
    browser.open(link["url"].as_str().ok_or("no link")?);
    let live = "document.documentElement.dataset.link === 'live'";
    browser.until("the page to be live", live);
    for agent in 0..AGENTS {
        report(home, &format!("agent-{agent}"), "working", "at it")?;
    }
    prompt(home, 0);
    let rows = format!("document.querySelectorAll('.row').length === {}", AGENTS + 1);
    browser.until("all rows", &rows);
    browser.js(WATCH);
    one_by_one(home, &browser, rounds, "hook to page, calm")?;
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| bustle(home, &stop));
        let measured = one_by_one(home, &browser, rounds, "40 at work");
        stop.store(true, Ordering::Relaxed);
        measured
    })?;
    say("the page draws at most 20 times a second, and a frame here is 16.7 ms")
}

fn one_by_one(home: &Home, browser: &Browser, rounds: usize, name: &str) -> Outcome<()> {
    let (mut there, mut painted) = (Vec::new(), Vec::new());
    let before = browser.js("return Object.keys(window.seen).length").as_u64().unwrap_or(0);
    let first = usize::try_from(before)? + 1;
    let mut progress = Progress::new(name, rounds);
    for round in first..first + rounds {
        progress.at(round - first);
        let start = prompt(home, round);
        let times = wait::until("the change on the page", || {
            let times = browser.js(&format!("return window.seen[{round}] ?? []"));
            serde_json::from_value::<[f64; 2]>(times).ok()
        });
        let [in_document, on_screen] = times.map(|time| ((time - start) / 1_000.0).max(0.0));
        there.push(Duration::from_secs_f64(in_document));
        painted.push(Duration::from_secs_f64(on_screen));
    }
    row(&format!("{name}: there"), there)?;
    row(&format!("{name}: painted"), painted)
}

/// A permission that an agent asks for, through the real hook; when that hook was started.
fn prompt(home: &Home, round: usize) -> f64 {
    let payload = format!(
        "{{\"hook_event_name\":\"PermissionRequest\",\"session_id\":\"s\",\"tool_name\":\"Bash\",\
         \"tool_use_id\":\"t{round}\",\"tool_input\":{{\"command\":\"step {round}\"}}}}"
    );
    let env = [("HEADSUP_AGENT_ID", "api")];
    home.hook(
        "claude-code",
        "{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"s\"}",
        &env,
    );
    let start = now();
    home.hook("claude-code", &payload, &env);
    start
}

/// Every agent tells of a step about twice a second.
fn bustle(home: &Home, stop: &AtomicBool) {
    for step in 0_usize.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let _told =
            report(home, &format!("agent-{}", step % AGENTS), "working", &format!("{step}"));
        std::thread::park_timeout(Duration::from_millis(12));
    }
}

fn report(home: &Home, agent: &str, turn: &str, detail: &str) -> Outcome<()> {
    let body = format!("{{\"turn\":\"{turn}\",\"detail\":\"{detail}\"}}");
    let path = format!("/api/v1/agents/{agent}/reports");
    http::post(&home.socket(), &path, body.as_bytes())?;
    Ok(())
}

/// Milliseconds on the wall clock, which the browser reads too.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64() * 1_000.0
}
