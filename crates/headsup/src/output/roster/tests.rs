use super::*;
use crate::output::fixture::{AT, agent, agent_with, prompt};
use headsup_core::wire::AgentDoc;
use serde_json::json;

const HOUR: i64 = 3_600_000;

fn shown(agents: &[AgentDoc], width: Option<usize>) -> String {
    let now = UnixMs::parse(AT).unwrap().plus(2 * HOUR + 5 * 60_000);
    let view = View { now, home: Some("/home/ada".to_owned()), width, colour: true };
    let mut table = Table::new(view);
    for agent in agents {
        table.add(&words::row(agent));
    }
    let mut lines = Vec::new();
    table.each_line(|line| lines.push(line.clone()));
    assert!(width.is_none_or(|width| lines.iter().all(|line| line.width() <= width)));
    lines.iter().map(|line| line.render(false)).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_roster_says_who_wants_you_and_why() {
    let turn = |state: &str, reason: &str, detail: Option<&str>| json!({"state": state, "reason": reason, "detail": detail, "since": AT, "turn_seq": 1});
    let agents = [
        agent_with(
            "api",
            "blocked",
            json!({
                "prompts": [prompt("api", "Bash: rm -rf build && make all"), prompt("api", "x")],
                "location": {"tmux": "main:1.2", "pid": 7}, "kind": "acp:fast",
            }),
        ),
        agent_with(
            "web",
            "crashed",
            json!({"process": {"state": "exited", "kind": "crashed", "signal": 9}}),
        ),
        agent_with(
            "docs",
            "failed",
            json!({
                "turn": turn("idle", "turn_ended", Some("the provider is overloaded")),
                "outcome": {"kind": "failed", "code": "overloaded", "at": AT},
                "location": {"pid": 4242},
            }),
        ),
        agent_with(
            "ml",
            "done",
            json!({"background": {"subagents": 0, "shells": 1}, "name": "trainer",
                "last_activity": {"ts": AT, "action": "all 12 tests pass", "state": "idle"}}),
        ),
        agent_with(
            "infra",
            "working",
            json!({
                "turn": turn("working", "tool", Some("Bash: terraform plan")), "stale": true,
                "background": {"subagents": 2, "shells": 0}, "cwd": "/srv/infra",
            }),
        ),
        agent_with("old", "idle", json!({"since": "2026-11-18T12:00:00Z", "cwd": "/home/ada"})),
    ];
    insta::assert_snapshot!(shown(&agents, Some(100)), @"
      STATUS   AGE   AGENT         KIND      WHERE          WHAT
    ▲ blocked  2h05  api           acp:fast  tmux main:1.2  +1 prompt · permission: Bash: rm -rf build…
    ✗ crashed  2h05  web           custom    ~/work         crashed (signal 9)
    × failed   2h05  docs          custom    pid 4242       overloaded: the provider is overloaded
    ✓ done     2h05  ml (trainer)  custom    ~/work         +1 shell · all 12 tests pass
    ● working  2h05  infra         custom    /srv/infra     stale +2 agents · Bash: terraform plan
    ○ idle     3d    old           custom    ~
    ");
}

#[test]
fn text_of_an_agent_cannot_leave_its_cell() {
    let hostile = prompt("api", "a\u{1b}[2J\u{1b}]0;x\u{7}\nnext\u{202e}row\u{9b}m");
    let agents = [agent_with("api", "blocked", json!({"prompts": [hostile], "kind": "k\u{8}"}))];
    insta::assert_snapshot!(shown(&agents, None), @"
      STATUS   AGE   AGENT  KIND  WHERE   WHAT
    ▲ blocked  2h05  api    k     ~/work  permission: a[2J]0;x nextrowm
    ");
}

#[test]
fn blocked_by_its_stage_while_it_works() {
    let turn = json!({
        "state": "working", "reason": "tool", "detail": null, "since": AT, "turn_seq": 1,
    });
    let stage = json!({
        "state": "awaiting_input", "message": "which key?", "phase": null, "progress": null,
        "since": AT,
    });
    let agents = [agent_with("api", "blocked", json!({"turn": turn, "stage": stage}))];
    insta::assert_snapshot!(shown(&agents, Some(100)), @"
      STATUS   AGE   AGENT  KIND    WHERE   WHAT
    ▲ blocked  2h05  api    custom  ~/work  still working · which key?
    ");
}

#[test]
fn every_headline_has_a_glyph_of_one_column() {
    for headline in Headline::ALL {
        assert_eq!(crate::output::text::width(headline.glyph()), 1, "{headline:?}");
    }
    assert_eq!(status(agent("x", "idle").headline).render(false), "○ idle");
}

#[test]
fn only_a_folder_below_home_is_below_home() {
    let home = Some("/home/ada");
    let table = [
        ("/home/ada", "~"),
        ("/home/ada/x", "~/x"),
        ("/home/adam", "/home/adam"),
        ("/srv", "/srv"),
    ];
    for (path, shown) in table {
        assert_eq!(words::tilde(path, home), shown);
    }
    assert_eq!(words::tilde("/home/ada", None), "/home/ada");
}

#[test]
fn a_narrow_terminal_keeps_what_an_agent_is_about() {
    let blocked = agent_with(
        "long-agents-api",
        "blocked",
        json!({"prompts": [prompt("api", "Bash: make")], "kind": "acp:another",
            "location": {"tmux": "main:1.2"}}),
    );
    let line = |width| shown(std::slice::from_ref(&blocked), Some(width));
    for (width, place, kind) in [(120, true, true), (80, false, true), (60, false, false)] {
        let text = line(width);
        assert_eq!((text.contains("WHERE"), text.contains("KIND")), (place, kind), "{text}");
        assert!(text.contains("Bash: make"), "{text}");
    }
    assert!(line(40).contains("permis"), "{}", line(40));
}

#[test]
fn a_long_name_leaves_room_for_what_it_is_about() {
    let long = "a-name-that-somebody-has-made-up-".repeat(4);
    let about = json!({"prompts": [prompt("api", "Bash: make all && make install")]});
    let agents = [agent_with(&long[..128], "blocked", about), agent("web", "idle")];
    let cells = |width| {
        let text = shown(&agents, Some(width));
        assert!(text.contains("a-name-") && text.contains('…'), "{text}");
        let header = text.lines().next().unwrap().to_owned();
        (width - header.find("WHAT").unwrap(), header.contains("KIND"), text)
    };
    for width in [80, 100, 120, 160] {
        let (room, kind, text) = cells(width);
        assert!(room >= LEAST_WHAT, "{text}");
        assert!(text.contains("permission: Bash: make"), "{text}");
        assert_eq!(kind, width >= 100, "{text}");
    }
    // Where there is room for it, nothing is cut.
    assert!(shown(&agents, Some(250)).contains(&long[..128]));
    assert!(shown(&agents, None).contains(&long[..128]));
}

#[test]
fn a_long_folder_does_not_push_everything_aside() {
    let deep = format!("/home/ada/{}/the-end", "a-folder/".repeat(30));
    let agents = [agent_with("api", "idle", json!({"cwd": deep, "location": {}}))];
    let text = shown(&agents, None);
    assert!(text.contains("…") && text.contains("/the-end"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 80), "{text}");
}
