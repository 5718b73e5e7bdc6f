//! A headless run that says line by line what it does: on its output, or in a file beside.
//!
//! The output is passed on unchanged; the file is read as it grows, a FIFO as it is written to.
//! Who tells the hub, and that nothing waits for it, is as with [`super::acp`].

use super::acp::observer::Observer;
use super::order::Order;
use crate::hook::deliver::{self, Delivery};
use crate::place::Place;
use headsup_adapters::acp::Side;
use headsup_adapters::stream::Stream;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// One read.
const PIECE: usize = 64 * 1024;
/// How often a file is looked at that has not grown, or is not there yet.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Starts to listen to the agent that `order` has started, if it is to be listened to.
pub(crate) fn listen(order: &Order, place: &Place, pid: u32) -> Option<Arc<Observer>> {
    let stream = order.stream()?;
    let delivery = place.url.clone().map(|url| Delivery {
        url,
        home: place.home.clone(),
        kind: stream.kind.clone(),
        agent: order.id().to_owned(),
        context: deliver::surroundings(&stream.kind, pid),
        is_behind: false,
    });
    let observer = Observer::start(delivery, Box::new(Stream::new(&stream.kind)));
    if let Some(path) = stream.file() {
        follow(path, stream.from, Arc::downgrade(&observer));
    }
    Some(observer)
}

/// Reads along in a thread of its own, until nobody listens any more.
fn follow(path: PathBuf, from: u64, observer: Weak<Observer>) {
    let run = move || {
        let Some(mut file) = open(&path, &observer) else { return };
        // A FIFO has no place to go to.
        file.seek(SeekFrom::Start(from)).ok();
        let mut buffer = vec![0; PIECE];
        while let Some(observer) = observer.upgrade() {
            match file.read(&mut buffer) {
                Ok(length @ 1..) => observer.hear(Side::Agent, &buffer[..length]),
                Ok(0) => {
                    drop(observer);
                    thread::park_timeout(LOOK_AGAIN);
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    };
    thread::Builder::new().name("stream".to_owned()).spawn(run).ok();
}

/// Once it is there. A FIFO waits for whoever writes to it.
fn open(path: &Path, observer: &Weak<Observer>) -> Option<File> {
    while observer.strong_count() > 0 {
        if let Ok(file) = File::open(path) {
            return Some(file);
        }
        thread::park_timeout(LOOK_AGAIN);
    }
    None
}
