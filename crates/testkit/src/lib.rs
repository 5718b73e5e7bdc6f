//! Follows with the hub.
