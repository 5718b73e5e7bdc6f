use super::*;

const OPENED: UnixMs = UnixMs(1_000);

fn comment(body: &str) -> Comment<'_> {
    Comment { action: "created", body, author: "17", is_bot: false, created_at: UnixMs(2_000) }
}

fn judge(
    comment: Comment<'_>,
    ids: &[&'static str],
    options: &[String],
) -> Result<String, NoAnswer> {
    let authors = ["17".to_owned(), String::new()];
    let open: Vec<_> = ids.iter().map(|id| Open { id, opened_at: OPENED, options }).collect();
    answers(comment, &open, Rules { authors: &authors }).map(|(id, value)| format!("{id}={value}"))
}

fn said(body: &str) -> Result<String, NoAnswer> {
    let options = ["yes".to_owned(), "no".to_owned()];
    judge(comment(body), &["api-p1"], &options)
}

#[test]
fn an_answer_is_a_line_of_its_own_in_one_of_two_forms() {
    for (body, value) in [
        ("/answer api-p1 2", "no"),
        ("/answer no", "no"),
        ("/answer yes", "yes"),
        ("@headsup 2", "no"),
        ("  @headsup   no  ", "no"),
        ("I looked at it.\n\n/answer 1\n\nThanks!", "yes"),
        ("> which one?\n\n/answer 1", "yes"),
        ("```\n/answer 1\n```\n/answer 2", "no"),
        ("The `<pre>` is wrong.\n\n/answer 2", "no"),
        ("Use `a`.\r\n/answer 2\r\nAnd `b`.", "no"),
        ("``` is a fence\n\n```\n\n/answer 2", "no"),
        ("a ``` b\n\n/answer 2", "no"),
        ("it`s fine\n\n/answer 2\n\nit`s fine", "no"),
        ("- ```\n  /answer 1\n  ```\n\n/answer 2", "no"),
        ("10. ```\n    /answer 1\n    ```\n/answer 2", "no"),
        ("- one\n- two\n\n```\n/answer 1\n```\n/answer 2", "no"),
        ("<details>\n/answer 2\n</details>", "no"),
        ("<details>\n<summary>log</summary>\n\n```\n<pre>\n```\n\n</details>\n\n/answer 2", "no"),
        ("<!-- /answer 1 -->\n/answer 2", "no"),
        ("<blockquote>\n/answer 1\n</blockquote>\n\n/answer 2", "no"),
        ("<preview>\n/answer 2", "no"),
    ] {
        assert_eq!(said(body), Ok(format!("api-p1={value}")), "{body:?}");
    }
    let free = |body: &str| judge(comment(body), &["api-p1"], &[]);
    assert_eq!(free("/answer take the left one"), Ok("api-p1=take the left one".to_owned()));
    assert_eq!(free("@headsup 42"), Ok("api-p1=42".to_owned()));
}

/// Hostile comments, and innocent ones that are no answers.
#[test]
fn false_positive_everything_else_answers_nothing_and_says_why() {
    use NoAnswer::{BadValue, NoSuchOption, NotAddressed, Ours, Twice, UnknownPrompt};
    for (body, why) in [
        ("yes", NotAddressed),
        ("", NotAddressed),
        ("2", NotAddressed),
        ("please /answer 1", NotAddressed),
        ("/answers 1", NotAddressed),
        ("@headsup-bot 1", NotAddressed),
        ("@headsupper 1", NotAddressed),
        ("/ANSWER 1", NotAddressed),
        ("> /answer 1", NotAddressed),
        ("> he said\n/answer 1", NotAddressed),
        (">> @headsup 1", NotAddressed),
        ("```\n/answer 1\n```", NotAddressed),
        ("~~~ text\n/answer 1", NotAddressed),
        ("````\n```\n/answer 1\n````", NotAddressed),
        ("    /answer 1", NotAddressed),
        ("\t/answer 1", NotAddressed),
        ("`/answer 1`", NotAddressed),
        ("> q\n\u{a0}\n/answer 1", NotAddressed),
        ("- > q\n/answer 1", NotAddressed),
        (" \t/answer 1", NotAddressed),
        ("x\r```\n/answer 1\n```", NotAddressed),
        ("``\n/answer 1\n``", NotAddressed),
        ("see `this:\n/answer 1\nand` that", NotAddressed),
        ("- ``\n- ``\n/answer 1\n``", NotAddressed),
        ("\\` `\n/answer 1\n`", NotAddressed),
        ("```x```\n```\n/answer 1\n```", NotAddressed),
        ("1. ```\n   /answer 1\n   ```", NotAddressed),
        ("- ```\n  /answer 1\n  ```", NotAddressed),
        ("- - ~~~\n    /answer 1\n    ~~~", NotAddressed),
        ("- ```\nx\n```\n/answer 1\n```", NotAddressed),
        ("- a\n\n  ```\nx\n```\n/answer 1\n```", NotAddressed),
        ("-      ```\n  ```\n  /answer 1\n  ```", NotAddressed),
        ("a\n2. ```\n   ```\n   /answer 1\n   ```", NotAddressed),
        ("<blockquote>\n/answer 1\n</blockquote>", NotAddressed),
        ("<BlockQuote cite=x>\n\n/answer 1\n\n</BLOCKQUOTE>", NotAddressed),
        ("<pre><code>\n/answer 1\n</code></pre>", NotAddressed),
        ("a <code>b\n/answer 1\nc</code>", NotAddressed),
        ("<pre>\n</code>\n/answer 1\n</pre>", NotAddressed),
        ("<blockquote>\n`</blockquote>`\n/answer 1", NotAddressed),
        ("<!--\n/answer 1\n-->", NotAddressed),
        ("<!-- a\n\n/answer 1", NotAddressed),
        ("- /answer 1", NotAddressed),
        ("/answer", BadValue),
        ("@headsup ", BadValue),
        ("/answer api-p1", BadValue),
        ("/answer y\u{200b}es", BadValue),
        ("/answer \u{202e}sey", BadValue),
        ("/answer 1\n/answer 2", Twice),
        ("/answer 1\n@headsup 1", Twice),
        ("/answer 3", NoSuchOption),
        ("/answer 0", NoSuchOption),
        ("/answer 99999999999999999999", NoSuchOption),
        ("/answer YES", NoSuchOption),
        ("/answer yes please", NoSuchOption),
        ("/answer api-p2 1", UnknownPrompt),
        ("/answer api-p 1", NoSuchOption),
        ("/answer API-P1 1", NoSuchOption),
        ("/answer 1\n<!-- headsup: 7f -->", Ours),
    ] {
        assert_eq!(said(body), Err(why), "{body:?}");
    }
    assert_eq!(said(&format!("/answer {}", "x".repeat(4_001))), Err(BadValue));
}

#[test]
fn who_when_and_what_has_happened_counts_before_any_word() {
    let body = "/answer 1";
    let with = |change: fn(&mut Comment<'_>)| {
        let mut said = comment(body);
        change(&mut said);
        judge(said, &["api-p1"], &["yes".to_owned()])
    };
    assert_eq!(with(|_| {}), Ok("api-p1=yes".to_owned()));
    assert_eq!(with(|said| said.action = "edited"), Err(NoAnswer::NotNew));
    assert_eq!(with(|said| said.action = "deleted"), Err(NoAnswer::NotNew));
    assert_eq!(with(|said| said.author = "18"), Err(NoAnswer::NotListed));
    assert_eq!(with(|said| said.author = ""), Err(NoAnswer::NotListed));
    assert_eq!(with(|said| said.is_bot = true), Err(NoAnswer::Bot));
    assert_eq!(with(|said| said.created_at = OPENED), Err(NoAnswer::TooOld));
    assert_eq!(with(|said| said.created_at = UnixMs(1)), Err(NoAnswer::TooOld));
    let nobody = answers(
        comment(body),
        &[Open { id: "api-p1", opened_at: OPENED, options: &[] }],
        Rules::default(),
    );
    assert_eq!(nobody, Err(NoAnswer::NotListed));
}

#[test]
fn with_several_prompts_open_the_one_that_is_meant_is_named() {
    let two = ["api-p1", "api-p10"];
    let judge = |body: &str| judge(comment(body), &two, &["yes".to_owned()]);
    assert_eq!(judge("/answer 1"), Err(NoAnswer::WhichPrompt));
    assert_eq!(judge("@headsup yes"), Err(NoAnswer::WhichPrompt));
    assert_eq!(judge("/answer api-p10 1"), Ok("api-p10=yes".to_owned()));
    assert_eq!(judge("/answer api-p1 yes"), Ok("api-p1=yes".to_owned()));
    let none: [&'static str; 0] = [];
    assert_eq!(super::tests::judge(comment("/answer 1"), &none, &[]), Err(NoAnswer::UnknownPrompt));
}

proptest::proptest! {
    /// Nothing that anybody writes is a defect, and only what is in the grammar answers.
    #[test]
    fn any_text_is_judged(body in "[ >`~\t\na-z/@0-9answerhdup<!:-]{0,60}") {
        if let Ok(value) = said(&body) {
            let named = body.lines().any(|line| {
                let line = line.trim();
                line.starts_with("/answer ") || line.starts_with("/answer\t") || line.starts_with("@headsup ") || line.starts_with("@headsup\t")
            });
            proptest::prop_assert!(named, "{body:?} is {value}");
        }
    }
}

#[test]
fn a_text_of_ours_has_one_mark_that_nobody_sees() {
    for text in ["done", "two\n\nlines", "", "<!-- mine -->"] {
        let sent = marked(text, "k1");
        assert!(sent.ends_with("<!-- headsup:k1 -->"), "{sent}");
        assert_eq!(without_mark(&sent), text);
        assert_eq!(without_mark(&format!("{sent}\r\n")), text);
    }
    // Also where what is left of one could begin another.
    for text in
        ["x <!-- headsup:other --> y", "<!-- headsup:headsup:other -->", "<!-- <!-- headsup:"]
    {
        let sent = marked(text, "k1");
        assert_eq!(sent.matches(MARKER).count(), 1, "{sent}");
    }
    assert_eq!(without_mark("no mark"), "no mark");
    assert_eq!(without_mark("<!-- headsup:k --> and more"), "<!-- headsup:k --> and more");
}
