//! Every sort of bad input, by number, way in and name. None is left out: it is in a table here or in
//! a test of its own; and nothing is tried that is not listed.
//!
//! Ways in: H what agents hand to their hooks, L their logs, A HTTP and web sockets, M the server of the
//! tools, F files (settings of others, the state folder), D the machine around the hub, Q questions and
//! answers, W web hooks. A few sorts cannot be as they are elsewhere, and say so where they are tried:
//!
//! - 2: an empty payload never leaves the hook, so no counter of the hub's can have it.
//! - 18: no agent numbers its events, so there is nothing to put back into an order; what comes is
//!   taken as it comes.
//! - 23: there are no tokens of single agents yet; the hub's own, and one of a launch that is over, are
//!   tried.
//! - 41: no filter takes a pattern; one is a word like any other.
//! - 42: a cursor is a place in the log, no secret; a forged one is a place or none.
//! - 52: markup is text like any other; what nobody can see is none.
//! - 68: no link of a web hook is followed, so there are no redirects.
//! - 69, 70: links and branches are taken where a pull request is handed in or opened, and nowhere else; branches
//!   are tried where there is a repository.

use crate::{api, files, hooks, identity, logs, mute, order, questions, sockets, tools, webhooks};
use std::collections::BTreeSet;
use std::path::Path;

/// The way in, and the sorts that come by it.
type Way = (char, &'static [&'static str]);

const SORTS: &[Way] = &[
    ('H', HOOKS),
    ('L', LOGS),
    ('A', REQUESTS),
    ('M', CALLS),
    ('F', FILES),
    ('D', MACHINES),
    ('Q', QUESTIONS),
    ('W', WEBHOOKS),
];

const HOOKS: &[&str] = &[
    "1 too long",
    "2 nothing",
    "2 white space",
    "3 never closed",
    "4 not UTF-8",
    "5 control characters",
    "6 hidden characters",
    "7 byte order mark",
    "8 nested without end",
    "9 no finite number",
    "10 member twice",
    "11 unknown event",
    "12 another type",
    "13 renamed members",
    "14 no session",
    "15 illegal id",
    "16 again at once",
    "16 again after a restart",
    "17 same id, other body",
    "18 out of order",
    "19 years away",
    "19 leap second",
    "19 no zone",
    "19 no time",
    "20 pid used again",
    "21 a thousand at once",
    "22 another user",
    "23 token of nobody",
    "30 garbage",
];

const LOGS: &[&str] = &[
    "4 not UTF-8",
    "5 control characters",
    "6 hidden characters",
    "7 byte order mark",
    "8 nested without end",
    "10 member twice",
    "15 illegal id",
    "24 half a line",
    "25 endless line",
    "26 cut to nothing",
    "27 rotated",
    "27 inode again",
    "28 link",
    "28 folder",
    "28 pipe",
    "28 device",
    "29 gone and back",
    "30 garbage",
    "30 line ends",
    "30 another version",
    "31 no word of changes",
];

const REQUESTS: &[&str] = &[
    "1 too long",
    "2 nothing",
    "4 not UTF-8",
    "5 control characters",
    "6 hidden characters",
    "7 byte order mark",
    "8 nested without end",
    "9 no finite number",
    "10 member twice",
    "12 another type",
    "13 renamed members",
    "15 illegal id",
    "19 no time",
    "19 no zone",
    "32 two lengths",
    "32 length and coding",
    "32 unclear coding",
    "32 folded line",
    "32 bare LF",
    "32 no HTTP",
    "33 no host",
    "33 foreign host",
    "33 two hosts",
    "34 origin null",
    "34 foreign origin",
    "34 foreign site",
    "35 text",
    "35 no type",
    "35 two types",
    "36 another method",
    "36 method in a header",
    "36 HEAD",
    "36 OPTIONS",
    "36 TRACE",
    "37 packed body",
    "38 slow head or body",
    "39 endless frame",
    "39 unmasked frame",
    "39 control frame in pieces",
    "39 frame of no kind",
    "39 text that is not UTF-8",
    "39 flood of pings",
    "40 cursor of the future",
    "40 cursor that is none",
    "41 pattern",
    "42 page of no size",
    "42 page of negative size",
    "42 page without end",
    "42 parameter that is none",
    "42 forged cursor",
    "43 token wrong, cut, long, twice or elsewhere",
    "69 link",
    "70 branch",
];

