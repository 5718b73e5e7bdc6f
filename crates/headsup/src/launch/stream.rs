//! A headless run that says line by line what it does: on its output, or in a file beside.
//!
//! The output is passed on unchanged; the file is read as it grows, and from its beginning where it begins
//! anew ([`mark`]), a FIFO as it is written to.
//! Who tells the hub, and that nothing waits for it, is as with [`super::acp`].

pub(crate) mod mark;

use super::acp::LAST_WORDS;
use super::acp::observer::Observer;
use super::order::Order;
use crate::error::CommandError;
use crate::hook::deliver::{self, Delivery};
use crate::place::Place;
use headsup_adapters::acp::Side;
use headsup_adapters::stream::Stream;
use mark::Mark;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Access, Mode, OFlags, access};
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Weak};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// One read.
const PIECE: usize = 64 * 1024;
/// How often a file is looked at that has not grown, or is not there yet.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// Others may have a FIFO open once the agent has ended: so long they may write to it.
const OTHERS_WITHIN: Duration = Duration::from_millis(200);

/// An agent that is listened to.
pub(crate) struct Listening {
    pub(crate) observer: Arc<Observer>,
    file: Option<Reading>,
}

/// A thread that reads along in a file.
struct Reading {
    thread: Thread,
    /// The agent has ended: the end of the file is the end.
    is_last: Arc<AtomicBool>,
    done: Receiver<()>,
}

impl Listening {
    /// The agent has ended. What it has written by now is told first, within a moment.
    pub(crate) fn end(&self) {
        match &self.file {
            Some(file) => {
                file.is_last.store(true, Ordering::Release);
                file.thread.unpark();
                // One that is read without end is not waited for.
                file.done.recv_timeout(LAST_WORDS).ok();
            }
            None => self.observer.hear_end(Side::Agent),
        }
        self.observer.end(LAST_WORDS);
    }
}

/// Can a stream be read there, as things are now? What is not there yet can.
///
/// # Errors
/// Where none will ever be: at a folder, and in one that is not there.
pub(crate) fn is_readable(path: &Path) -> Result<bool, CommandError> {
    let shown = path.display();
    match path.metadata() {
        Ok(there) if there.is_dir() => {
            Err(CommandError::usage(format!("cannot read a stream from {shown}: it is a folder"))
                .hint("name a file or a FIFO, which the program writes to"))
        }
        Ok(there) => Ok(!there.file_type().is_socket() && access(path, Access::READ_OK).is_ok()),
        Err(_) if path.parent().is_none_or(Path::is_dir) => Ok(true),
        Err(_) => Err(CommandError::usage(format!(
            "cannot read a stream from {shown}: its folder is not there"
        ))
        .hint("make the folder, or name a file elsewhere")),
    }
}

/// Starts to listen to the agent that `order` has started, if it is to be listened to.
pub(crate) fn listen(order: &Order, place: &Place, pid: u32) -> Option<Listening> {
    let stream = order.stream()?;
    let delivery = place.url.clone().map(|url| Delivery {
        url,
        home: place.home.clone(),
        kind: stream.kind.clone(),
        agent: order.id().to_owned(),
        token: order.variable("HEADSUP_AGENT_TOKEN").and_then(|token| token.into_string().ok()),
        context: deliver::surroundings(&stream.kind, pid),
        is_behind: false,
        patience: deliver::EXCHANGE,
    });
    let observer = Observer::start(delivery, Box::new(Stream::new(&stream.kind)));
    let follow = |path| follow(path, stream.past.clone(), Arc::downgrade(&observer));
    let file = stream.file().and_then(follow);
    Some(Listening { observer, file })
}

/// Reads along in a thread of its own, until nobody listens any more or the agent has ended.
fn follow(path: PathBuf, past: Option<Mark>, observer: Weak<Observer>) -> Option<Reading> {
    let is_last = Arc::new(AtomicBool::new(false));
    let (tell, done) = mpsc::channel();
    let flag = Arc::clone(&is_last);
    let run = move || {
        read_along(&path, past, &observer, &flag);
        drop(tell);
    };
    let thread = thread::Builder::new().name("stream".to_owned()).spawn(run).ok()?;
    Some(Reading { thread: thread.thread().clone(), is_last, done })
}

