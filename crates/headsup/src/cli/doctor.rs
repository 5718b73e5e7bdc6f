//! `headsup doctor`

use crate::cli::Context;
use crate::doctor::{self, Check};
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use crate::output::theme;
use headsup_core::wire::SCHEMA;
use serde::Serialize;

/// Check everything from an agent's hook to the roster, and say what to do where it fails.
///
/// A real event goes through each agent's installed command, as the agent would run it, and must
/// arrive at the hub; its seat is forgotten again. Called by an agent, which forgets no other one, it
/// tries none and says so. Exit 0 if all is well, else 1.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  headsup doctor
  headsup doctor --json | jq '.checks[] | select(.ok | not)'";

#[derive(Serialize)]
struct Doc<'a> {
    schema: u32,
    ok: bool,
    checks: &'a [Check],
}

pub(crate) async fn run(_: Args, context: &Context) -> Result<(), CommandError> {
    let checks = doctor::examine(context).await;
    let failed = checks.iter().filter(|check| !check.ok).count();
    if context.output.is_json() {
        Output::json(&Doc { schema: SCHEMA, ok: failed == 0, checks: &checks })?;
    } else {
        let mut lines = Vec::new();
        for check in &checks {
            let mark = if check.ok {
                Line::new().then("ok    ")
            } else {
                Line::new().styled(theme::ERROR, "FAIL").then("  ")
            };
            let detail = check.brief.as_ref().unwrap_or(&check.detail);
            lines.push(mark.then(&check.name).then(": ").then(detail));
            let hint = check.hint.iter();
            lines.extend(hint.map(|hint| {
                Line::plain("      ").styled(theme::HINT, "hint:").then(" ").then(hint)
            }));
        }
        context.output.lines(&lines)?;
    }
    if failed == 0 {
        return Ok(());
    }
    let message = format!("{failed} of {} checks failed", checks.len());
    Err(CommandError::internal(message).code("unhealthy"))
}
