use super::*;
use proptest::prelude::*;

/// What goes on, and what was found.
fn scan<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<u8>, Vec<Finding>) {
    let (mut scanner, mut out, mut found) = (Scanner::new(), Vec::new(), Vec::new());
    for piece in pieces {
        scanner.feed(piece, &mut out, |finding| found.push(finding));
    }
    scanner.finish(&mut out);
    (out, found)
}

fn status(body: &str) -> Finding {
    Finding::Status(body.as_bytes().to_vec())
}

#[test]
fn the_query_is_taken_out_and_nothing_else() {
    for end in ["\x1b\\", "\x07"] {
        let text = format!("a\x1b]7501;?{end}b");
        assert_eq!(scan([text.as_bytes()]), (b"ab".to_vec(), vec![Finding::Query]), "{text:?}");
    }
    for other in [
        "\x1b]7501;?:states=idle\x07",
        "\x1b]7501;??\x07",
        "\x1b]7501;\t?\x07",
        "\x1b]7501;?\x18",
        "\x1b]7501;?\x1b[c",
        "\x1b]75010;?\x07",
        "]7501;?\x07",
        "\x1bP\x1b\x1b]7501;?\x07\x1b\\",
        "\x1b]7501;?",
        "\x1b]7501;?\x1b",
        "\x1b]7501;\x1b]7501;",
    ] {
        let (out, found) = scan([other.as_bytes()]);
        assert_eq!(out, other.as_bytes(), "{other:?}");
        assert!(!found.contains(&Finding::Query), "{other:?}");
    }
}

#[test]
fn a_query_is_found_behind_whatever_was_broken_off() {
    for junk in [
        "\x1b",
        "\x1b\x1b",
        "\x1b[1;",
        "\x1b]0;half a title",
        "\x1b]7501;?",
        "\x1b]7501",
        "\x1b]7501;?\x1b",
        "\x1bP half a string",
        "\x1b(",
    ] {
        let text = format!("{junk}\x1b]7501;?\x1b\\");
        let (out, found) = scan([text.as_bytes()]);
        // Two escapes within a string belong together: it goes on to its own end.
        assert_eq!(found, [Finding::Query], "{junk:?}");
        assert_eq!(out, junk.as_bytes());
    }
}

#[test]
fn reports_titles_and_progress_are_found_and_go_on() {
    let text = b"x\x1b]7501;state=working:app=a\x1b\\\x1b]0;one\x07y\x1b]2;\xe2\x9c\x9c two\x1b\\\
        \x1b]9;4;1;50\x07\x1b]9;a notification\x07\x1b]8;;http://x\x1b\\z\x1b]1;icon\x07\x1b]2\x07";
    let (out, found) = scan([&text[..]]);
    assert_eq!(out, text);
    let title = |text: &str| Finding::Title(text.as_bytes().to_vec());
    let progress = Finding::Progress(b"4;1;50".to_vec());
    let expected = [status("state=working:app=a"), title("one"), title("\u{271c} two"), progress];
    assert_eq!(found, expected);
}

#[test]
fn a_sequence_that_is_too_long_goes_on_unread_and_the_next_one_is_read() {
    let long = "x".repeat(3 * LONGEST);
    let text = format!("\x1b]0;{long}\x07\x1b]0;short\x07");
    let (out, found) = scan([text.as_bytes()]);
    assert_eq!(out, text.as_bytes());
    assert_eq!(found, [Finding::Title(b"short".to_vec())]);
    let longest = format!("\x1b]0;{}\x07", "x".repeat(LONGEST - 2));
    assert_eq!(scan([longest.as_bytes()]).1.len(), 1);
}

#[test]
fn between_sequences_and_characters_it_is_at_rest() {
    let mut scanner = Scanner::new();
    let mut at_rest_after = |bytes: &[u8]| {
        scanner.feed(bytes, &mut Vec::new(), |_| {});
        scanner.is_at_rest()
    };
    for (bytes, rest) in [
        (&b"plain"[..], true),
        (b"\xe2\x9c", false),
        (b"\x9c", true),
        (b"\xf0", false),
        (b"\x9f\xa6\x80", true),
        (b"\x1b", false),
        (b"[31", false),
        (b"m", true),
        (b"\x1b]0;t", false),
        (b"\x07", true),
        (b"\x1b]7501;?", false),
        (b"\x07", true),
        (b"\x1bPq", false),
        (b"\x1b\\", true),
        (b"\x80\x80\x80", true),
    ] {
        assert_eq!(at_rest_after(bytes), rest, "after {bytes:?}");
    }
}

/// What sequences are made of, so that random streams are full of them, whole and broken.
fn part() -> impl Strategy<Value = Vec<u8>> {
    let parts: Vec<&'static [u8]> = vec![
        b"\x1b",
        b"\x1b]",
        b"7501;",
        b"?",
        b"\x1b\\",
        b"\x07",
        b"\x1b]7501;?\x1b\\",
        b"\x1b]7501;?\x07",
        b"\x1b]7501;state=idle\x07",
        b"\x1b]0;title\x1b\\",
        b"\x1b]9;4;3\x07",
        b"\x1bP",
        b"\x1b\x1b",
        b"\x1b[38;5;1m",
        b"\x18",
        b"text",
        b"\xff\xfe\x9c\x9d",
    ];
    prop_oneof![
        8 => prop::sample::select(parts).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ]
}

fn without_queries(text: &[u8], found: &[Finding]) -> usize {
    let queries = found.iter().filter(|finding| **finding == Finding::Query).count();
    // Each is as long as its end: 9 bytes with BEL, 10 with `ESC \`.
    text.len() - queries * 9
}

proptest! {
    #[test]
    fn any_cut_gives_the_same(
        parts in prop::collection::vec(part(), 0..40),
        sizes in prop::collection::vec(1_usize..9, 1..20),
    ) {
        let text = parts.concat();
        let whole = scan([&text[..]]);
        let bytewise = scan(text.chunks(1));
        prop_assert_eq!(&whole, &bytewise);
        let (mut rest, mut pieces, mut sizes) = (&text[..], Vec::new(), sizes.iter().cycle());
        while !rest.is_empty() {
            let size = sizes.next().copied().unwrap_or(1).min(rest.len());
            let (piece, others) = rest.split_at(size);
            pieces.push(piece);
            rest = others;
        }
        prop_assert_eq!(&whole, &scan(pieces));
        // Nothing but queries is missing.
        let (most, least) = (without_queries(&text, &whole.1), whole.0.len());
        let queries = whole.1.iter().filter(|finding| **finding == Finding::Query).count();
        prop_assert!(least <= most && most - least <= queries);
        if queries == 0 {
            prop_assert_eq!(&whole.0, &text);
        }
    }

    #[test]
    fn whatever_came_before_it_finds_its_way_back(
        parts in prop::collection::vec(part(), 0..20),
    ) {
        // Two ends, since an `ESC` may stand open and a doubled one belongs to its string.
        let text = [&parts.concat()[..], b"\x1b\\\x1b\\\x1b]7501;state=done\x07"].concat();
        let (_, found) = scan([&text[..]]);
        prop_assert_eq!(found.last(), Some(&status("state=done")));
    }
}
