//! What agents say in our words or in those of other systems, and to their terminal.

use super::shroud::Shroud;
use super::words;
use crate::terminal;
use headsup_core::compat::boocode::Meaning;
use headsup_core::observation::{Fact, Level};
use serde_json::Value;
use termstate::{Message, Report, parse_body};

/// What an agent's program is called in a sequence, where it is not to be known.
const APP: &str = "app";

impl Shroud {
    /// The body of a report: only words that a hub knows stay, without the reporter's clock.
    pub fn report(&mut self, body: &mut Value) {
        let fails = body["turn"] == "failed";
        let decides = {
            let (event, about) = (body["eventType"].as_str(), body["notificationType"].as_str());
            event.is_some_and(|event| Meaning::of(event, about) != Meaning::of(event, None))
        };
        let Some(members) = body.as_object_mut() else { return };
        members.retain(|name, value| {
            value.is_string() && !matches!(name.as_str(), "at" | "timestamp")
        });
        for (name, value) in members {
            let Some(text) = value.as_str() else { continue };
            let covered = match name.as_str() {
                // The hub has refused all others.
                "turn" | "process" | "state" | "eventType" => continue,
                "reason" if !fails => continue,
                "notificationType" if decides => continue,
                "chat_id" => self.name("chat", text),
                "agent" => self.name("agent", text),
                "outcome" => match text.split_once(':') {
                    Some((kind, code)) => format!("{kind}:{}", self.words(code)),
                    None => continue,
                },
                _ => self.words(text),
            };
            *value = covered.into();
        }
    }

    /// The body of a status report (OSC 7501): what it says of the status stays.
    pub fn status(&mut self, kind: &str, body: &str) -> String {
        match parse_body(body.as_bytes()) {
            Ok(Message::Report(report)) => {
                let id = report.id.map(|id| self.name("part", id.as_str()));
                let app = report.app.map(|app| app.as_str().to_owned());
                let stays = |app: &str| words::is_known(app) && !self.names_the_person(app);
                let app = app.map(|app| if stays(&app) { app } else { APP.to_owned() });
                let said = report.msg.map(|message| message.to_string()).unwrap_or_default();
                let with = |said: &str| written(&report, id.as_deref(), app.as_deref(), said);
                let means = |body: &str| meaning(kind, body);
                let was = means(&with(&said));
                let said = match self.shows_text() {
                    true => self.words(&said),
                    false => self.reduce(&said, |said| means(&with(said)) == was),
                };
                with(&said)
            }
            Ok(Message::Clear { id: Some(id) }) => {
                format!("state=clear:id={}", self.name("part", id.as_str()))
            }
            Ok(Message::Clear { id: None }) => "state=clear".to_owned(),
            Ok(Message::Feature(_)) => "?".to_owned(),
            Err(_) => self.words(body),
        }
    }

    /// A title: what it says of the turn stays.
    pub fn title(&mut self, kind: &str, title: &str) -> String {
        let was = terminal::titled(kind, title);
        match self.shows_text() {
            true => self.words(title),
            false => self.reduce(title, |title| terminal::titled(kind, title) == was),
        }
    }
}

/// A progress bar is numbers; `None` if it is not.
pub fn progress(body: &str) -> Option<&str> {
    body.bytes().all(|byte| byte.is_ascii_digit() || byte == b';').then_some(body)
}

/// What stands between the sequence's number and its end.
fn written(report: &Report<'_>, id: Option<&str>, app: Option<&str>, said: &str) -> String {
    let mut builder = Report::builder(report.state).msg(said);
    if let Some(id) = id {
        builder = builder.id(id);
    }
    if let Some(app) = app {
        builder = builder.app(app);
    }
    if let Some(kind) = report.kind {
        builder = builder.kind(kind);
    }
    if let Some(progress) = report.progress {
        builder = builder.progress(progress);
    }
    let plain = || format!("state={}", report.state.as_str());
    let Ok(report) = builder.build() else { return plain() };
    let sequence = report.to_string();
    let body = sequence.strip_prefix("\x1b]7501;").and_then(|body| body.strip_suffix("\x1b\\"));
    body.map_or_else(plain, str::to_owned)
}

