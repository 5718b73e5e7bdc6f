//! One parser, named by `HEADSUP_DOOR`, under libFuzzer. `.ci/fuzz` builds and runs it.
#![no_main]

use headsup_fuzz::DOORS;
use std::sync::LazyLock;

static OPEN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("HEADSUP_DOOR").unwrap_or_default();
    let door = DOORS.iter().find(|(door, _)| *door == name);
    door.unwrap_or_else(|| panic!("HEADSUP_DOOR is one of {:?}", names())).1
});

fn names() -> Vec<&'static str> {
    DOORS.iter().map(|(name, _)| *name).collect()
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| OPEN(bytes));
