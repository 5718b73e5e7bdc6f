//! The hub: there, of this version, writing, and on time.

use super::Check;
use crate::cli::Context;
use crate::client::page::{self, Listening};
use crate::client::{Client, start};
use crate::error::Kind;
use bytes::Bytes;
use headsup_core::time::UnixMs;
use headsup_core::wire::AgentDoc;
use std::time::{SystemTime, UNIX_EPOCH};

/// More is not the time that a request takes.
const SKEW_MS: i64 = 5_000;

pub(super) struct Hub {
    pub(super) checks: Vec<Check>,
    pub(super) client: Option<Client>,
    /// What is tried could not be taken away again.
    is_barred: bool,
}

impl Hub {
    /// Without one that can be spoken to.
    fn none(check: Check) -> Self {
        Self { checks: vec![check], client: None, is_barred: false }
    }

    /// To whom a real event can be sent; else why not, and where it stands what to do.
    pub(super) fn to_try(&self) -> Result<&Client, [&'static str; 2]> {
        match &self.client {
            None => Err(["there is no hub", "the row `hub` says what to do"]),
            Some(_) if self.is_barred => {
                Err(["its seat would stay", "the row `store` says what to do"])
            }
            Some(client) => Ok(client),
        }
    }
}

pub(super) async fn checks(context: &Context) -> Hub {
    let client = match context.client().await {
        Ok(client) => client,
        Err(error) => {
            let hint = error.hints.join("; ");
            let hint = if hint.is_empty() { "start it: `headsup up`".to_owned() } else { hint };
            return Hub::none(Check::bad("hub", error.message, hint));
        }
    };
    let health = match start::health(&client).await {
        Ok(health) => health,
        Err(error) => {
            let error = error.at(client.address());
            // A hub that answers says itself what is missing, as the right token.
            let hint = match error.hints.is_empty() {
                true => "restart it: `headsup down`, then `headsup up`".to_owned(),
                false => error.hints.join("; "),
            };
            return Hub::none(Check::bad("hub", error.message, hint));
        }
    };
    let at = format!("pid {} at {}", health.pid, client.address());
    let mut checks = vec![Check::good("hub", at)];
    let ours = env!("CARGO_PKG_VERSION");
    checks.push(if health.version == ours {
        Check::good("version", format!("hub and client are {ours}"))
    } else {
        let detail = format!("the hub is {}, this is {ours}", health.version);
        Check::bad("version", detail, "restart the hub: `headsup down`, then `headsup up`")
    });
    checks.extend(tcp(&client, context.config.listen.is_some()).await);
    let barred = barred(&client).await;
    let is_barred = barred.is_some();
    checks.extend(match barred {
        Some(check) => vec![check],
        None => probe(&client).await,
    });
    Hub { checks, client: Some(client), is_barred }
}

/// An agent may take no other seat off the roster, nor may what one has left behind: what they try would stay
/// there, and crash. A seat that nobody has tells that.
async fn barred(client: &Client) -> Option<Check> {
    let path = format!("/api/v1/agents/{}?force=true", super::agents::probe_id());
    let refused = client.delete(&path).await.err().filter(|error| error.kind == Kind::Refused)?;
    let detail = format!("not tried: its seat would stay ({})", refused.message);
    let hint = "run `headsup doctor` in a terminal of your own, outside of every agent";
    Some(Check::bad("store", detail, hint))
}

/// Does it listen on TCP, and as the settings want it? Only the hub's own machine may ask.
async fn tcp(client: &Client, wanted: bool) -> Option<Check> {
    client.address().socket()?;
    Some(match page::listening(client).await {
        Ok(found) if !found.addresses.is_empty() => {
            Check::good("tcp", format!("listening on {}", found.addresses.join(", ")))
        }
        Ok(Listening { problem: Some(problem), .. }) => Check::bad(
            "tcp",
            format!("not listening: {problem}"),
            "put that right, then `headsup up --listen`; or stay off TCP: `headsup up --no-listen`",
        ),
        Ok(_) if wanted => Check::bad(
            "tcp",
            "not listening, although the settings say `listen`",
            "restart the hub: `headsup down`, then `headsup up`",
        ),
        Ok(_) => {
            Check::good("tcp", "not listening; `headsup open` has it listen and shows the page")
        }
        Err(error) => Check::bad("tcp", error.message, "see hub.log in the state folder"),
    })
}

/// A report of our own is stored, read back, and taken away. Also where the hub's disk took nothing when it was
/// written to last: there may be room again.
async fn probe(client: &Client) -> Vec<Check> {
    let hint = "is the disk full, or the database locked? see hub.log in the state folder";
    let id = super::agents::probe_id();
    let path = format!("/api/v1/agents/{id}");
    let body = Bytes::from_static(br#"{"turn":"idle","detail":"doctor"}"#);
    let before = wall_clock();
    let reported = client.post(&format!("{path}/reports"), body).await;
    let after = wall_clock();
    let seen = client.get_doc::<AgentDoc<'static>>(&path).await;
    client.delete(&format!("{path}?force=true")).await.ok();
    let told = match reported.and(seen) {
        Ok(agent) => agent.since,
        Err(error) => {
            let own = error.hints.first().filter(|_| error.code.starts_with("storage_"));
            let hint = own.map_or_else(|| hint.to_owned(), Clone::clone);
            return vec![Check::bad("store", error.message, hint)];
        }
    };
    let store = Check::good("store", "a report was stored, read back and removed");
    let (early, late) = (before.plus(-SKEW_MS), after.plus(SKEW_MS));
    let clock = if told < early || told > late {
        let detail = format!("the hub is {} ms away from this clock", told.since(after));
        Check::bad("clock", detail, "was the clock set back? restart the hub")
    } else {
        Check::good("clock", "hub and client agree")
    };
    vec![store, clock]
}

fn wall_clock() -> UnixMs {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMs(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}
