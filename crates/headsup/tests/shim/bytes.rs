//! Every byte goes through, both ways.

use crate::rig::{QUERY, Rig};
use headsup_testkit::pty::traffic;
use std::fs;
use std::io::Read as _;

fn random(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    fs::File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
    bytes
}

fn both_ways(rig: &Rig, outward: &[u8], inward: &[u8]) {
    fs::write(rig.file("out"), outward).unwrap();
    let script = format!(
        "stty raw -echo; printf READY; cat out & head -c {} > in.new; wait; mv in.new in",
        inward.len()
    );
    let mut pty = rig.agent(&script);
    pty.shows("READY");
    pty.type_in(inward).unwrap();
    assert!(pty.ended().success());
    let said = pty.said.strip_prefix(format!("{QUERY}READY").as_bytes()).unwrap();
    let same = said.iter().zip(outward).take_while(|(a, b)| a == b).count();
    assert!(said == outward, "{same} bytes came right, {} of {}", said.len(), outward.len());
    let typed = fs::read(rig.file("in")).unwrap();
    assert!(typed == inward, "{} bytes were typed of {}", typed.len(), inward.len());
}

#[test]
fn random_bytes_go_through_unchanged_both_ways() {
    both_ways(&Rig::new(), &random(2_000_000), &random(2_000_000));
}

#[test]
fn what_terminals_and_programs_say_goes_through_unchanged_both_ways() {
    let mut typed = traffic(2_000_000);
    // An answer of our terminal is for us.
    for at in 0..typed.len() {
        if typed[at..].starts_with(b"\x1b]7501;?") {
            typed[at] = b'.';
        }
    }
    both_ways(&Rig::new(), &traffic(2_000_000), &typed);
}

#[test]
fn a_query_is_answered_and_goes_no_further() {
    let rig = Rig::new();
    let answer =
        "\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\";
    let script = format!(
        "stty raw -echo; printf 'a\\033]7501'; printf ';?\\033'; printf '\\\\b'; head -c {} > got",
        answer.len()
    );
    let mut pty = rig.agent(&script);
    assert!(pty.ended().success());
    assert_eq!(fs::read_to_string(rig.file("got")).unwrap(), answer);
    assert_eq!(String::from_utf8_lossy(&pty.said), format!("{QUERY}ab"));
}

#[test]
fn a_key_is_passed_on_at_once_also_where_it_could_begin_an_answer() {
    let rig = Rig::new();
    let mut pty = rig.agent("stty raw -echo; printf READY; head -c 1 | od -c; sleep 60");
    pty.shows("READY");
    pty.type_in(b"\x1b").unwrap();
    pty.shows("033");
}

#[test]
fn without_a_terminal_there_is_nothing_in_between() {
    let rig = Rig::new();
    let command = ["run", "--here", "--", "sh", "-c", "printf '\\033]7501;?\\033\\\\'; test -t 0"];
    let done = rig.home.run(command);
    assert_eq!((done.code, &*done.stdout), (1, QUERY));
}
