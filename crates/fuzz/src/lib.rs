//! For tests alone: one door to every parser of what others have written.
//!
//! Each takes any bytes, and panics where a promise of its parser is broken: not only must it not
//! panic, what it answers must hold. `tests/short.rs` sends recorded input through all of them, and
//! the same changed by chance, with every test run; the fuzzer in `fuzz/` does it for as long as it
//! is let (`.ci/fuzz`). Parsers that are private to a crate are included by their path.

// The included files' own tests run where they belong.
#![cfg(not(test))]

// What an included file calls the hub's crate.
extern crate self as headsup_daemon;
pub use around::{
    ForgeSettings, GitHubSettings, KanbangerSettings, PaneReports, Provider, ProviderSettings,
    RepositoryProviders, RepositorySettings, ScreenRules, SharedSecret, TrackerSettings,
    WebhookSettings, WrittenCall, WrittenKanbanger, outgoing,
};
pub use headsup_core::observation::BackgroundShells;

mod around;
mod client;
mod doors;
mod frames;
mod gates;
mod guard;
mod lines;
mod machine;
mod mcp;
mod peer;
mod replay;
mod session;
mod speaker;
mod started;
mod terminal;
mod tracker;
mod vendor;
mod webhooks;
mod work;

#[expect(unreachable_pub, reason = "it is included for its parser alone")]
#[path = "../../daemon/src/listener/address.rs"]
mod address;
#[path = "../../front/src/answer.rs"]
mod answer;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../daemon/src/outgoing/base.rs"]
mod base;
#[expect(dead_code, unreachable_pub, reason = "it is included for its parser alone")]
#[path = "../../testkit/src/replay/bundle.rs"]
mod bundle;
#[path = "../../daemon/src/cgroup.rs"]
mod cgroup;
#[path = "../../daemon/src/web/live/choice.rs"]
mod choice;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../headsup/src/config.rs"]
mod config;
#[path = "../../daemon/src/api/events/cursor.rs"]
mod cursor;
#[path = "../../daemon/src/body/depth.rs"]
mod depth;
#[path = "../../headsup/src/cli/duration.rs"]
mod duration;
#[path = "../../daemon/src/outgoing/encode.rs"]
mod encode;
#[path = "../../daemon/src/engine/said.rs"]
mod engine;
#[path = "../../daemon/src/forge/local/told.rs"]
mod files;
#[path = "../../front/src/json.rs"]
mod front;
#[path = "../../daemon/src/api/headers.rs"]
mod headers;
#[path = "../../daemon/src/job/key.rs"]
mod key;
#[path = "../../front/src/number.rs"]
mod number;
#[path = "../../daemon/src/sources/pane/told.rs"]
mod panes;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../headsup/src/place.rs"]
mod place;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../daemon/src/process.rs"]
mod process;
#[path = "../../daemon/src/api/query.rs"]
mod query;
#[path = "../../daemon/src/sources/bus/reader.rs"]
mod reader;
#[path = "../../headsup/src/regular.rs"]
mod regular;
#[path = "../../headsup/src/client/version.rs"]
mod release;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../headsup/src/launch/shim/reply.rs"]
mod reply;
#[path = "../../daemon/src/api/agents/filter.rs"]
mod roster;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../headsup/src/launch/shim/scan.rs"]
mod scan;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../daemon/src/outgoing/secret.rs"]
mod secret;
#[path = "../../headsup/src/hook/shrink.rs"]
mod shrink;
#[path = "../../headsup/src/hook/skimmed.rs"]
mod skimmed;
#[path = "../../headsup/src/client/sse.rs"]
mod sse;
#[path = "../../daemon/src/api/events/filter.rs"]
mod stream;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../daemon/src/serve/strict.rs"]
mod strict;
#[path = "../../daemon/src/sources/tail/lines.rs"]
mod tail;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../front/src/text.rs"]
mod text;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../headsup/src/cli/watch/until.rs"]
mod until;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../headsup/src/setup/version.rs"]
mod version;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../daemon/src/store/wal.rs"]
mod wal;
#[path = "../../adapters/src/json/walk.rs"]
mod walk;

use around::{Refused, access, api, board, body, caller, error, job, serve, system};

/// What the hub's connections read at once.
const BUFFER: usize = 128 << 10;

/// A parser's name, and the way in.
pub type Door = (&'static str, fn(&[u8]));

/// All of them.
pub const DOORS: &[Door] = &[
    ("hook", vendor::hook),
    ("context", vendor::context),
    ("transcript", vendor::transcript),
    ("registry", vendor::registry),
    ("settings", vendor::settings),
    ("text", vendor::text),
    ("walk", vendor::members),
    ("list", vendor::items),
    ("spool", doors::spool),
    ("answer", doors::answer),
    ("sse", doors::sse),
    ("shrink", doors::shrink),
    ("skimmed", doors::skimmed),
    ("duration", doors::duration),
    ("selector", doors::selector),
    ("cursor", doors::cursor),
    ("query", doors::query),
    ("stream", machine::stream),
    ("roster", machine::roster),
    ("page", machine::page),
    ("url", machine::url),
    ("timeline", machine::timeline),
    ("config", doors::config),
    ("names", doors::names),
    ("report", doors::report),
    ("stored", doors::stored),
    ("status", vendor::status),
    ("server", vendor::server),
    ("acp", speaker::traffic),
    ("headless", speaker::headless),
    ("screen", vendor::screen),
    ("evidence", vendor::evidence),
    ("scan", terminal::scan),
    ("reply", terminal::reply),
    ("panes", terminal::panes),
    ("wal", frames::log),
    ("framing", gates::framing),
    ("tcp", gates::tcp),
    ("socket", gates::socket),
    ("headers", gates::headers),
    ("listen", gates::listen),
    ("bundle", machine::bundle),
    ("process", machine::process),
    ("cgroup", machine::cgroup),
    ("started", started::process),
    ("before", started::handed_over),
    ("netlink", peer::netlink),
    ("sockets", peer::tables),
    ("engine", lines::engine),
    ("files", lines::files),
    ("log", lines::log),
    ("events", lines::events),
    ("follow", speaker::followed),
    ("resume", speaker::words),
    ("object", lines::object),
    ("rows", lines::rows),
    ("version", lines::version),
    ("message", mcp::message),
    ("lines", mcp::lines),
    ("accept", gates::accept),
    ("signature", webhooks::signed),
    ("webhook", webhooks::delivery),
    ("comment", work::answers),
    ("work", work::names),
    ("refusal", tracker::refusal),
    ("hosted", tracker::hosted),
    ("cards", tracker::cards),
    ("call", tracker::call),
];
