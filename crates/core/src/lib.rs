//! What an agent's status is and how it may change.
//!
//! Pure: no I/O, no clock (`now` is an argument), no async runtime, no agent program's name.
//! Facts come in as [`observation::Observation`]s, [`gate::admit`] is the only code that turns
//! them into a change of a [`seat::Seat`], and every change leaves as an [`event::Event`].

pub mod arbitrate;
pub mod clock;
pub mod compat;
pub mod event;
pub mod fold;
pub mod gate;
pub mod id;
pub mod observation;
pub mod prompt;
pub mod roster;
pub mod seat;
pub mod select;
pub mod source;
pub mod spool;
pub mod status;
pub mod time;
pub mod timeline;
pub mod verdict;
pub mod wire;
pub mod word;
pub mod words;
pub mod work;
pub mod workflow;
