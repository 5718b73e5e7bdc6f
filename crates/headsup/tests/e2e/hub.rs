//! The hub's life: one per home, restored without an edge, started by whoever needs it.

use crate::agent::{Agent, events, home};
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hub::Hub;
use headsup_testkit::{http, wait};
use rustix::process::Signal;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

#[test]
fn a_restart_restores_without_a_single_event() {
    let home = home();
    let hub = Hub::start(&home);
    for id in ["a", "b", "c"] {
        let agent = Agent::new(&home, id);
        agent.starts();
        agent.is_prompted("prompt-1");
    }
    Agent::new(&home, "b").asks();
    Agent::new(&home, "c").stops("prompt-1");
    let before = events(&home);
    hub.kill();
    let _hub = Hub::start(&home);
    let headlines = ["a", "b", "c"].map(|id| Agent::new(&home, id).headline());
    assert_eq!(headlines, ["working", "blocked", "done"]);
    assert_eq!(events(&home), before);
}

#[test]
fn a_hub_ends_when_its_folder_is_taken_away() {
    let home = home();
    let mut hub = Hub::start(&home);
    // The hub may put a file there meanwhile.
    wait::until("the folder to go", || std::fs::remove_dir_all(home.state()).ok());
    wait::until("the hub to end", || hub.has_ended().then_some(()));
}

#[test]
fn a_hub_whose_starter_has_signals_blocked_ends_all_the_same() {
    let home = home();
    let own = home.command(["up"]);
    let mut command = Command::new("env");
    command.arg("--block-signal=TERM,INT,CHLD").arg(own.get_program()).arg("up").env_clear();
    command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(command.stdin(Stdio::null()).output().unwrap().status.success());
    home.run(["down"]).ok();
}

#[test]
fn a_hub_whose_terminal_is_closed_ends_as_one_that_is_told_to() {
    for signal in [Signal::HUP, Signal::QUIT, Signal::INT, Signal::TERM] {
        let home = home();
        let mut hub = Hub::start(&home);
        hub.signal(signal);
        wait::until("the hub to end", || hub.has_ended().then_some(()));
        assert!(!home.socket().exists(), "{signal:?}");
        assert!(!home.state().join("headsup.db-wal").exists(), "{signal:?}");
    }
}

#[test]
fn a_hub_behind_nohup_outlives_its_terminal() {
    let home = home();
    let own = home.command(["up", "--foreground"]);
    let mut command = Command::new("env");
    command.arg("--ignore-signal=HUP").arg(own.get_program()).args(own.get_args()).env_clear();
    command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut hub = Hub::start_as(command, &home.socket());
    let status = fs::read_to_string(format!("/proc/{}/status", hub.pid())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
    assert_eq!(caught & 1, 0, "HUP stays ignored");
    assert_ne!(caught & 0b100, 0, "QUIT does not");
    hub.signal(Signal::HUP);
    let (status, _) = http::get(&home.socket(), "/healthz").unwrap();
    assert_eq!((status, hub.has_ended()), (200, false));
}

#[test]
fn a_hub_whose_log_nobody_reads_answers_all_the_same() {
    let home = home();
    let spool = home.state().join("spool");
    fs::create_dir_all(&spool).unwrap();
    fs::set_permissions(home.state(), Permissions::from_mode(0o700)).unwrap();
    // Of each the log has a line, and all of them are more than a pipe holds.
    for n in 1..=900 {
        fs::write(spool.join(format!("draining-{n}")), "junk").unwrap();
    }
    let (_reader, log) = std::io::pipe().unwrap();
    let _hub = Hub::start_saying(home.command(["up", "--foreground"]), &home.socket(), log);
    wait::until("the spool to be empty", || {
        fs::read_dir(&spool).unwrap().next().is_none().then_some(())
    });
}

#[test]
fn a_hub_whose_socket_is_taken_away_makes_it_again() {
    let home = home();
    let hub = Hub::start(&home);
    fs::remove_file(home.socket()).unwrap();
    // Whoever wants a hub meanwhile tries once whether it is one.
    let up = home.run(["up", "--json"]).ok().json();
    assert_eq!((&up["started"], &up["pid"]), (&false.into(), &hub.pid().into()));
    let log = fs::read_to_string(home.state().join("hub.log")).unwrap_or_default();
    assert!(log.matches("already running").count() <= 1, "{log}");
}

#[test]
fn a_hub_that_nobody_reaches_is_stopped_all_the_same() {
    let home = home();
    let mut hub = Hub::start(&home);
    fs::remove_file(home.socket()).unwrap();
    let down = home.run(["down"]).ok().stderr.clone();
    assert!(down.contains(&format!("hub is down (pid {})", hub.pid())), "{down}");
    assert!(hub.has_ended());
    let again = home.run(["down"]).ok().stderr.clone();
    assert!(again.contains("no hub is running"), "{again}");
}

#[test]
fn a_second_hub_on_the_same_home_says_so_and_a_stale_socket_is_recovered() {
    let home = home();
    let hub = Hub::start(&home);
    let second = home.run(["up", "--foreground", "--json"]).ok().json();
    assert_eq!((&second["started"], &second["pid"]), (&false.into(), &hub.pid().into()));
    let again = home.run(["up", "--foreground"]).ok().stderr.clone();
    assert!(again.contains("hub is already up (pid "), "{again}");
    let again = home.run(["up"]).ok().stderr.clone();
    assert!(again.contains("already") || again.contains("is up"), "{again}");
    hub.kill();
    assert!(home.socket().exists(), "kill -9 leaves the socket file");
    let _hub = Hub::start(&home);
    let mode = |path: &std::path::Path| {
        std::fs::metadata(path).expect("it exists").permissions().mode() & 0o777
    };
    assert_eq!(mode(&home.state()), 0o700);
    assert_eq!(mode(&home.socket()), 0o600);
    assert_eq!(mode(&home.state().join("headsup.db")) & 0o077, 0);
}

#[test]
fn a_relative_home_is_refused_and_nothing_is_made_there() {
    let home = home();
    for args in [["up", "--json"], ["ls", "--json"], ["doctor", "--json"]] {
        let refused = Done::from(home.command(args).env("HEADSUP_HOME", "there").output().unwrap());
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains("HEADSUP_HOME is relative"), "{refused:?}");
    }
    assert!(!home.path().join("there").exists());
}

