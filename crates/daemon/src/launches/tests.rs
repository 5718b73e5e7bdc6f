use super::*;
use crate::board::Board;
use crate::process;
use headsup_core::id::ProcessId;
use headsup_core::seat::Session;
use headsup_core::source::Source;
use headsup_core::status::{Attach, Exit, ExitKind, Process, StartPhase};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

const RUNNING: Process = Process::Running { attach: Attach::Interactive };

struct Bench {
    temp: tempfile::TempDir,
    launches: Launches,
    sweep: Sweep,
    ms: i64,
}

impl Bench {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let launches = Launches::new(temp.path());
        fs::create_dir(temp.path().join(HANDED_OVER)).unwrap();
        Self { temp, launches, sweep: Sweep::new(0), ms: 0 }
    }

    fn keep(&self) -> LaunchWords {
        self.launches.keep_words("claude-code", &["--model".to_owned(), "opus".to_owned()])
    }

    fn hand_over(&self, names: &[&str]) {
        for name in names {
            fs::write(self.temp.path().join(HANDED_OVER).join(name), "").unwrap();
        }
    }

    /// The files that launchers have left, by name.
    fn handed_over(&self) -> Vec<String> {
        let entries = fs::read_dir(self.temp.path().join(HANDED_OVER)).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Time passes, and there is a look.
    fn look(&mut self, seats: &[Seat], ms: i64) {
        self.ms += ms;
        let seats = seats.iter().cloned().map(Arc::new).collect();
        let board = Board::new(seats, 0, 1);
        self.sweep.look(&self.launches, &board, UnixMs(self.ms), self.ms);
        self.sweep.settle();
    }
}

fn seat(id: &str, process: Process, since: i64, words: LaunchWords) -> Seat {
    let mut seat = Seat::new(AgentId::new(id).unwrap(), "claude-code", Source::Hook, UnixMs(0));
    (seat.process.state, seat.process.since) = (process, UnixMs(since));
    let (id, since) = ("s1".to_owned(), UnixMs(0));
    seat.session = Some(Session::new(id, since, false));
    seat.launch = Some(Box::new(Launch {
        program: "/bin/sh".into(),
        name: "sh".into(),
        folder: "/".into(),
        here: false,
        server: None,
        no_tools: false,
        words,
    }));
    seat
}

fn ended(code: Option<i32>) -> Process {
    Process::Exited(Exit { kind: ExitKind::Crashed, code, signal: None })
}

#[test]
fn only_we_can_read_them_and_their_name_is_nobodys_guess() {
    let bench = Bench::new();
    let (first, second) = (bench.keep(), bench.keep());
    assert_ne!(first, second);
    let LaunchWords::In(name) = &first else { panic!("{first:?}") };
    let folder = bench.temp.path().join(FOLDER);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join(name))), (0o700, 0o600));
    assert_eq!(bench.launches.read_words(&first).unwrap(), ["--model", "opus"]);
    assert_eq!(bench.launches.keep_words("claude-code", &[]), LaunchWords::None);
    assert_eq!(bench.launches.keep_words("claude-code", &["hello".into()]), LaunchWords::None);
    assert_eq!(bench.launches.keep_words("custom", &["--a".into()]), LaunchWords::Unkept);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
}

#[test]
fn a_name_that_is_not_ours_leads_nowhere_and_no_reason_says_what_was_read() {
    let bench = Bench::new();
    let LaunchWords::In(name) = bench.keep() else { panic!() };
    fs::write(bench.temp.path().join("token"), r#"["hunter2"]"#).unwrap();
    for strange in ["../token", "", ".", "/etc/passwd", &name[1..]] {
        let read = bench.launches.read_words(&LaunchWords::In(strange.to_owned()));
        assert!(matches!(read, Err(Unknown::Gone)), "{strange}");
        bench.launches.remove(strange);
    }
    assert!(bench.temp.path().join("token").exists());
    let kept = LaunchWords::In(name.clone());
    fs::write(bench.temp.path().join(FOLDER).join(&name), r#""hunter2""#).unwrap();
    let damaged = bench.launches.read_words(&kept).unwrap_err();
    assert!(matches!(damaged, Unknown::Damaged) && !damaged.to_string().contains("hunter2"));
    bench.launches.remove(&name);
    assert!(matches!(bench.launches.read_words(&kept), Err(Unknown::Gone)));
    assert!(matches!(bench.launches.read_words(&LaunchWords::Unkept), Err(Unknown::Unkept)));
}

#[test]
fn they_stay_as_long_as_an_agent_may_come_back_to_them() {
    let mut bench = Bench::new();
    let restoring = Process::Starting { phase: StartPhase::Restoring };
    let mut seats = [
        seat("works", RUNNING, 0, bench.keep()),
        seat("away", Process::Suspended, 0, bench.keep()),
        seat("restores", restoring, 0, bench.keep()),
        // Its next start could not be made; it may be tried again.
        seat("failed", ended(Some(gate::CANNOT_RUN)), 0, bench.keep()),
        seat("over", ended(Some(1)), 0, bench.keep()),
        seat("just", ended(Some(1)), 100_000, bench.keep()),
    ];
    seats[3].about.suspended_at = Some(UnixMs(0));
    // Nobody's: its registration was refused.
    let orphan = bench.keep();
    let there = |bench: &Bench| {
        let stays = |words: &LaunchWords| bench.launches.read_words(words).is_ok();
        let words = seats.iter().map(|seat| &seat.launch.as_ref().unwrap().words);
        let mut there: Vec<bool> = words.map(stays).collect();
        there.push(stays(&orphan));
        there
    };
    let all = [true; 7];
    bench.look(&seats, 60_000);
    assert_eq!(there(&bench), all, "it was seen for the first time");
    bench.look(&seats, 59_999);
    assert_eq!(there(&bench), all, "it is young");
    bench.look(&seats, 1);
    assert_eq!(there(&bench), [true, true, true, true, false, true, false]);
    bench.look(&seats, 60_000);
    assert_eq!(there(&bench), [true, true, true, true, false, true, false], "it has only ended");
    bench.look(&seats, 60_000);
    assert_eq!(there(&bench), [true, true, true, true, false, false, false]);
    bench.look(&[], 60_000);
    bench.look(&[], 60_000);
    assert_eq!(there(&bench), [false; 7]);
}

#[test]
fn what_is_wanted_again_meanwhile_begins_anew() {
    let mut bench = Bench::new();
    let words = bench.keep();
    let over = [seat("a", ended(None), 0, words.clone())];
    let back = [seat("a", RUNNING, 0, words.clone())];
    bench.look(&over, 60_000);
    bench.look(&back, 30_000);
    bench.look(&over, 30_000);
    assert!(bench.launches.read_words(&words).is_ok());
    bench.look(&over, 60_000);
    assert!(bench.launches.read_words(&words).is_err());
}

/// A process that was started for an agent.
fn process_of(agent: &str) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", "echo; read x"]).env("HEADSUP_AGENT_ID", agent);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // It has come as far as to say so.
    io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0; 1]).unwrap();
    child
}

