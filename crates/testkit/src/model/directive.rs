//! Directives inside a prompt, so that a person can drive the model by typing.
//!
//! `[[name argument]]` or `[[name:argument]]`; they may be nested and stand between any other words.
//!
//! | directive | the model |
//! |---|---|
//! | `[[text hello]]` | says hello |
//! | `[[think hm]]` | thinks |
//! | `[[slow 20 50]]` | says 20 words, 50 ms before each |
//! | `[[ping]]` | sends a ping |
//! | `[[hold NAME]]` | sends nothing more until NAME is released |
//! | `[[stall NAME]]` | sends nothing, not even the status line, until NAME is released |
//! | `[[bash touch x]]` | runs a command |
//! | `[[background sleep 60]]` | runs a command in the background |
//! | `[[tool Read {"file_path":"/x"}]]` | calls any tool |
//! | `[[ask Which? \| Red \| Blue]]` | asks a question |
//! | `[[enter-plan]]`, `[[plan 1. do it]]` | goes into plan mode, asks for approval of a plan |
//! | `[[todo Buy milk]]` | puts an entry on the to-do list |
//! | `[[helper [[bash ls]]]]` | starts a sub-agent with this prompt and waits for it |
//! | `[[helper-background …]]` | starts one and does not wait |
//! | `[[status 529]]`, `[[status 529 x2]]` | fails always, or two times |
//! | `[[retry-after 1]]` | adds the header to that failure |
//! | `[[error overloaded_error]]`, `[[cut]]` | fails in mid-stream; `x2` as above |
//! | `[[too-long]]` | says that the prompt is too long, upon which the agent compacts |
//! | `[[taken 190000]]` | tells of that many input tokens |
//! | `[[stop max_tokens]]` | ends with that reason |
//! | `[[then]]` | begins the answer to the next request |
//!
//! What follows a failure or a tool belongs to the next answer, except that tools in a row are
//! called side by side: put `[[then]]` between them to call them in a row.

use super::reply::Reply;
use serde_json::Value;
use std::time::Duration;

/// The answers that a prompt asks for, if it has directives.
pub(super) fn read(prompt: &str) -> Option<Reply> {
    let mut done = Vec::new();
    let mut reply = Reply::new();
    let mut found = false;
    for body in bodies(prompt) {
        let (name, argument) = body.split_once([' ', ':', '\n']).unwrap_or((body, ""));
        let (name, argument) = (name.trim(), argument.trim());
        found = true;
        let tools = ["bash", "background", "tool", "ask", "enter-plan", "plan", "todo"];
        let calls = tools.contains(&name) || name.starts_with("helper");
        let modifies = ["retry-after", "taken", "stop"].contains(&name);
        let ends = (reply.calls_tools() && !calls) || reply.fails();
        if name == "then" || (ends && !modifies) {
            done.push(std::mem::take(&mut reply));
        }
        reply = add(reply, name, argument);
    }
    done.push(reply);
    let chain = |next: Reply, reply: Reply| match next == Reply::new() {
        true => reply,
        false => reply.then(next),
    };
    found.then(|| done.into_iter().rev().fold(Reply::new(), chain))
}

