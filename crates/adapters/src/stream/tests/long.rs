//! Lines of any size.

use super::levels;
use serde_json::Value;

/// In front of each line stands more than is kept of any.
#[test]
fn what_decides_is_kept_of_a_line_however_long_it_is() {
    let long = "x".repeat(2_000);
    let members: Vec<String> = (0..40).map(|n| format!("\"k{n}\":\"{long}\"")).collect();
    let before = format!("{{\"_meta\":{{{}}},", members.join(","));
    for (kind, text) in [
        (
            "claude-code",
            include_str!("../../../fixtures/claude-code/2.1.330/print_mode/stream-subagent.jsonl"),
        ),
        (
            "claude-code",
            include_str!("../../../fixtures/claude-code/2.1.330/sdk_stream_json/timeline.jsonl"),
        ),
        ("codex", include_str!("../../../fixtures/codex/0.169.0/exec_mode/stream-api-error.jsonl")),
        ("codex", include_str!("../../../fixtures/codex/0.169.0/exec_mode/stream-tool.jsonl")),
        ("codex", include_str!("../../../fixtures/codex/0.169.0/app_server/timeline.jsonl")),
        (
            "gemini-cli",
            include_str!("../../../fixtures/gemini-cli/0.61.0/headless_error_400/stream.jsonl"),
        ),
        (
            "qwen-code",
            include_str!("../../../fixtures/qwen-code/0.24.4/headless_tool/stream.jsonl"),
        ),
        ("opencode", include_str!("../../../fixtures/opencode/1.18.33/run_json/tool.jsonl")),
        ("opencode", include_str!("../../../fixtures/opencode/1.18.33/run_json/error-400.jsonl")),
    ] {
        let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        // Of a timeline, what the program wrote.
        let lines: Vec<String> = rows
            .filter_map(|row| match (row["src"].is_string(), row["dir"].as_str()) {
                (false, _) => Some(row.to_string()),
                (true, Some("out")) => Some(row["msg"].to_string()),
                (true, _) => None,
            })
            .collect();
        let grown: Vec<String> =
            lines.iter().map(|line| format!("{before}{}", &line[1..])).collect();
        let shown = levels(kind, &lines);
        assert!(!shown.is_empty(), "{kind}");
        assert_eq!(levels(kind, &grown), shown, "{kind}");
    }
}
