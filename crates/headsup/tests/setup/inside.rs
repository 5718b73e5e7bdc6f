//! Launching from within tmux: the session is made on the server that one works in.

use crate::install::BINARY;
use crate::run::{Rig, has_tmux};
use headsup_testkit::home::Done;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// A rig whose tmux server runs, with a session `mine`; `None`, and why, without tmux.
fn rig() -> Option<Rig> {
    if !has_tmux() {
        eprintln!("SKIPPED: tmux is not installed on this machine, so sessions cannot be tested");
        return None;
    }
    let rig = Rig::new();
    rig.tmux(&["new-session", "-d", "-s", "mine"]);
    Some(rig)
}

/// The names of the sessions there are, in order.
fn sessions(rig: &Rig) -> Vec<String> {
    let names = rig.tmux(&["list-sessions", "-F", "#{session_name}"]);
    names.lines().map(str::to_owned).collect()
}

#[test]
fn from_within_tmux_the_agent_gets_a_session_beside_ones_own() {
    let Some(rig) = rig() else { return };
    let _hub = Hub::start(&rig.home);
    let of_the_pane = |format: &str| {
        rig.tmux(&["display-message", "-p", "-t", "=mine:", format]).trim_end().to_owned()
    };
    let socket = of_the_pane("#{socket_path}");
    let (tmux, pane) = (of_the_pane("#{socket_path},#{pid},0"), of_the_pane("#{pane_id}"));
    let out = rig.home.path().join("out");
    let script = "echo \"$TMUX $TMUX_PANE\" > \"$OUT.new\"; mv \"$OUT.new\" \"$OUT\"; exec cat";
    let mut command = rig.command(&["run", "--id", "api", "--", "sh", "-c", script]);
    // As in a pane: nothing but `TMUX` says which server it is.
    command.env_remove("HEADSUP_TMUX_SOCKET").env("TMUX", tmux).env("TMUX_PANE", &pane);
    let done = Done::from(command.env("OUT", &out).output().unwrap());
    // `attach` would be refused there: sessions do not nest.
    let how = "see it: tmux switch-client -t '=headsup-api'\n";
    assert!(done.ok().stderr.ends_with(how), "{done:?}");
    assert_eq!(sessions(&rig), ["headsup-api", "mine"]);
    let of_the_agent = wait::until("the agent to write", || fs::read_to_string(&out).ok());
    let (its_tmux, its_pane) = of_the_agent.trim_end().split_once(' ').unwrap();
    assert!(its_tmux.starts_with(&socket), "{its_tmux}");
    assert_ne!(its_pane, pane);
    let agent = rig.run(&["show", "api", "--json"]).ok().json();
    assert_eq!(agent["location"]["tmux"], its_pane);
    // One's own session is none the worse for the agent's end.
    rig.tmux(&["kill-session", "-t", "=headsup-api"]);
    rig.run(&["wait", "api", "--until", "ended,crashed", "--timeout", "90s"]).ok();
    assert_eq!(sessions(&rig), ["mine"]);
}

#[test]
fn where_the_server_around_is_gone_it_is_said_how_the_agent_is_seen() {
    let Some(rig) = rig() else { return };
    let _hub = Hub::start(&rig.home);
    let run = |socket: &Path| {
        let mut command = rig.command(&["run", "--id", "api", "--", "sh", "-c", "exec cat"]);
        let tmux = format!("{},1,0", socket.display());
        command.env_remove("HEADSUP_TMUX_SOCKET").env("TMUX", tmux);
        Done::from(command.output().unwrap())
    };
    let refused = run(&rig.home.path().join("nowhere/socket"));
    assert_eq!(refused.code, 7, "{refused:?}");
    assert!(refused.stderr.contains("hint: TMUX names a server that is gone"), "{refused:?}");
    assert_eq!(rig.run(&["show", "api"]).code, 4, "it never was there");
    // One that can be made anew is: nobody is in that.
    let socket = rig.home.path().join("again");
    let done = run(&socket);
    let server = rig.run(&["show", "api", "--json"]).json()["location"]["tmux_server"].clone();
    Command::new("tmux").arg("-S").arg(&socket).arg("kill-server").output().unwrap();
    let seen = done.ok().stderr.clone();
    assert!(seen.contains("see it: env -u TMUX tmux -S "), "{seen}");
    assert!(seen.ends_with(" attach -t '=headsup-api'\n"), "{seen}");
    assert_eq!(server, "again");
}

