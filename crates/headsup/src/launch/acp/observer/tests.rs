use super::*;
use crate::place::Url;
use headsup_adapters::acp::Traffic;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixListener;

/// The word of the next report.
fn next(listener: &UnixListener) -> String {
    let (mut stream, _) = listener.accept().unwrap();
    let (mut head, mut piece) = (String::new(), [0; 4096]);
    while !head.contains(" HTTP/1.1") {
        let length = stream.read(&mut piece).unwrap();
        head.push_str(&String::from_utf8_lossy(&piece[..length]));
    }
    stream.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n").unwrap();
    let from = head.find("event=").unwrap() + "event=".len();
    head[from..].split([' ', '&']).next().unwrap().to_owned()
}

/// Its agent works.
fn prompted() -> Traffic {
    let mut ear = Traffic::new("7");
    let line = b"{\"id\":0,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\"}}\n";
    ear.feed(Side::Client, line, |_| ());
    ear
}

/// Nothing that is said in between puts it off.
#[test]
fn what_was_lost_is_made_good_as_soon_as_something_gets_through() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("hub");
    let url = Url::Unix(socket.clone());
    // The listener is this thread, which may be held up.
    let patience = Duration::from_secs(60);
    let delivery = Delivery { url, patience, ..Delivery::nowhere() };
    let observer = Observer::start(Some(delivery), Box::new(prompted()));
    observer.begin();
    observer.put(News { event: "first", is_transition: true, body: Vec::new() });
    let until = Instant::now() + Duration::from_secs(60);
    while lock(&observer.queue).lost == 0 {
        assert!(Instant::now() < until, "nothing is lost");
        thread::yield_now();
    }
    let listener = UnixListener::bind(&socket).unwrap();
    observer.put(News { event: "second", is_transition: false, body: Vec::new() });
    let told = [(); 3].map(|()| next(&listener));
    assert_eq!(told, ["second", "unreadable", "stands"]);
    observer.put(News { event: "third", is_transition: false, body: Vec::new() });
    // It is being told, and whoever says more does not wait for that.
    while !lock(&observer.queue).waiting.is_empty() {
        thread::yield_now();
    }
    observer.put(News { event: "fourth", is_transition: false, body: Vec::new() });
    assert_eq!([(); 2].map(|()| next(&listener)), ["third", "fourth"], "once");
}

#[test]
fn what_still_waits_where_a_loss_is_made_good_has_not_the_last_word() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("hub");
    let listener = UnixListener::bind(&socket).unwrap();
    let patience = Duration::from_secs(60);
    let delivery = Delivery { url: Url::Unix(socket), patience, ..Delivery::nowhere() };
    let observer = Observer::start(Some(delivery), Box::new(prompted()));
    for event in ["first", "second", "third"] {
        observer.put(News { event, is_transition: true, body: Vec::new() });
    }
    lock(&observer.queue).lose(1);
    lock(&observer.queue).lost_since = Instant::now().checked_sub(MAKE_GOOD_WITHIN);
    observer.begin();
    let mut told = Vec::new();
    while told.last().is_none_or(|word| word != "third") {
        told.push(next(&listener));
    }
    assert_eq!(told[..3], ["first", "unreadable", "stands"]);
    assert_eq!(next(&listener), "stands");
}

/// How it came to that says more.
#[test]
fn that_a_turn_is_over_is_not_told_before_its_end_that_still_waits() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("hub");
    let listener = UnixListener::bind(&socket).unwrap();
    let patience = Duration::from_secs(60);
    let delivery = Delivery { url: Url::Unix(socket), patience, ..Delivery::nowhere() };
    let mut ear = prompted();
    ear.feed(Side::Client, b"{\"id\":1,\"method\":\"initialize\"}\n", |_| ());
    let answers =
        b"{\"id\":1,\"result\":{}}\n{\"id\":0,\"result\":{\"stopReason\":\"end_turn\"}}\n";
    ear.feed(Side::Agent, answers, |_| ());
    let observer = Observer::start(Some(delivery), Box::new(ear));
    for event in ["first", "second", "end"] {
        observer.put(News { event, is_transition: true, body: Vec::new() });
    }
    lock(&observer.queue).lose(1);
    lock(&observer.queue).lost_since = Instant::now().checked_sub(MAKE_GOOD_WITHIN);
    observer.begin();
    let told = [(); 5].map(|()| next(&listener));
    assert_eq!(told, ["first", "unreadable", "second", "end", "stands"]);
}

