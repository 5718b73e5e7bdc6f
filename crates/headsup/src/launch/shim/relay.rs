//! Between two terminals: every byte goes through as it is, both ways.
//!
//! One thread, one wait, one read and one write for each piece. What cannot be written yet is kept,
//! and nothing more is read on that side until it is gone: so both ways push back as a single
//! terminal would, and at most two pieces are in memory. Only the query of OSC 7501 is taken out on
//! the way ([`super::scan`]) and answered, and on the way in the answer to our own. One that is still
//! to come at the end is waited for a moment ([`overdue`]).
//!
//! Once the agent has ended, what it has left in its terminal, which is bounded, is heard at once: its end is told
//! behind that, and waits for no slow terminal of ours.
//!
//! What the agent has said before its end goes through however long our terminal takes for it, as if
//! the agent itself waited ([`super::rest`]). Where that is gone, the agent's is let go, which hangs the agent up.
//!
//! In the background the terminal is somebody else's: it is neither read nor asked, and where a
//! write would stop us what the agent says waits, so that its end is not missed.

use super::hold::end_lines_once;
use super::overdue;
use super::reply::Reply;
use super::scan::{Finding, Scanner};
use super::shared::Shared;
use super::terminal::{self, reopened};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::stdio::{stdin, stdout};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Instant;
use termstate::{Capabilities, Terminator, write_query};

/// One read.
const PIECE: usize = 64 * 1024;
/// A program that asks without ever reading gets no more answers than this. Bytes.
const MOST_ANSWERS: usize = 64 * 1024;
/// More than a terminal keeps of what was said on it (12 KiB on Linux): what comes behind so much was said later. Bytes.
const MOST_KEPT: u64 = 64 * 1024;
/// So many pieces of it are heard where nobody reads them.
const LAST_PIECES: usize = 16;

pub(super) struct Relay {
    master: OwnedFd,
    input: OwnedFd,
    output: OwnedFd,
    shared: Arc<Shared>,
    scanner: Scanner,
    /// What our terminal is asked, until it is.
    query: Vec<u8>,
    reply: Reply,
    answer: String,
    /// On its way to the agent, and to the terminal.
    inward: Way,
    outward: Way,
    /// Nobody is at the terminal any more: what the agent says is taken and dropped.
    is_gone: bool,
    /// Nobody has the agent's terminal open any more.
    is_closed: bool,
    /// Nothing more is passed on but what is kept for our terminal.
    is_over: bool,
    /// Bytes that the agent has said: in all, when somebody asked for all of it, and when it had ended.
    said: u64,
    flush_from: Option<u64>,
    end_from: Option<u64>,
    last_words: LastWords,
    buffer: Vec<u8>,
}

/// What an agent that has ended has left in its terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastWords {
    /// It has not ended.
    ToCome,
    /// They are heard now: behind so many bytes in all.
    Behind(u64),
    Heard,
}

/// Bytes that have been read and not yet been written.
#[derive(Debug, Default)]
struct Way {
    bytes: Vec<u8>,
    written: usize,
}

impl Way {
    fn is_empty(&self) -> bool {
        self.written == self.bytes.len()
    }

    /// Writes what the other side takes now.
    fn write(&mut self, to: impl AsFd) -> Result<(), Errno> {
        while !self.is_empty() {
            match rustix::io::write(&to, &self.bytes[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(errno) => {
                    self.clear();
                    return Err(errno);
                }
            }
        }
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.written = 0;
    }
}

/// What a look at a side brought.
enum Read {
    Some(usize),
    Nothing,
    Gone,
}

fn read(from: impl AsFd, buffer: &mut [u8]) -> Read {
    match rustix::io::read(from, buffer) {
        Ok(0) => Read::Gone,
        Ok(count) => Read::Some(count),
        Err(Errno::AGAIN | Errno::INTR) => Read::Nothing,
        Err(_) => Read::Gone,
    }
}

impl Relay {
    pub(super) fn new(master: OwnedFd, shared: Arc<Shared>) -> io::Result<Self> {
        let (mut answer, mut query) = (String::new(), String::new());
        let written = Capabilities::default().write_reply(&mut answer, Terminator::St);
        written.map_err(io::Error::other)?;
        let reply = match terminal::can_be_asked() {
            true => {
                write_query(&mut query, Terminator::St).map_err(io::Error::other)?;
                Reply::asked(Instant::now())
            }
            false => Reply::none(Instant::now()),
        };
        Ok(Self {
            master,
            input: reopened(stdin(), OFlags::RDONLY)?,
            output: reopened(stdout(), OFlags::WRONLY)?,
            shared,
            scanner: Scanner::new(),
            query: query.into_bytes(),
            reply,
            answer,
            inward: Way::default(),
            outward: Way::default(),
            is_gone: false,
            is_closed: false,
            is_over: false,
            said: 0,
            flush_from: None,
            end_from: None,
            last_words: LastWords::ToCome,
            buffer: vec![0; PIECE],
        })
    }

