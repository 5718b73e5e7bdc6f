//! What is refused before anything is read or done, and what every answer carries.

mod content;
mod key;
mod socket;
mod tcp;

pub(crate) use tcp::{Gates, OPEN, bearer};

use crate::api::Refused;
use axum::http::{Method, Request};
use axum::response::Response;
use std::sync::Arc;

/// The guard of one transport.
#[derive(Clone)]
pub(crate) enum Guard {
    /// The unix socket: the kernel has said who it is, and it is no browser.
    Socket,
    /// TCP, where anybody can knock, and any web page can make a browser knock.
    Tcp(Arc<Gates>),
}

impl Guard {
    /// What handlers find with the request.
    pub(crate) fn mark<B>(&self, request: &mut Request<B>) {
        if let Self::Tcp(gates) = self {
            request.extensions_mut().insert(Arc::clone(gates));
        }
    }

    /// Checks the head of a request.
    pub(crate) fn check<B>(&self, request: &Request<B>) -> Result<(), Refused> {
        match self {
            Self::Socket => socket::check(request)?,
            Self::Tcp(gates) => gates.check(request)?,
        }
        if request.method() == Method::POST { key::check(request.headers()) } else { Ok(()) }
    }

    /// What browsers have to be told, with every answer.
    pub(crate) fn finish(&self, response: &mut Response) {
        if let Self::Tcp(_) = self {
            tcp::protect(response.headers_mut());
        }
    }
}