fn read_along(path: &Path, past: Option<Mark>, observer: &Weak<Observer>, is_last: &AtomicBool) {
    let Some(mut file) = open(path, observer, is_last) else { return };
    // A FIFO has no places.
    let there = file.metadata().ok();
    let past = past.filter(|past| there.as_ref().is_some_and(|there| past.is_in(there)));
    let past = past.filter(|past| past.holds(&file));
    let past = past.filter(|past| file.seek(SeekFrom::Start(past.at())).is_ok());
    let mut mark = past.or_else(|| Mark::start_of(there.as_ref()?));
    let (mut buffer, mut until, mut is_written) = (vec![0; PIECE], None, false);
    loop {
        // Before the read: what stands there at the agent's end is read.
        let is_last = is_last.load(Ordering::Acquire);
        let Some(observer) = observer.upgrade() else { return };
        match file.read(&mut buffer) {
            // What the old one has ended with is a line, and the new one begins with another.
            Ok(length) if begins_anew(path, &mut file, &mut mark, length == 0) => {
                observer.begin_anew();
            }
            // All of it is of this run, and none of it was read.
            Ok(0) if is_filled_alike(&mut file, &mut mark, is_last) => {}
            Ok(length @ 1..) => {
                is_written = true;
                if let Some(mark) = &mut mark {
                    mark.goes_on(&buffer[..length]);
                }
                observer.hear(Side::Agent, &buffer[..length]);
                // What is no file has no end, as long as others go on there.
                if is_last && mark.is_none() && is_over(&mut until) {
                    return observer.hear_end(Side::Agent);
                }
            }
            Ok(0) if is_last => return observer.hear_end(Side::Agent),
            Ok(0) => {
                // Whoever wrote to a FIFO is gone, and has ended with a line; the next one begins another.
                if std::mem::take(&mut is_written) && mark.is_none() {
                    observer.hear(Side::Agent, b"\n");
                }
                drop(observer);
                thread::park_timeout(LOOK_AGAIN);
            }
            Err(error) if is_silent(&error) => {
                if is_last && is_over(&mut until) {
                    return observer.hear_end(Side::Agent);
                }
                drop(observer);
                wait_for(&file);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Whether there is something else in the file than what was read of it, or, once that is read to its end,
/// another file: then it is read from its beginning.
fn begins_anew(path: &Path, file: &mut File, mark: &mut Option<Mark>, is_read: bool) -> bool {
    let Some(own) = mark else { return false };
    let there = is_read.then(|| path.metadata()).and_then(Result::ok).filter(Metadata::is_file);
    if there.is_some_and(|there| !own.is_in(&there)) {
        // It may have grown once more before the other one took its place.
        if file.metadata().is_ok_and(|old| old.len() > own.at()) {
            return false;
        }
        let Ok(other) = File::open(path) else { return false };
        *file = other;
    } else if own.holds(file) || file.rewind().is_err() {
        return false;
    }
    *mark = file.metadata().ok().as_ref().and_then(Mark::start_of);
    true
}

/// Whether a run has filled it with just what stood there before it: then it is read from its beginning, too.
fn is_filled_alike(file: &mut File, mark: &mut Option<Mark>, is_last: bool) -> bool {
    let is_it = mark.as_mut().is_some_and(|mark| mark.is_filled_alike(file, is_last));
    if is_it && file.rewind().is_ok() {
        *mark = file.metadata().ok().as_ref().and_then(Mark::start_of);
        return true;
    }
    false
}

/// The agent has ended. Is the time over that others have from then on?
fn is_over(until: &mut Option<Instant>) -> bool {
    let now = Instant::now();
    now >= *until.get_or_insert(now + OTHERS_WITHIN)
}

/// Is somebody there who writes to it, and has nothing to say now?
fn is_silent(error: &io::Error) -> bool {
    error.kind() == ErrorKind::WouldBlock
}

/// Until somebody writes to it, or it is to be looked at again.
fn wait_for(file: &File) {
    if let Ok(until) = Timespec::try_from(LOOK_AGAIN) {
        poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&until)).ok();
    }
}

/// Once it is there. A FIFO to which nobody writes, or never will, keeps nobody waiting.
fn open(path: &Path, observer: &Weak<Observer>, is_last: &AtomicBool) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    while observer.strong_count() > 0 {
        let is_last = is_last.load(Ordering::Acquire);
        if let Ok(file) = rustix::fs::open(path, flags, Mode::empty()) {
            return Some(File::from(file));
        }
        if is_last {
            return None;
        }
        thread::park_timeout(LOOK_AGAIN);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::deliver::News;
    use crate::launch::acp::observer::Ear;
    use crate::launch::tend::End;
    use rustix::fs::{CWD, FileType, mknodat};
    use std::fs;
    use std::sync::mpsc::{RecvTimeoutError, Sender};

    /// Gives out what it hears.
    #[derive(Debug)]
    struct Heard(Sender<Vec<u8>>);

    impl Ear for Heard {
        fn hear(&mut self, _: Side, bytes: &[u8], _: &mut dyn FnMut(News)) {
            self.0.send(bytes.to_vec()).ok();
        }

        fn hear_end(&mut self, _: Side, _: &mut dyn FnMut(News)) {}

        fn is_unsettled(&self) -> bool {
            false
        }

        fn settle(&mut self, _: &mut dyn FnMut(News)) {}

        fn stands(&self, _: bool) -> Option<News> {
            None
        }

        fn lost(&self, _: u64) -> Option<News> {
            None
        }

        fn ended(&self, _: End) -> Option<News> {
            None
        }
    }

    #[test]
    fn what_a_writer_to_a_fifo_ends_with_is_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let (tell, heard) = mpsc::channel();
        let observer = Observer::start(None, Box::new(Heard(tell)));
        let reading = follow(path.clone(), None, Arc::downgrade(&observer)).unwrap();
        for word in ["one", "two"] {
            fs::write(&path, word).unwrap();
            let mut line = Vec::new();
            while !line.ends_with(b"\n") {
                line.extend(heard.recv_timeout(Duration::from_secs(60)).unwrap());
            }
            assert_eq!(line, format!("{word}\n").into_bytes());
        }
        drop(observer);
        let ended = reading.done.recv_timeout(Duration::from_secs(60));
        assert_eq!(ended, Err(RecvTimeoutError::Disconnected));
    }

    #[test]
    fn what_has_no_end_keeps_nobody_waiting_once_the_agent_has_ended() {
        let observer = Observer::start(None, Box::new(Stream::new("")));
        let endless = PathBuf::from("/dev/zero");
        let reading = follow(endless, None, Arc::downgrade(&observer)).unwrap();
        reading.is_last.store(true, Ordering::Release);
        reading.thread.unpark();
        let ended = reading.done.recv_timeout(Duration::from_secs(60));
        assert_eq!(ended, Err(RecvTimeoutError::Disconnected));
    }

    #[test]
    fn the_last_words_of_a_file_that_is_replaced_are_read_first() {
        let folder = tempfile::tempdir().unwrap();
        let [path, aside, new] = ["events", "old", "new"].map(|name| folder.path().join(name));
        fs::write(&path, "one\n").unwrap();
        let mut file = File::open(&path).unwrap();
        let mut mark = Mark::start_of(&path.metadata().unwrap());
        let mut text = Vec::new();
        file.read_to_end(&mut text).unwrap();
        mark.as_mut().unwrap().goes_on(&text);
        assert!(!begins_anew(&path, &mut file, &mut mark, true));
        // It ends with another line, and then there is another file.
        fs::write(&path, "one\ntwo\n").unwrap();
        fs::rename(&path, &aside).unwrap();
        fs::write(&new, "three\n").unwrap();
        fs::rename(&new, &path).unwrap();
        assert!(!begins_anew(&path, &mut file, &mut mark, true));
        let mut text = Vec::new();
        file.read_to_end(&mut text).unwrap();
        assert_eq!(text, b"two\n");
        mark.as_mut().unwrap().goes_on(&text);
        assert!(begins_anew(&path, &mut file, &mut mark, true));
        let mut text = Vec::new();
        file.read_to_end(&mut text).unwrap();
        assert_eq!(text, b"three\n");
    }
}
