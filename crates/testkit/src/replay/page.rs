//! The page of what was told of every recording.

use super::{Span, Verdict};
use std::fmt::Write as _;
use std::path::Path;

const HEAD: &str = "\
# Replay

What headsup told of recordings of real agent programs, played back at recorded time through the real hub (see
\"Play recordings back\" in [CONTRIBUTING.md](../CONTRIBUTING.md)). This page is written by

```sh
cargo run -p headsup-testkit --bin replay -- --table docs/replay.md FOLDER…
```

from all recordings that are named there. What is told of the programs themselves, played live, stands in
[conformance.md](conformance.md).

A span is what was true from one moment to the next, by the recording's own word. It is right if the hub said so in
its middle, or at most 0.7 s from there. Where no witness of a program tells what happened, and nothing was said but
`unknown` or a status that is marked stale, it is *silent*: not right, and no defect. Every other word there is wrong.
What is not told as it was stands below with its reason; without one it is a defect.

";

const GROUPS: &str = "\
| recordings of | recordings | with truth | spans | right | silent |
|---|--:|--:|--:|--:|--:|
";
const UNTOLD: &str = "\
| recording | at | truth | told | | why |
|---|--:|---|---|---|---|
";

/// The whole page. Each verdict with the folder in which its recording lies.
pub fn page(played: &[(String, Verdict)]) -> String {
    let groups = groups(played);
    let line = |(group, verdicts): &(&str, Vec<&Verdict>)| {
        format!("| {group} | {} | {} |\n", verdicts.len(), counts(verdicts))
    };
    let lines: String = groups.iter().map(line).collect();
    let all = line(&("all", played.iter().map(|(_, verdict)| verdict).collect()));
    let rows: String = groups.iter().map(|(group, verdicts)| untold(group, verdicts)).collect();
    let (head, none) = if rows.is_empty() { ("", "Nothing.\n") } else { (UNTOLD, "") };
    let parts: String = groups.iter().map(part).collect();
    [HEAD, GROUPS, &lines, &all, "\n## Not told as it was\n\n", head, &rows, none, &parts].concat()
}

/// Where a recording lies, as the page calls it: below the folder of all of them, or else its program and version.
pub fn group(folder: &Path) -> String {
    let parent = folder.parent().unwrap_or(folder);
    let parts: Vec<_> = parent.iter().map(|part| part.to_string_lossy()).collect();
    let above = parts.iter().rposition(|part| part == "fixtures" || part == "recordings");
    let own = above.map_or(parts.len().saturating_sub(2), |at| at + 1);
    parts[own.min(parts.len())..].join(" ")
}

/// The recordings of one folder.
fn part((group, verdicts): &(&str, Vec<&Verdict>)) -> String {
    let line = |verdict: &&Verdict| {
        let right = match verdict.spans.len() {
            0 => "no truth in it".to_owned(),
            spans => match verdict.silent() {
                0 => format!("{}/{spans}", verdict.right()),
                silent => format!("{}/{spans}, {silent} silent", verdict.right()),
            },
        };
        format!("| `{}` | {right} |\n", verdict.case)
    };
    let lines: String = verdicts.iter().map(line).collect();
    format!("\n## {group}\n\n| recording | right |\n|---|--:|\n{lines}")
}

/// In the order in which they came.
fn groups(played: &[(String, Verdict)]) -> Vec<(&str, Vec<&Verdict>)> {
    let mut groups: Vec<(&str, Vec<&Verdict>)> = Vec::new();
    for (group, verdict) in played {
        match groups.iter_mut().find(|(known, _)| known == group) {
            Some((_, verdicts)) => verdicts.push(verdict),
            None => groups.push((group, vec![verdict])),
        }
    }
    groups
}

fn counts(verdicts: &[&Verdict]) -> String {
    let sum = |of: fn(&Verdict) -> usize| verdicts.iter().map(|verdict| of(verdict)).sum::<usize>();
    let with_truth = verdicts.iter().filter(|verdict| !verdict.spans.is_empty()).count();
    let spans = sum(|verdict| verdict.spans.len());
    format!("{with_truth} | {spans} | {} | {}", sum(Verdict::right), sum(Verdict::silent))
}

fn untold(group: &str, verdicts: &[&Verdict]) -> String {
    let mut rows = String::new();
    let is_untold = |span: &&Span| !span.right;
    for span in verdicts.iter().flat_map(|verdict| &verdict.spans).filter(is_untold) {
        let Span { case, t_ms, truth, told, silent, reason, .. } = span;
        let told = if told.is_empty() { "nothing" } else { &told.join(" and ") };
        let mark = if *silent { "silent" } else { "wrong" };
        let why = reason.unwrap_or("**a defect**");
        // A text takes whatever is written.
        writeln!(rows, "| {group} `{case}` | {t_ms} ms | {truth} | {told} | {mark} | {why} |").ok();
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::time::Duration;

    fn span(truth: &str, told: &str, mark: &str, reason: Option<&'static str>) -> Span {
        Span {
            schema: 1,
            case: "case".to_owned(),
            t_ms: 5,
            session: None,
            truth: truth.to_owned(),
            headlines: BTreeMap::new(),
            told: vec![told.to_owned()],
            right: mark == "right",
            silent: mark == "silent",
            why: String::new(),
            reason,
        }
    }

    fn verdict(case: &str, spans: Vec<Span>) -> Verdict {
        let (told, delay) = (BTreeMap::new(), Duration::ZERO);
        Verdict { case: case.to_owned(), spans, told, delay }
    }

    #[test]
    fn every_span_that_is_not_told_as_it_was_has_its_reason_or_is_a_defect() {
        let spans = vec![
            span("idle", "idle", "right", None),
            span("error", "unknown", "silent", Some("nothing tells")),
            span("idle", "working", "wrong", Some("it is too short")),
            span("idle", "blocked", "wrong", None),
        ];
        let one = ("a 1".to_owned(), verdict("case", spans));
        let other = ("b 2".to_owned(), verdict("other", Vec::new()));
        let page = page(&[one, other]);
        for line in [
            "| a 1 | 1 | 1 | 4 | 1 | 1 |",
            "| b 2 | 1 | 0 | 0 | 0 | 0 |",
            "| all | 2 | 1 | 4 | 1 | 1 |",
            "| a 1 `case` | 5 ms | error | unknown | silent | nothing tells |",
            "| a 1 `case` | 5 ms | idle | working | wrong | it is too short |",
            "| a 1 `case` | 5 ms | idle | blocked | wrong | **a defect** |",
            "| `case` | 1/4, 1 silent |",
            "| `other` | no truth in it |",
        ] {
            assert!(page.contains(&format!("{line}\n")), "{line}\n{page}");
        }
    }

    #[test]
    fn a_recording_is_called_by_where_it_lies() {
        for (folder, called) in [
            ("/x/fixtures/codex/0.169.0/plain_turn", "codex 0.169.0"),
            ("/x/recordings/opencode/http-sse/a.jsonl", "opencode http-sse"),
            ("/srv/mine/codex/1/case", "codex 1"),
            ("case", ""),
        ] {
            assert_eq!(group(Path::new(folder)), called, "{folder}");
        }
    }

    /// Whoever adds a recording writes the page anew.
    #[test]
    fn the_page_has_every_recording_and_no_defect() {
        let page = include_str!("../../../../docs/replay.md");
        assert!(page.starts_with(HEAD), "the page has another form");
        assert!(!page.contains("**a defect**"), "{page}");
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/fixtures");
        let mut folders = vec![fixtures.canonicalize().unwrap()];
        let mut met = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let above = path.parent().is_some_and(|above| above.ends_with("http-sse"));
                let is_stream = above && path.extension().is_some_and(|ending| ending == "jsonl");
                if path.join("timeline.jsonl").is_file() || is_stream {
                    let (name, group) = (path.file_name().unwrap().display(), group(&path));
                    let rest = page.split_once(&format!("\n## {group}\n")).map(|(_, rest)| rest);
                    let part = rest.and_then(|rest| rest.split("\n## ").next()).unwrap_or_default();
                    assert!(part.contains(&format!("\n| `{name}` |")), "{group} {name} is missing");
                    met += 1;
                } else if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        assert!(met > 100, "{met}");
    }
}
