//! No row is left out: it is in a table here, in a test of its own elsewhere, or it waits for what
//! it is about.

use crate::{api, hooks, logs, sockets};
use std::collections::BTreeSet;
use std::path::Path;

/// Rows that a test elsewhere shows: number, file below `crates`, test.
const ELSEWHERE: &[(u8, &str, &str)] = &[
    (20, "core/src/gate/tests/process.rs", PID),
    (21, "headsup/tests/hook/spool.rs", "a_hundred_hooks_at_once_leave_a_hundred_whole_records"),
    (38, "daemon/src/tests/bad_input.rs", "what_does_not_come_to_its_end_is_given_up"),
    (71, "headsup/tests/setup/fixtures.rs", "settings_are_edited_and_restored_to_the_byte"),
    (71, "headsup/tests/setup/refuse.rs", "what_is_not_clear_is_refused_with_the_lines_to_paste"),
    (72, "headsup/tests/setup/refuse.rs", "files_that_are_not_ours_alone_are_refused"),
    (73, "headsup/src/setup/tests.rs", CHANGED),
    (
        74,
        "headsup/tests/steel/full.rs",
        "an_installation_on_a_full_disk_leaves_the_old_file_and_nothing_beside_it",
    ),
    (75, "headsup/tests/steel/damage.rs", "a_newer_database_is_refused_in_words_and_not_touched"),
    (75, "headsup/tests/steel/damage.rs", "a_damaged_database_is_kept_aside_and_said"),
    (
        75,
        "headsup/tests/steel/damage.rs",
        "a_lost_or_cut_write_ahead_log_costs_what_was_in_it_and_no_more",
    ),
    (75, "daemon/src/tests/restart.rs", "a_second_hub_on_the_same_folder_is_refused"),
    (76, "daemon/src/tests/restart.rs", "a_dead_hubs_socket_is_taken_over"),
    (76, "daemon/src/home.rs", "a_path_that_fits_no_address_still_gets_its_socket"),
    (77, "headsup/tests/steel/clock.rs", "a_clock_that_jumps_ages_nobody_and_turns_no_time_back"),
    (77, "daemon/src/tests/ageing.rs", "a_sleep_of_the_machine_ages_nobody"),
    (
        78,
        "headsup/tests/steel/limits.rs",
        "with_few_files_subscribers_are_refused_and_reporters_get_in",
    ),
    (78, "headsup/tests/steel/limits.rs", "large_reports_from_everywhere_fit_into_little_memory"),
];

const PID: &str = "g9_a_pid_is_an_identity_only_with_its_start_time";
const CHANGED: &str = "a_file_that_changes_under_the_edit_is_read_again";

/// Rows about what is not there yet: first, last, what they wait for.
const LATER: &[(u8, u8, &str)] = &[
    (23, 23, "tokens of single agents"),
    (31, 31, "logs on network file systems, which tell of no change"),
    (41, 41, "filters that take a pattern"),
    (44, 49, "the MCP server"),
    (50, 60, "questions that are answered through headsup"),
    (61, 68, "web hooks"),
    (69, 70, "links to merge requests and branches"),
];

#[test]
fn every_row_is_tried_shown_elsewhere_or_waits_for_its_subject() {
    let here = [hooks::ids(), logs::ids(), api::ids(), sockets::ids()].concat();
    let elsewhere = ELSEWHERE.iter().map(|(id, ..)| *id);
    let tried: BTreeSet<u8> = here.into_iter().chain(elsewhere).collect();
    let later: BTreeSet<u8> = LATER.iter().flat_map(|(from, to, _)| *from..=*to).collect();
    let both: Vec<_> = tried.intersection(&later).collect();
    assert!(both.is_empty(), "tried, and said to wait: {both:?}");
    let all: BTreeSet<u8> = tried.union(&later).copied().collect();
    let missing: Vec<u8> = (1..=78).filter(|id| !all.contains(id)).collect();
    assert!(missing.is_empty(), "left out: {missing:?}");
    assert_eq!(all.len(), 78);
}

#[test]
fn the_tests_elsewhere_are_there() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (id, file, test) in ELSEWHERE {
        let text = std::fs::read_to_string(crates.join(file)).unwrap();
        assert!(text.contains(&format!("fn {test}()")), "{id}: no {test} in {file}");
    }
}