#[test]
fn orders_and_settings_stay_as_long_as_somebody_may_read_them() {
    let mut bench = Bench::new();
    // Two of another hub; this one had an agent of the same id once, which is over.
    let (away, known) = ("headsup-test-of-another-hub", "headsup-test-of-both-hubs");
    let mut living = [process_of(away), process_of(known)];
    let of_away = format!("{away}.json");
    let of_known = [format!("{known}.json"), format!("{known}.mcp.json")];
    bench.hand_over(&["works.json", "works.mcp.json", "works.order", "works.ts", "a.mcp.json"]);
    bench.hand_over(&["over.js", "over.ts", "nobody.js", "works.txt"]);
    bench.hand_over(&["over.json", "over.order", "nobody.json", "nobody.mcp.json", &of_away]);
    bench.hand_over(&[&of_known[0], &of_known[1]]);
    bench.hand_over(&["starts.order", "starts.json", "stuck.order", "notes"]);
    for name in ["over.plugin", "nobody.plugin", "works.plugin", "over.folder"] {
        let folder = bench.temp.path().join(HANDED_OVER).join(name);
        fs::create_dir_all(folder.join("hooks")).unwrap();
        fs::write(folder.join("hooks/hooks.json"), "").unwrap();
    }
    let booting = Process::Starting { phase: StartPhase::Booting };
    let mut works = seat("works", RUNNING, 0, LaunchWords::None);
    let (pid, start_ticks) = process::identity(std::process::id()).unwrap();
    works.process.id = Some(ProcessId::new(pid, start_ticks));
    let mut seats = vec![
        works,
        seat("a.mcp", RUNNING, 0, LaunchWords::None),
        seat("over", ended(Some(0)), 0, LaunchWords::None),
        seat(known, ended(Some(0)), 0, LaunchWords::None),
        seat("starts", booting, 100_000, LaunchWords::None),
        seat("stuck", booting, 0, LaunchWords::None),
    ];
    let before = bench.handed_over();
    bench.look(&seats, 60_000);
    assert_eq!(bench.handed_over(), before, "they were seen for the first time");
    bench.look(&seats, 60_000);
    assert!(!bench.handed_over().contains(&"over.order".to_owned()));
    bench.look(&seats, 60_000);
    let mut kept = vec!["a.mcp.json", of_away.as_str()];
    kept.extend(of_known.iter().map(String::as_str));
    kept.extend(["notes", "over.folder", "starts.json", "starts.order"]);
    kept.extend(["works.json", "works.mcp.json", "works.plugin", "works.ts", "works.txt"]);
    assert_eq!(bench.handed_over(), kept);
    for process in &mut living {
        process.kill().unwrap();
        process.wait().unwrap();
    }
    seats.truncate(1);
    for _ in 0..4 {
        bench.look(&seats, 60_000);
    }
    let mut kept = vec!["notes", "over.folder", "works.json", "works.mcp.json"];
    kept.extend(["works.plugin", "works.ts", "works.txt"]);
    assert_eq!(bench.handed_over(), kept);
}

/// Between the question who has processes and what comes of it an agent may be started.
#[test]
fn settings_that_are_written_again_meanwhile_are_anothers() {
    let mut bench = Bench::new();
    bench.hand_over(&["over.json"]);
    for _ in 0..2 {
        bench.look(&[], 60_000);
    }
    let path = bench.temp.path().join(HANDED_OVER).join("over.json");
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    for _ in 0..2 {
        bench.look(&[], 60_000);
        assert_eq!(bench.handed_over(), ["over.json"]);
    }
    bench.look(&[], 60_000);
    assert!(bench.handed_over().is_empty());
}

#[test]
fn a_look_is_taken_at_the_first_leisure_and_then_once_a_minute() {
    let mut bench = Bench::new();
    assert!(bench.sweep.is_due(true, 0) && !bench.sweep.is_due(false, 59_999));
    assert!(bench.sweep.is_due(false, 60_000), "where there is no leisure at all");
    bench.look(&[], 10);
    assert!(!bench.sweep.is_due(true, 60_009) && bench.sweep.is_due(false, 60_010));
}
