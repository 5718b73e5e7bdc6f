//! Several recordings side by side.

use super::{Verdict, Witness, play};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Recordings begin alike: side by side they would all do the same at the same moment.
const STAGGER: Duration = Duration::from_millis(170);

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
