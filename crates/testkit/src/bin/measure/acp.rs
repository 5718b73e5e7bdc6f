//! What stands between an agent and its client: what does a message cost.

use crate::progress::Progress;
use crate::{Outcome, row};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// An agent that says again what it is told: there and back are two messages.
struct Echo {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
}

pub(crate) fn measure(home: &Home, rounds: usize) -> Outcome<()> {
    let _hub = Hub::start(home);
    // By turns, so that both see the same machine.
    let mut without = Echo::start(Command::new("cat"))?;
    let mut with = Echo::start(home.command(["acp", "--id", "api", "--", "cat"]))?;
    for (name, message) in messages() {
        let (mut bare, mut ours) = (Vec::new(), Vec::new());
        let mut progress = Progress::new(format!("{name} by two ways"), rounds);
        for round in 0..rounds {
            progress.at(round);
            bare.push(without.ask(&message)?);
            ours.push(with.ask(&message)?);
        }
        row(&format!("{name}, cat alone"), bare)?;
        row(&format!("{name}, with us"), ours)?;
    }
    Ok(())
}

/// A word of an answer, a prompt that starts a turn, and a file.
fn messages() -> [(&'static str, String); 3] {
    let chunk = |text: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}}}}}"#
        ) + "\n"
    };
    let prompt = r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}"#;
    let (word, file) = (chunk("word "), chunk(&"line of a file\\n".repeat(3_000)));
    [("there and back, 170 B", word), ("prompt", format!("{prompt}\n")), ("50 KB", file)]
}

impl Echo {
    fn start(mut command: Command) -> Outcome<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let (Some(to), Some(from)) = (to, from) else { return Err("no pipes".into()) };
        let mut echo = Self { child, to, from };
        echo.ask("{}\n")?;
        Ok(echo)
    }

    /// From a message to its echo.
    fn ask(&mut self, message: &str) -> Outcome<Duration> {
        let mut back = vec![0; message.len()];
        let start = Instant::now();
        self.to.write_all(message.as_bytes())?;
        self.from.read_exact(&mut back)?;
        let took = start.elapsed();
        if back == message.as_bytes() { Ok(took) } else { Err("bytes were changed".into()) }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