const CALLS: &[&str] = &[
    "44 unknown argument",
    "45 word that is none",
    "46 batch",
    "46 id again",
    "46 id that is none",
    "46 no version",
    "47 state that is not ours",
    "48 line too long",
    "48 noise",
    "49 client that can nothing",
];

const FILES: &[&str] = &[
    "71 settings in every form",
    "71 settings that are not clear",
    "72 settings that are not ours alone",
    "72 settings of another user",
    "73 changed under the edit",
    "74 disk full",
    "74 quota used up",
    "74 read-only",
    "75 newer database",
    "75 damaged database",
    "75 lost write-ahead log",
    "75 second hub",
    "75 database of several machines",
    "76 socket of a dead hub",
    "76 long path",
];

const MACHINES: &[&str] =
    &["77 clock that jumps", "77 sleep", "78 few files", "78 little memory", "78 one processor"];

const QUESTIONS: &[&str] = &[
    "50 negative time",
    "50 no time",
    "50 part of a minute",
    "50 time that is no number",
    "50 endless time",
    "50 time as text",
    "50 time left out",
    "51 many options",
    "51 long option",
    "51 empty option",
    "51 option twice",
    "51 options that look alike",
    "52 long question",
    "52 empty question",
    "52 question that nobody sees",
    "53 no default",
    "54 at the end of the work",
    "55 asked again",
    "56 unknown question",
    "56 of another session",
    "56 question that was taken back",
    "57 option before the first",
    "57 option behind the last",
    "57 option with more around it",
    "57 digit that only looks like one",
    "58 many answers at once",
    "58 answer at the deadline",
    "59 answer behind the deadline",
    "60 answer with tricks",
];

const WEBHOOKS: &[&str] = &[
    "61 no signature",
    "61 wrong signature",
    "61 capital letters",
    "61 another digest",
    "61 two signatures",
    "61 no secret",
    "62 written anew",
    "63 again",
    "63 again under another id",
    "64 old",
    "65 unknown event",
    "65 unknown action",
    "65 ping",
    "66 out of order",
    "67 by a bot",
    "67 by ourselves",
    "67 by a stranger",
    "67 edited",
    "67 deleted",
    "67 quoted",
    "67 code",
    "67 older than the question",
    "68 too long",
];

/// Sorts that have a test of their own: way, sort, file below `crates`, test.
const ALONE: &[(char, &str, &str, &str)] = &[
    ('L', "28 device", "headsup/tests/bad_input/logs.rs", "a_device_is_no_log"),
    ('A', "38 slow head or body", "daemon/src/tests/bad_input.rs", SLOW),
    ('A', "39 flood of pings", SOCKETS, "a_flood_of_pings_holds_up_nobody"),
    ('A', "43 token wrong, cut, long, twice or elsewhere", SOCKETS, TOKEN),
    ('A', "70 branch", "daemon/src/tests/prs.rs", BRANCHES),
    ('F', "71 settings in every form", "headsup/tests/setup/fixtures.rs", EDITED),
    ('F', "71 settings that are not clear", REFUSE, UNCLEAR),
    (
        'F',
        "72 settings that are not ours alone",
        REFUSE,
        "files_that_are_not_ours_alone_are_refused",
    ),
    ('F', "72 settings of another user", REFUSE, "a_file_of_another_user_is_refused"),
    ('F', "73 changed under the edit", "headsup/src/setup/tests.rs", CHANGED),
    ('F', "74 disk full", "headsup/tests/steel/full.rs", FULL),
    ('F', "75 newer database", DAMAGE, "a_newer_database_is_refused_in_words_and_not_touched"),
    ('F', "75 damaged database", DAMAGE, "a_damaged_database_is_kept_aside_and_said"),
    ('F', "75 lost write-ahead log", DAMAGE, LOST_LOG),
    ('F', "75 second hub", RESTART, "a_second_hub_on_the_same_folder_is_refused"),
    ('F', "75 database of several machines", "daemon/src/filesystem.rs", REMOTE),
    ('F', "76 socket of a dead hub", RESTART, "a_dead_hubs_socket_is_taken_over"),
    ('F', "76 long path", "headsup/tests/bad_input/files.rs", LONG),
    ('Q', "58 many answers at once", "daemon/src/tests/prompts.rs", RACERS),
    ('Q', "58 answer at the deadline", DEADLINES, IN_TIME),
    ('Q', "59 answer behind the deadline", DEADLINES, IN_TIME),
    ('D', "77 clock that jumps", "headsup/tests/steel/clock.rs", JUMPS),
    (
        'D',
        "77 sleep",
        "daemon/src/tests/ageing.rs",
        "a_sleep_of_the_machine_and_a_clock_that_is_set_age_nobody",
    ),
    ('D', "78 few files", LIMITS, "with_few_files_subscribers_are_refused_and_reporters_get_in"),
    ('D', "78 little memory", LIMITS, "large_reports_from_everywhere_fit_into_little_memory"),
    ('D', "78 one processor", LIMITS, "on_one_processor_a_crowd_holds_up_no_reporter"),
];

