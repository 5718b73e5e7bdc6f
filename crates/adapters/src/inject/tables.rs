//! The entries as tables at the end of a TOML file; everything before them stays as it is.

use super::command::{command, event_of, home_of, is_other};
use super::entries::{Form, shape};
use super::{Found, Unchanged};
use toml::{Table, Value};

const COMMAND: &str = "command";
const NAME: &str = "name";

/// What runs a command for a program that has no shell for it. What it runs stands between these.
const SHELL: (&str, &str) = ("/bin/sh -c \"", "\"");

pub(crate) fn append(form: &Form, text: &str, launcher: &str) -> Result<String, Unchanged> {
    let found = inspect(form, text, launcher)?;
    if form.is_wrapped && launcher.contains(['\'', '"', '\\', '$', '`']) {
        return Err(Unchanged::Path(launcher.to_owned()));
    }
    if found.is_complete() {
        return Ok(text.to_owned());
    }
    // One that is not as it should be goes, and comes again.
    let mut out = remove(form, text, launcher);
    for event in form.events {
        if !out.is_empty() {
            out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
        }
        out.push_str(&table(form, event, launcher));
    }
    // A list that is written in another way cannot be continued like this.
    match inspect(form, &out, launcher) {
        Ok(found) if found.is_complete() => Ok(out),
        _ => Err(list(form)),
    }
}

/// The text without our tables, whoever has moved them.
pub(crate) fn remove(form: &Form, text: &str, launcher: &str) -> String {
    without(form, text, |command| event_of(form.kind, command, launcher).is_some())
}

pub(crate) fn is_all_ours(form: &Form, text: &str) -> bool {
    let rest = without(form, text, |command| home_of(form.kind, command).is_some());
    rest.trim().is_empty() && !text.trim().is_empty()
}

pub(crate) fn inspect(form: &Form, text: &str, launcher: &str) -> Result<Found, Unchanged> {
    let mut found = Found::default();
    for entry in entries(form, text)? {
        let (Some(event), Some(written)) = (word(&entry, form.event), word(&entry, COMMAND)) else {
            continue;
        };
        let plain = unwrapped(written);
        let wanted = form.events.iter().find(|one| **one == event);
        if wanted.is_some_and(|event| entry == wished(form, event, launcher).into_iter().collect())
        {
            found.entries.push((event.to_owned(), plain.to_owned()));
        } else if event_of(form.kind, plain, launcher).is_some() {
            found.outdated += 1;
        } else if is_other(form.kind, plain, launcher) {
            found.others += 1;
            match home_of(form.kind, plain) {
                None => found.pasted += 1,
                Some(home) if found.elsewhere.contains(&home) => {}
                Some(home) => found.elsewhere.push(home),
            }
        }
    }
    let has = |event: &&str| found.entries.iter().any(|(of, _)| of == event);
    found.missing = form.events.iter().copied().filter(|event| !has(event)).collect();
    Ok(found)
}

fn entries(form: &Form, text: &str) -> Result<Vec<Table>, Unchanged> {
    let file: Table = toml::from_str(text)
        .map_err(|error| Unchanged::NotToml(error.message().replace('\n', " ")))?;
    let Some(all) = file.get(form.within.unwrap_or_default()) else { return Ok(Vec::new()) };
    let all = all.as_array().ok_or_else(|| list(form))?;
    all.iter().map(|entry| entry.as_table().cloned().ok_or_else(|| list(form))).collect()
}

fn list(form: &Form) -> Unchanged {
    shape(&format!("{:?}", form.within.unwrap_or_default()), "a list of tables of their own")
}

fn word<'a>(entry: &'a Table, name: &str) -> Option<&'a str> {
    entry.get(name).and_then(Value::as_str)
}

/// The command without the shell around it.
fn unwrapped(command: &str) -> &str {
    let inner = command.strip_prefix(SHELL.0).and_then(|rest| rest.strip_suffix(SHELL.1));
    inner.unwrap_or(command)
}

/// An entry as it should be.
fn wished(form: &Form, event: &str, launcher: &str) -> Vec<(String, Value)> {
    let plain = command(form.kind, launcher, event);
    let written = if form.is_wrapped { format!("{}{plain}{}", SHELL.0, SHELL.1) } else { plain };
    let name = form.name.map(|name| (NAME.to_owned(), Value::String(format!("{name}-{event}"))));
    let mut entry: Vec<_> = name.into_iter().collect();
    entry.push((form.event.to_owned(), Value::String(event.to_owned())));
    entry.push((COMMAND.to_owned(), Value::String(written)));
    entry.push((form.timeout.0.to_owned(), Value::Integer(form.timeout.1.into())));
    entry
}

