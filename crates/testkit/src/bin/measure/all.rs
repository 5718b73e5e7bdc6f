//! `measure all`: every promise of speed with its floor in the same run, and the page of it.

use crate::bars::Bars;
use crate::promise::{Limit, Line};
use crate::stats::median;
use crate::{Outcome, hooks, ingest, say, state, watchers};
use headsup_core::time::UnixMs;
use headsup_testkit::home::Home;
use headsup_testkit::program;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/performance.md");

/// The targets that a run must meet. What is missed of the others stands in the page.
const NAMED: [&str; 13] =
    ["H1", "H2", "H3", "H5", "H9", "I1", "I4", "W1", "E1", "T2", "M1", "S1", "L1"];

/// What all rows need.
pub(crate) struct Bench {
    pub(crate) binary: PathBuf,
    pub(crate) inside: PathBuf,
    quick: bool,
    rounds: usize,
    start: Instant,
    part: RefCell<&'static str>,
}

type Part = (&'static str, fn(&Bench) -> Outcome<Vec<Line>>);

const PARTS: [Part; 6] = [
    ("hook", hooks::measure),
    ("inside", state::inside),
    ("ingest", ingest::measure),
    ("watch", watchers::measure),
    ("state", state::measure),
    ("logs", state::long_logs),
];

impl Bench {
    /// A home for a hub of its own.
    pub(crate) fn home(&self) -> Home {
        Home::new(&self.binary.to_string_lossy())
    }

    pub(crate) fn pick<T>(&self, whole: T, quick: T) -> T {
        if self.quick { quick } else { whole }
    }

    /// The same again: figures are medians over rounds.
    pub(crate) fn rounds<T>(&self, run: impl Fn() -> Outcome<T>) -> Outcome<Vec<T>> {
        (0..self.rounds).map(|_| run()).collect()
    }

    pub(crate) fn say(&self, what: &str) -> Outcome<()> {
        let seconds = self.start.elapsed().as_secs();
        say(&format!("[{seconds:>4} s] {}: {what}", self.part.borrow()))
    }
}

/// Measures the parts that are asked for, or all of them; then, if it was all, writes the page. Ends
/// with an error if a named target is missed, or is not there although it was all.
pub(crate) fn run(quick: bool, only: Option<&str>, page: Option<&str>) -> Outcome<()> {
    let (binary, inside) = (program::built()?, program::built_inside()?);
    raise_file_limit()?;
    let rounds = if quick { 1 } else { 3 };
    let (start, part) = (Instant::now(), RefCell::new(""));
    let bench = Bench { binary, inside, quick, rounds, start, part };
    let wanted = |name: &str| only.is_none_or(|only| only.split(',').any(|part| part == name));
    let before = load();
    let mut lines = Vec::new();
    for (name, measure) in PARTS.iter().filter(|(name, _)| wanted(name)) {
        bench.part.replace(name);
        bench.say("begins")?;
        let measured = measure(&bench)?;
        for line in &measured {
            say(&line.plain())?;
        }
        lines.extend(measured);
    }
    let page = page.map(PathBuf::from).or_else(|| only.is_none().then(|| PAGE.into()));
    if let Some(page) = page {
        write_page(&page, &lines, &bench, [before, load()])?;
        say(&format!("written: {}", page.display()))?;
    }
    judge(&lines, only.is_none())
}

fn judge(lines: &[Line], is_all: bool) -> Outcome<()> {
    let mut bars = Bars::default();
    for id in NAMED.iter().filter(|_| is_all) {
        let is_its = |line: &Line| line.promise.id == *id && line.is_met().is_some();
        if !lines.iter().any(is_its) {
            bars.holds(&format!("{id} was not measured"), false)?;
        }
    }
    for line in lines {
        let (Some(is_met), true) = (line.is_met(), NAMED.contains(&line.promise.id)) else {
            continue;
        };
        bars.holds(&line.brief(), is_met)?;
    }
    bars.judge()
}

/// A thousand watchers are a thousand files, here and in the hub, which inherits the limit.
fn raise_file_limit() -> Outcome<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    Ok(())
}

fn write_page(page: &Path, lines: &[Line], bench: &Bench, loads: [f64; 2]) -> Outcome<()> {
    let rows: Vec<String> = lines.iter().map(Line::row).collect();
    let judged = lines.iter().filter(|line| !matches!(line.promise.limit, Limit::None));
    let met = lines.iter().filter(|line| line.is_met() == Some(true)).count();
    let [before, after] = loads;
    let profile = bench.pick("whole, medians of three rounds", "quick, one round");
    let busy = match before.max(after) > 2.0 {
        true => "\n**The machine was busy: of these figures only memory and instructions hold.**\n",
        false => "",
    };
    let text = format!(
        "# Speed\n\n\
         Written by `cargo run --release -p headsup-testkit --bin measure -- all`; not by hand.\n\n\
         {} of {} limits are met. {}. Profile: {profile}. Load before {before:.1}, after {after:.1}.\n\
         Machine: {}.\n{busy}\n\
         Everything is measured on the release build, from outside where it can be. Machines are noisy: a ratio is to\n\
         the floor beside it, shuffled into the same run. F is a static C client that reads its input, connects to a unix\n\
         socket, writes, reads the answer of a server that only answers, and exits. Instructions are counted by callgrind,\n\
         which sees user space alone.\n\n\
         | | what | target | stretch | measured | beside it | |\n\
         |---|---|---|---|---|---|---|\n\
         {}\n",
        met,
        judged.count(),
        today(),
        machine(),
        rows.join("\n"),
    );
    fs::write(page, text)?;
    Ok(())
}

fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = UnixMs(i64::try_from(now.as_millis()).unwrap_or(0)).to_string();
    now.split('T').next().unwrap_or_default().to_owned()
}

/// Processor, memory and kernel; no names.
fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let value = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.and_then(|line| Some(line.split_once(':')?.1.trim().to_owned())).unwrap_or_default()
    };
    let processor = value(&read("/proc/cpuinfo"), "model name");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let kib = value(&read("/proc/meminfo"), "MemTotal");
    let kib: f64 = kib.split(' ').next().and_then(|kib| kib.parse().ok()).unwrap_or_default();
    let kernel = read("/proc/sys/kernel/osrelease");
    let kernel = kernel.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
    format!("{cores} × {processor}, {:.0} GiB, Linux {kernel}", kib / 1_048_576.0)
}

/// Processes that wanted to run in the last minute.
fn load() -> f64 {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    median(load.split(' ').next().and_then(|one| one.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promise::{Promise, Unit};

    #[test]
    fn a_named_target_that_was_not_measured_is_missed_where_all_was() {
        let line = |id| Promise::new(id, "what", Unit::Ms, Limit::AtMost(1.0)).is(0.5, "");
        let mut lines: Vec<Line> = NAMED.into_iter().map(line).collect();
        assert!(judge(&lines, true).is_ok());
        let last = lines.pop().unwrap();
        let said = judge(&lines, true).unwrap_err().to_string();
        assert_eq!(said, format!("1 of 13 bars missed: {} was not measured", last.promise.id));
        assert!(judge(&lines, false).is_ok(), "a part has not all");
    }
}
