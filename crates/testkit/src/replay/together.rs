//! Several recordings side by side.

use super::recording::length;
use super::{Verdict, Witness, play};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Recordings begin alike: side by side they would all do the same at the same moment.
const STAGGER: Duration = Duration::from_millis(170);

/// How long it takes to play them so, but for stalls.
pub fn takes(folders: &[PathBuf]) -> Duration {
    let each = |(place, folder): (u32, &PathBuf)| STAGGER * place + length(folder);
    (0..).zip(folders).map(each).max().unwrap_or_default()
}

/// Plays each folder against a hub of its own, beside the others; hands each verdict on in the
/// order of the folders.
///
/// # Errors
/// The first one that a recording or `told` gives.
pub fn play_together(
    binary: &Path,
    folders: &[PathBuf],
    without: &[Witness],
    mut told: impl FnMut(Verdict) -> io::Result<()>,
) -> io::Result<()> {
    thread::scope(|scope| {
        let play_one = |(place, folder): (u32, &'_ PathBuf)| {
            let folder = folder.clone();
            scope.spawn(move || {
                thread::park_timeout(STAGGER * place);
                let played = play(binary, &folder, without);
                played.map_err(|error| {
                    let text = format!("{} cannot be played: {error}", folder.display());
                    io::Error::new(error.kind(), text)
                })
            })
        };
        let running: Vec<_> = (0..).zip(folders).map(play_one).collect();
        for one in running {
            told(one.join().map_err(|_| io::Error::other("a player has stopped by a defect"))??)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    #[test]
    fn it_takes_until_the_last_row_of_the_longest() {
        let temp = tempfile::tempdir().unwrap();
        let folder = |name: &str, last: u64, line: &str| {
            let folder = temp.path().join(name);
            fs::create_dir(&folder).unwrap();
            let row = json!({"t_ms": last, "src": "truth"});
            // What was captured long after that is not waited for.
            let captured = json!({"t_ms": 900_000, "src": "action", "do": "capture"});
            let timeline = format!("{row}\n{captured}\n{{\n");
            fs::write(folder.join("timeline.jsonl"), timeline).unwrap();
            fs::write(folder.join("transcript-1.jsonl"), line).unwrap();
            folder
        };
        let short = folder("short", 2_000, "");
        let long = folder("long", 1_000, "{\"t_ms\":60000}\n");
        let longest = Duration::from_secs(60);
        assert_eq!(takes(std::slice::from_ref(&long)), longest);
        assert_eq!(takes(&[short, long]), longest + STAGGER);
        assert_eq!(takes(&[temp.path().join("nothing")]), Duration::ZERO);
    }
}
