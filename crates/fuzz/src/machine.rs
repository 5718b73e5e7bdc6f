//! What a request asks for, where the hub is said to be, and what recordings hold.

use crate::place::{Place, Url};
use crate::query::Query;
use crate::replay::{Step, Witness, steps};
use crate::{
    bundle as capture, cgroup as groups, choice, process as kernel, roster as seats,
    stream as events,
};
use headsup_core::event::EventBody;
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

/// Who is named gets through and nobody else; nobody named is everybody.
pub(crate) fn stream(bytes: &[u8]) {
    let text = str::from_utf8(bytes).ok();
    let Ok(query) = Query::parse(text, &["since", "agent", "type", "follow"]) else { return };
    let Ok(filter) = events::Filter::new(&query) else { return };
    let named: Vec<&str> = query.all("agent").collect();
    let kinds: Vec<&str> = query.all("type").collect();
    for agent in named.iter().copied().chain(["somebody.else-0"]) {
        assert_eq!(filter.wants_agent(agent), named.is_empty() || named.contains(&agent));
        for kind in EventBody::KINDS {
            let is_wanted = kinds.is_empty() || kinds.contains(&kind);
            assert_eq!(filter.wants(agent, kind), is_wanted && filter.wants_agent(agent));
        }
    }
}

/// Of the roster: every condition that is named holds of whoever gets through.
pub(crate) fn roster(bytes: &[u8]) {
    let text = str::from_utf8(bytes).ok();
    let Ok(query) = Query::parse(text, &["status", "label", "match", "all", "view"]) else {
        return;
    };
    let Ok(filter) = seats::Filter::new(&query) else { return };
    let Ok(id) = AgentId::new("api") else { unreachable!("a plain id") };
    let mut seat = Seat::new(id, "custom", Source::Report, UnixMs(0));
    let asks_status = matches!(query.one("status"), Ok(Some(_)));
    let asks_label = query.all("label").next().is_some();
    assert!(asks_status || asks_label || filter.lets_pass(&seat));
    assert!(!asks_label || !filter.lets_pass(&seat), "it has no labels");
    for (key, value) in query.all("label").filter_map(|label| label.split_once('=')) {
        seat.about.labels.insert(key.to_owned(), value.to_owned());
    }
    let mut labels = query.all("label").filter_map(|label| label.split_once('='));
    let has_all = labels.all(|(key, value)| seat.about.labels.get(key).is_some_and(|v| v == value));
    let word = seat.headline().word();
    let said = matches!(query.one("status"), Ok(Some(text)) if text.split(',').any(|w| w == word));
    assert!(asks_status || filter.lets_pass(&seat) == has_all);
    assert!(!(said && has_all) || filter.lets_pass(&seat), "{word} is in {text:?}");
    assert_eq!(Headline::parse(word), Some(seat.headline()));
}

/// The page of one agent, whose id is one, the inbox, or that of all.
pub(crate) fn page(bytes: &[u8]) {
    let text = str::from_utf8(bytes).ok();
    if let Ok(choice::Page::Agent(id)) = choice::page(text) {
        assert!(AgentId::new(id.as_str()).is_ok());
    }
}

/// `HEADSUP_URL`. An address that is understood is written as it is read; what goes into a Host
/// header is one name.
pub(crate) fn url(bytes: &[u8]) {
    let read =
        |text: OsString| Place::resolve(|name| (name == "HEADSUP_URL").then(|| text.clone())).url;
    let text = OsString::from_vec(bytes.to_vec());
    let Some(url) = read(text.clone()) else { return assert!(bytes.is_empty()) };
    let written = url.to_string();
    match &url {
        Url::Unix(path) => assert!(bytes.ends_with(path.as_os_str().as_bytes())),
        Url::Other(said) => assert_eq!(*said, text.to_string_lossy()),
        Url::Http(authority) | Url::Https(authority) => {
            assert_eq!(read(written.clone().into()).as_ref(), Some(&url), "{written}");
            for usual in [80, 443] {
                let host = authority.as_host(usual);
                let legal = |b: u8| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b);
                assert!(!host.is_empty() && host.bytes().all(legal), "{host:?}");
            }
        }
    }
}

/// A timeline, and behind a zero byte a log. What is played is in order; whoever ends was there,
/// and ends once; a witness that is silenced takes nothing else with it.
pub(crate) fn timeline(bytes: &[u8]) {
    use Witness::{Hooks, Process, Registry, Terminal, Transcript};
    let (timeline, log) = match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[][..]),
    };
    let read = |without: &[Witness]| steps(timeline, log, without, Path::new("/home/ada"));
    let all = read(&[]);
    assert!(all.is_sorted_by_key(|step| step.t_ms));
    let mut ended = HashMap::new();
    for step in all.iter().filter(|step| step.witness == Some(Process)) {
        let heard = |other: &&Step| other.process == step.process && other.t_ms <= step.t_ms;
        let before = all.iter().filter(heard);
        assert!(before.count() > 1, "{step:?} was never there");
        assert!(ended.insert(step.process, step.t_ms).is_none(), "{step:?} ended before");
    }
    for witness in [Hooks, Registry, Transcript, Terminal, Process] {
        let others = all.iter().filter(|step| step.witness != Some(witness));
        assert!(read(&[witness]).iter().eq(others), "{witness:?}");
    }
}

/// A bug report's bundle: every row has its place, and the logs' rows have their moment.
pub(crate) fn bundle(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(said) = capture::Said::parse(&text) {
        assert!(said.status.bytes().all(|byte| byte.is_ascii_lowercase()));
    }
    let Ok(rows) = capture::rows(&text) else { return };
    let logs: usize = rows.logs.values().map(Vec::len).sum();
    let lines = text.lines().skip(1).filter(|line| !line.trim().is_empty()).count();
    // The first line is the row that says whose it is.
    assert_eq!(rows.timeline.len() + logs, lines + 1);
    assert!(rows.logs.values().flatten().all(|line| line.get("t_ms").is_some()));
}

/// `/proc/PID/stat`: a process may call itself as it likes and is still read right.
pub(crate) fn process(bytes: &[u8]) {
    kernel::Stat::parse(bytes);
    let name: Vec<u8> = bytes.iter().copied().take(15).filter(|byte| *byte != 0).collect();
    let rest = b") S 41 7 7 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 1 0 4242 1 1";
    let Some(stat) = kernel::Stat::parse(&[b"7 (", &name[..], rest].concat()) else {
        panic!("{:?} hides the process", String::from_utf8_lossy(&name));
    };
    assert_eq!((stat.parent, stat.start_ticks), (41, 4_242));
}

/// `/proc/PID/cgroup`: a container's id stands there, and is one; what a group is called besides hides none.
pub(crate) fn cgroup(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(id) = groups::container(&text) {
        assert!(text.contains(&id) && groups::short(&id).as_deref() == Some(&*id), "{text:?}");
    }
    let name: String = text.chars().filter(|c| !matches!(c, '/' | '\n')).collect();
    let inside = format!("0::/{name}/docker-{}.scope\n", "0a".repeat(32));
    assert_eq!(groups::container(&inside).as_deref(), Some("0a0a0a0a0a0a"), "{name:?}");
}