#[test]
fn a_folder_that_is_refused_is_left_as_it_is() {
    let home = home();
    let public = home.path().join("public");
    fs::create_dir_all(public.join("theirs")).unwrap();
    fs::set_permissions(&public, Permissions::from_mode(0o755)).unwrap();
    for args in [["up", "--json"], ["ls", "--json"]] {
        let mut command = home.command(args);
        let refused = Done::from(command.env("HEADSUP_HOME", &public).output().unwrap());
        assert_eq!(refused.code, 7, "{refused:?}");
        assert!(refused.stderr.contains("holds other things"), "{refused:?}");
        assert!(refused.stderr.contains("home_refused"), "{refused:?}");
    }
    let left: Vec<_> = fs::read_dir(&public).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["theirs"]);
    assert_eq!(fs::metadata(&public).unwrap().permissions().mode() & 0o777, 0o755);
}

#[test]
fn what_is_no_folder_is_refused_in_words() {
    let home = home();
    let (link, file) = (home.path().join("link"), home.path().join("file"));
    std::os::unix::fs::symlink(home.path().join("gone"), &link).unwrap();
    fs::write(&file, "").unwrap();
    let run = |at: &std::path::Path, args: [&str; 2]| {
        Done::from(home.command(args).env("HEADSUP_HOME", at).output().unwrap())
    };
    let dangles = "a link to a folder that is not there";
    for args in [["ls", "--json"], ["up", "--json"]] {
        let refused = run(&link, args);
        assert_eq!(refused.code, 7, "{refused:?}");
        assert!(refused.stderr.contains(dangles), "{refused:?}");
        assert!(refused.stderr.contains("home_refused"), "{refused:?}");
    }
    for (at, why) in [(&link, dangles), (&file, "is in the way and is not a folder")] {
        let refused = run(at, ["up", "--foreground"]);
        assert!(refused.code != 0 && refused.stderr.contains(why), "{refused:?}");
    }
    assert!(!home.path().join("gone").exists());
}

#[test]
fn commands_start_the_hub_and_down_ends_it() {
    let home = home();
    home.run(["down"]).ok();
    assert_eq!(home.run(["ls", "--no-start"]).code, 5);
    let listed = home.run(["ls", "--json"]).ok().json();
    assert_eq!(listed["agents"].as_array().unwrap().len(), 0);
    let up = home.run(["up", "--json"]).ok().json();
    assert_eq!(up["started"], false);
    home.run(["down"]).ok();
    wait::until("the hub to be gone", || {
        http::get(&home.socket(), "/healthz").is_err().then_some(())
    });
    assert_eq!(home.run(["ls", "--no-start"]).code, 5);
}

#[test]
fn a_browser_gets_nothing_from_the_socket() {
    let home = home();
    let _hub = Hub::start(&home);
    let get = |headers: &[(&str, &str)]| {
        http::request(&home.socket(), "GET", "/api/v1/agents", headers, b"").unwrap().0
    };
    assert_eq!(get(&[]), 200);
    for header in [("origin", "http://localhost"), ("referer", "x"), ("sec-fetch-site", "none")] {
        assert_eq!(get(&[header]), 403, "{header:?}");
    }
}