#[test]
fn an_agent_that_outlives_its_pane_is_an_orphan_and_nowhere_any_more() {
    let Some(rig) = rig() else { return };
    let _hub = Hub::start(&rig.home);
    let ready = rig.home.path().join("ready");
    // As `nohup` starts it.
    let script = "trap '' HUP; touch \"$READY\"; exec sleep 120";
    let mut command = rig.command(&["run", "--id", "api", "--", "sh", "-c", script]);
    Done::from(command.env("READY", &ready).output().unwrap()).ok();
    wait::until("the agent to be ready", || ready.exists().then_some(()));
    let agent = wait::until("the agent to run", || {
        Some(rig.agent("api")).filter(|agent| agent["process"]["state"] == "running")
    });
    let pane = agent["location"]["tmux"].as_str().unwrap();
    rig.tmux(&["kill-pane", "-t", pane]);
    let orphan = wait::until("its pane to be missed", || {
        Some(rig.agent("api")).filter(|agent| agent["location"]["tmux"].is_null())
    });
    let of_process = |agent: &serde_json::Value| agent["process"].clone();
    assert_eq!(of_process(&orphan), of_process(&agent), "it goes on");
    let explained = rig.run(&["explain", "api", "--json"]).ok().json();
    let notes = &explained["dimensions"]["process"]["winner"]["notes"];
    assert!(notes[0].as_str().unwrap().starts_with("orphaned: "), "{explained}");
    rig.run(&["stop", "api"]).ok();
}

#[test]
fn here_within_tmux_the_agent_stays_in_its_pane() {
    let Some(rig) = rig() else { return };
    let _hub = Hub::start(&rig.home);
    let script = "echo \"$TMUX $TMUX_PANE\"";
    let mut command = rig.command(&["run", "--here", "--id", "api", "--", "sh", "-c", script]);
    command.env_remove("HEADSUP_TMUX_SOCKET").env("TMUX", "/t,1,0").env("TMUX_PANE", "%7");
    let done = Done::from(command.env("HEADSUP", BINARY).output().unwrap());
    assert_eq!(done.ok().stdout, "/t,1,0 %7\n");
    assert_eq!(sessions(&rig), ["mine"]);
}

/// Each of them has an agent of that id, and its own is what a person looks for there.
#[test]
fn the_last_words_of_another_hubs_agent_stay_and_that_is_said() {
    let Some(rig) = rig() else { return };
    let _hub = Hub::start(&rig.home);
    let other = rig.home.path().join("other hub é");
    fs::create_dir(&other).unwrap();
    fs::set_permissions(&other, Permissions::from_mode(0o700)).unwrap();
    let fails = ["run", "--id", "api", "--", "sh", "-c", "echo sign in first; exit 1"];
    let there = |args: &[&str]| {
        let mut command = rig.command(args);
        Done::from(command.env("HEADSUP_HOME", &other).output().unwrap())
    };
    let dead = || rig.tmux(&["list-panes", "-s", "-t", "=headsup-api", "-F", "#{pane_dead}"]);
    let pane = || rig.tmux(&["list-panes", "-s", "-t", "=headsup-api", "-F", "#{pane_id}"]);
    // The second start takes the place of its own hub's remains.
    let mut before = String::new();
    for _ in 0..2 {
        there(&fails).ok();
        wait::until("the agent to have failed", || {
            (dead() == "1\n" && pane() != before).then_some(())
        });
        before = pane();
    }
    let refused = rig.run(&fails);
    assert_eq!(refused.code, 7, "{refused:?}");
    for word in ["of another hub (", "other hub", "--id"] {
        assert!(refused.stderr.contains(word), "{word}: {}", refused.stderr);
    }
    assert_eq!((pane(), dead()), (before, "1\n".to_owned()));
    assert_eq!(rig.run(&["show", "api"]).code, 4, "it never was there");
    there(&["down"]).ok();
}

#[test]
fn a_server_that_runs_keeps_its_sessions_and_a_name_that_is_taken_is_refused() {
    let Some(rig) = rig() else { return };
    let _hub = Hub::start(&rig.home);
    rig.tmux(&["new-session", "-d", "-s", "headsup-api"]);
    let refused = rig.run(&["run", "--id", "api", "--", "sh", "-c", "exec cat"]);
    assert_eq!(refused.code, 7, "{refused:?}");
    assert!(refused.stderr.contains("duplicate session: headsup-api"), "{}", refused.stderr);
    assert_eq!(rig.run(&["show", "api"]).code, 4, "it never was there");
    rig.run(&["run", "--id", "web", "--", "sh", "-c", "exec cat"]).ok();
    assert_eq!(sessions(&rig), ["headsup-api", "headsup-web", "mine"]);
}
