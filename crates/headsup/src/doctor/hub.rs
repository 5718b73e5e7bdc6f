//! The hub: there, of this version, writing, and on time.

use super::Check;
use crate::cli::Context;
use crate::client::page::{self, Listening};
use crate::client::{Client, start};
use crate::error::Kind;
use crate::output::age;
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
    vec![store, clock(told, before, after)]
}

/// What the hub's time is to this clock: it has taken something in at `told`, between these two moments. Where its clock
/// was set back it goes on at half speed, also over a restart: for twice as long as it is ahead.
fn clock(told: UnixMs, before: UnixMs, after: UnixMs) -> Check {
    let (behind_ms, ahead_ms) = (before.since(told), told.since(after));
    if behind_ms > SKEW_MS {
        let detail = format!("the hub is {} behind this clock", age::short(behind_ms));
        return Check::bad("clock", detail, "set the clock here, or the one where the hub runs");
    }
    if ahead_ms > SKEW_MS {
        let detail = format!("the hub is {} ahead of this clock", age::short(ahead_ms));
        let wait = age::short(ahead_ms.saturating_mul(2));
        let hint = format!(
            "was the clock set back? the hub's time goes on at half speed until that has caught up, in {wait}: \
             nothing is lost, but ages look too short until then"
        );
        return Check::bad("clock", detail, hint);
    }
    Check::good("clock", "hub and client agree")
}

fn wall_clock() -> UnixMs {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMs(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hub_of_another_time_says_how_long_that_lasts() {
        let (before, after) = (UnixMs(1_795_296_597_200), UnixMs(1_795_296_597_300));
        for ms in [-SKEW_MS, 0, SKEW_MS] {
            assert!(clock(before.plus(ms), before, after).ok, "{ms}");
        }
        let ahead = clock(after.plus(3_600_000), before, after);
        assert_eq!((ahead.ok, &*ahead.detail), (false, "the hub is 1h00 ahead of this clock"));
        let hint = ahead.hint.unwrap();
        assert!(hint.contains("in 2h00") && !hint.contains("restart"), "{hint}");
        let behind = clock(before.plus(-60_000), before, after);
        assert_eq!((behind.ok, &*behind.detail), (false, "the hub is 1m behind this clock"));
    }
}