fn table(form: &Form, event: &str, launcher: &str) -> String {
    let line = |(name, value): &(String, Value)| match value {
        // A string of JSON is one of TOML.
        Value::String(text) => format!("{name} = {}\n", serde_json::Value::from(text.as_str())),
        other => format!("{name} = {}\n", other.as_integer().unwrap_or_default()),
    };
    let lines: String = wished(form, event, launcher).iter().map(line).collect();
    format!("{}\n{lines}", header(form))
}

fn header(form: &Form) -> String {
    format!("[[{}]]", form.within.unwrap_or_default())
}

/// The text without the tables whose command is wanted, and without the blank line before each.
fn without(form: &Form, text: &str, is_wanted: impl Fn(&str) -> bool) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let header = header(form);
    let mut kept: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let end = if line.trim() == header { at + length(&lines[at..]) } else { at };
        let of_ours = || {
            let only = entries(form, &lines[at..end].concat()).ok()?;
            word(only.first()?, COMMAND).map(|command| is_wanted(unwrapped(command)))
        };
        if end > at && of_ours() == Some(true) {
            if kept.last().is_some_and(|line| line.trim().is_empty()) {
                kept.pop();
            }
            at = end;
        } else {
            kept.push(line);
            at += 1;
        }
    }
    kept.concat()
}

/// How many lines the table has at whose header these begin.
fn length(lines: &[&str]) -> usize {
    let is_value = |line: &&&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with(['#', '['])
    };
    1 + lines[1..].iter().take_while(is_value).count()
}

#[cfg(test)]
mod tests {
    use super::super::recipe;
    use super::*;

    const LAUNCHER: &str = "/home/ada/.headsup/bin/headsup";
    const THEIRS: &str = "# mine\nmodel = \"x\"\n\n[[hooks]]\nevent = \"Stop\"\ntype = \"post_agent\"\n\
                          command = \"say hi\"\n\n[ui]\ndark = true # yes\n";

    fn both() -> [&'static super::super::Recipe; 2] {
        [recipe("kimi").unwrap(), recipe("mistral-vibe").unwrap()]
    }

    #[test]
    fn tables_are_added_at_the_end_and_go_to_the_byte() {
        for recipe in both() {
            for text in ["", "model = \"x\"\n", THEIRS, "model = 'x' # no line end"] {
                let installed = recipe.append(text, LAUNCHER).unwrap();
                assert!(installed.starts_with(text), "{installed}");
                assert_eq!(recipe.append(&installed, LAUNCHER).unwrap(), installed);
                let found = recipe.inspect(&installed, LAUNCHER).unwrap();
                assert!(found.is_complete() && found.fires(), "{found:?}");
                let removed = recipe.remove(&installed, LAUNCHER, Some(text)).unwrap();
                assert_eq!(removed.trim_end(), text.trim_end(), "{}", recipe.kind);
                assert_eq!(recipe.is_all_ours(&installed), text.is_empty());
            }
        }
    }

    #[test]
    fn what_a_program_has_moved_and_changed_is_found_and_goes() {
        for recipe in both() {
            let installed = recipe.append("", LAUNCHER).unwrap();
            let changed = installed.replace("timeout = 5", "timeout = 50");
            let moved = format!("{changed}\n[ui]\ndark = true\n");
            let found = recipe.inspect(&moved, LAUNCHER).unwrap();
            assert!(found.outdated > 1 && !found.is_complete(), "{found:?}");
            assert!(recipe.inspect(&recipe.append(&moved, LAUNCHER).unwrap(), LAUNCHER).is_ok());
            let removed = recipe.remove(&moved, LAUNCHER, None).unwrap();
            assert_eq!(removed.trim(), "[ui]\ndark = true");
        }
    }

    #[test]
    fn a_list_that_cannot_be_continued_is_left_as_it_is() {
        for recipe in both() {
            for text in [
                "hooks = []\n",
                "hooks = [{ event = \"Stop\" }]\n",
                "hooks = 7\n",
                "= x",
                "a = 1\na = 2\n",
            ] {
                assert!(recipe.append(text, LAUNCHER).is_err(), "{text}");
            }
        }
    }

    #[test]
    fn a_command_without_a_shell_brings_one_and_is_refused_where_that_would_not_hold() {
        let [kimi, vibe] = both();
        let installed = vibe.append("", LAUNCHER).unwrap();
        assert!(installed.contains("/bin/sh -c"), "{installed}");
        assert!(vibe.inspect(&installed, LAUNCHER).unwrap().entries[0].1.starts_with("[ -f '"));
        for odd in ["/home/o'neil/bin/headsup", "/home/$x/bin/headsup", "/home/a\"b/bin/headsup"] {
            assert_eq!(vibe.append("", odd), Err(Unchanged::Path(odd.to_owned())));
            assert!(kimi.append("", odd).is_ok());
        }
    }
}
