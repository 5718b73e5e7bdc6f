//! `live`: the agent programs themselves in every situation, against a scripted model and a hub of its own.

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser};
use headsup_testkit::live::{
    self, Alone, Case, Class, Figures, Installed, Program, Row, Verdict, With,
};
use headsup_testkit::program;
use headsup_testkit::replay::Witness::{
    self, LaterHooks, LaterRegistry, Process, Registry, Screen, Server, Terminal, Transcript,
};
use headsup_testkit::replay::play_together;
use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Play the agent programs themselves in every situation, against a scripted model and a hub of
/// its own.
///
/// Ends with 0 if everything was told, in order, and in time, else with 1. The `headsup` that it
/// plays against is built first.
#[derive(Clone, Debug, Parser)]
#[command(name = "live", after_help = cases())]
struct Args {
    /// What to play; without any, the cases are listed.
    #[arg(value_name = "CASE")]
    cases: Vec<String>,
    /// All of them.
    #[arg(long, conflicts_with = "cases")]
    all: bool,
    /// Of this program only, all of them or the CASEs; may be given again. A CASE is else one of
    /// the first program's.
    #[arg(long, value_name = "KIND", value_parser = program_of_kind)]
    agent: Vec<&'static Program>,
    /// Play each so often.
    #[arg(long, value_name = "N", default_value_t = ONE)]
    rounds: NonZeroUsize,
    /// Play so many at a time: 2, and 1 for a page, because a program that comes up beside another
    /// one takes its processor.
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Go on only when the hub has told what is true, however late: right and wrong on a busy
    /// machine, and no times.
    #[arg(long, conflicts_with = "table")]
    patient: bool,
    /// One JSON object a play, and the figures.
    #[arg(long)]
    json: bool,
    /// Keep the plays in this folder, in the form of the fixtures, and tell of their times which part was
    /// headsup's own.
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Write a page. For it every case is played once more, recorded, and that is played back with
    /// the hooks alone and the log alone; what the screen alone tells is read in the plays themselves. Times are those of the plays without a recorder, one play at a time,
    /// but for headsup's own, from the program's hook on.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

const ONE: NonZeroUsize = NonZeroUsize::MIN;
const TWO: NonZeroUsize = ONE.saturating_add(1);

fn main() -> Outcome<ExitCode> {
    let mut args = Args::parse();
    let mut out = std::io::stdout();
    let cases = match chosen(&args) {
        Ok(cases) => cases,
        Err(why) => Args::command().error(ErrorKind::InvalidValue, why).exit(),
    };
    if cases.is_empty() {
        write!(out, "{}", Args::command().render_help())?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.table.is_some() && args.record.is_none() {
        let folder = format!("headsup-live-{}", std::process::id());
        args.record = Some(std::env::temp_dir().join(folder));
    }
    let mut programs: BTreeMap<&str, Installed> = BTreeMap::new();
    for case in &cases {
        if !programs.contains_key(case.program.kind) {
            programs.insert(case.program.kind, live::install(case.program)?);
        }
    }
    let binary = program::built()?;
    // A play that cannot go on is told in the table.
    std::panic::set_hook(Box::new(|_| {}));
    let times = if args.table.is_some() { None } else { args.record.as_deref() };
    let verdicts = play(&args, &cases, &binary, &programs, times);
    if let (Some(file), Some(records)) = (&args.table, &args.record) {
        writeln!(std::io::stderr(), "the same, recorded")?;
        let again = Args { rounds: ONE, ..args.clone() };
        let recorded = play(&again, &cases, &binary, &programs, Some(records));
        let alone = |others: &[Witness]| alone(&cases, &binary, records, others);
        let hooks = alone(&[Registry, Transcript, Screen, Terminal, Server, Process])?;
        let mut log = alone(&[LaterHooks, LaterRegistry, Screen, Terminal, Server, Process])?;
        for (_, log) in cases.iter().zip(&mut log).filter(|(case, _)| !case.has_log()) {
            *log = Alone::default();
        }
        let of = |case: &Case| {
            let name = case.full_name();
            verdicts.iter().filter(|verdict| verdict.case == name).cloned().collect()
        };
        let rows = cases.iter().zip(hooks).zip(log);
        let row = |((case, hooks), log): ((&Case, Alone), Alone)| Row {
            case: *case,
            verdicts: of(case),
            hooks,
            log,
        };
        let rows: Vec<Row> = rows.map(row).collect();
        let before = std::fs::read_to_string(file).unwrap_or_default();
        std::fs::write(file, live::page(&rows, &recorded, &before))?;
    }
    let figures: Vec<_> = Class::MEASURED
        .into_iter()
        .filter_map(|class| Figures::of(class, verdicts.iter()))
        .collect();
    if args.json {
        for verdict in &verdicts {
            writeln!(out, "{}", serde_json::to_string(verdict)?)?;
        }
        writeln!(out, "{}", serde_json::json!({ "figures": figures }))?;
    } else {
        table(&mut out, &cases, &verdicts)?;
        for figures in &figures {
            sum(&mut out, figures, "")?;
        }
        if let Some(figures) = Figures::since_cause(Class::Hooked, verdicts.iter()) {
            sum(&mut out, &figures, " after its key or the model's last byte")?;
        }
        if let Some(figures) = Figures::since_shown(Class::Hooked, verdicts.iter()) {
            sum(&mut out, &figures, " after the screen showed it")?;
        }
        for class in Class::MEASURED {
            if let Some(own) = Figures::own(class, verdicts.iter()) {
                sum(&mut out, &own, " after its own signal")?;
            }
        }
    }
    let right = verdicts.iter().all(Verdict::is_right) && figures.iter().all(Figures::is_kept);
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn program_of_kind(kind: &str) -> Result<&'static Program, &'static str> {
    live::of_kind(kind).ok_or("there is no such program")
}

/// What is to be played.
fn chosen(args: &Args) -> Result<Vec<Case>, String> {
    let is_chosen = |program: &Program| {
        args.agent.is_empty() || args.agent.iter().any(|chosen| chosen.kind == program.kind)
    };
    if args.cases.is_empty() {
        let mut all = if args.all || !args.agent.is_empty() { live::all() } else { Vec::new() };
        all.retain(|case| is_chosen(case.program));
        return Ok(all);
    }
    let first = live::PROGRAMS.into_iter().take(usize::from(args.agent.is_empty()));
    let programs: Vec<&Program> = first.chain(args.agent.iter().copied()).collect();
    let mut cases = Vec::new();
    for name in &args.cases {
        let found: Vec<Case> =
            programs.iter().filter_map(|program| live::named(program.kind, name)).collect();
        if found.is_empty() {
            return Err(format!("there is no such case: {name}"));
        }
        cases.extend(found);
    }
    Ok(cases)
}

fn cases() -> String {
    let part = |program: &&Program| {
        let cases = live::all();
        let own = cases.iter().filter(|case| case.program.kind == program.kind);
        let names: Vec<&str> = own.map(|case| case.name).collect();
        format!("Cases of {}:\n  {}", program.kind, names.join("\n  "))
    };
    live::PROGRAMS.iter().map(part).collect::<Vec<_>>().join("\n\n")
}

/// So many recordings are played back at once.
const SIDE_BY_SIDE: usize = 24;

/// What is told of each recorded case when these witnesses say nothing.
fn alone(cases: &[Case], binary: &Path, records: &Path, silent: &[Witness]) -> Outcome<Vec<Alone>> {
    let folder = |case: &Case| case.recording(records);
    let folders: Vec<PathBuf> = cases.iter().map(folder).collect();
    let recorded = |folder: &&PathBuf| folder.join("timeline.jsonl").is_file();
    let played: Vec<PathBuf> = folders.iter().filter(recorded).cloned().collect();
    let mut told = Vec::new();
    for some in played.chunks(SIDE_BY_SIDE) {
        play_together(binary, some, silent, |verdict| {
            told.push(Alone::of(&verdict));
            Ok(())
        })?;
        writeln!(std::io::stderr(), "{} of {} played back", told.len(), played.len())?;
    }
    let told: BTreeMap<PathBuf, Alone> = played.into_iter().zip(told).collect();
    let of = |folder: &PathBuf| told.get(folder).cloned();
    Ok(folders.iter().map(|folder| of(folder).unwrap_or_default()).collect())
}

/// Some at a time; in the order of the cases, round by round.
fn play(
    args: &Args,
    cases: &[Case],
    binary: &Path,
    programs: &BTreeMap<&str, Installed>,
    record: Option<&Path>,
) -> Vec<Verdict> {
    let plays: Vec<&Case> = (0..args.rounds.get()).flat_map(|_| cases).collect();
    let jobs = args.jobs.unwrap_or(if args.table.is_some() { ONE } else { TWO });
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let verdicts: Mutex<Vec<(usize, Verdict)>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..jobs.get() {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = plays.get(number) else { return };
                    let Some(program) = programs.get(case.program.kind) else { return };
                    let with = With { binary, program, patient: args.patient, record };
                    let started = Instant::now();
                    let verdict = live::play(case, with);
                    let mark = if verdict.is_right() { "right" } else { "WRONG" };
                    let (of, took) = (plays.len(), started.elapsed().as_secs_f64());
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    writeln!(
                        std::io::stderr(),
                        "{done:>3}/{of} {mark} {} {took:.0} s",
                        case.full_name()
                    )
                    .ok();
                    if let Ok(mut verdicts) = verdicts.lock() {
                        verdicts.push((number, verdict));
                    }
                }
            });
        }
    });
    let mut verdicts = verdicts.into_inner().unwrap_or_default();
    verdicts.sort_by_key(|(number, _)| *number);
    verdicts.into_iter().map(|(_, verdict)| verdict).collect()
}

