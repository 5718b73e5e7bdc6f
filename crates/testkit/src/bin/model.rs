//! `model`: serves the scripted model for a person.

use clap::Parser;
use headsup_testkit::model::{Mark, Model, What};
use serde_json::json;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Stands for the server's address.
const URL: &str = "{url}";

/// What makes each agent ask this server. Where it is not an environment it is a file of its own.
const SETTINGS: [&str; 28] = [
    "Claude Code:",
    "  ANTHROPIC_BASE_URL={url}",
    "  ANTHROPIC_API_KEY=sk-ant-api03-scripted-000000000000",
    "  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
    "Codex: SCRIPTED_KEY=x, and in ~/.codex/config.toml",
    "  model = \"scripted\"",
    "  model_provider = \"scripted\"",
    "  [model_providers.scripted]",
    "  name = \"scripted\"",
    "  base_url = \"{url}/v1\"",
    "  wire_api = \"responses\"",
    "  env_key = \"SCRIPTED_KEY\"",
    "OpenCode: in ~/.config/opencode/opencode.json",
    "  {\"model\":\"scripted/scripted\",\"provider\":{\"scripted\":{\"npm\":\"@ai-sdk/openai-compatible\",",
    "   \"options\":{\"baseURL\":\"{url}/v1\",\"apiKey\":\"x\"},\"models\":{\"scripted\":{}}}}}",
    "Gemini CLI, with -m gemini-2.5-flash:",
    "  GOOGLE_GEMINI_BASE_URL={url}",
    "  GEMINI_API_KEY=x",
    "Qwen Code, with Node 22:",
    "  OPENAI_BASE_URL={url}/v1",
    "  OPENAI_API_KEY=x",
    "  OPENAI_MODEL=scripted",
    "Copilot CLI:",
    "  COPILOT_OFFLINE=true",
    "  COPILOT_PROVIDER_BASE_URL={url}/v1",
    "  COPILOT_PROVIDER_API_KEY=x",
    "  COPILOT_MODEL=scripted",
    "",
];

/// Serve the scripted model, which is driven by directives in prompts
/// (`headsup_testkit::model::directive`).
///
/// A line on standard input releases the hold of that name.
#[derive(Debug, Parser)]
#[command(name = "model")]
struct Args {
    /// Listen there; else on a free port.
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Write every request to FOLDER/N.json.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Args { port, keep } = Args::parse();
    let model = Model::at(port)?;
    let mut out = std::io::stdout();
    writeln!(out, "The model listens on {}. Start an agent with:\n", model.url())?;
    for line in SETTINGS {
        writeln!(out, "{}", line.replace(URL, &model.url()))?;
    }
    writeln!(
        out,
        "Say [[text hello]] or [[bash ls]] to it; type the name of a hold to release it."
    )?;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                model.release(line.trim());
            }
        });
        let mut seen = 0;
        loop {
            let marks = model.marks().all();
            for mark in marks.iter().skip(seen) {
                writeln!(std::io::stdout(), "{}", line(&model, mark))?;
                if let (What::Received, Some(folder)) = (&mark.what, &keep) {
                    let request = model.requests().swap_remove(mark.request);
                    let whole = json!({"headers": request.headers, "body": request.body});
                    let path = folder.join(format!("{}.json", mark.request));
                    std::fs::write(path, serde_json::to_string_pretty(&whole)?)?;
                }
            }
            seen = marks.len();
            std::thread::park_timeout(Duration::from_millis(20));
        }
    })
}

fn line(model: &Model, mark: &Mark) -> String {
    let number = mark.request;
    if mark.what != What::Received {
        return format!("{} #{number} {:?}", mark.wall_ms, mark.what);
    }
    let requests = model.requests();
    let Some(request) = requests.get(number) else { return String::new() };
    let (method, path, asker) = (&request.method, &request.path, request.asker());
    let prompt: String = request.prompt().chars().take(80).collect();
    let (at, step, results) = (mark.wall_ms, request.step(), request.results().len());
    format!("{at} #{number} {method} {path} {asker:?} step {step} results {results} {prompt:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_names_the_server_and_keeps_its_names() {
        let lines = SETTINGS.map(|line| line.replace(URL, "http://127.0.0.1:9"));
        let has = |wanted: &str| lines.iter().any(|line| line.contains(wanted));
        for wanted in [
            "  ANTHROPIC_BASE_URL=http://127.0.0.1:9",
            "base_url = \"http://127.0.0.1:9/v1\"",
            "\"baseURL\":\"http://127.0.0.1:9/v1\"",
            "  GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9",
            "  OPENAI_BASE_URL=http://127.0.0.1:9/v1",
            "  COPILOT_PROVIDER_BASE_URL=http://127.0.0.1:9/v1",
        ] {
            assert!(has(wanted), "{wanted}: {lines:?}");
        }
        assert!(!has("=URL") && !has("{url}"), "{lines:?}");
    }
}
