use super::*;
use serde_json::json;

fn covered(value: &Value, keeps_text: bool) -> Value {
    let mut value = taken(value.to_string().as_bytes()).unwrap();
    Shroud::new(Some("/home/ada"), keeps_text).cover(&mut value);
    value
}

/// Nothing of these may ever stand in a bundle.
const SECRETS: [&str; 12] = [
    "ghp_a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B2c3",
    "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCD",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefghijklmnop",
    "hunter2secret",
    "-----BEGIN RSA PRIVATE KEY-----",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcdefghijk",
    "/home/ada/acme/merger",
    "ada",
    "ada.lovelace@example.com",
    "+49 170 1234567",
    "10.20.30.40",
];

#[test]
fn a_secret_is_nowhere_in_what_leaves_the_machine() {
    for secret in SECRETS {
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": "s-1", "cwd": format!("/srv/{secret}/api"),
            "transcript_path": format!("/home/ada/.claude/projects/-srv-{secret}-api/s-1.jsonl"),
            "tool_name": "Bash", "tool_use_id": format!("toolu_{secret}"), "prompt": secret,
            "tool_input": {
                "command": format!("curl -H 'x: {secret}' x"), "type": secret, "status": secret,
                secret: 1, "password": secret, "id": secret, "list": [secret, {"name": secret}],
                "file_path": format!("/home/ada/{secret}"), "number": 491_701_234_567_u64,
            },
            "tool_response": {"stdout": secret}, "message": format!("a {secret} b"),
            "title": secret, "env": {"X": secret},
        });
        let text = covered(&payload, false).to_string();
        assert!(!text.contains(secret), "{secret}: {text}");
        assert!(!text.contains("491701234567"), "{text}");
        for member in ["model", "reason", "error", "agent_type", "type", "version", "timestamp"] {
            let words = covered(&json!({ member: secret }), false).to_string();
            assert!(!words.contains(secret), "{words}");
        }
    }
}

#[test]
fn what_is_hidden_word_by_word_is_counted_once() {
    let mut shroud = Shroud::new(None, false);
    for _ in 0..2 {
        assert_eq!(shroud.title("custom", "my plans"), "xx xxxxx");
        assert_eq!(shroud.status("custom", "state=blocked:msg=Z28/"), "state=blocked:msg=eHg/");
        assert_eq!(shroud.status("custom", "state=working"), "state=working");
    }
    assert_eq!(shroud.replaced(), 2);
}

#[test]
fn what_is_kept_holds_no_credential_even_if_text_is_kept() {
    for secret in &SECRETS[..4] {
        let payload =
            json!({"prompt": format!("use {secret} now"), "tool_input": {"api_key": "abcdef1234"}});
        let text = covered(&payload, true).to_string();
        assert!(!text.contains(secret) && !text.contains("abcdef1234"), "{text}");
        assert!(text.contains("use ") && text.contains(" now"), "{text}");
    }
    let told = covered(&json!({"prompt": "look at /home/ada/x as ada"}), true);
    assert_eq!(told["prompt"], "look at /home/user/x as user");
}

#[test]
fn the_same_is_the_same_and_keeps_its_shape() {
    let mut shroud = Shroud::new(Some("/home/ada"), false);
    let mut one = json!({
        "session_id": "42742abc-476e-45a1-b5de-584b17e22cd1", "cwd": "/home/ada/my api",
        "transcript_path": "/home/ada/.claude/projects/-home-ada-my-api/42742abc-476e-45a1-b5de-584b17e22cd1.jsonl",
        "prompt": "a long question", "message": "a long question", "title": "another question",
    });
    shroud.cover(&mut one);
    assert_eq!(one["prompt"], one["message"]);
    assert_ne!(one["prompt"], one["title"]);
    assert_eq!(one["prompt"].as_str().unwrap().len(), "a long question".len());
    assert_eq!(one["cwd"], "/home/user/f1");
    let session = one["session_id"].as_str().unwrap();
    assert_eq!(session, "00000000-0000-4000-8000-000000000001");
    let log = format!("/home/user/.claude/projects/-home-user-f1/{session}.jsonl");
    assert_eq!(one["transcript_path"], log);
    let mut other =
        json!({"sessionId": "42742abc-476e-45a1-b5de-584b17e22cd1", "cwd": "/home/ada/my api"});
    shroud.cover(&mut other);
    assert_eq!(other, json!({"sessionId": session, "cwd": "/home/user/f1"}));
}

#[test]
fn a_number_that_may_call_somebody_is_the_same_placeholder_wherever_it_stands() {
    let mut shroud = Shroud::new(Some("/home/ada"), false);
    let mut call = json!({
        "session_id": "s", "pid": 4_194_303, "statusUpdatedAt": 1_795_296_994_161_u64, "id": 7,
        "account_id": 4_711, "error_status": 529, "total": 4_111_111_111_111_111_u64,
        "tool_input": {"user_id": 4_711, "lat": 48.137, "lon": -122, "pin": 815, "timeout": 600},
    });
    shroud.cover(&mut call);
    for somebodys in ["4711", "48.137", "-122", "815", "4111"] {
        assert!(!call.to_string().contains(somebodys), "{somebodys}: {call}");
    }
    let kept = json!([4_194_303, 1_795_296_994_161_u64, 7, 529, 600]);
    let timeout = &call["tool_input"]["timeout"];
    let is = [&call["pid"], &call["statusUpdatedAt"], &call["id"], &call["error_status"], timeout];
    assert_eq!(json!(is), kept);
    let mut other = json!({"accountId": 4_711, "userId": 4_712});
    shroud.cover(&mut other);
    assert_eq!(other["accountId"], call["account_id"]);
    assert_ne!(other["accountId"], other["userId"]);
}

