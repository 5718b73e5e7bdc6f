//! The line to the keeper: its words come in, one sign goes out, and at the end both terminals.
//!
//! Whoever waits for a word also waits for other things. What has come of a word is therefore kept
//! here, and not with the wait: the other half may come to the next one.

use super::hold;
use super::keeper::Word;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

#[derive(Debug)]
pub(super) struct Line {
    stream: tokio::net::UnixStream,
    /// The beginning of a word, as far as it has come.
    word: [u8; Word::LEN],
    come: usize,
}

impl Line {
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        let stream = tokio::net::UnixStream::from_std(stream)?;
        Ok(Self { stream, word: [0; Word::LEN], come: 0 })
    }

    /// The next word; `None` at the end of the line, or where it is not understood. A wait that is
    /// given up loses nothing.
    pub(super) async fn next(&mut self) -> Option<Word> {
        while self.come < Word::LEN {
            match self.stream.read(&mut self.word[self.come..]).await {
                Ok(0) | Err(_) => return None,
                Ok(more) => self.come += more,
            }
        }
        self.come = 0;
        Word::read(self.word)
    }

    /// The keeper is to hold our end of the agent's terminal for whoever has that still open, as long as `ours`
    /// is there.
    pub(super) fn hand_over(&self, master: impl AsFd, ours: impl AsFd) -> io::Result<()> {
        hold::hand_over(&self.stream, master.as_fd(), ours.as_fd())
    }

    /// The keeper may go on.
    pub(super) async fn go_on(&mut self) -> io::Result<()> {
        self.stream.write_all(b"!").await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future as _;
    use std::io::Write as _;
    use std::pin::pin;
    use std::task::{Context, Waker};
    use std::time::Duration;
    use tokio::net::UnixStream as Stream;

    /// A line and its other end.
    fn line() -> (Line, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Line::new(ours).unwrap(), theirs)
    }

    /// Waits until something has come, and takes it, but gives up before it is a word.
    async fn waits_in_vain(line: &mut Line) {
        Stream::readable(&line.stream).await.unwrap();
        let mut wait = pin!(line.next());
        assert!(wait.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }

    /// One that was lost never comes.
    async fn next(line: &mut Line) -> Option<Word> {
        tokio::time::timeout(Duration::from_secs(20), line.next()).await.unwrap()
    }

    #[tokio::test]
    async fn a_word_that_comes_in_pieces_outlives_whoever_waits_for_something_else() {
        let (mut line, mut keeper) = line();
        let words = [Word::Stopped(20), Word::Killed(9), Word::Exited(300)];
        for word in words {
            let bytes = word.bytes();
            for cut in 1..Word::LEN {
                keeper.write_all(&bytes[..cut]).unwrap();
                waits_in_vain(&mut line).await;
                keeper.write_all(&bytes[cut..]).unwrap();
                assert_eq!(next(&mut line).await, Some(word), "cut behind {cut}");
            }
        }
        // Two at once are two.
        keeper.write_all(&[words[0].bytes(), words[1].bytes()].concat()).unwrap();
        assert_eq!(next(&mut line).await, Some(words[0]));
        assert_eq!(next(&mut line).await, Some(words[1]));
        keeper.write_all(&words[2].bytes()[..3]).unwrap();
        drop(keeper);
        assert_eq!(next(&mut line).await, None, "half a word is none");
    }
}