const SOCKETS: &str = "headsup/tests/bad_input/sockets.rs";
const REFUSE: &str = "headsup/tests/setup/refuse.rs";
const DAMAGE: &str = "headsup/tests/steel/damage.rs";
const LIMITS: &str = "headsup/tests/steel/limits.rs";
const RESTART: &str = "daemon/src/tests/restart.rs";
const SLOW: &str = "what_does_not_come_to_its_end_is_given_up";
const TOKEN: &str = "over_tcp_a_token_is_shown_once_whole_and_in_its_header";
const BRANCHES: &str = "what_is_wrong_with_a_pull_request_is_named";
const EDITED: &str = "settings_are_edited_and_restored_to_the_byte";
const UNCLEAR: &str = "what_is_not_clear_is_refused_with_the_lines_to_paste";
const CHANGED: &str = "a_file_that_changes_under_the_edit_is_read_again";
const FULL: &str = "an_installation_on_a_full_disk_leaves_the_old_file_and_nothing_beside_it";
const LOST_LOG: &str = "a_lost_or_cut_write_ahead_log_costs_what_was_in_it_and_no_more";
const REMOTE: &str = "a_file_system_is_known_by_its_number";
const LONG: &str = "a_socket_whose_path_fits_no_address_is_found_by_everybody";
const DEADLINES: &str = "daemon/src/tests/deadlines.rs";
const RACERS: &str = "of_64_racers_one_wins_and_all_others_are_told_who";
const IN_TIME: &str = "an_answer_within_the_time_wins_and_one_behind_it_does_not";
const JUMPS: &str = "a_clock_that_jumps_ages_nobody_and_turns_no_time_back";

#[test]
fn every_sort_is_tried_and_nothing_else() {
    let mut tried: BTreeSet<(char, &str)> = BTreeSet::new();
    let hooks = [hooks::sorts(), identity::SORTS.to_vec(), order::SORTS.to_vec()].concat();
    tried.extend(hooks.into_iter().map(|sort| ('H', sort)));
    let logs = [logs::sorts(), mute::SORTS.to_vec()].concat();
    tried.extend(logs.into_iter().map(|sort| ('L', sort)));
    tried.extend([api::sorts(), sockets::sorts()].concat().into_iter().map(|sort| ('A', sort)));
    tried.extend(questions::sorts().into_iter().map(|sort| ('Q', sort)));
    tried.extend(webhooks::SORTS.iter().map(|sort| ('W', *sort)));
    tried.extend(tools::sorts().into_iter().map(|sort| ('M', sort)));
    tried.extend(files::SORTS.iter().map(|sort| ('F', *sort)));
    tried.extend(ALONE.iter().map(|(way, sort, ..)| (*way, *sort)));
    let listed = SORTS.iter().flat_map(|(way, sorts)| sorts.iter().map(|sort| (*way, *sort)));
    let listed: BTreeSet<(char, &str)> = listed.collect();
    let missing: Vec<_> = listed.difference(&tried).collect();
    assert!(missing.is_empty(), "nobody tries {missing:?}");
    let more: Vec<_> = tried.difference(&listed).collect();
    assert!(more.is_empty(), "not listed: {more:?}");
}

#[test]
fn every_number_is_listed() {
    let number = |sort: &&str| sort.split(' ').next().unwrap().parse::<u8>().unwrap();
    let listed = SORTS.iter().flat_map(|(_, sorts)| sorts.iter().map(number));
    let listed: BTreeSet<u8> = listed.collect();
    assert!(listed.iter().copied().eq(1..=78), "{listed:?}");
}

#[test]
fn the_tests_of_their_own_are_there() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (_, sort, file, test) in ALONE {
        let text = std::fs::read_to_string(crates.join(file)).unwrap();
        assert!(text.contains(&format!("fn {test}()")), "{sort}: no {test} in {file}");
    }
}
