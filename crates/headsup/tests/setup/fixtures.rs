//! Settings as people have them.

/// Name and content; without content there is no file.
pub(crate) fn all() -> Vec<(&'static str, Option<String>)> {
    let hook = r#"{"hooks":[{"type":"command","command":"say done"}]}"#;
    let big = {
        let rules: Vec<String> = (0..20_000).map(|n| format!("\"Bash(tool-{n}:*)\"")).collect();
        format!(
            "{{\n  \"permissions\": {{ \"allow\": [\n    {}\n  ] }}\n}}\n",
            rules.join(",\n    ")
        )
    };
    let some = |text: &str| Some(text.to_owned());
    vec![
        ("no file", None),
        ("empty file", some("")),
        ("a newline", some("\n")),
        ("white space", some("  \n\t\n ")),
        ("braces", some("{}")),
        ("braces and a newline", some("{}\n")),
        ("spread braces", some("{\n}\n")),
        ("one line", some(r#"{"model":"opus","env":{"A":"1"}}"#)),
        ("two spaces", some("{\n  \"model\": \"opus\",\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n")),
        ("four spaces", some("{\n    \"model\": \"opus\",\n    \"env\": {}\n}\n")),
        ("tabs", some("{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}\n")),
        ("no final newline", some("{\n  \"model\": \"opus\"\n}")),
        ("many final newlines", some("{\n  \"model\": \"opus\"\n}\n\n\n")),
        ("crlf", some("{\r\n  \"model\": \"opus\",\r\n  \"env\": {}\r\n}\r\n")),
        ("mixed line ends", some("{\r\n  \"model\": \"opus\",\n  \"env\": {}\r\n}\n")),
        ("bom", some("\u{feff}{\n  \"model\": \"opus\"\n}\n")),
        ("bom and crlf", some("\u{feff}{\r\n  \"model\": \"opus\"\r\n}\r\n")),
        ("line comments", some("// mine\n{\n  // why\n  \"model\": \"opus\" // new\n}\n// end\n")),
        (
            "block comments",
            some("/* a */ {\n  /* b */ \"model\": /* c */ \"opus\"\n  /* d */\n}\n"),
        ),
        ("only a comment", some("// nothing yet\n")),
        ("trailing commas", some("{\n  \"model\": \"opus\",\n  \"list\": [1, 2,],\n}\n")),
        (
            "trailing commas in hooks",
            Some(format!(
                "{{\n  \"hooks\": {{\n    \"Stop\": [\n      {hook},\n    ],\n  }},\n}}\n"
            )),
        ),
        ("duplicate keys elsewhere", some("{\n  \"model\": \"a\",\n  \"model\": \"b\"\n}\n")),
        ("empty hooks", some("{\n  \"hooks\": {}\n}\n")),
        ("empty lists", some("{\n  \"hooks\": { \"Stop\": [], \"PreToolUse\": [] }\n}\n")),
        (
            "hooks of others",
            Some(format!(
                "{{\n  \"hooks\": {{\n    \"Stop\": [{hook}],\n    \"PreToolUse\": [{hook}, {hook}],\n    \"MessageDisplay\": [{hook}]\n  }},\n  \"model\": \"opus\"\n}}\n"
            )),
        ),
        (
            "a matcher",
            some(
                "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash|Edit\", \"hooks\": [ { \"type\": \"command\", \"command\": \"lint\", \"timeout\": 30 } ] }\n    ]\n  }\n}\n",
            ),
        ),
        (
            "other people's odd groups",
            some(
                "{\n  \"hooks\": {\n    \"Stop\": [ null, 3, \"x\", [], {}, { \"hooks\": 7 }, { \"hooks\": [ null ] } ]\n  }\n}\n",
            ),
        ),
        (
            "unicode",
            some(
                "{\n  \"größe\": \"日本語 🎉 \\ud83c\\udf89 \\\"\",\n  \"e\\u0301\": \"\u{202e}\"\n}\n",
            ),
        ),
        (
            "numbers as they are",
            some("{\n  \"a\": 1.0e+10,\n  \"b\": -0.0,\n  \"c\": 12345678901234567890123\n}\n"),
        ),
        (
            "a path in the text",
            some("{\n  \"note\": \"see ~/.local/state/headsup/bin/headsup\"\n}\n"),
        ),
        ("big", Some(big)),
    ]
}