    /// Asks our terminal whether it understands reports, once it is ours, and passes on until the
    /// agent has ended and everything that it said is said, or until it is to leave.
    pub(super) fn run(mut self) -> io::Result<()> {
        while !self.shared.leaves() {
            self.say();
            if self.shared.is_to_flush() {
                self.flush_from.get_or_insert(self.said);
            }
            if self.shared.has_ended() && self.last_words == LastWords::ToCome {
                self.last_words = LastWords::Behind(self.said);
            }
            if self.shared.ends() {
                self.end_from.get_or_insert(self.said);
            }
            // While something is kept for our terminal the agent is not listened to: that it says
            // nothing then means nothing.
            let listens = self.listens();
            let Some([typed, said, taken, heard]) = self.wait()? else { continue };
            if taken {
                self.send_outward();
            }
            // It may have taken what was kept, or have more to say.
            self.send_inward();
            if said && self.listens() {
                self.hear_agent();
            }
            if typed {
                self.hear_terminal();
            }
            let is_silent = listens && !said && !heard;
            let is_quiet = is_silent && self.outward.is_empty();
            let is_flushed = match self.last_words {
                // What has to wait for our terminal keeps nobody else waiting.
                LastWords::ToCome => is_quiet || self.is_held() || self.is_past(self.flush_from),
                LastWords::Behind(from) => {
                    is_silent || self.is_closed || self.said - from > MOST_KEPT
                }
                LastWords::Heard => true,
            };
            if is_flushed {
                self.flush_from = None;
                self.shared.is_flushed();
                if self.last_words != LastWords::ToCome {
                    self.last_words = LastWords::Heard;
                }
            }
            let has_ended = self.end_from.is_some() && is_quiet || self.is_past(self.end_from);
            if has_ended || self.is_closed && self.outward.is_empty() {
                return self.finish();
            }
        }
        // Nobody reads it, and it is heard all the same.
        self.is_gone = true;
        for _ in 0..LAST_PIECES {
            self.hear_agent();
        }
        Ok(())
    }

    /// Whether what the agent says is read: as long as our terminal takes it, and its last words in any case.
    fn listens(&self) -> bool {
        self.outward.is_empty() || self.hears_last_words()
    }

    fn hears_last_words(&self) -> bool {
        matches!(self.last_words, LastWords::Behind(_))
    }

    /// Whether all is passed on that had been said when so many bytes had been heard: who has never done is not
    /// waited for.
    fn is_past(&self, from: Option<u64>) -> bool {
        self.outward.is_empty() && from.is_some_and(|from| self.said - from > MOST_KEPT)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.is_over = true;
        self.scanner.finish(&mut self.outward.bytes);
        self.say();
        self.send_outward();
        while !self.outward.is_empty() && !self.shared.leaves() {
            self.wait()?;
            self.send_outward();
        }
        // Where nothing was asked nothing is answered.
        if self.query.is_empty() && !self.is_gone && !terminal::is_behind() {
            overdue::hear(&mut self.reply, &self.input);
        }
        Ok(())
    }

