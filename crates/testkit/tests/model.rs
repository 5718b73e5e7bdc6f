//! The scripted model server, seen by a plain client.

#![expect(clippy::expect_used, reason = "a test may fail")]

use headsup_testkit::model::{Asker, Model, Reply, What};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// An open answer. HTTP/1.0, so that the body comes as it is.
struct Answer {
    status: u16,
    headers: String,
    body: BufReader<TcpStream>,
}

fn send(model: &Model, method: &str, path: &str, body: &Value) -> TcpStream {
    let address = model.url().replace("http://", "");
    let mut stream = TcpStream::connect(address).expect("the model listens");
    let body = body.to_string();
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.0\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(head.as_bytes()).expect("it reads");
    stream
}

impl Answer {
    fn of(stream: TcpStream) -> Self {
        let mut body = BufReader::new(stream);
        let mut headers = String::new();
        while !headers.ends_with("\r\n\r\n") {
            assert!(body.read_line(&mut headers).expect("a line") > 0, "no whole head: {headers}");
        }
        let status = headers.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
        Self { status, headers, body }
    }

    /// Reads until a line holds `word`.
    fn until(&mut self, word: &str) -> String {
        let mut read = String::new();
        while !read.contains(word) {
            assert!(self.body.read_line(&mut read).expect("a line") > 0, "no {word} in {read}");
        }
        read
    }

    fn rest(mut self) -> String {
        let mut rest = Vec::new();
        // A connection that is cut may end with an error.
        let _cut = self.body.read_to_end(&mut rest);
        String::from_utf8(rest).expect("text")
    }

    fn json(self) -> Value {
        serde_json::from_str(&self.rest()).expect("JSON")
    }
}

fn ask(prompt: &str) -> Value {
    json!({
        "model": "claude-sonnet-4-5", "max_tokens": 1000, "stream": true,
        "messages": [{"role": "user", "content": prompt}],
        "tools": [{"name": "Bash"}, {"name": "Agent"}],
    })
}

fn say(model: &Model, prompt: &str) -> Answer {
    Answer::of(send(model, "POST", "/v1/messages?beta=true", &ask(prompt)))
}

fn events(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|json| serde_json::from_str(json).expect("JSON")).collect()
}

/// Puts a streamed message together as a client does.
fn assembled(text: &str) -> (Vec<Value>, Value) {
    let mut blocks: Vec<Value> = Vec::new();
    let mut ended = Value::Null;
    let mut partial = String::new();
    for event in events(text) {
        let at = event["index"].as_u64().map(|at| usize::try_from(at).expect("small"));
        match event["type"].as_str().expect("a type") {
            "content_block_start" => {
                assert_eq!(at, Some(blocks.len()), "blocks come in order");
                blocks.push(event["content_block"].clone());
            }
            "content_block_delta" => {
                let block = &mut blocks[at.expect("an index")];
                let delta = &event["delta"];
                for field in ["text", "thinking"] {
                    if let Some(more) = delta[field].as_str() {
                        let old = block[field].as_str().expect("an empty text at first");
                        block[field] = json!(format!("{old}{more}"));
                    }
                }
                partial.push_str(delta["partial_json"].as_str().unwrap_or_default());
            }
            "content_block_stop" if !partial.is_empty() => {
                blocks[at.expect("an index")]["input"] =
                    serde_json::from_str(&std::mem::take(&mut partial)).expect("JSON");
            }
            "message_delta" => ended = event["delta"]["stop_reason"].clone(),
            _ => {}
        }
    }
    (blocks, ended)
}

fn whats(model: &Model, request: usize) -> Vec<What> {
    let marks = model.marks().all().into_iter();
    marks.filter(|mark| mark.request == request).map(|mark| mark.what).collect()
}

#[test]
fn a_message_is_streamed_block_by_block() {
    let model = Model::start().expect("a model");
    model.script(Reply::new().thinking("Hm.").and_text("Two calls.").bash("ls").bash("pwd"));
    let text = say(&model, "go").rest();
    let (blocks, ended) = assembled(&text);
    assert_eq!(ended, "tool_use");
    assert_eq!(blocks[0]["thinking"], "Hm.");
    assert_eq!(blocks[1]["text"], "Two calls.");
    assert_eq!(blocks[2]["input"]["command"], "ls");
    assert_eq!(blocks[3]["input"]["command"], "pwd");
    assert_ne!(blocks[2]["id"], blocks[3]["id"]);
    assert!(text.starts_with("event: message_start\n"), "{text}");
    assert!(text.contains("event: ping\n") && text.contains("event: message_stop\n"), "{text}");
    assert_eq!(whats(&model, 0), [What::Received, What::FirstByte(200), What::Finished]);
}

#[test]
fn without_stream_the_message_is_one_document() {
    let model = Model::start().expect("a model");
    let mut request = ask("[[text Hello.]] [[taken 5000]]");
    request["stream"] = json!(false);
    let message = Answer::of(send(&model, "POST", "/v1/messages", &request)).json();
    assert_eq!(message["content"], json!([{"type": "text", "text": "Hello."}]));
    assert_eq!(message["stop_reason"], "end_turn");
    assert_eq!(message["usage"]["input_tokens"], 5000);
}

