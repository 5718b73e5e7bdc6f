//! The MCP server: what agents call to say how they are and to ask a person.
//!
//! Every tool is a call of the hub's own HTTP API ([`Hub`]), in the process of the hub for
//! `POST /mcp`, over a client's connection for `headsup mcp` on stdio. Nothing here decides anything: the
//! tools (`table`) are a list of names, parameters and routes, and words for the answers. This is the
//! only module that knows the library of the protocol.

mod accept;
mod arguments;
mod elicit;
mod failure;
#[cfg(test)]
mod fixture;
mod frame;
pub(crate) mod http;
mod hub;
mod line;
mod operation;
mod schema;
mod scope;
mod server;
mod stdio;
mod table;
mod tasks;
#[cfg(test)]
mod tests;
mod tools;
mod wait;

#[cfg(test)]
pub(crate) use fixture::AGENT as FIXTURE;
pub use hub::{Call, Hub, Method, Reply, Unreachable};
pub use scope::Scope;
pub use stdio::{refuse, serve};
