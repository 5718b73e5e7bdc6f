//! The hub's page: where it is served, and links into it.

use crate::client::Client;
use crate::client::answer;
use crate::error::{CommandError, Kind};
use bytes::Bytes;
use headsup_core::time::UnixMs;
use headsup_daemon::Listen;
use serde::{Deserialize, Serialize};

const LISTENER: &str = "/api/v1/listener";

/// Lets one browser in, once.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Link {
    pub(crate) schema: u32,
    pub(crate) url: String,
    pub(crate) expires_at: UnixMs,
}

#[derive(Serialize)]
struct ListenBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    insecure: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_hosts: Option<&'a [String]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    passing: bool,
}

/// Where the hub listens on TCP.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Listening {
    /// None: not on TCP.
    pub(crate) addresses: Vec<String>,
    /// What has kept the hub from TCP since its start.
    #[serde(default)]
    pub(crate) problem: Option<String>,
}

pub(crate) async fn listening(client: &Client) -> Result<Listening, CommandError> {
    client.get_doc(LISTENER).await
}

/// Has the hub listen on TCP.
pub(crate) async fn listen(client: &Client, listen: &Listen) -> Result<(), CommandError> {
    put(client, listen, false).await
}

/// The same until `leave`, or its end. Where it listens already, or somebody else has it listen meanwhile, that lasts.
pub(crate) async fn listen_in_passing(
    client: &Client,
    listen: &Listen,
) -> Result<(), CommandError> {
    put(client, listen, true).await
}

async fn put(client: &Client, listen: &Listen, passing: bool) -> Result<(), CommandError> {
    on_socket(client)?;
    let body = ListenBody {
        address: listen.address.map(|address| address.to_string()),
        insecure: listen.insecure,
        allow_hosts: listen.allow_hosts.as_deref(),
        passing,
    };
    let body = serde_json::to_vec(&body)
        .map_err(|error| CommandError::internal(format!("cannot write JSON: {error}")))?;
    client.put(LISTENER, body.into()).await.map(drop)
}

/// Has it listen no more.
pub(crate) async fn unlisten(client: &Client) -> Result<(), CommandError> {
    on_socket(client)?;
    client.delete(LISTENER).await.map(drop)
}

/// Ends what listens in passing.
pub(crate) async fn leave(client: &Client) -> Result<(), CommandError> {
    on_socket(client)?;
    client.delete(&format!("{LISTENER}?passing=true")).await.map(drop)
}

/// A fresh link.
pub(crate) async fn link(client: &Client) -> Result<Link, CommandError> {
    on_socket(client)?;
    let path = "/api/v1/listener/codes";
    answer::doc(path, &client.post(path, Bytes::new()).await?)
}

/// Who lets others in must be this machine's user, which only the socket shows.
fn on_socket(client: &Client) -> Result<(), CommandError> {
    if client.address().socket().is_some() {
        return Ok(());
    }
    let message = format!("the hub at {} gives no links over TCP", client.address());
    Err(CommandError::new(Kind::Refused, message)
        .hint("unset HEADSUP_URL, or run the command on the hub's own machine"))
}
