//! What only captures tell: what launchers and reporters told the hub, as they told it.

use super::{ProcessKey, Row, What};
use serde_json::{Value, json};
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub(crate) enum Captured {
    /// Its launcher told which process it is; `told`: in what state, and where.
    Launch { process: ProcessKey, told: Value },
    /// Its launcher told how it ended; `told`: its code or signal, and whether its terminal was closed.
    Exit { process: ProcessKey, told: Value },
    /// Somebody reported, in the words of `by`.
    Report { by: String, body: String },
}

/// A row `process` of a launcher's; `None`: it says how nothing began or ended.
pub(super) fn process(row: &Value, process: ProcessKey) -> Option<What> {
    let captured = match row["state"].as_str()? {
        "starting" | "running" => {
            let told = json!({"state": row["state"], "attach": row["attach"]});
            Captured::Launch { process, told }
        }
        "exited" => {
            let told = json!({
                "code": row["code"], "signal": row["signal"], "hung_up": row["hung_up"],
            });
            Captured::Exit { process, told }
        }
        _ => return None,
    };
    Some(What::Captured(captured))
}

/// A row `report`.
pub(super) fn report(row: &Value) -> Option<What> {
    let by = row["by"].as_str()?.to_owned();
    let body = row.get("body").filter(|body| body.is_object())?.to_string();
    Some(What::Captured(Captured::Report { by, body }))
}

/// Whoever ends was there, and ends once: as its launcher told, where it did.
pub(super) fn settle(rows: &mut Vec<Row>) {
    let mut began: HashMap<ProcessKey, u64> = HashMap::new();
    let mut ended: HashMap<ProcessKey, u64> = HashMap::new();
    for row in rows.iter() {
        let (known, process) = match &row.what {
            What::Captured(Captured::Launch { process, .. }) => (&mut began, process),
            What::Captured(Captured::Exit { process, .. }) => (&mut ended, process),
            _ => continue,
        };
        let at = known.entry(*process).or_insert(row.t_ms);
        *at = row.t_ms.min(*at);
    }
    ended.retain(|process, at| began.get(process).is_some_and(|began| began <= at));
    let mut told: Vec<ProcessKey> = Vec::new();
    rows.retain(|row| match &row.what {
        What::Captured(Captured::Exit { process, .. }) => {
            let first = ended.get(process) == Some(&row.t_ms) && !told.contains(process);
            told.extend(first.then_some(*process));
            first
        }
        What::End { process, .. } => !ended.contains_key(process),
        _ => true,
    });
}
