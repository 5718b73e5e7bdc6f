//! Every word comes back, and every state has its words.

mod docs;
mod states;
mod trips;
