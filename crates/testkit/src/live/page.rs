//! The page that shows what was told of every situation, and what single witnesses would have told.

use super::cases::Case;
use super::figures::Figures;
use super::judge::Verdict;
use super::programs::{self, Program};
use super::truth::Class;
use crate::replay;
use std::collections::BTreeMap;

/// What one witness alone would have told of a play: so many spans right of so many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alone {
    pub right: usize,
    pub of: usize,
    /// `TOLD, not TRUTH` of spans that were told wrong: each once, in their order.
    pub wrong: Vec<String>,
}

impl Alone {
    /// Of its recording, played back with nothing but that witness.
    pub fn of(verdict: &replay::Verdict) -> Self {
        let mut alone = Self { right: verdict.right(), of: verdict.spans.len(), ..Self::default() };
        for span in verdict.spans.iter().filter(|span| !span.right) {
            let told = if span.told.is_empty() { NOTHING } else { &span.told.join(" and ") };
            let wrong = format!("{told}, not {}", span.truth);
            if !alone.wrong.contains(&wrong) {
                alone.wrong.push(wrong);
            }
        }
        alone
    }
}

/// Behind what was true and no witness tells.
const SILENT: &str = " (silent)";
/// What was told of an agent that nobody had heard of.
const NOTHING: &str = "nothing";
/// So many that were told wrong have room in a table.
const FIRST_WRONG: usize = 2;

/// A case with its plays, what the hooks alone and the log alone told of it. What the screen alone tells is
/// read in the plays themselves.
#[derive(Clone, Debug)]
pub struct Row {
    pub case: Case,
    pub verdicts: Vec<Verdict>,
    pub hooks: Alone,
    pub log: Alone,
}

const HEAD: &str = "\
# Conformance

What headsup told of real agent programs in every situation, against a scripted model. This page is
written by `cargo run -p headsup-testkit --bin live -- --all --table docs/conformance.md`; with `--agent KIND` in
place of `--all` one program's part is written anew. What was told of recordings, played
back, stands in [replay.md](replay.md). A change is timed from the key or the model's last byte that makes it so, a
dialog from its being on the screen: before that nobody can answer it.

";

const NOTES: &str = "
## How to read it

A situation is a function in `crates/testkit/src/live/cases`. *Truth*: what was true, one span after
the other, by the driver's own acts and the model's marks; behind it *(silent)* where no witness of the program tells of
it, as the list below the situations says: right is then what is marked stale, or `unknown`. *Told*: spans that were told
right, every change as one event and in order. *ms*: the median time from mark to event where the moment is known, by
what can tell of it. Marks are keys that were pressed and answers that ended: the program's own time until
it shows the change and runs its hook is part of that. What is left without it is in two rows above: from the
moment at which prompts and dialogs are on the screen, and, of changes that a hook decided, from the program's own
hook. That moment is noted in the recorded plays alone: by a second hook (Claude Code), by a plugin beside
headsup's (OpenCode), or by a script that stands where the hooks of the others expect `headsup`, and becomes it.
*By*: the witnesses that decided. The same play, recorded, is then played back
with a single witness: *hooks* and *log* say how many spans are right when nothing but the hooks, or
nothing but the transcript, is heard, without status files, status reports, servers, processes and screens; for
the log the first status file, or without one the first hook that names it, introduces the session. In brackets stands
what they would have said: what was told in place of what, each once, two at most and then `…`; `nothing` of an agent that
they had not heard of. There `idle` is also a turn that is done, and `error` one that has failed. Claude Code's recording
has every hook registered, also where none was installed in the play, and no hub that goes away; those of the others are
what `headsup capture` gives, of plays in which the hub stays (`-` without one, and for programs that write no log).
*Screen*: so many spans the rules for screens read right off the terminal alone, at the span's end and in the very
play that was judged. They know dialogs and a prompt box at rest, and so neither work nor how it ended; what ran without a
terminal had none to look at.
";

/// The whole page. A program of which nothing was played keeps its part of the page as it was
/// (`before`). `recorded`: plays which tell when the program's own hooks began.
pub fn page(rows: &[Row], recorded: &[Verdict], before: &str) -> String {
    let part = |program: &Program| {
        let is_its = |row: &&Row| row.case.program.kind == program.kind;
        let own: Vec<&Row> = rows.iter().filter(is_its).collect();
        match own.is_empty() {
            true => part_of(before, program),
            false => section(program, &own, recorded),
        }
    };
    let parts: String = programs::ALL.into_iter().map(part).collect();
    [HEAD, parts.trim_end(), "\n", NOTES].concat()
}