#[test]
fn a_persons_name_is_no_word_of_a_program() {
    let covered = |home: &str, member: &str, word: &str| {
        let mut value = json!({ member: word, "cwdzebediah": 1 });
        Shroud::new(Some(home), false).cover(&mut value);
        value.to_string()
    };
    for word in ["agent-turn-zebediah", "Zebediah", "xzebediahx"] {
        let told = covered("/home/zebediah", "type", word).to_lowercase();
        assert!(!told.contains("zebediah"), "{told}");
    }
    // A short one is looked for as a word of its own, and one that programs use is nobody's.
    assert!(covered("/home/dev", "type", "developer").contains("developer"));
    assert!(!covered("/home/dev", "type", "dev").contains("dev"));
    assert!(covered("/home/tool", "type", "tool_result").contains("tool_result"));
}

#[test]
fn a_path_stays_the_same_where_a_part_of_it_is_an_id_as_well() {
    let mut shroud = Shroud::new(Some("/home/ada"), false);
    let before = shroud.path("/srv/proj/7");
    let mut call = json!({"session_id": "s", "cwd": "/srv/proj/7", "tool_use_id": "proj"});
    shroud.cover(&mut call);
    assert_eq!((&call["cwd"], &shroud.path("/srv/proj/7")), (&json!(before), &before));
    assert!(before.contains(call["tool_use_id"].as_str().unwrap()), "{before} {call}");
    // An id is one before it is known to be.
    let id = "42742abc-476e-45a1-b5de-584b17e22cd1";
    let log = shroud.path(&format!("/logs/{id}.jsonl"));
    assert_eq!(log, shroud.path(&format!("/logs/{id}.jsonl")));
    assert!(log.ends_with(&format!("/{}.jsonl", shroud.id(id))), "{log}");
}

#[test]
fn only_words_that_a_program_is_known_to_say_stay() {
    let somebodys = [
        ("error", "wrong code hunter2secret for bob@acme.io"),
        ("reason", "touches payroll of Jane Doe at 10.20.30.40"),
        ("agent_type", "acme-globex-merger-reviewer"),
        ("model", "arn:aws:bedrock:us-east-1:123456789012:acme"),
        ("hook_event_name", "AcmeEvent"),
        ("notification_type", "quota_auto_resume_acme"),
        ("waitingFor", "Jane Doe"),
        ("method", "acme/merger"),
        ("tool_name", "acme_reader"),
    ];
    for (member, text) in somebodys {
        let told = covered(&json!({ member: text }), false)[member].clone();
        let told = told.as_str().unwrap();
        let words = ["acme", "Acme", "Jane", "aws", "wrong", "touches", "hunter2"];
        assert!(words.iter().all(|word| !told.contains(word)), "{member}: {told}");
    }
    let programs = json!({
        "hook_event_name": "StopFailure", "error": "rate_limit", "reason": "prompt_input_exit",
        "agent_type": "general-purpose", "model": "claude-sonnet-4-5", "waitingFor": "input needed",
        "notification_type": "permission_prompt", "method": "item/started", "tool_name": "Bash",
        "background_tasks": [{"type": "local_bash", "status": "running"}], "version": "2.1.330",
    });
    assert_eq!(covered(&programs, false), programs);
    let quota = covered(&json!({"notification_type": "quota_auto_resume_acme"}), false);
    assert!(quota["notification_type"].as_str().unwrap().starts_with("quota_auto_resume_"));
    let mut shroud = Shroud::new(Some("/home/jdoesmith"), false);
    assert_eq!(shroud.event("Stop"), "Stop");
    assert!(!shroud.event("AcmeEvent").contains("Acme"));
    assert_eq!(shroud.kind("acp:jdoesmith"), "acp:agent");
    assert_eq!(shroud.kind("codex"), "codex");
}

#[test]
fn what_a_tool_gave_out_as_it_failed_is_never_kept() {
    let failed = json!({"error": "wrong code for ada@acme.io", "prompt": "go on"});
    let told = covered(&failed, true);
    assert_eq!(told["prompt"], "go on");
    assert!(!told.to_string().contains("wrong"), "{told}");
}

#[test]
fn how_a_text_of_the_programs_own_begins_stays() {
    for beginning in ["<task-notification>", "Stop hook feedback:"] {
        let line =
            json!({"message": {"role": "user", "content": format!("{beginning}\nask Acme")}});
        let told = covered(&line, false);
        let text = told["message"]["content"].as_str().unwrap();
        assert!(text.starts_with(beginning) && !text.contains("Acme"), "{text}");
    }
    let origin = json!({"origin": {"kind": "task-notification"}});
    assert_eq!(covered(&origin, false), origin);
}

#[test]
fn a_kept_text_names_nobody_in_any_case() {
    let told = covered(&json!({"prompt": "ask Ada, ADA or ada of \u{130}ada"}), true);
    assert_eq!(told["prompt"], "ask user, user or user of \u{130}user");
}

#[test]
fn a_credential_that_is_cut_is_not_kept_in_part() {
    let long = format!("sk-ant-api03-{} x", "aB3dE5gH7j".repeat(60));
    for (prefix, tail) in [("pypi-", 168), ("ghp_", 36), ("SG.", 63)] {
        for at in 740..860 {
            let before = format!("{long}{}", " ".repeat(at - long.len()));
            let tail: String = "Zz9Yy8Xx7Ww6".chars().cycle().take(tail).collect();
            let told = covered(&json!({"prompt": format!("{before}{prefix}{tail} y")}), true);
            let told = told["prompt"].as_str().unwrap();
            assert!(!told.contains("Zz9"), "{prefix} {at}: {told}");
        }
    }
}
