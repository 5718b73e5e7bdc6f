use super::*;
use crate::output::usage_text;

#[test]
fn the_argument_definitions_are_sound() {
    whole().debug_assert();
}

#[test]
fn every_command_teaches_by_example() {
    for command in whole().get_subcommands() {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.contains("Examples:"), "{}", command.get_name());
    }
}

#[test]
fn help_is_a_word_too() {
    let kind = |words: &[&str]| {
        let args = ["headsup"].iter().chain(words).map(OsString::from).collect();
        parse(&with_help(args)).map(|_| ()).map_err(|error| error.kind())
    };
    for words in [&["help"][..], &["help", "ls"], &["help", "run", "--", "x"]] {
        assert_eq!(kind(words), Err(ErrorKind::DisplayHelp), "{words:?}");
    }
    assert_eq!(kind(&["help", "nope"]), Err(ErrorKind::InvalidSubcommand));
    assert_eq!(kind(&["rename", "api", "help"]), Ok(()));
}

#[test]
fn a_cursor_that_is_none_is_called_so() {
    for cursor in ["-1", "bogus"] {
        let args = ["headsup", "watch", "--since", cursor].map(OsString::from).to_vec();
        let error = parse(&args).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ValueValidation, "{cursor}");
        assert!(error.render().to_string().contains("a cursor is a number"), "{cursor}");
    }
}

#[test]
fn a_usage_shows_words_in_the_order_in_which_they_are_typed() {
    for (line, usage) in [
        (&["answer", "api-p3"][..], "<PROMPT> <TEXT|--option <N>|--allow|--deny|--default>"),
        (&["pr", "update", "3f9c"], "<--title <TITLE>|--body <TEXT>|--state <STATE>> <PR>"),
    ] {
        let args: Vec<OsString> = ["headsup"].iter().chain(line).map(OsString::from).collect();
        let error = parse(&args).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingRequiredArgument, "{line:?}");
        let said = error.render().to_string();
        assert!(said.contains(usage), "{said}");
    }
}

#[test]
fn a_hint_that_names_options_is_a_whole_command() {
    use headsup_core::gate::Unfit;
    for hint in [Unfit::NoProcess.hint(), Unfit::InTurn("working").hint()] {
        for words in hint.split('`').skip(1).step_by(2).filter(|words| words.contains("--")) {
            let args: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            assert!(parse(&args).is_ok(), "{words}");
        }
    }
}

/// `-h` leaves out what stands above the options in `--help`.
#[test]
fn a_short_help_points_at_nothing_that_it_does_not_show() {
    for command in whole().get_subcommands() {
        let help = command.clone().render_help().to_string();
        assert!(!help.contains(" above"), "{help}");
    }
}

#[test]
fn a_parser_error_becomes_one_of_ours() {
    let error = Cli::try_parse_from(["headsup", "report", "wrking"]).unwrap_err();
    let error = usage_error(&error.render().to_string());
    assert_eq!(error.kind, Kind::Usage);
    assert!(error.message.contains("'wrking'"), "{}", error.message);
    assert!(error.hints[0].contains("working"), "{:?}", error.hints);
}

#[test]
fn what_was_typed_moves_no_cursor_in_what_is_said_of_it() {
    let said = |word: &str, in_colour: bool| {
        let args = ["headsup", "ls", "--status", word].map(OsString::from);
        assert_eq!(args.iter().all(|arg| is_harmless(arg)), in_colour, "{word:?}");
        usage_text(&parse(&args).unwrap_err().render(), in_colour)
    };
    assert!(said("é", true).contains("\u{1b}["), "it has colours");
    for evil in ["a\u{1b}[2Jb", "a\u{1b}]0;t\u{7}b", "a\u{9b}31mb", "a\u{202e}b", "a\u{200b}b"] {
        let said = said(evil, false);
        assert!(said.lines().all(|line| text::line(line) == line), "{said:?}");
        assert!(said.contains("--status"), "{said:?}");
    }
}

/// Names that scripts rely on, with everything that may stand behind them.
#[test]
fn every_command_line_of_the_contract_is_understood() {
    let lines = [
        "up",
        "up --foreground",
        "up --listen",
        "up --listen 127.0.0.1:7717",
        "up --demo",
        "down",
        "doctor --json",
        "hooks install",
        "hooks install --all --dry-run",
        "hooks install claude-code codex",
        "hooks uninstall claude-code --dry-run",
        "hooks uninstall --all",
        "hooks status",
        "hooks status claude-code --dry-run",
        "hooks status --all --json",
        "report idle",
        "report working --reason tool --detail building --agent api",
        "report blocked --reason question",
        "report done",
        "report failed",
        "report idle --outcome completed",
        "stage api working --message at-it --phase tests --progress 0.4",
        "prompt open api Which? --option a --option b --default a --timeout 10m",
        "run -- agent",
        "run --id api --role reviewer --label team=a --label b=c --tmux --observable -- agent -p x",
        "run --here -- agent",
        "acp -- agent --acp",
        "ls",
        "ls --status blocked,done --label team=a --all",
        "ls --status attention --json",
        "show api",
        "log api",
        "log api -n 20 --follow --format text",
        "log api --format jsonl",
        "history api",
        "history api --from 2026-11-21T21:29:57.200Z --to 2026-11-21T22:00:00Z",
        "explain api",
        "capture api",
        "capture api -o api.capture",
        "watch",
        "watch api web --since 0 --no-follow",
        "watch --since now --json --timeout 90s",
        "watch api --until status:blocked,done --timeout 1h30m",
        "watch --until event:turn.completed",
        "watch --until delivery:delivered",
        "wait api --until done",
        "wait api web --until attention --next --settled 700ms --timeout 10m --any",
        "inbox --json",
        "answer api-p3 yes",
        "answer api-p3 --option 1",
        "answer api-p3 --allow",
        "answer api-p3 --deny",
        "answer api-p3 --default",
        "ack api web",
        "ack --all",
        "next",
        "snooze api 30m",
        "suspend api",
        "resume api",
        "resume api go-on",
        "stop api",
        "verdict api --task APP-12 passed",
        "verdict api --task APP-12 blocked --notes it-does-not-build",
        "verdict api --task APP-12 failed",
        "verdict api --task APP-12 in_progress",
        "task ls",
        "pr ls",
        "statusline",
        "statusline --format tmux",
        "statusline --format plain",
        "statusline --format json",
        "statusline --format waybar",
        "statusline --template {total}",
        "mcp",
        "mcp --http",
        "mcp install claude-code",
        "mcp install --print",
        "open",
        "completions bash",
        "man",
        "rename api web",
        "forget api",
        "ls --no-start",
    ];
    let vocabularies = ["wardian", "boocode", "bob", "panopticon", "jackin", "multicode"];
    let vocabularies = vocabularies.map(|name| format!("ls --vocabulary {name}"));
    for line in lines.into_iter().chain(vocabularies.iter().map(String::as_str)) {
        let args: Vec<OsString> =
            ["headsup"].into_iter().chain(line.split(' ')).map(OsString::from).collect();
        if let Err(error) = parse(&args) {
            panic!("{line}: {error}");
        }
    }
}