    /// Until there is something to do: whether something was typed, the agent said something, our
    /// terminal takes something, somebody woke us. `None`: a signal came in between.
    fn wait(&mut self) -> io::Result<Option<[bool; 4]>> {
        let wanted = |wanted: bool, flag: PollFlags| match wanted {
            true => flag,
            false => PollFlags::empty(),
        };
        let is_there = !self.is_gone && !self.is_over && self.shared.is_ours();
        let listens = is_there && self.inward.is_empty();
        let is_held = self.is_held();
        let agent =
            wanted(self.listens(), PollFlags::IN) | wanted(!self.inward.is_empty(), PollFlags::OUT);
        let mut polled = vec![PollFd::new(self.shared.waker(), PollFlags::IN)];
        // A side that is not asked is left out: what has hung up would say so without end.
        let is_silent = agent.is_empty() || self.is_closed || self.is_over;
        let at_agent = (!is_silent).then(|| {
            polled.push(PollFd::new(&self.master, agent));
            polled.len() - 1
        });
        let at_input = listens.then(|| {
            polled.push(PollFd::new(&self.input, PollFlags::IN));
            polled.len() - 1
        });
        let at_output = (!self.outward.is_empty() && !self.is_gone && !is_held).then(|| {
            polled.push(PollFd::new(&self.output, PollFlags::OUT));
            polled.len() - 1
        });
        let patience = self.patience(is_held);
        match poll(&mut polled, patience.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        }
        let any = |at: usize| !polled[at].revents().is_empty();
        let says = PollFlags::IN | PollFlags::HUP | PollFlags::ERR;
        let said = at_agent.is_some_and(|at| polled[at].revents().intersects(says));
        let (heard, typed, taken) = (any(0), at_input.is_some_and(any), at_output.is_some_and(any));
        if heard {
            rustix::io::read(self.shared.waker(), &mut [0; 8]).ok();
        }
        let late = self.reply.waits_until().is_some_and(|until| Instant::now() >= until);
        if late {
            self.reply.give_up(&mut self.inward.bytes);
        }
        Ok(Some([typed, said, taken, heard]))
    }

    /// How long to wait at most; `None`: until something happens.
    fn patience(&self, is_held: bool) -> Option<Timespec> {
        let now = Instant::now();
        let is_empty = self.is_gone || self.outward.is_empty();
        let is_asked = self.shared.ends() || self.shared.is_to_flush() || self.is_closed;
        let waits = (is_held || self.last_words == LastWords::Heard) && self.shared.is_to_flush();
        let at_once = (is_empty && is_asked || waits || self.hears_last_words()).then_some(now);
        let again = is_held.then(|| now + terminal::LOOK_AGAIN);
        let until = [at_once, self.reply.waits_until(), again].into_iter().flatten().min()?;
        Timespec::try_from(until.saturating_duration_since(now)).ok()
    }

    fn hear_agent(&mut self) {
        let count = match read(&self.master, &mut self.buffer) {
            Read::Some(count) => count,
            Read::Nothing => return,
            Read::Gone => {
                self.is_closed = true;
                return;
            }
        };
        self.said += count as u64;
        let Self { scanner, outward, inward, answer, shared, output, .. } = self;
        let at = outward.bytes.len();
        shared.heard(&self.buffer[..count]);
        scanner.feed(&self.buffer[..count], &mut outward.bytes, |finding| {
            if finding == Finding::Query && inward.bytes.len() < MOST_ANSWERS {
                inward.bytes.extend_from_slice(answer.as_bytes());
            }
            shared.found(finding);
        });
        end_lines_once(&mut outward.bytes, at, output, shared.is_ours());
        self.send_outward();
        self.send_inward();
    }

    fn hear_terminal(&mut self) {
        // It may have gone to somebody else since we waited.
        if !self.shared.is_ours() {
            return;
        }
        if terminal::is_behind() {
            self.shared.is_lost();
            return;
        }
        match read(&self.input, &mut self.buffer) {
            Read::Some(count) => {
                let (typed, out) = (&self.buffer[..count], &mut self.inward.bytes);
                self.shared.is_typed(terminal::interrupts(&self.master, typed));
                if self.reply.take(typed, out, Instant::now()) {
                    self.shared.is_understood();
                }
                self.send_inward();
            }
            Read::Nothing => {}
            Read::Gone => self.gone(),
        }
    }

    /// What we have to say goes between what the agent says.
    fn say(&mut self) {
        if !self.scanner.is_at_rest() {
            return;
        }
        // In the background the answer would be typed for somebody else.
        if !self.query.is_empty() && self.shared.is_ours() {
            self.reply = Reply::asked(Instant::now());
            self.outward.bytes.append(&mut self.query);
        }
        let mut text = self.shared.to_be_said();
        self.outward.bytes.append(&mut text);
        self.send_outward();
    }

    /// Whether a write to our terminal does not stop us. Once the agent's end is told it may.
    fn may_write(&self) -> bool {
        self.shared.is_ours() || self.shared.ends() || !terminal::stops_who_writes()
    }