fn table(out: &mut impl Write, cases: &[Case], verdicts: &[Verdict]) -> Outcome<()> {
    let head = ["hooked", "unhooked", "kill"].map(|class| format!("{class:>18}")).concat();
    writeln!(out, "  {:<36} {:>7}  events {head}   p50/p99/max ms", "case", "right")?;
    for case in cases {
        let name = case.full_name();
        let mine: Vec<&Verdict> = verdicts.iter().filter(|v| v.case == name).collect();
        let right: usize = mine.iter().map(|verdict| verdict.right()).sum();
        let all: usize = mine.iter().map(|verdict| verdict.spans.len()).sum();
        let in_order = mine.iter().all(|verdict| verdict.disorder.is_empty());
        let is_right = mine.iter().all(|verdict| verdict.is_right());
        let mark = if is_right { ' ' } else { '!' };
        let order = if in_order { "in order" } else { "WRONG" };
        write!(out, "{mark} {name:<36} {:>7}  {order:<8}", format!("{right}/{all}"))?;
        for class in Class::MEASURED {
            let figures = Figures::of(class, mine.iter().copied());
            let text = figures.map_or_else(
                || "-".to_owned(),
                |figures| format!("{:.0}/{:.0}/{:.0}", figures.p50, figures.p99, figures.max),
            );
            write!(out, "{text:>18}")?;
        }
        writeln!(out)?;
        for verdict in mine.into_iter().filter(|verdict| !verdict.is_right()) {
            explain(out, verdict)?;
        }
    }
    Ok(())
}

fn explain(out: &mut impl Write, verdict: &Verdict) -> Outcome<()> {
    for span in &verdict.spans {
        let mark = if span.right { ' ' } else { '!' };
        let (at, truth, why) = (span.t_ms, span.truth, &span.why);
        let told = span.told.as_deref().unwrap_or("nothing");
        writeln!(out, "    {mark} {at:>6.0} {truth} ({why}); told: {told}")?;
    }
    for event in &verdict.events {
        writeln!(out, "        {event}")?;
    }
    for fault in &verdict.disorder {
        writeln!(out, "    ! {fault}")?;
    }
    Ok(())
}

fn sum(out: &mut impl Write, figures: &Figures, from: &str) -> Outcome<()> {
    let Figures { class, n, p50, p99, max, limit } = figures;
    let mark = if figures.is_kept() { ' ' } else { '!' };
    let class = format!("{}{from}", class.word());
    writeln!(
        out,
        "{mark} {class:<34} n {n:<5} p50 {p50:>5.0}  p99 {p99:>5.0}  max {max:>5.0} ms; promised {limit:.0} ms"
    )?;
    Ok(())
}