fn title(program: &Program) -> String {
    format!("## {} {}\n\n", program.title, program.version)
}

/// Of a program whose situations have not all been played for the page.
const UNPLAYED: &str = "\
Not played for this page yet: `live -- --agent KIND --table docs/conformance.md` writes this part.

";

/// What an earlier page has of this program.
fn part_of(page: &str, program: &Program) -> String {
    let title = title(program);
    let Some((_, rest)) = page.split_once(&title) else { return title + UNPLAYED };
    let end = rest.find("\n## ").map_or(rest.len(), |at| at + 1);
    title + &rest[..end]
}

fn section(program: &Program, rows: &[&Row], recorded: &[Verdict]) -> String {
    let (played, left): (Vec<&Row>, Vec<&Row>) =
        rows.iter().copied().partition(|row| was_played(row));
    let all = || played.iter().flat_map(|row| &row.verdicts);
    let right = all().filter(|verdict| verdict.is_right()).count();
    let told: usize = all().map(Verdict::right).sum();
    let spans: usize = all().map(|verdict| verdict.spans.len()).sum();
    let plays = all().count();
    let hooks = sum(rows.iter().map(|row| &row.hooks));
    let log = sum(rows.iter().map(|row| &row.log));
    let alone = format!(" Hooks alone: {}. The log alone: {}.", share(&hooks), share(&log));
    let alone = if hooks.of > 0 { alone } else { String::new() };
    let on_screen: usize = all().map(Verdict::right_on_screen).sum();
    let alone = format!("{alone} The screen alone: {on_screen}/{spans}.");
    let names: Vec<String> = left.iter().map(|row| format!("`{}`", row.case.name)).collect();
    let left = match names.len() {
        0 => String::new(),
        count => format!("; {count} not played: {}", names.join(", ")),
    };
    let spans = format!("{told} of {spans} spans{left}");
    let intro = format!("{right} of {plays} plays right, {spans}.{alone}\n\n");
    let class = |class: Class| {
        let figures = Figures::of(class, all())?;
        Some(line(class.word(), &figures, &format!("{:.0} ms", figures.limit)))
    };
    let classes: String = Class::MEASURED.into_iter().filter_map(class).collect();
    let from = |from: &str, figures: Option<Figures>| {
        figures.map(|figures| line(&format!("hooked, {from}"), &figures, "")).unwrap_or_default()
    };
    let own = |verdict: &&Verdict| rows.iter().any(|row| row.case.full_name() == verdict.case);
    let recorded = recorded.iter().filter(own);
    let classes = [
        classes,
        from("from the key or the model's last byte", Figures::since_cause(Class::Hooked, all())),
        from("from its being on the screen", Figures::since_shown(Class::Hooked, all())),
        from("from the program's own hook", Figures::own(Class::Hooked, recorded)),
    ]
    .concat();
    let lines: String = rows.iter().map(|one| row(one)).collect();
    [&title(program), &intro, CLASSES, &classes, SITUATIONS, &lines, &silences(program), "\n"]
        .concat()
}

/// What it cannot be in, and what no witness tells.
fn silences(program: &Program) -> String {
    let line = |(what, why): &(&str, &str)| format!("| {what} | {why} |\n");
    let lines: String = program.silences.iter().map(line).collect();
    if lines.is_empty() { lines } else { [SILENCES, &lines].concat() }
}

const CLASSES: &str = "\
| how a change is noticed | changes | p50 | p99 | slowest | promised (p99) |
|---|--:|--:|--:|--:|--:|
";
const SILENCES: &str = "
| not played, or not told | why |
|---|---|
";
const SITUATIONS: &str = "
| situation | truth | told | ms | by | hooks | log | screen |
|---|---|--:|---|---|--:|--:|--:|
";

fn line(what: &str, figures: &Figures, promised: &str) -> String {
    let Figures { n, p50, p99, max, .. } = figures;
    format!("| {what} | {n} | {p50:.0} ms | {p99:.0} ms | {max:.0} ms | {promised} |\n")
}

/// How many in all, without words.
fn sum<'a>(each: impl Iterator<Item = &'a Alone>) -> Alone {
    each.fold(Alone::default(), |a, b| Alone { right: a.right + b.right, of: a.of + b.of, ..a })
}

