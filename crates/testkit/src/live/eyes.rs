//! When something came to stand on a screen: what a pane says is kept with its moment.

use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What a pane has said, piece by piece.
type Said = Mutex<Vec<(Instant, Vec<u8>)>>;

/// Eyes on one pane.
#[derive(Clone, Debug)]
pub(super) struct Eyes {
    said: Arc<Said>,
    /// Rows and columns.
    size: (u16, u16),
}

impl Eyes {
    /// Listens at a new pipe; whoever writes what the pane says into it is to be started next.
    pub(super) fn open(pipe: &Path, size: (u16, u16)) -> io::Result<Self> {
        mknodat(CWD, pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        let said = Arc::<Said>::default();
        let (into, pipe) = (Arc::clone(&said), pipe.to_owned());
        // It ends with the pane.
        std::thread::spawn(move || listen(&pipe, &into));
        Ok(Self { said, size })
    }

    /// What the screen showed at this moment, as far as it was heard by now.
    pub(super) fn at(&self, moment: Instant) -> String {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let (rows, columns) = self.size;
        let mut screen = vt100::Parser::new(rows, columns, 0);
        for (_, piece) in said.iter().take_while(|(at, _)| *at <= moment) {
            screen.process(piece);
        }
        screen.screen().contents()
    }

    /// The first moment since `from` at which the screen showed what fits, as far as it was heard
    /// by now.
    pub(super) fn since(&self, from: Instant, fits: impl Fn(&str) -> bool) -> Option<Instant> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let (rows, columns) = self.size;
        let mut screen = vt100::Parser::new(rows, columns, 0);
        said.iter().find_map(|(at, piece)| {
            screen.process(piece);
            (*at >= from && fits(&screen.screen().contents())).then_some(*at)
        })
    }
}

fn listen(pipe: &Path, into: &Said) -> io::Result<()> {
    let mut pipe = File::open(pipe)?;
    let mut piece = vec![0; 64 << 10];
    loop {
        let read = pipe.read(&mut piece)?;
        let at = Instant::now();
        if read == 0 {
            return Ok(());
        }
        into.lock().unwrap_or_else(PoisonError::into_inner).push((at, piece[..read].to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait;
    use std::io::Write as _;

    #[test]
    fn a_word_is_seen_when_the_screen_has_it_whole() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pane");
        let eyes = Eyes::open(&pipe, (5, 20)).unwrap();
        let mut pane = File::options().write(true).open(&pipe).unwrap();
        let count = || eyes.said.lock().unwrap().len();
        let start = Instant::now();
        for (said, piece) in
            ["\x1b[2J\x1b[Hgo", " on?\r\n", "\x1b[1;1Hno ", "\x1b[Hgo on?"].iter().enumerate()
        {
            pane.write_all(piece.as_bytes()).unwrap();
            wait::until("the piece", || (count() > said).then_some(()));
        }
        let moments: Vec<Instant> = eyes.said.lock().unwrap().iter().map(|(at, _)| *at).collect();
        let shows = |screen: &str| screen.contains("go on?");
        assert_eq!(eyes.since(start, shows), Some(moments[1]));
        assert_eq!(eyes.since(moments[2], shows), Some(moments[3]));
        assert_eq!(eyes.since(start, |screen| screen.contains("else")), None);
        let shown = [start, moments[0], moments[2]].map(|moment| eyes.at(moment));
        assert_eq!(shown, ["", "go", "no on?"]);
    }
}
