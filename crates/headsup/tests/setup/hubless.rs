//! Launched agents that end while the hub is away: it learns of it later, once, and how.

use crate::install::write;
use crate::run::{Rig, has_tmux};
use headsup_testkit::hub::Hub;
use headsup_testkit::pty::Pty;
use headsup_testkit::wait;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::process::Stdio;

/// It leaves with the code that it is told.
const AGENT: &str = "#!/bin/sh\nread -r code < \"$HOME/go\"; exit \"$code\"\n";

/// How an agent is launched.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Here,
    /// Its output is read along.
    Read,
    Terminal,
    Tmux,
}

/// Who waits for its end.
enum Launcher {
    Child(std::process::Child),
    Pty(Pty),
    Tmux,
}

struct Launch {
    rig: Rig,
    hub: Hub,
    launcher: Launcher,
    go: File,
}

impl Launch {
    fn new(way: Way) -> Self {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let rig = Rig::new();
        for name in ["codex", "job"] {
            write(&rig.home.path().join("bin").join(name), AGENT, 0o755);
        }
        let go = rig.home.path().join("go");
        mknodat(CWD, &go, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        // Opened for both, so that neither end waits for the other.
        let go = OpenOptions::new().read(true).write(true).open(go).unwrap();
        let hub = Hub::start(&rig.home);
        let place = if way == Way::Tmux { "--tmux" } else { "--here" };
        let words: &[&str] =
            if way == Way::Read { &["codex", "exec", "--json", "x"] } else { &["job"] };
        let own = ["run", place, "--id", "api", "--"];
        let args: Vec<&str> = own.iter().chain(words).copied().collect();
        let mut command = rig.command(&args);
        let launcher = match way {
            Way::Here | Way::Read => {
                command.stdin(Stdio::null()).stdout(Stdio::null());
                Launcher::Child(command.spawn().unwrap())
            }
            Way::Terminal => Launcher::Pty(Pty::start(&command).unwrap()),
            Way::Tmux => {
                assert!(command.output().unwrap().status.success());
                Launcher::Tmux
            }
        };
        wait::until("its process", || {
            let shown = rig.run(&["show", "api", "--json"]);
            (shown.code == 0 && shown.json()["process"]["pid"].is_u64()).then_some(())
        });
        Self { rig, hub, launcher, go }
    }

    /// Leaves, and so does whoever has launched it, while the hub is away.
    fn leaves(&mut self, code: u8) {
        self.go.write_all(format!("{code}\n").as_bytes()).unwrap();
        let ended = match &mut self.launcher {
            Launcher::Child(child) => child.wait().unwrap(),
            Launcher::Pty(pty) => pty.ended(),
            Launcher::Tmux => {
                // One that has failed at once can still be read.
                let panes = || self.rig.tmux(&["list-panes", "-a", "-F", "#{pane_dead}"]);
                let gone = || matches!(&*panes(), "" | "1\n").then_some(());
                return wait::until("the session to end", gone);
            }
        };
        assert_eq!(ended.code(), Some(i32::from(code)));
    }
}

/// What its headline has become, one after the other.
fn headlines(rig: &Rig) -> Vec<String> {
    let told = rig.run(&["watch", "--since", "0", "--no-follow", "--json"]).ok().stdout.clone();
    let events = told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let changes = events.filter(|event| event["type"] == "agent.status_changed");
    changes.map(|event| event["to"].as_str().unwrap().to_owned()).collect()
}

fn ways() -> impl Iterator<Item = Way> {
    let all = [Way::Here, Way::Read, Way::Terminal, Way::Tmux];
    all.into_iter().filter(|way| *way != Way::Tmux || has_tmux())
}

#[test]
fn an_end_while_the_hub_is_down_is_told_when_it_is_back() {
    for way in ways() {
        let mut launch = Launch::new(way);
        // It was killed and has had no time to say anything.
        launch.hub.signal(Signal::KILL);
        wait::until("the hub's end", || launch.hub.has_ended().then_some(()));
        launch.leaves(0);
        let _hub = Hub::start(&launch.rig.home);
        let agent = launch.rig.agent("api");
        let process = &agent["process"];
        assert_eq!(
            (&agent["headline"], &process["kind"], &process["code"]),
            (&json!("ended"), &json!("clean"), &json!(0)),
            "{way:?}: {agent}"
        );
        let shown = headlines(&launch.rig);
        assert!(!shown.iter().any(|headline| headline == "crashed"), "{way:?}: {shown:?}");
        assert_eq!(fs::read_dir(launch.rig.home.state().join("spool")).unwrap().count(), 0);
    }
}

#[test]
fn an_end_while_the_hub_does_not_answer_is_told_when_it_does() {
    for way in ways() {
        let mut launch = Launch::new(way);
        launch.hub.signal(Signal::STOP);
        launch.leaves(3);
        launch.hub.signal(Signal::CONT);
        let rig = &launch.rig;
        wait::until("its code", || (rig.agent("api")["process"]["code"] == 3).then_some(()));
        // Read twice, from the line that it did not answer on and from the spool, it is one end.
        let shown = headlines(rig);
        // A run that nobody types to, and of which no hook is heard, has failed with an error of its own.
        let end = if way == Way::Read { "ended" } else { "crashed" };
        let ends = shown.iter().filter(|headline| matches!(&***headline, "crashed" | "ended"));
        assert_eq!(ends.collect::<Vec<_>>(), [end], "{way:?}: {shown:?}");
        let outcome = &rig.agent("api")["outcome"]["kind"];
        assert_eq!(outcome == "failed", way == Way::Read, "{way:?}: {outcome}");
    }
}

#[test]
fn a_start_that_failed_while_the_hub_was_down_is_told_when_it_is_back() {
    let rig = Rig::new();
    let hub = Hub::start(&rig.home);
    // The hub's last answer is the seat; then it is gone.
    let job = rig.home.path().join("bin/job");
    write(&job, "#!/nowhere/at/all\n", 0o755);
    let pid = hub.pid().to_string();
    let wrapper = rig.home.path().join("bin/tmux");
    write(
        &wrapper,
        &format!("#!/bin/sh\n[ \"$1\" = -V ] && exit 0\nkill -9 {pid}\nexit 1\n"),
        0o755,
    );
    let done = rig.run(&["run", "--tmux", "--id", "api", "--", "job"]);
    assert_eq!(done.code, 7, "{done:?}");
    drop(hub);
    fs::remove_file(wrapper).unwrap();
    let _hub = Hub::start(&rig.home);
    let agent = rig.agent("api");
    assert_eq!((&agent["headline"], &agent["process"]["code"]), (&json!("crashed"), &json!(126)));
}