fn add(reply: Reply, name: &str, argument: &str) -> Reply {
    let (word, times) = split_times(argument);
    let number = |text: &str| text.parse::<u64>().unwrap_or_default();
    match name {
        "then" => reply,
        "text" => reply.and_text(argument),
        "think" => reply.thinking(argument),
        "slow" => {
            let (words, delay) = argument.split_once(' ').unwrap_or((argument, "100"));
            reply.slow(words.parse().unwrap_or(10), Duration::from_millis(number(delay)))
        }
        "hold" => reply.hold(argument),
        "stall" => reply.stall(argument),
        "ping" => reply.ping(),
        "bash" => reply.bash(argument),
        "background" => reply.bash_in_background(argument),
        "tool" => {
            let (tool, input) = argument.split_once([' ', '\n']).unwrap_or((argument, "{}"));
            match serde_json::from_str::<Value>(input) {
                Ok(input) => reply.tool(tool, input),
                Err(error) => reply.and_text(&format!("The input of {tool} is no JSON: {error}.")),
            }
        }
        "ask" => {
            let mut parts = argument.split('|').map(str::trim);
            let question = parts.next().unwrap_or_default();
            let options: Vec<_> = parts.collect();
            match options.is_empty() {
                true => reply.ask(question, &["Yes", "No"]),
                false => reply.ask(question, &options),
            }
        }
        "enter-plan" => reply.enter_plan(),
        "plan" => reply.plan(argument),
        "todo" => reply.todo(argument),
        "helper" => reply.helper(argument),
        "helper-background" => reply.helper_in_background(argument),
        "status" => {
            let failure = Reply::status(word.parse().unwrap_or(500));
            fail(Reply { head: failure.head, ..reply }, times)
        }
        "too-long" => {
            let failure = Reply::too_long();
            Reply { head: failure.head, times: failure.times, ..reply }
        }
        "error" => fail(reply.error(word), times),
        "cut" => fail(reply.cut(), times),
        "retry-after" => reply.retry_after(number(argument)),
        "taken" => reply.taken(number(argument)),
        "stop" => reply.stop(argument),
        other => reply.and_text(&format!("There is no directive {other:?}.")),
    }
}

fn fail(reply: Reply, times: Option<usize>) -> Reply {
    times.map_or(reply.clone(), |times| reply.times(times))
}

/// `529 x2` is a word and a number of times.
fn split_times(argument: &str) -> (&str, Option<usize>) {
    let (word, last) = argument.rsplit_once(' ').unwrap_or(("", argument));
    match last.strip_prefix('x').and_then(|times| times.parse().ok()) {
        Some(times) => (word.trim(), Some(times)),
        None => (argument, None),
    }
}

/// What stands between outermost double brackets. Single ones inside must be balanced.
fn bodies(prompt: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for (at, byte) in prompt.bytes().enumerate() {
        match byte {
            b'[' if depth == 0 && !prompt[at..].starts_with("[[") => {}
            b'[' => {
                start = if depth == 0 { at } else { start };
                depth += 1;
            }
            b']' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    let whole = &prompt[start..=at];
                    let body = whole.strip_prefix("[[").and_then(|w| w.strip_suffix("]]"));
                    found.extend(body.map(str::trim));
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tools_in_a_row_are_parallel_and_text_after_them_is_the_next_answer() {
        let reply = read("Please [[text Now.]] [[bash a]] [[bash:b]] and [[text Ready.]] thanks");
        assert_eq!(reply, Some(Reply::text("Now.").bash("a").bash("b").end_with("Ready.")));
    }

    #[test]
    fn a_helper_carries_its_own_directives() {
        let reply = read("[[helper [[bash ls]] [[text Seen.]]]] [[text Ready.]]");
        let helper = Reply::new().helper("[[bash ls]] [[text Seen.]]");
        assert_eq!(reply, Some(helper.end_with("Ready.")));
    }

    #[test]
    fn json_inside_keeps_its_brackets() {
        let reply = read(r#"[[tool Any {"a": [1, [2]]}]]"#);
        assert_eq!(reply, Some(Reply::new().tool("Any", json!({"a": [1, [2]]}))));
    }

    #[test]
    fn failures_are_counted() {
        let reply = read("[[status 529 x2]] [[text Well.]]");
        assert_eq!(reply, Some(Reply::status(529).times(2).end_with("Well.")));
        assert_eq!(read("[[status 401]]"), Some(Reply::status(401)));
    }

    #[test]
    fn then_puts_tools_in_a_row() {
        let reply = read("[[bash a]] [[then]] [[bash b]]");
        assert_eq!(reply, Some(Reply::new().bash("a").then(Reply::new().bash("b"))));
    }

    #[test]
    fn plain_words_are_no_directives() {
        assert_eq!(read("what about a[0] and [x]?"), None);
    }
}