#[test]
fn the_demo_shows_living_agents_within_seconds() {
    let home = home();
    let mut command = home.command(["up", "--demo"]);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut demo = command.spawn().expect("headsup runs");
    let seen = wait::until("three agents, one of them at work", || {
        let listed = home.run(["ls", "--json", "--no-start"]);
        let listed: serde_json::Value = serde_json::from_str(&listed.stdout).ok()?;
        let agents = listed["agents"].as_array()?.clone();
        let at_work = agents.iter().any(|agent| agent["headline"] == "working");
        (agents.len() >= 3 && at_work).then_some(agents)
    });
    assert!(seen.iter().all(|agent| agent["kind"] == "claude-code"));
    // A second one would play over it, and take its agents away in the end.
    let second = home.run(["up", "--demo", "--json"]);
    assert!(second.ok().stderr.contains("plays already"), "{second:?}");
    assert_eq!(second.json()["started"], false);
    let listed = home.run(["ls", "--json", "--no-start"]).ok().json();
    let still: Vec<_> = listed["agents"].as_array().unwrap().iter().map(|a| &a["id"]).collect();
    assert!(seen.iter().all(|agent| still.contains(&&agent["id"])), "{listed}");
    let pid = rustix::process::Pid::from_child(&demo);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(demo.wait().unwrap().code(), Some(0));
    wait::until("the demo's hub to be gone", || {
        http::get(&home.socket(), "/healthz").is_err().then_some(())
    });
}

/// Nobody hears a SIGKILL, and Ctrl-\ ends what does not listen for it.
#[test]
fn a_demo_that_is_killed_takes_its_agents_and_its_hub_along() {
    use rustix::process::Signal;
    for signal in [Signal::KILL, Signal::QUIT] {
        let home = home();
        let mut command = home.command(["up", "--demo"]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut demo = command.spawn().expect("headsup runs");
        wait::until("an agent of the demo", || {
            let listed = home.run(["ls", "--json", "--no-start"]);
            let listed: serde_json::Value = serde_json::from_str(&listed.stdout).ok()?;
            listed["agents"].as_array().is_some_and(|agents| !agents.is_empty()).then_some(())
        });
        let pid = rustix::process::Pid::from_child(&demo);
        rustix::process::kill_process(pid, signal).unwrap();
        demo.wait().unwrap();
        wait::until("the demo's hub to be gone", || {
            http::get(&home.socket(), "/healthz").is_err().then_some(())
        });
        let left = home.run(["ls", "--all", "--json"]).ok().json()["agents"].clone();
        assert_eq!(left, serde_json::json!([]), "{signal:?}");
        home.run(["down"]).ok();
    }
}

/// The process that clears up behind a demo that is killed.
fn guard_of(demo: u32) -> Option<rustix::process::Pid> {
    let children = fs::read_to_string(format!("/proc/{demo}/task/{demo}/children")).ok()?;
    let is_it = |pid: &&str| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains("__guard-demo")
    };
    let pid = children.split_whitespace().find(is_it)?;
    rustix::process::Pid::from_raw(pid.parse().ok()?)
}

