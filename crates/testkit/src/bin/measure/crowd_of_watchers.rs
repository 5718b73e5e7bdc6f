//! Many watchers, read by one thread.

use crate::Outcome;
use headsup_core::time::UnixMs;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(crate) struct Watchers<T> {
    streams: Vec<T>,
    epoll: OwnedFd,
    ready: Vec<epoll::Event>,
    /// How far the last event of a piece was behind at worst.
    pub(crate) behind_ms: usize,
}

impl<T: AsFd> Watchers<T> {
    pub(crate) fn new(streams: Vec<T>) -> Outcome<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        for (stream, index) in streams.iter().zip(0..) {
            rustix::io::ioctl_fionbio(stream, true)?;
            epoll::add(&epoll, stream, epoll::EventData::new_u64(index), epoll::EventFlags::IN)?;
        }
        Ok(Self { streams, epoll, ready: Vec::with_capacity(256), behind_ms: 0 })
    }

    /// Comes back when each has had the end of a message.
    pub(crate) fn until_all_have_one(&mut self) -> Outcome<()> {
        let mut had = vec![false; self.streams.len()];
        let mut left = had.len();
        while left > 0 {
            self.read(Duration::from_secs(10), |index, piece| {
                if piece.windows(2).any(|end| end == b"\n\n") && !had[index] {
                    had[index] = true;
                    left -= 1;
                }
            })?;
        }
        Ok(())
    }

    /// Reads whatever comes.
    pub(crate) fn read_for(&mut self, time: Duration) -> Outcome<()> {
        let end = Instant::now() + time;
        let mut worst = 0;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            self.read(left, |_, piece| worst = worst.max(age_of_last(piece).unwrap_or(0)))?;
        }
        self.behind_ms = worst;
        Ok(())
    }

    fn read(&mut self, patience: Duration, mut take: impl FnMut(usize, &[u8])) -> Outcome<()> {
        let patience = Timespec::try_from(patience).map_err(|_| "too long")?;
        self.ready.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.ready), Some(&patience)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut piece = vec![0; 256 << 10];
        for event in &self.ready {
            let index = usize::try_from(event.data.u64())?;
            match rustix::io::read(&self.streams[index], &mut piece) {
                Ok(0) => return Err("a stream ended".into()),
                Ok(length) => take(index, &piece[..length]),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// Milliseconds since the last event of a piece was made.
fn age_of_last(piece: &[u8]) -> Option<usize> {
    const AT: &[u8] = b"\"at\":\"";
    let tail = &piece[piece.len().saturating_sub(4 << 10)..];
    let at = tail.windows(AT.len()).rposition(|window| window == AT)? + AT.len();
    let length = tail[at..].iter().position(|byte| *byte == b'"')?;
    let at = UnixMs::parse(str::from_utf8(&tail[at..at + length]).ok()?)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_millis();
    usize::try_from(i64::try_from(now).ok()? - at.0).ok()
}
