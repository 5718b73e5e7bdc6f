//! One who listens: a place in what the bus keeps.

use super::{Kept, Latest, Piece};
use crate::frame::Frame;
use bytes::{Bytes, BytesMut};
use std::sync::{Arc, PoisonError, RwLockReadGuard};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::watch;

/// Hears of everything that is published behind its making.
#[derive(Debug)]
pub(crate) struct Listener {
    kept: Arc<Kept>,
    news: watch::Receiver<u64>,
    /// So many frames lie behind it, of all that there were.
    at: u64,
}

impl Listener {
    pub(super) fn new(kept: Arc<Kept>, news: watch::Receiver<u64>, at: u64) -> Self {
        Self { kept, news, at }
    }

    /// The next frame. Whoever has fallen behind goes on with the oldest that is kept. Nothing is lost
    /// where it is dropped half-way.
    pub(crate) async fn recv(&mut self) -> Result<Arc<Frame>, RecvError> {
        let next = self.wait().await?;
        self.at += 1;
        Ok(next)
    }

    /// The same where it does not wait.
    pub(crate) fn try_recv(&mut self) -> Result<Arc<Frame>, TryRecvError> {
        let mut next = None;
        self.look(|frame| {
            next = Some(Arc::clone(frame));
            false
        })?;
        // It looked at one.
        next.ok_or(TryRecvError::Empty)
    }

    /// Comes back when there is something: shows the first of it, and leaves it there.
    pub(crate) async fn wait(&mut self) -> Result<Arc<Frame>, RecvError> {
        loop {
            match self.peek() {
                Ok(frame) => return Ok(frame),
                Err(TryRecvError::Lagged(missed)) => return Err(RecvError::Lagged(missed)),
                Err(TryRecvError::Closed) => return Err(RecvError::Closed),
                Err(TryRecvError::Empty) => {}
            }
            // At the bus's end it comes back at once: what was said last is taken first.
            self.news.changed().await.ok();
        }
    }

    /// Hands over what is there, one frame after the other, for as long as it is wanted.
    pub(crate) fn look(
        &mut self,
        mut wants: impl FnMut(&Arc<Frame>) -> bool,
    ) -> Result<(), TryRecvError> {
        let is_over = self.news.has_changed().is_err();
        let latest = read(&self.kept);
        let mut looked_at = 0;
        match latest.from(self.at) {
            Ok(frames) => {
                for frame in frames {
                    looked_at += 1;
                    if !wants(frame) {
                        break;
                    }
                }
            }
            Err(missed) => {
                self.at += missed;
                return Err(TryRecvError::Lagged(missed));
            }
        }
        self.at += looked_at;
        match looked_at {
            0 if is_over => Err(TryRecvError::Closed),
            0 => Err(TryRecvError::Empty),
            _ => Ok(()),
        }
    }

    /// What is there in one piece, of about so many bytes; `None` where there is nothing. Those who stand
    /// at the same place share it.
    pub(crate) fn piece(&mut self, most: usize) -> Result<Option<Piece>, TryRecvError> {
        let mut last = self.kept.piece.lock().unwrap_or_else(PoisonError::into_inner);
        let piece = match &*last {
            Some(piece) if piece.from == self.at => piece.clone(),
            _ => {
                let latest = read(&self.kept);
                let Ok(frames) = latest.from(self.at) else {
                    drop(latest);
                    drop(last);
                    return self.look(|_| false).map(|()| None);
                };
                let Some(piece) = Piece::of(frames, self.at, most) else { return Ok(None) };
                *last = Some(piece.clone());
                piece
            }
        };
        self.at = piece.to;
        Ok(Some(piece))
    }

    fn peek(&mut self) -> Result<Arc<Frame>, TryRecvError> {
        let at = self.at;
        let next = self.try_recv()?;
        self.at = at;
        Ok(next)
    }
}

fn read(kept: &Kept) -> RwLockReadGuard<'_, Latest> {
    kept.latest.read().unwrap_or_else(PoisonError::into_inner)
}

impl Piece {
    /// At least one, however long it is.
    fn of<'a>(
        frames: impl Iterator<Item = &'a Arc<Frame>>,
        from: u64,
        most: usize,
    ) -> Option<Self> {
        let (mut parts, mut size, mut seq, mut is_cut) = (Vec::new(), 0, 0, false);
        for frame in frames {
            let part: &Bytes = frame.whole();
            if !parts.is_empty() && size + part.len() > most {
                is_cut = true;
                break;
            }
            size += part.len();
            seq = frame.seq;
            parts.push(part);
        }
        let to = from + parts.len() as u64;
        let bytes = match &parts[..] {
            [] => return None,
            [one] => Bytes::clone(one),
            parts => {
                let mut bytes = BytesMut::with_capacity(size);
                for part in parts {
                    bytes.extend_from_slice(part);
                }
                bytes.freeze()
            }
        };
        Some(Self { from, to, seq, bytes, is_cut })
    }
}