    /// Whether something waits until our terminal takes it without stopping us.
    fn is_held(&self) -> bool {
        !self.outward.is_empty() && !self.is_gone && !self.may_write()
    }

    fn send_outward(&mut self) {
        if self.is_gone {
            self.outward.clear();
        } else if !self.outward.is_empty()
            && self.may_write()
            && self.outward.write(&self.output).is_err()
        {
            self.gone();
        }
    }

    fn send_inward(&mut self) {
        // An agent that has ended reads nothing; that it has is told by its keeper.
        self.inward.write(&self.master).ok();
    }

    fn gone(&mut self) {
        self.is_gone = true;
        self.outward.clear();
        self.shared.is_gone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::ioctl_fionread;
    use rustix::pipe::{fcntl_setpipe_size, pipe};
    use std::fs::File;
    use std::io::Read as _;
    use std::time::Duration;
    use tokio::time::timeout;

    const LONG: Duration = Duration::from_secs(30);

    /// Between an agent and a terminal that are pipes.
    fn between(shared: &Arc<Shared>, master: OwnedFd, input: OwnedFd, output: OwnedFd) -> Relay {
        Relay {
            master,
            input,
            output,
            shared: Arc::clone(shared),
            scanner: Scanner::new(),
            query: Vec::new(),
            reply: Reply::none(Instant::now()),
            answer: String::new(),
            inward: Way::default(),
            outward: Way::default(),
            is_gone: false,
            is_closed: false,
            is_over: false,
            said: 0,
            flush_from: None,
            end_from: None,
            last_words: LastWords::ToCome,
            buffer: vec![0; 1_000],
        }
    }

    /// A terminal that takes nothing, and how much it has taken.
    fn full() -> (OwnedFd, OwnedFd, usize) {
        let (reads, writes) = pipe().unwrap();
        rustix::fs::fcntl_setfl(&writes, OFlags::NONBLOCK).unwrap();
        let mut taken = 0;
        while let Ok(count) = rustix::io::write(&writes, &[b'.'; 4_096]) {
            taken += count;
        }
        (reads, writes, taken)
    }

    fn shared() -> Arc<Shared> {
        let shared = Arc::new(Shared::new(None).unwrap());
        shared.set_ours(true);
        shared
    }

    #[tokio::test]
    async fn an_agents_last_words_are_heard_at_once_and_passed_on_when_our_terminal_takes_them() {
        let (shared, (input, _keys)) = (shared(), pipe().unwrap());
        let (master, agent) = pipe().unwrap();
        let (terminal, output, before) = full();
        let words = [&b"x".repeat(5_000)[..], b"\x1b]7501;state=done\x1b\\last"].concat();
        assert_eq!(rustix::io::write(&agent, &words), Ok(words.len()));
        let relay = between(&shared, master, input, output);
        let thread = std::thread::spawn(move || relay.run());
        shared.hear_out();
        timeout(LONG, shared.flush()).await.unwrap();
        timeout(LONG, shared.flush()).await.unwrap(); // Whoever asks later, too.
        assert_eq!(shared.take_findings().statuses[0].body, b"state=done");
        drop(agent);
        let mut taken = vec![0; before + words.len()];
        File::from(terminal).read_exact(&mut taken).unwrap();
        assert!(taken[before..] == words[..]);
        thread.join().unwrap().unwrap();
    }

    #[tokio::test]
    async fn whoever_outlives_the_agent_waits_for_our_terminal() {
        let (shared, (input, _keys)) = (shared(), pipe().unwrap());
        let (master, agent) = pipe().unwrap();
        let (_terminal, output, _) = full();
        fcntl_setpipe_size(&agent, 256 << 10).unwrap();
        let words = b"x".repeat(200_000);
        assert_eq!(rustix::io::write(&agent, &words), Ok(words.len()));
        let left = master.try_clone().unwrap();
        let relay = between(&shared, master, input, output);
        let thread = std::thread::spawn(move || relay.run());
        shared.hear_out();
        timeout(LONG, shared.flush()).await.unwrap();
        let left = ioctl_fionread(&left).unwrap();
        assert!((1..words.len() as u64 - MOST_KEPT).contains(&left), "{left}");
        shared.leave();
        thread.join().unwrap().unwrap();
    }
}
