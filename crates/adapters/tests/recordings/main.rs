//! The recordings, and what holds for any payload.

// `cfg(test)` is always so here; it tells the lints that a test may unwrap.
#[cfg(test)]
mod common;
#[cfg(test)]
mod evidence;
#[cfg(test)]
mod facts;
#[cfg(test)]
mod others;
#[cfg(test)]
mod played;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod renamed;
#[cfg(test)]
mod truth;
#[cfg(test)]
mod unordered;