/// A machine may lack what a situation takes: then there is nothing to judge.
fn was_played(row: &Row) -> bool {
    let first = row.verdicts.first();
    first.is_some_and(|first| !first.spans.is_empty() || !first.disorder.is_empty())
}

fn row(row: &Row) -> String {
    let Row { case, verdicts, hooks, log } = row;
    let Some(first) = verdicts.first() else { return String::new() };
    if !was_played(row) {
        return format!("| `{}` | not played on this machine | | | | | | |\n", case.name);
    }
    let told: usize = verdicts.iter().map(Verdict::right).sum();
    let spans: usize = verdicts.iter().map(|verdict| verdict.spans.len()).sum();
    let on_screen: usize = verdicts.iter().map(Verdict::right_on_screen).sum();
    let mark = if verdicts.iter().all(Verdict::is_right) { "" } else { " **wrong**" };
    let times: Vec<String> = Class::MEASURED
        .into_iter()
        .filter_map(|class| Figures::of(class, verdicts))
        .map(|figures| format!("{} {:.0}", figures.class.word(), figures.p50))
        .collect();
    format!(
        "| `{}` | {} | {told}/{spans}{mark} | {} | {} | {} | {} | {on_screen}/{spans} |\n",
        case.name,
        truth(first),
        times.join(", "),
        witnesses(verdicts),
        share(hooks),
        share(log)
    )
}

/// What was true, one after the other, seat by seat.
fn truth(verdict: &Verdict) -> String {
    let mut seats: Vec<(&str, Vec<String>)> = Vec::new();
    for span in &verdict.spans {
        let is_silent = span.class == Class::Silent;
        let word = [span.truth, if is_silent { SILENT } else { "" }].concat();
        match seats.iter_mut().find(|(seat, _)| *seat == span.seat) {
            Some((_, words)) => words.push(word),
            None => seats.push((&span.seat, vec![word])),
        }
    }
    for (_, words) in &mut seats {
        words.dedup();
    }
    seats.iter().map(|(_, words)| words.join(" ")).collect::<Vec<_>>().join("; ")
}

