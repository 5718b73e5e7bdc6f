//! Recordings of the real program, played against the real hub at recorded time: it tells the truth
//! in every span, also where no hook speaks. The rest of them is played by hand, see CONTRIBUTING.

use headsup_testkit::replay::{Verdict, play};
use std::path::Path;
use std::thread;

/// Short ones that need every witness: status files (Esc, denial, grant, `!command`), processes
/// (kill), hooks (all others).
const CASES: [&str; 8] = [
    "api_retry",
    "background_shell",
    "interrupt",
    "permission_denied",
    "plain_turn",
    "resume_after_kill",
    "shell_escape",
    "subagent_permission",
];

#[test]
fn the_truth_is_told_in_every_span_of_the_recordings() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/fixtures/claude-code/2.1.330");
    let binary = Path::new(env!("CARGO_BIN_EXE_headsup"));
    let verdicts: Vec<Verdict> = thread::scope(|scope| {
        let play_one = |case| {
            let folder = folder.join(case);
            scope.spawn(move || play(binary, &folder).unwrap())
        };
        let running: Vec<_> = CASES.map(play_one).into();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let wrong: Vec<_> = verdicts
        .iter()
        .flat_map(|verdict| verdict.spans.iter().map(move |span| (&verdict.case, span)))
        .filter(|(_, span)| !span.right)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let spans: usize = verdicts.iter().map(|verdict| verdict.spans.len()).sum();
    assert_eq!(spans, 47);
}
