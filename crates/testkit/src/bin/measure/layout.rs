//! `measure layout`: which functions run where somebody waits. A release lays these out side by
//! side (`crates/headsup/build.rs`): the system maps a program by pieces of 64 KiB around what
//! runs, and among 20 MB a hook's 200 KB would lie in as many pieces as it has functions.

use crate::progress::note;
use crate::{Outcome, load, say, watchers};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::instructions::{self, answer_all, payload};
use headsup_testkit::{program, wait};
use rustix::process::Signal;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../headsup/hot.txt");
const HEAD: &str = "\
# Functions that run where somebody waits, in the order in which a release lays them out.
# Written by `cargo run --release -p headsup-testkit --bin measure -- layout`; not by hand.
# Hashes of compilations are left open (`*`). A name that no longer is does no harm.
";

/// Seats and turns that a hub has while it is watched. What it has called as often belongs to each report, and comes first: a
/// report that comes after a pause finds nothing of it in the processor's caches, and fewer pages are looked up.
const AGENTS: usize = 50;

/// A name of which less, in percent of its bytes, has run means too much else: it comes last.
const MEANT: u64 = 25;

/// How something is looked at.
type Part = fn(&Path) -> Outcome<Ran>;

/// Writes the list anew.
pub(crate) fn write() -> Outcome<()> {
    note("building with the names of functions; this takes minutes");
    let binary = program::built_with_names()?;
    let sizes = sizes(&binary)?;
    let ranks = |name: &str, run: Part| -> Outcome<Vec<Ranked>> {
        note(&format!("{name}, below valgrind"));
        let ran = run(&binary)?;
        say(&format!("{name}: {} functions ran", ran.len()))?;
        Ok(ranked(&ran, &sizes))
    };
    let (hook, hub) = (ranks("hook", hook)?, ranks("hub", hub)?);
    let commands = ranks("commands", commands)?;
    let all = || hook.iter().chain(&hub).chain(&commands);
    let often = all().filter(|ranked| ranked.calls >= AGENTS);
    // What commands share with the hub lies between what either has for itself: neither has pages of the other's in memory.
    let in_hub: HashSet<_> = hub.iter().map(|ranked| &ranked.name).collect();
    let (shared, own): (Vec<_>, Vec<_>) =
        commands.iter().partition(|ranked| in_hub.contains(&ranked.name));
    let rest = hook.iter().chain(own).chain(shared).chain(&hub);
    let (front, back): (Vec<_>, Vec<_>) =
        often.chain(rest).partition(|ranked| ranked.share >= MEANT);
    let (mut seen, mut list) = (HashSet::new(), HEAD.to_owned());
    for Ranked { name, .. } in front.into_iter().chain(back) {
        if seen.insert(name) {
            list.extend([name, "\n"]);
        }
    }
    fs::write(LIST, list)?;
    say(&format!("written: {LIST}"))
}

/// Functions that ran, as the program's table of symbols names them, and how often they were called.
type Ran = BTreeMap<String, usize>;

fn hook(binary: &Path) -> Outcome<Ran> {
    let home = Home::new(&binary.to_string_lossy());
    fs::create_dir_all(home.state())?;
    let one = |filler: usize| -> Outcome<()> {
        home.feed(watched(&home, &instructions::hook(&home)), &payload(filler)).ok();
        Ok(())
    };
    // No hub: it goes to the spool.
    one(850)?;
    answer_all(&home.socket())?;
    one(850)?;
    one(100 << 10)?;
    ran(&home)
}

fn hub(binary: &Path) -> Outcome<Ran> {
    let home = Home::new(&binary.to_string_lossy());
    // The second start has something to find.
    for _ in 0..2 {
        let up = watched(&home, &home.command(["up", "--foreground"]));
        let mut hub = Hub::start_as(up, &home.socket());
        load::fill(&home.socket(), AGENTS)?;
        load::reports(&home.socket(), 2, std::time::Duration::from_secs(2), Some(20))?;
        watchers::hook_to_socket(&home, AGENTS)?;
        watchers::one_watcher(&home, 4)?;
        home.run(["ls"]).ok();
        home.run(["ls", "--json"]).ok();
        hub.signal(Signal::TERM);
        wait::until("the hub to end", || hub.has_ended().then_some(()));
    }
    ran(&home)
}

fn commands(binary: &Path) -> Outcome<Ran> {
    let home = Home::new(&binary.to_string_lossy());
    let _hub = Hub::start(&home);
    load::fill(&home.socket(), AGENTS)?;
    for words in [&["ls"][..], &["ls", "--json"], &["statusline"], &["inbox"], &["--version"]] {
        home.feed(watched(&home, &home.command(words)), b"").ok();
    }
    ran(&home)
}

