//! Server-sent events: the data of each, whole.

use super::client::Failed;
use super::reader::Reader;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;

/// A longer message is left out: it is a conversation's text, and no status.
const LONGEST: usize = 4 << 20;

#[derive(Debug)]
pub(super) struct Events {
    body: Incoming,
    reader: Reader,
}

impl Events {
    pub(super) fn new(body: Incoming) -> Self {
        Self { body, reader: Reader::new(LONGEST) }
    }

    /// The next message; an error at the stream's end. Nothing is lost if it is given up.
    pub(super) async fn next(&mut self) -> Result<String, Failed> {
        loop {
            if let Some(ready) = self.reader.next() {
                return Ok(ready);
            }
            let Some(Ok(frame)) = self.body.frame().await else { return Err(Failed::Silent) };
            if let Ok(piece) = frame.into_data() {
                self.reader.take(&piece);
            }
        }
    }
}