#[test]
fn where_something_was_lost_a_hub_that_is_away_finds_how_it_stood_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let (home, url) = (folder.path(), Url::Unix(folder.path().join("headsup.sock")));
    let delivery = Delivery { url, home: Some(home.to_owned()), ..Delivery::nowhere() };
    let observer = Observer::start(Some(delivery), Box::new(prompted()));
    observer.put(News { event: "said", is_transition: true, body: b"a word".to_vec() });
    lock(&observer.queue).lose(1);
    observer.end(Duration::from_secs(60));
    let spool = std::fs::read(home.join("spool/queue")).unwrap();
    let spool = String::from_utf8_lossy(&spool);
    let lost = spool.find("\"lost\"").expect("it is counted, too");
    assert!(lost > spool.find("a word").unwrap());
    assert!(spool.rfind("\"stands\"").unwrap() > lost);
}

/// Who listens here never answers.
#[test]
fn an_end_that_a_stuck_hub_is_not_told_stands_in_the_spool_behind_all_else() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("headsup.sock");
    let _listener = UnixListener::bind(&socket).unwrap();
    let home = Some(folder.path().to_owned());
    let delivery = Delivery { url: Url::Unix(socket), home, ..Delivery::nowhere() };
    let ear = Traffic::new("7");
    let end = End { code: Some(3), ..End::default() };
    let ended = Ear::ended(&ear, end).unwrap().event;
    let observer = Observer::start(Some(delivery), Box::new(ear));
    let words: Vec<String> = (0..200).map(|number| format!("word-{number}-")).collect();
    for word in &words {
        let body = word.clone().into_bytes();
        observer.put(News { event: "said", is_transition: true, body });
    }
    // It is in the middle of it.
    lock(&observer.queue).ends = true;
    observer.leave_end(end, Duration::from_secs(60));
    let spool = std::fs::read(folder.path().join("spool/queue")).unwrap();
    let spool = String::from_utf8_lossy(&spool);
    let places: Vec<_> = words.iter().map(|word| spool.find(word.as_str()).unwrap()).collect();
    assert!(places.is_sorted());
    assert!(spool.rfind(ended).unwrap() > *places.last().unwrap());
}

/// Waits for what follows a question mark.
#[derive(Debug, Default)]
struct Doubtful {
    waits: bool,
}

impl Ear for Doubtful {
    fn hear(&mut self, _: Side, bytes: &[u8], put: &mut dyn FnMut(News)) {
        self.waits = bytes == b"?";
        if !self.waits {
            put(News { event: "explained", is_transition: true, body: Vec::new() });
        }
    }

    fn hear_end(&mut self, _: Side, _: &mut dyn FnMut(News)) {}

    fn is_unsettled(&self) -> bool {
        self.waits
    }

    fn settle(&mut self, put: &mut dyn FnMut(News)) {
        if std::mem::take(&mut self.waits) {
            put(News { event: "settled", is_transition: true, body: Vec::new() });
        }
    }

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
fn what_nothing_explains_is_told_as_it_stands_after_a_moment() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("hub");
    let listener = UnixListener::bind(&socket).unwrap();
    let patience = Duration::from_secs(60);
    let delivery = Delivery { url: Url::Unix(socket), patience, ..Delivery::nowhere() };
    let observer = Observer::start(Some(delivery), Box::<Doubtful>::default());
    observer.hear(Side::Agent, b"?");
    observer.hear(Side::Agent, b"!");
    observer.begin();
    assert_eq!(next(&listener), "explained");
    observer.hear(Side::Agent, b"?");
    assert_eq!(next(&listener), "settled", "nobody has to say anything for that");
}

fn news(is_transition: bool) -> News {
    News { event: "x", is_transition, body: Vec::new() }
}

#[test]
fn where_there_is_no_room_progress_goes_first_and_every_loss_is_counted() {
    let mut queue = Queue::default();
    for _ in 0..MOST / 2 {
        queue.put(news(false));
        queue.put(news(true));
    }
    for _ in 0..MOST / 2 {
        queue.put(news(true));
    }
    assert_eq!((queue.waiting.len(), queue.lost), (MOST, MOST as u64 / 2));
    assert!(queue.waiting.iter().all(|news| news.is_transition));
    queue.put(news(true));
    assert_eq!((queue.waiting.len(), queue.lost), (MOST, MOST as u64 / 2 + 1));
}