/// Apart from what is said beside it.
fn meaning(kind: &str, body: &str) -> (String, Fact) {
    let terminal::ProgramStatus { name, fact } = terminal::program_status(kind, body);
    let fact = match fact {
        Fact::Level(level) => Fact::Level(bare(level)),
        Fact::PartStatus { level, .. } => {
            Fact::PartStatus { id: String::new(), level: level.map(bare) }
        }
        fact => fact,
    };
    (name, fact)
}

/// Without the words that go with it.
fn bare(level: Level) -> Level {
    match level {
        Level::Blocked { reason, .. } => Level::Blocked { reason, detail: None },
        Level::Failed { .. } => Level::Failed { code: String::new() },
        level => level,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shroud() -> Shroud {
        Shroud::new(Some("/home/ada"), false)
    }

    #[test]
    fn of_a_report_only_words_that_the_hub_knows_stay() {
        let covered = |mut body: Value| {
            shroud().report(&mut body);
            body
        };
        let said = json!({"turn": "blocked", "reason": "question", "detail": "merge?", "at": 1});
        let left = json!({"turn": "blocked", "reason": "question", "detail": "text1x"});
        assert_eq!(covered(said), left);
        let failed = covered(json!({"turn": "failed", "reason": "acme", "outcome": "failed:acme"}));
        assert_eq!(failed["turn"], "failed");
        assert!(!failed.to_string().contains("acme"), "{failed}");
        let chat = json!({
            "agent": "ada", "chat_id": "acme", "eventType": "Stop", "notificationType": "acme",
        });
        let chat = covered(chat);
        assert_eq!(chat["eventType"], "Stop");
        assert!(!chat.to_string().contains("acme") && !chat.to_string().contains("ada"), "{chat}");
        let asks = covered(json!({
            "agent": "a", "chat_id": "c", "eventType": "Notification",
            "notificationType": "permission_prompt",
        }));
        assert_eq!(asks["notificationType"], "permission_prompt");
    }

    #[test]
    fn a_status_and_a_title_say_the_same_in_nobodys_words() {
        for (kind, body) in [
            ("codex", "state=blocked:kind=permission:app=codex"),
            // "run rm -rf acme?"
            ("custom", "state=blocked:kind=question:msg=cnVuIHJtIC1yZiBhY21lPw=="),
            // "acme is down"
            ("custom", "state=error:msg=YWNtZSBpcyBkb3du"),
            ("claude-code", "state=working:app=claude-code:msg=MSBzaGVsbCBzdGlsbCBydW5uaW5n"),
            ("claude-code", "state=blocked:kind=permission:msg=dHJ1c3QgdGhpcyBmb2xkZXI="),
            ("custom", "state=working:id=acme:progress=5"),
            ("custom", "state=blocked:kind=auth:id=acme:title=YWNtZQ==:msg=YWNtZSBpcyBkb3du"),
            ("custom", "state=clear"),
        ] {
            let covered = shroud().status(kind, body);
            assert_eq!(meaning(kind, &covered), meaning(kind, body), "{body}: {covered}");
            assert!(!covered.contains("acme") && !covered.contains("YWNtZ"), "{covered}");
        }
        assert!(!shroud().status("custom", "state=acme").contains("acme"));
        for (kind, title) in [
            ("gemini-cli", "✋  Action Required (acme)"),
            ("codex", "[ ! ] Action Required | acme"),
            ("codex", "⠋ acme"),
            ("qwen-code", "◐ Qwen - acme"),
            ("copilot-cli", "GitHub Copilot"),
            ("copilot-cli", "acme - GitHub Copilot"),
            ("custom", "acme"),
        ] {
            let covered = shroud().title(kind, title);
            let means = |title: &str| terminal::titled(kind, title);
            assert_eq!(means(&covered), means(title), "{covered}");
            assert!(!covered.contains("acme"), "{covered}");
        }
        assert_eq!(progress("4;1;50"), Some("4;1;50"));
        assert_eq!(progress("4;acme"), None);
    }
}