/// Whoever was killed could not clear up, nor could its guard, and its agents' seats are taken.
#[test]
fn a_demo_leaves_nothing_behind_also_after_one_that_was_killed() {
    let home = home();
    let _hub = Hub::start(&home);
    let demo = || {
        let mut command = home.command(["up", "--demo"]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        command.spawn().expect("headsup runs")
    };
    let came = || events(&home).iter().filter(|event| event["type"] == "agent.registered").count();
    let agents = || home.run(["ls", "--all", "--json"]).ok().json()["agents"].clone();
    let mut killed = demo();
    wait::until("an agent of the first demo", || (came() > 0).then_some(()));
    let guard = wait::until("its guard", || guard_of(killed.id()));
    rustix::process::kill_process(guard, rustix::process::Signal::KILL).unwrap();
    killed.kill().unwrap();
    killed.wait().unwrap();
    let left = agents().as_array().unwrap().len();
    assert!(left > 0);
    let before = came();
    let mut demo = demo();
    // The last hook of the first one may come late, so an agent alone does not say that this one plays.
    wait::until("the second demo", || guard_of(demo.id()));
    wait::until("an agent of the second demo", || (came() > before).then_some(()));
    let pid = rustix::process::Pid::from_child(&demo);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(demo.wait().unwrap().code(), Some(0));
    assert_eq!(agents(), serde_json::json!([]));
}

fn listener(home: &Home) -> serde_json::Value {
    let (_, listener) = http::get(&home.socket(), "/api/v1/listener").unwrap();
    serde_json::from_slice(&listener).unwrap()
}

#[test]
fn a_demo_takes_its_listening_along_and_nobody_elses() {
    let home = home();
    let _hub = Hub::start(&home);
    let kept = home.state().join("listen.json");
    for opens in [false, true] {
        let mut command = home.command(["up", "--demo", "--listen", "127.0.0.1:0"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut demo = command.spawn().expect("headsup runs");
        wait::until("the demo to listen", || listener(&home)["url"].is_string().then_some(()));
        // Nor does a second one make it last.
        let second = home.run(["up", "--demo", "--listen", "127.0.0.1:0"]);
        assert!(second.ok().stderr.contains("plays already"), "{second:?}");
        if opens {
            home.run(["open", "--no-browser"]).ok();
        }
        assert_eq!(kept.exists(), opens);
        // It hears signals by then.
        wait::until("an agent of the demo", || {
            let listed = home.run(["ls", "--all", "--json"]).ok().json();
            listed["agents"].as_array().is_some_and(|agents| !agents.is_empty()).then_some(())
        });
        let pid = rustix::process::Pid::from_child(&demo);
        rustix::process::kill_process(pid, Signal::INT).unwrap();
        assert_eq!(demo.wait().unwrap().code(), Some(0));
        assert_eq!(listener(&home)["url"].is_string(), opens);
        assert_eq!(kept.exists(), opens);
    }
}

#[test]
fn a_demo_that_is_refused_has_the_hub_listen_to_nobody() {
    let home = home();
    let _hub = Hub::start(&home);
    let theirs = headsup_adapters::demo::sessions()[0].id;
    home.run(["report", "working", "--agent", theirs]).ok();
    let refused = home.run(["up", "--demo", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.code, 7, "{refused:?}");
    assert!(refused.stderr.contains(theirs), "{refused:?}");
    assert!(listener(&home)["url"].is_null());
    assert!(!home.state().join("listen.json").exists());
}

/// Whoever follows the hint starts a hub of their own at once, and that must not end behind them.
#[test]
fn a_demo_that_cannot_listen_has_taken_its_hub_along_when_it_says_so() {
    let home = home();
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap().to_string();
    let refused = home.run(["up", "--demo", "--listen", taken.as_str()]);
    assert_eq!(refused.code, 7, "{refused:?}");
    assert!(refused.stderr.contains("in use"), "{refused:?}");
    assert!(http::get(&home.socket(), "/healthz").is_err());
}

#[test]
fn a_log_that_grows_long_while_the_hub_runs_is_put_aside() {
    let home = home();
    home.run(["up"]).ok();
    let log = home.state().join("hub.log");
    // As after months.
    let long = 2 << 20;
    fs::File::options().write(true).open(&log).unwrap().set_len(long).unwrap();
    home.run(["down"]).ok();
    let last = fs::read_to_string(&log).unwrap();
    assert!(last.contains("the hub is down") && last.len() < 4_096, "{} bytes", last.len());
    assert_eq!(fs::metadata(home.state().join("hub.log.old")).unwrap().len(), long);
}

/// The system takes a moment to let go what a killed hub has held.
#[test]
fn a_hub_that_is_not_quite_gone_keeps_nobody_from_the_next_one() {
    use rustix::fs::{FlockOperation, flock};
    let home = home();
    fs::create_dir_all(home.state()).unwrap();
    fs::set_permissions(home.state(), Permissions::from_mode(0o700)).unwrap();
    let lock = fs::File::create(home.state().join("headsup.lock")).unwrap();
    flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
    let asked = home.command(["ls", "--json"]).stdout(std::process::Stdio::piped()).spawn();
    let log = home.state().join("hub.log");
    let said = || fs::read_to_string(&log).is_ok_and(|log| log.contains("already running"));
    wait::until("a refused hub", || said().then_some(()));
    drop(lock);
    Done::from(asked.unwrap().wait_with_output().unwrap()).ok();
    home.run(["down"]).ok();
}

/// It takes nobody's file away, and says at once what is in its way.
#[test]
fn a_file_in_the_place_of_a_running_hubs_socket_is_named() {
    let home = home();
    let _hub = Hub::start(&home);
    // In one step: it makes a socket that is gone again.
    fs::write(home.state().join("mine"), "mine").unwrap();
    fs::rename(home.state().join("mine"), home.socket()).unwrap();
    let refused = home.run(["ls", "--json"]);
    assert_eq!(refused.code, 5, "{refused:?}");
    let error: serde_json::Value = serde_json::from_str(&refused.stderr).unwrap();
    let (error, at) = (&error["error"], home.socket().display().to_string());
    assert_eq!(error["code"], "hub_unreachable", "{error}");
    assert!(error["message"].as_str().unwrap().contains(&at), "{error}");
    assert_eq!(fs::read_to_string(home.socket()).unwrap(), "mine");
    fs::remove_file(home.socket()).unwrap();
    home.run(["ls"]).ok();
}
