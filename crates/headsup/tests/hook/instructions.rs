//! What a hook costs, in a number that no machine changes.

use headsup_testkit::instructions::{judge, of_hook};
use std::path::Path;

#[test]
fn a_hook_takes_no_more_instructions_than_it_may() {
    let Some(count) = of_hook(Path::new(env!("CARGO_BIN_EXE_headsup"))).unwrap() else {
        assert!(std::env::var("CI").is_err(), "valgrind is not installed");
        eprintln!("skipped: valgrind is not installed");
        return;
    };
    if let Err(why) = judge(count) {
        panic!("{why}");
    }
}
