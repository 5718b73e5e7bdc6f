//! A real agent looks the same behind `headsup run --here` as without it.

use crate::{installed, with};
use headsup_testkit::live::{self, Agent, Hooks, Stage};
use headsup_testkit::wait;

/// What a person sees of it, but for what is each one's own: its folder, and the sign before the title. That
/// stands for its status, and it leaves it out where a terminal understands status reports, as ours does
/// (Claude Code 2.1.330).
fn seen(agent: &Agent<'_>) -> String {
    let home = agent.stage().home.path().display().to_string();
    let painted = agent.painted().replace(&home, "HOME");
    // A call that waits blinks.
    let painted = painted.replace("●\x1b[39m Running", " \x1b[39m Running");
    // A blank without a colour at the end of a line may be left over of an earlier moment.
    let no_blank = |line| str::strip_suffix(line, " \x1b[39m").unwrap_or(line);
    let lines = painted.trim_start_matches("✳ ").lines().map(without_time).map(no_blank);
    lines.collect::<Vec<_>>().join("\n")
}

/// In `✻ Brewed for 0s · done 1:13 PM` the word comes by chance, and the rest is time.
fn without_time(line: &str) -> &str {
    let words = line.rfind('\x1b').and_then(|code| Some(code + line[code..].find('m')? + 1));
    let is_end = |at: &usize| line.contains('✻') && line[*at..].contains(" for ");
    words.filter(is_end).map_or(line, |at| &line[..at])
}

/// Does the same to both, and compares what they show once it is calm.
#[track_caller]
fn same(agents: [&Agent<'_>; 2], what: &str, does: impl Fn(&Agent<'_>), until: &str) {
    for agent in agents {
        does(agent);
        agent.shows(until);
    }
    let [bare, ours] = agents;
    let mut last = None;
    let are_same = || {
        let both = [seen(bare), seen(ours)];
        if last.as_ref() != Some(&both) {
            if both[0] != both[1] {
                eprintln!("{what}\nbare:\n{}\nours:\n{}", both[0], both[1]);
            }
            last = Some(both);
            return None;
        }
        (both[0] == both[1]).then_some(())
    };
    wait::until(what, are_same);
}

#[test]
fn claude_code_is_the_same() {
    let Some(installed) = installed("claude-code") else { return };
    let program = live::of_kind("claude-code").unwrap();
    let stages = [(); 2].map(|()| Stage::new(program, with(&installed), Hooks::None));
    let [without, behind] = &stages;
    behind.hub();
    let both = [&without.start_untold(&[]), &behind.run_here_with("api", &[])];
    same(both, "the first screen", |_| {}, "❯");
    // After each of these comes rest, and not only a moment that looks alike.
    let says = |agent: &Agent<'_>| {
        agent.submit("[[text A **bold** word, é and 漢字.]]");
        agent.shows("· done ");
    };
    same(both, "an answer", says, "● A bold word");
    let modes = |agent: &Agent<'_>| {
        agent.press("BTab");
    };
    same(both, "another mode", modes, "accept edits on");
    let edits = |agent: &Agent<'_>| {
        agent.press("BTab");
        agent.shows("plan mode on");
        agent.press("BTab");
        agent.shows("manual mode on");
        agent.submit("[[bash touch made]] [[text Done.]]");
    };
    same(both, "a dialog", edits, "❯ 1. ");
    let lets = |agent: &Agent<'_>| {
        agent.settle();
        agent.press("1");
    };
    same(both, "the end of a turn", lets, "● Done.");
    for stage in &stages {
        assert!(stage.folder().join("made").exists());
    }
    let stops = |agent: &Agent<'_>| {
        agent.submit("[[hold a]] [[text Late.]]");
        agent.shows("esc to interrupt");
        agent.press("Escape");
    };
    same(both, "a turn that was stopped", stops, "manual mode on");
    let lists = |agent: &Agent<'_>| {
        agent.press("C-u");
        agent.press("?");
    };
    same(both, "the list of keys", lists, "for shell mode");
}