/// Who decided how many changes.
fn witnesses(verdicts: &[Verdict]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for by in verdicts.iter().flat_map(|verdict| &verdict.spans).filter_map(|span| span.by.as_ref())
    {
        *counts.entry(by).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words: Vec<String> = counts.iter().map(|(by, count)| format!("{by} {count}")).collect();
    words.join(", ")
}

fn share(alone: &Alone) -> String {
    let Alone { right, of, wrong } = alone;
    let first = wrong[..wrong.len().min(FIRST_WRONG)].join("; ");
    match (*of, wrong.len()) {
        (0, _) => "-".to_owned(),
        (of, 0) => format!("{right}/{of}"),
        (of, ..=FIRST_WRONG) => format!("{right}/{of} ({first})"),
        (of, _) => format!("{right}/{of} ({first}; …)"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge::Span;
    use super::*;
    use std::time::Duration;

    fn span(truth: &'static str, by: &str, latency_ms: f64) -> Span {
        Span {
            t_ms: 0.0,
            seat: "a".to_owned(),
            truth,
            why: String::new(),
            class: Class::Hooked,
            told: None,
            right: true,
            by: Some(by.to_owned()),
            latency_ms: Some(latency_ms),
            since_shown_ms: None,
            on_screen: None,
            own_ms: None,
        }
    }

    #[test]
    fn a_situation_is_a_line_that_says_who_told_it_and_who_could_not() {
        let mut verdict = Verdict::broken("claude-code/plain_turn", String::new());
        verdict.disorder.clear();
        let unplayed = verdict.clone();
        verdict.spans = vec![span("working", "hook", 12.0), span("idle", "registry", 14.0)];
        verdict.spans[1].on_screen = Some("idle");
        let mut wrong = verdict.clone();
        wrong.spans[1].on_screen = Some("blocked");
        wrong.spans[0].right = false;
        let hooks = Alone { right: 1, of: 2, wrong: vec!["working, not idle".to_owned()] };
        let row = |name: &str, verdict: Verdict| {
            let case = super::super::named("claude-code", name).unwrap();
            Row { case, verdicts: vec![verdict], hooks: hooks.clone(), log: Alone::default() }
        };
        let rows = vec![
            row("plain_turn", verdict),
            row("tool_turn", wrong),
            row("oom", Verdict { case: "claude-code/oom".to_owned(), ..unplayed }),
        ];
        let before = "## Codex 0.169.0\n\n1 of 1 plays\n\n## How to read it\n";
        let page = page(&rows, &[], before);
        let line = "| `plain_turn` | working idle | 2/2 | hooked 14 | hook 1, registry 1 \
                    | 1/2 (working, not idle) | - | 1/2 |\n";
        assert!(page.contains(line), "{page}");
        assert!(page.contains("| 1/2 **wrong** |"), "{page}");
        assert!(page.contains("| `oom` | not played on this machine |"), "{page}");
        assert!(page.contains("1 of 2 plays right, 3 of 4 spans; 1 not played: `oom`. Hooks alone: 3/6. The log alone: -. The screen alone: 1/4."), "{page}");
        // What was not played stays as it was.
        assert!(page.contains("\n## Codex 0.169.0\n\n1 of 1 plays\n\n## OpenCode"), "{page}");
    }

    #[test]
    fn one_witness_alone_is_quoted_where_it_is_wrong() {
        let span = |truth: &str, told: &[&str], right| replay::Span {
            schema: 1,
            case: "case".to_owned(),
            t_ms: 0,
            session: None,
            truth: truth.to_owned(),
            headlines: BTreeMap::new(),
            told: told.iter().map(|&told| told.to_owned()).collect(),
            right,
            silent: false,
            why: String::new(),
            reason: None,
        };
        let spans = vec![
            span("idle", &["idle"], true),
            span("working", &["idle"], false),
            span("blocked", &["idle", "working"], false),
            span("working", &["idle"], false),
            span("crashed", &[], false),
        ];
        let alone = |spans: &[replay::Span]| {
            let (case, spans) = ("case".to_owned(), spans.to_vec());
            let (told, delay) = (BTreeMap::new(), Duration::ZERO);
            share(&Alone::of(&replay::Verdict { case, spans, told, delay }))
        };
        assert_eq!(alone(&spans[..2]), "1/2 (idle, not working)");
        let two = "(idle, not working; idle and working, not blocked";
        assert_eq!(alone(&spans[..4]), format!("1/4 {two})"));
        assert_eq!(alone(&spans), format!("1/5 {two}; …)"));
        assert_eq!(alone(&spans[4..]), "0/1 (nothing, not crashed)");
        assert_eq!(alone(&[]), "-");
    }

    #[test]
    fn of_every_program_a_row_tells_what_was_headsups_own() {
        for program in programs::ALL {
            let case = super::super::named(program.kind, "plain_turn").unwrap();
            let mut verdict = Verdict::broken(&case.full_name(), String::new());
            verdict.disorder.clear();
            verdict.spans = vec![span("working", "hook", 42.0)];
            let own = |own_ms| Span { own_ms, ..span("working", "hook", 45.0) };
            let spans = [Some(2.0), Some(9.0), None, Some(4.0)].map(own);
            let recorded = Verdict { spans: spans.to_vec(), ..verdict.clone() };
            let (hooks, log) = <(Alone, Alone)>::default();
            let rows = [Row { case, verdicts: vec![verdict], hooks, log }];
            let line = "| hooked, from the program's own hook | 3 | 4 ms | 9 ms | 9 ms |  |\n";
            assert!(page(&rows, &[recorded], "").contains(line), "{}", program.kind);
            assert!(!page(&rows, &[], "").contains("own hook |"), "{}", program.kind);
        }
    }

    /// Whoever adds a situation writes the page anew.
    #[test]
    fn the_page_has_every_situation_and_this_form() {
        let page = include_str!("../../../../docs/conformance.md");
        for case in super::super::all() {
            let part = part_of(page, case.program);
            assert!(part.contains(&format!("\n| `{}` |", case.name)), "{case:?} is missing");
        }
        for program in programs::ALL {
            let part = part_of(page, program);
            let rows = part.lines().filter_map(|line| line.split_once("` | not played on"));
            let names: Vec<String> = rows.map(|(name, _)| format!("{}`", &name[2..])).collect();
            let left = format!("; {} not played: {}. ", names.len(), names.join(", "));
            assert!(names.is_empty() || part.contains(&left), "{}: {left}", program.kind);
        }
        assert!(page.starts_with(HEAD) && page.ends_with(NOTES), "the page has another form");
    }
}
