//! The hub's gates, with the same places inside.

#[path = "../../daemon/src/guard/content.rs"]
mod content;
#[path = "../../daemon/src/guard/socket.rs"]
mod socket;
#[expect(dead_code, reason = "it is included for what it checks alone")]
#[path = "../../daemon/src/guard/tcp.rs"]
mod tcp;

use crate::api::Refused;
use axum::http::Request;
pub(crate) use tcp::{Gates, OPEN};

pub(crate) fn over_tcp(gates: &Gates, request: &Request<()>) -> Result<(), Refused> {
    gates.check(request)
}

pub(crate) fn on_socket(request: &Request<()>) -> Result<(), Refused> {
    socket::check(request)
}
