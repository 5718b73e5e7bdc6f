//! Tests of the whole hub, through its socket.

mod acts;
mod ageing;
mod api;
mod bad_input;
mod bench;
mod coder;
mod disk;
mod events;
mod hooks;
mod listener;
mod load;
mod model;
mod openapi;
mod panopticon;
mod restart;
mod seats;
mod sources;
mod spool;
mod tcp;
mod web;
mod ws;
