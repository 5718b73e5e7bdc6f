//! Every byte goes through, both ways.

use crate::rig::{QUERY, Rig};
use headsup_testkit::pty::Pty;
use headsup_testkit::traffic::{for_the_program, for_the_terminal, made_up, recorded};
use rustix::pty::ptsname;
use std::fs;
use std::io::Read as _;

/// What a program is told that asks.
const ANSWER: &str =
    "\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\";

pub(crate) fn random(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    fs::File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
    bytes
}

fn both_ways(rig: &Rig, outward: &[u8], inward: &[u8]) {
    both_ways_of(rig, |script| rig.agent(script), outward, inward);
}

/// `start` runs a script as an agent in the home of this rig.
#[track_caller]
pub(crate) fn both_ways_of(
    rig: &Rig,
    start: impl FnOnce(&str) -> Pty,
    outward: &[u8],
    inward: &[u8],
) {
    fs::write(rig.file("out"), outward).unwrap();
    let script = format!(
        "stty raw -echo; printf READY; cat out & head -c {} > in.new; wait; mv in.new in",
        inward.len()
    );
    let mut pty = start(&script);
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
fn what_terminals_and_programs_can_say_goes_through_unchanged_both_ways() {
    let bytes = made_up(2_000_000);
    both_ways(&Rig::new(), &bytes, &for_the_program(bytes.clone()));
}

#[test]
fn what_real_programs_have_said_goes_through_unchanged_both_ways() {
    let rig = Rig::new();
    let recordings = recorded().unwrap();
    let names: Vec<&str> = recordings.iter().map(|recording| &*recording.name).collect();
    assert_eq!(names, ["claude-code", "htop", "less", "vim"]);
    for recording in recordings {
        // What a program has said can be pasted.
        let typed = for_the_program([&*recording.typed, &*recording.said].concat());
        both_ways(&rig, &for_the_terminal(&recording.said), &typed);
    }
}

#[test]
fn a_query_is_answered_and_goes_no_further() {
    let rig = Rig::new();
    let script = format!(
        "stty raw -echo; printf 'a\\033]7501'; printf ';?\\033'; printf '\\\\b'; head -c {} > got",
        ANSWER.len()
    );
    let mut pty = rig.agent(&script);
    assert!(pty.ended().success());
    assert_eq!(fs::read_to_string(rig.file("got")).unwrap(), ANSWER);
    assert_eq!(String::from_utf8_lossy(&pty.said), format!("{QUERY}ab"));
}

#[test]
fn of_what_a_real_program_has_said_its_query_alone_is_answered_and_goes_no_further() {
    let rig = Rig::new();
    let mut asking = 0;
    for recording in recorded().unwrap() {
        let heard = for_the_terminal(&recording.said);
        if heard == recording.said {
            continue;
        }
        asking += 1;
        fs::write(rig.file("out"), &recording.said).unwrap();
        let script = format!("stty raw -echo; cat out; head -c {} > got", ANSWER.len());
        let mut pty = rig.agent(&script);
        assert!(pty.ended().success());
        assert_eq!(fs::read_to_string(rig.file("got")).unwrap(), ANSWER, "{}", recording.name);
        assert!(pty.said.strip_prefix(QUERY.as_bytes()) == Some(&*heard), "{}", recording.name);
    }
    assert_eq!(asking, 1);
}

#[test]
fn a_key_is_passed_on_at_once_also_where_it_could_begin_an_answer() {
    let rig = Rig::new();
    let mut pty = rig.agent("stty raw -echo; printf READY; head -c 1 | od -c; sleep 600");
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

/// A person may look at the errors of a program in another window.
#[test]
fn what_goes_to_another_terminal_goes_there_as_it_is() {
    let rig = Rig::new();
    let mut other = rig.shell("sleep 600");
    let name = ptsname(other.master(), Vec::new()).unwrap();
    let name = name.to_str().unwrap();
    let run = |to: &str| {
        let agent = "sh -c 'echo OUT; echo ERR >&2'";
        rig.shell(&format!("\"$HEADSUP\" run --here -- {agent} {to}"))
    };
    let mut pty = run(&format!("2>{name}"));
    assert!(pty.ended().success());
    other.shows("ERR\r\n");
    assert_eq!(pty.said, format!("{QUERY}OUT\r\n").as_bytes());
    let mut pty = run(&format!(">{name}"));
    assert!(pty.ended().success());
    other.shows("OUT\r\n");
    assert_eq!(pty.said, b"ERR\r\n");
    assert_eq!(other.said, b"ERR\r\nOUT\r\n");
    // Only one of them controls it, and has another name for it.
    let mut pty = run(&format!("</dev/tty >{name}"));
    assert!(pty.ended().success());
    other.shows("OUT\r\nOUT\r\n");
    assert_eq!(pty.said, b"ERR\r\n");
    let mut pty = run(&format!("<{name} >{name} 2>/dev/tty"));
    assert!(pty.ended().success());
    assert_eq!(pty.said, b"ERR\r\n");
    // By another name it is ours.
    let mut pty = run("2>/dev/tty");
    assert!(pty.ended().success());
    assert_eq!(pty.said, format!("{QUERY}OUT\r\nERR\r\n").as_bytes());
}
