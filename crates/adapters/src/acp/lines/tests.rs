use super::*;
use crate::json::{self, skim};
use proptest::prelude::*;
use serde_json::{Value, json};

skim! { Two { a: "a", b: "b" } }

fn lines(pieces: &[&[u8]]) -> Vec<(String, bool)> {
    let (mut lines, mut found) = (Lines::default(), Vec::new());
    let mut keep = |line: Line<'_>| {
        found.push((String::from_utf8_lossy(line.text).into_owned(), line.is_cut));
    };
    for piece in pieces {
        lines.feed(piece, &mut keep);
    }
    lines.finish(&mut keep);
    found
}

fn one(text: &str) -> Value {
    let found = lines(&[text.as_bytes()]);
    let [(text, false)] = &found[..] else { panic!("{found:?}") };
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_line_ends_at_its_break_and_at_the_end_of_the_stream() {
    let found = lines(&[b"{\"a\"", b":1}\n\n  \r\n{\"b\":2}\r\n", b"{\"c\""]);
    let texts: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(texts, [r#"{"a":1}"#, r#"{"b":2}"#, r#"{"c""#]);
}

#[test]
fn a_hole_before_a_line_is_none_of_it() {
    for length in [1, 700, LONGEST + 1] {
        let hole = vec![0_u8; length];
        let found = lines(&[b"{\"a\":1}\n", &hole, &hole, b"{\"b\":2}\n{\"c\":3}"]);
        let texts: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, [r#"{"a":1}"#, r#"{"b":2}"#, r#"{"c":3}"#], "{length}");
        assert!(found.iter().all(|(_, is_cut)| !is_cut), "{length}");
    }
    // Elsewhere it is no JSON, and stays none.
    assert_eq!(lines(&[b"{\0}"]), [("{\0}".to_owned(), false)]);
}

#[test]
fn what_stands_behind_a_huge_string_is_kept() {
    let big = "é\\\"\u{1F600}x".repeat(400_000);
    let line = json!({"params": {"prompt": [{"data": big}], "sessionId": "s"}, "id": 3});
    let kept = one(&line.to_string());
    assert_eq!(kept["params"]["sessionId"], "s");
    assert_eq!(kept["id"], 3);
    assert!(kept["params"]["prompt"][0]["data"].as_str().unwrap().len() <= STRING + 8);
}

#[test]
fn long_lists_and_deep_nests_are_cut_and_stay_json() {
    let deep = format!("{}1,2{}", "[".repeat(5_000), "]".repeat(5_000));
    let long = (0..5_000).map(|n| json!({"n": n, "x": [n]})).collect::<Vec<_>>();
    let line = format!(r#"{{"deep":{deep},"long":{},"id":"z"}}"#, json!(long));
    let kept = one(&line);
    assert_eq!(kept["id"], "z");
    let long = kept["long"].as_array().unwrap();
    assert_eq!((long.len(), &long[ITEMS - 1]), (ITEMS, &json!({"n": 63, "x": [63]})));
}

#[test]
fn what_a_message_is_survives_whatever_is_attached_to_it() {
    let file = |n: usize| {
        let resource = json!({"uri": format!("file:///x/{n}"), "text": "é\\\n".repeat(9_000)});
        json!({"type": "resource", "resource": resource})
    };
    let nest = json!({"a": {"b": {"c": {"d": "x".repeat(2_000)}}}});
    for count in [1, 61, 62, 64, 200] {
        let files: Vec<Value> = (0..count).map(file).collect();
        let wide = json!(vec![json!([nest, nest]); count]);
        let options = json!({"list": vec![files.clone(); 3], "wide": wide});
        for line in [
            format!(
                r#"{{"id":7,"method":"m","params":{{"sessionId":"s","prompt":{}}}}}"#,
                json!(files)
            ),
            format!(
                r#"{{"params":{{"prompt":{},"update":{{"raw":{options},"status":"failed"}},"sessionId":"s"}},"method":"m","id":7}}"#,
                json!(files)
            ),
        ] {
            let found = lines(&[line.as_bytes()]);
            let [(kept, false)] = &found[..] else { panic!("{count}: is cut") };
            assert!(kept.len() <= LONGEST);
            let kept: Value = serde_json::from_str(kept).unwrap();
            assert_eq!((&kept["id"], &kept["method"]), (&json!(7), &json!("m")), "{count}");
            assert_eq!(kept["params"]["sessionId"], "s", "{count}");
            if line.starts_with(r#"{"params"#) {
                assert_eq!(kept["params"]["update"]["status"], "failed", "{count}");
            }
        }
    }
}

#[test]
fn a_line_of_nothing_but_short_members_is_bounded() {
    let members: Vec<String> = (0..50_000).map(|n| format!("\"k{n}\":{n}")).collect();
    let line = format!("{{{}}}\n{{\"next\":1}}\n", members.join(","));
    let found = lines(&[line.as_bytes()]);
    assert!(!found[0].1 && found[0].0.len() <= LONGEST);
    assert!(serde_json::from_str::<Value>(&found[0].0).is_ok());
    assert_eq!(found[1], (r#"{"next":1}"#.to_owned(), false));
    // Nothing but what somebody reads is too much.
    let line = format!("{{{}\"id\":1}}", "\"title\":\"x\",".repeat(50_000));
    let found = lines(&[line.as_bytes()]);
    assert!(found[0].1 && found[0].0.len() <= LONGEST);
}

#[test]
fn what_somebody_reads_is_kept_behind_and_before_any_number_of_others() {
    for bytes in [1, 180, 2_500] {
        let member = |n: usize| format!("\"key {n}\":\"{}\"", "x".repeat(bytes));
        let members: Vec<String> = (0..20_000 / bytes.min(10)).map(member).collect();
        let flat = members.join(" , ");
        let update = r#""sessionUpdate":"state_update","background":[{"a":1,"type":"subagent"}]"#;
        for line in [
            format!(
                r#"{{"id":7,"params":{{"rawInput":{{{flat}}},"sessionId":"s","update":{{{update}}}}}}}"#
            ),
            format!(
                r#"{{"params":{{"_meta":{{{flat}}},"sessionId":"s","update":{{{update}}}}},"id":7}}"#
            ),
            format!(
                r#"{{"params":{{{flat},"sessionId":"s",{flat},"update":{{{update}}}}},"id":7}}"#
            ),
            format!(
                r#"{{"params":{{"sessionId":"s","update":{{{flat},{update},{flat}}}}},"id":7}}"#
            ),
            format!(
                r#"{{ {flat}, "params" : {{ "sessionId":"s","update":{{ {update} , {flat} }} }},{flat},"id":7}}"#
            ),
        ] {
            let kept = one(&line);
            assert_eq!(kept["id"], 7, "{bytes}");
            assert_eq!(kept["params"]["sessionId"], "s", "{bytes}");
            let update = &kept["params"]["update"];
            assert_eq!(update["sessionUpdate"], "state_update", "{bytes}");
            assert_eq!(update["background"][0]["type"], "subagent", "{bytes}");
        }
    }
}

#[test]
fn a_value_that_nobody_reads_takes_no_room_from_those_behind_it() {
    let long = "x".repeat(1_500);
    let raw: Vec<String> = (0..1_500).map(|n| format!("\"k{n}\":\"{long}\"")).collect();
    let line = format!(r#"{{"rawInput":{{{}}},"title":"{long}","x":{{"y":1}}}}"#, raw.join(","));
    let kept = one(&line);
    assert_eq!(kept["title"].as_str().map(str::len), Some(1_500));
    assert_eq!((&kept["rawInput"], &kept["x"]["y"]), (&json!({}), &json!(1)));
}

#[test]
fn a_batch_is_bounded_by_its_bytes_and_each_message_in_it_as_one_alone() {
    let flat: Vec<String> = (0..20_000).map(|n| format!("\"k{n}\":{n}")).collect();
    let message = |n: usize| format!(r#"{{"params":{{{}}},"id":{n}}}"#, flat.join(","));
    let small = |n: usize| format!(r#"{{"id":{n},"list":[1,2]}}"#);
    let messages: Vec<String> = (0..10).map(message).chain((10..3_000).map(small)).collect();
    let kept = one(&format!("[{}]", messages.join(",")));
    let ids = kept.as_array().unwrap().iter().map(|message| message["id"].as_u64().unwrap());
    assert!(ids.eq(0..3_000));
    let numbers = format!("[{}1]", "1,".repeat(3_000_000));
    let found = lines(&[numbers.as_bytes(), b"\n{}"]);
    assert!(found[0].1 && found[0].0.len() <= BATCH);
    assert_eq!(found[1], ("{}".to_owned(), false));
}

#[test]
fn an_id_is_as_long_in_a_long_message_as_in_a_short_one() {
    let id = "i".repeat(1_000);
    let title = r#""title":"x","#.repeat(6_000);
    let kept = one(&format!(r#"{{{title}"cwd":"{id}","id":"{id}"}}"#));
    assert_eq!(
        (kept["id"].as_str(), kept["cwd"].as_str().map(str::len)),
        (Some(&*id), Some(SHORT))
    );
}

#[test]
fn an_escape_is_never_halved() {
    for escape in [r"\n", r"\\", r#"\""#, r"\u00e9", r"\ud83d\ude00"] {
        for before in STRING - 12..STRING + 2 {
            let text = format!(r#"{{"a":"{}{}","b":2}}"#, "x".repeat(before), escape.repeat(9));
            let found = lines(&[text.as_bytes()]);
            let kept: Two<'_> = json::payload(&found[0].0).unwrap();
            assert_eq!(kept.b.json(), Some("2"), "{escape} {before}");
            assert!(kept.a.text().unwrap().len() >= STRING - 12);
        }
    }
}

proptest! {
    #[test]
    fn however_it_is_cut_into_pieces_it_is_the_same(
        bytes in prop::collection::vec(prop_oneof![
            Just(b'\n'), Just(b'"'), Just(b'\\'), Just(b'{'), Just(b'}'), Just(b'['),
            Just(b']'), Just(b','), Just(b'u'), any::<u8>(),
        ], 0..400),
        cuts in prop::collection::vec(0_usize..400, 0..8),
    ) {
        let whole = lines(&[&bytes]);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|at| at.min(bytes.len())).collect();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for cut in cuts {
            pieces.push(&bytes[from..cut]);
            from = cut;
        }
        pieces.push(&bytes[from..]);
        prop_assert_eq!(lines(&pieces), whole);
    }

    #[test]
    fn what_is_small_stays_as_it_is(
        members in prop::collection::btree_map("[a-z]{1,6}", "[ -~é\u{1F600}]{0,40}", 0..12),
    ) {
        let text = json!({"a": [members, [1, 2.5, null, true]]}).to_string();
        prop_assert_eq!(lines(&[text.as_bytes()]), vec![(text.clone(), false)]);
    }
}