/// The same command below valgrind, which leaves in the home what ran.
fn watched(home: &Home, command: &Command) -> Command {
    let mut watched = Command::new("valgrind");
    watched.args(["--tool=callgrind", "--demangle=no", "--compress-strings=no"]);
    watched.arg(format!("--callgrind-out-file={}/ran.%p", home.path().display()));
    watched.arg(command.get_program()).args(command.get_args()).env_clear();
    watched.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    watched.current_dir(home.path());
    watched
}

fn ran(home: &Home) -> Outcome<Ran> {
    let mut ran = Ran::new();
    for entry in fs::read_dir(home.path())? {
        let path: PathBuf = entry?.path();
        let is_profile = path.file_stem() == Some(OsStr::new("ran"));
        if is_profile && path.is_file() {
            let profile = fs::read_to_string(path)?;
            // The second turn of a recursion has a name of its own.
            let plain = |name: &str| name.split('\'').next().unwrap_or_default().to_owned();
            let mut called = None;
            for line in profile.lines() {
                if let Some(name) = line.strip_prefix("fn=") {
                    ran.entry(plain(name)).or_default();
                } else if let Some(name) = line.strip_prefix("cfn=") {
                    called = Some(plain(name));
                } else if let (Some(times), Some(name)) =
                    (line.strip_prefix("calls="), called.take())
                {
                    let times = times.split(' ').next().and_then(|times| times.parse().ok());
                    *ran.entry(name).or_default() += times.unwrap_or(0);
                }
            }
        }
    }
    ran.retain(|name, _| is_symbol(name));
    if ran.is_empty() { Err("valgrind has seen nothing".into()) } else { Ok(ran) }
}

fn is_symbol(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'))
}

/// Bytes of each function.
fn sizes(binary: &Path) -> Outcome<HashMap<String, u64>> {
    let said = Command::new("nm").args(["--print-size", "--defined-only"]).arg(binary).output()?;
    let lines = String::from_utf8(said.stdout)?;
    let sizes = lines.lines().filter_map(|line| {
        let [_, size, kind, name] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
        let is_code = matches!(kind, "t" | "T" | "w" | "W");
        is_code.then(|| Some((name.to_owned(), u64::from_str_radix(size, 16).ok()?)))?
    });
    let sizes: HashMap<_, _> = sizes.collect();
    if sizes.is_empty() { Err("the program has no names".into()) } else { Ok(sizes) }
}

/// A name with its hashes left open, how much of what it means has run, in percent of its bytes, and how often all of that
/// was called.
struct Ranked {
    name: String,
    share: u64,
    calls: usize,
}

/// First those that mean little else.
fn ranked(ran: &Ran, sizes: &HashMap<String, u64>) -> Vec<Ranked> {
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    for (name, times) in ran {
        *calls.entry(open(name)).or_default() += times;
    }
    let mut bytes: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for (name, size) in sizes {
        let key = open(name);
        if calls.contains_key(&key) {
            let [all, used] = bytes.entry(key).or_default();
            *all += size;
            *used += if ran.contains_key(name) { *size } else { 0 };
        }
    }
    let share = |[all, used]: [u64; 2]| used * 100 / all.max(1);
    let rank = |(name, bytes): (String, _)| {
        let calls = calls.get(&name).copied().unwrap_or(0);
        Ranked { name, share: share(bytes), calls }
    };
    let mut names: Vec<_> = bytes.into_iter().map(rank).collect();
    names.sort_by_key(|ranked| Reverse(ranked.share));
    names
}

/// The name without what another compilation makes otherwise.
fn open(name: &str) -> String {
    let name = match name.split_once(".llvm.") {
        Some((name, _)) => format!("{name}*"),
        None => name.to_owned(),
    };
    // rustc's first way to name: `…17h0123456789abcdefE`.
    if let Some((front, back)) = name.rsplit_once("17h")
        && back.len() >= 17
        && back.as_bytes()[..16].iter().all(u8::is_ascii_hexdigit)
    {
        return format!("{front}17h*{}", &back[16..]);
    }
    // Its second way: `Cs` and a number for each crate. The list has no need to tell these from
    // the same letters elsewhere.
    let mut pieces = name.split("Cs");
    let mut opened = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let hash = piece.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let is_hash = piece.as_bytes().get(hash) == Some(&b'_') && name.starts_with("_R");
        opened.push_str("Cs");
        opened.push_str(if is_hash { "*" } else { "" });
        opened.push_str(if is_hash { &piece[hash..] } else { piece });
    }
    opened
}