#[test]
fn a_hold_stops_the_stream_until_it_is_released() {
    let model = Model::start().expect("a model");
    let mut answer = say(&model, "[[text one]] [[hold gate]] [[text two]]");
    answer.until("one");
    let stalled = model.marks().stalled("gate", 0);
    model.release("gate");
    assert!(answer.rest().contains("two"));
    let finished = model.marks().over(0);
    assert!(finished.at > stalled.at && finished.what == What::Finished);
}

#[test]
fn a_stall_sends_no_status_line() {
    let model = Model::start().expect("a model");
    let stream = send(&model, "POST", "/v1/messages", &ask("[[stall early]] [[text late]]"));
    model.marks().stalled("early", 0);
    let before = whats(&model, 0);
    assert_eq!(before, [What::Received, What::Stalled("early".to_owned())]);
    model.release("early");
    assert!(Answer::of(stream).rest().contains("late"));
}

#[test]
fn an_agent_that_leaves_is_seen() {
    let model = Model::start().expect("a model");
    let agent = send(&model, "POST", "/v1/messages", &ask("[[stall a]]"));
    // One that leaves before it is heard was never there.
    model.marks().stalled("a", 0);
    drop(agent);
    assert_eq!(model.marks().over(0).what, What::Left);
    let mut answer = say(&model, "[[text part]] [[hold b]]");
    answer.until("part");
    drop(answer);
    assert_eq!(model.marks().over(1).what, What::Left);
}

#[test]
fn a_failure_has_the_documented_shape_and_then_goes_away() {
    let model = Model::start().expect("a model");
    model.script(Reply::status(429).retry_after(7).times(1).end_with("Well."));
    let failed = say(&model, "go");
    assert_eq!(failed.status, 429);
    assert!(failed.headers.contains("retry-after: 7\r\n"), "{}", failed.headers);
    assert_eq!(failed.json()["error"]["type"], "rate_limit_error");
    assert_eq!(model.marks().over(0).what, What::FirstByte(429));
    let (blocks, _) = assembled(&say(&model, "go").rest());
    assert_eq!(blocks[0]["text"], "Well.");
}

#[test]
fn every_status_has_its_kind() {
    let model = Model::start().expect("a model");
    let kinds = [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (403, "permission_error"),
        (413, "request_too_large"),
        (500, "api_error"),
        (529, "overloaded_error"),
    ];
    for (status, kind) in kinds {
        let failed = say(&model, &format!("[[status {status}]]"));
        assert_eq!(failed.status, status);
        assert_eq!(failed.json()["error"]["type"], kind);
    }
}

#[test]
fn a_stream_fails_in_its_middle() {
    let model = Model::start().expect("a model");
    let text = say(&model, "[[text part]] [[error overloaded_error]]").rest();
    let last = events(&text).pop().expect("an event");
    assert_eq!(last["error"]["type"], "overloaded_error");
    assert_eq!(model.marks().over(0).what, What::Errored("overloaded_error".to_owned()));
    let text = say(&model, "[[text part]] [[cut]]").rest();
    assert!(text.contains("part") && !text.contains("message_stop"), "{text}");
    assert_eq!(model.marks().over(1).what, What::Cut);
}

#[test]
fn side_requests_take_nothing_from_the_script() {
    let model = Model::start().expect("a model");
    model.script(Reply::text("scripted"));
    let title = json!({"messages": [{"role": "user", "content": "Write the title"}]});
    let answers = [
        ("HEAD", "/api/hello", json!(null), 200),
        ("GET", "/v1/models", json!(null), 200),
        ("POST", "/v1/messages/count_tokens", ask("go"), 200),
        ("POST", "/v1/messages", title, 200),
        ("GET", "/v1/else", json!(null), 404),
    ];
    for (method, path, body, status) in &answers {
        let answer = Answer::of(send(&model, method, path, body));
        assert_eq!(answer.status, *status, "{method} {path}");
        if *status == 404 {
            assert_eq!(answer.json()["error"]["type"], "not_found_error");
        }
    }
    assert!(say(&model, "go").rest().contains("scripted"));
    assert_eq!(model.requests().len(), answers.len() + 1, "every request is kept");
    assert_eq!(model.request(&Asker::Main, 0).prompt(), "go");
}

#[test]
fn a_helper_is_started_by_the_name_that_is_offered() {
    let model = Model::start().expect("a model");
    let mut request = ask("[[helper [[text hi]]]]");
    let (blocks, _) = assembled(&Answer::of(send(&model, "POST", "/v1/messages", &request)).rest());
    assert_eq!(
        (&blocks[0]["name"], &blocks[0]["input"]["prompt"]),
        (&json!("Agent"), &json!("[[text hi]]"))
    );
    request["tools"] = json!([{"name": "Task"}]);
    request["messages"][0]["content"] = json!("[[helper other]]");
    let (blocks, _) = assembled(&Answer::of(send(&model, "POST", "/v1/messages", &request)).rest());
    assert_eq!(blocks[0]["name"], "Task");
}
