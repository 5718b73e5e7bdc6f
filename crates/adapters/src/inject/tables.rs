//! The entries as tables at the end of a TOML file; everything before them stays as it is.

use super::command::{command, event_of, home_of, is_other, is_stray};
use super::entries::{Form, shape};
use super::{Found, Unchanged, statements};
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
    let rest = remove(form, text, launcher)?;
    // What says that there are none, as programs write it themselves, makes way for the first ones.
    let mut out = statements::without_empty_list(&rest, form.within.unwrap_or_default())?;
    let before = entries(form, text)?;
    let is_for = |entry: &Table, event: &str| {
        let written = word(entry, COMMAND).map(unwrapped);
        written.and_then(|plain| event_of(form.kind, plain, launcher)) == Some(event)
    };
    let is_there = |event: &&&str| before.iter().any(|entry| is_for(entry, event));
    let stays = form.optional.iter().filter(is_there);
    for event in form.events.iter().chain(stays) {
        // No empty line behind a last line that had no end: that shows, later, that it had none.
        if !out.is_empty() {
            out.push('\n');
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
pub(crate) fn remove(form: &Form, text: &str, launcher: &str) -> Result<String, Unchanged> {
    let rest = without(form, text, |command| event_of(form.kind, command, launcher).is_some())?;
    // Right behind a line, with no empty one between, is where they go if that line had no end.
    let behind = text.strip_prefix(rest.as_str());
    let ends_one = behind.is_some_and(|ours| ours.starts_with(&header(form)));
    Ok(match rest.strip_suffix('\n') {
        Some(line) if ends_one && !line.ends_with('\r') => line.to_owned(),
        _ => rest,
    })
}

pub(crate) fn is_all_ours(form: &Form, text: &str) -> bool {
    let rest = without(form, text, |command| home_of(form.kind, command).is_some());
    rest.is_ok_and(|rest| rest.trim().is_empty()) && !text.trim().is_empty()
}

/// The entries that run this launcher, and not as ours do.
pub(crate) fn strays(form: &Form, text: &str, launcher: &str) -> Vec<String> {
    let within = form.within.unwrap_or_default();
    let name = |entry: &Table| {
        let is_one = is_stray(form.kind, unwrapped(word(entry, COMMAND)?), launcher);
        is_one.then(|| format!("{within}.{}", word(entry, form.event).unwrap_or("?")))
    };
    entries(form, text).unwrap_or_default().iter().filter_map(name).collect()
}

pub(crate) fn inspect(form: &Form, text: &str, launcher: &str) -> Result<Found, Unchanged> {
    let mut found = Found::default();
    let mut beyond = Vec::new();
    for entry in entries(form, text)? {
        let (Some(event), Some(written)) = (word(&entry, form.event), word(&entry, COMMAND)) else {
            continue;
        };
        let plain = unwrapped(written);
        // The program would run a second one as well.
        let is_first = found.entries.iter().all(|(of, _)| of != event);
        let mut known = form.events.iter().chain(form.optional);
        let wanted = known.find(|one| is_first && **one == event);
        if wanted.is_some_and(|event| entry == wished(form, event, launcher).into_iter().collect())
        {
            found.entries.push((event.to_owned(), plain.to_owned()));
        } else if event_of(form.kind, plain, launcher).is_some() {
            found.outdated += 1;
            beyond.extend(form.is_beyond(event).then(|| event.to_owned()));
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
    found.note_beyond(&beyond);
    Ok(found)
}

fn entries(form: &Form, text: &str) -> Result<Vec<Table>, Unchanged> {
    let file = statements::read(text)?;
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

/// The text without the tables whose command is wanted, and without the blank line before each. Where they
/// are written in another way, it is left as it is.
fn without(form: &Form, text: &str, is_wanted: impl Fn(&str) -> bool) -> Result<String, Unchanged> {
    let within = form.within.unwrap_or_default();
    let mut file = statements::read(text)?;
    let all = file.get(within).and_then(Value::as_array).cloned().unwrap_or_default();
    let goes = |entry: &Value| {
        entry.get(COMMAND).and_then(Value::as_str).is_some_and(|one| is_wanted(unwrapped(one)))
    };
    let numbers = all.iter().enumerate().filter(|(_, entry)| goes(entry));
    let ours: Vec<String> = numbers.map(|(number, _)| number.to_string()).collect();
    if ours.is_empty() {
        return Ok(text.to_owned());
    }
    let out = statements::without(
        text,
        |path| matches!(path, [of, number, ..] if of == within && ours.contains(number)),
    )?;
    let rest: Vec<Value> = all.into_iter().filter(|entry| !goes(entry)).collect();
    if rest.is_empty() {
        file.remove(within);
    } else {
        file.insert(within.to_owned(), Value::Array(rest));
    }
    match statements::read(&out) {
        Ok(left) if statements::is_same(&left, &file) => Ok(out),
        _ => Err(list(form)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::recipe;
    use super::*;

    const LAUNCHER: &str = "/home/ada/.headsup/bin/headsup";
    const THEIRS: &str = "# mine\nmodel = \"x\"\nlimit = nan\n\n[[hooks]]\nevent = \"Stop\"\ntype = \"post_agent\"\n\
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
                let removed = recipe.remove(&installed, LAUNCHER, None).unwrap();
                assert_eq!(removed, text, "{}", recipe.kind);
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
    fn of_a_table_that_stands_twice_one_goes() {
        for recipe in both() {
            let installed = recipe.append("", LAUNCHER).unwrap();
            let first = installed.split("\n\n").next().unwrap();
            let twice = format!("{installed}\n{first}\n");
            let found = recipe.inspect(&twice, LAUNCHER).unwrap();
            assert_eq!((found.outdated, found.missing.len()), (1, 0), "{}", recipe.kind);
            assert_eq!(recipe.append(&twice, LAUNCHER).unwrap(), installed);
        }
    }

    #[test]
    fn what_is_written_into_our_tables_goes_with_them_and_what_is_beside_them_stays() {
        let behind = "\n# todo\n[more] # yes\nx = '''\n[[hooks]]\n'''\n";
        for recipe in both() {
            let installed = recipe.append(THEIRS, LAUNCHER).unwrap();
            let (_, ours) = installed.split_at(THEIRS.len());
            for (from, to) in [
                ("timeout = 5", "# was 5\ntimeout = 20"),
                ("timeout = 5", "\n\n\ttimeout = 20 # longer"),
                ("timeout = 5", "note = \"\"\"\n[ui]\n\n# x\n\"\"\"\ntimeout = 5"),
                ("timeout = 5\n", "timeout = 5\n\n[hooks.more]\nx = 1\n"),
                ("command = ", "# tells headsup\ncommand = "),
                ("[[hooks]]\n", "[[hooks]] # x\n"),
                ("[[hooks]]\n", "  [[ 'hooks' ]]\n"),
            ] {
                for count in [1, 2, usize::MAX] {
                    let edited = ours.replacen(from, to, count);
                    assert_ne!(edited, ours, "{from}");
                    let edited = format!("{THEIRS}{edited}{behind}");
                    let rest = format!("{THEIRS}{behind}");
                    let removed = recipe.remove(&edited, LAUNCHER, None).unwrap();
                    assert_eq!(removed, rest, "{}: {to}", recipe.kind);
                    let lines = |text: &str| text.replace('\n', "\r\n");
                    let removed = recipe.remove(&lines(&edited), LAUNCHER, None).unwrap();
                    assert_eq!(removed, lines(&rest), "{}: {to}", recipe.kind);
                    let again = recipe.append(&edited, LAUNCHER).unwrap();
                    assert!(recipe.inspect(&again, LAUNCHER).unwrap().is_complete(), "{again}");
                    assert!(again.contains("# todo\n[more] # yes\n"), "{again}");
                }
            }
        }
    }

    #[test]
    fn ours_in_a_list_of_another_form_are_not_taken_for_gone() {
        for recipe in both() {
            let installed = recipe.append("", LAUNCHER).unwrap();
            let line = installed.lines().find(|line| line.starts_with("command")).unwrap();
            let text = format!("hooks = [{{ {line} }}]\n");
            assert!(recipe.remove(&text, LAUNCHER, None).is_err(), "{text}");
            let theirs = "hooks = [{ command = \"say hi\" }]\n";
            assert_eq!(recipe.remove(theirs, LAUNCHER, None).unwrap(), theirs);
        }
    }

    #[test]
    fn one_that_runs_the_launcher_in_another_way_stays_and_is_named() {
        for recipe in both() {
            let installed = recipe.append("", LAUNCHER).unwrap();
            assert_eq!(recipe.strays(&installed, LAUNCHER), [""; 0]);
            let changed = installed.replacen(" >/dev/null 2>&1; exit 0", "", 1);
            let left = recipe.remove(&changed, LAUNCHER, None).unwrap();
            assert_eq!(left.matches("[[hooks]]").count(), 1, "{left}");
            let strays = recipe.strays(&left, LAUNCHER);
            assert!(strays.len() == 1 && strays[0].starts_with("hooks."), "{strays:?}");
            assert_eq!(recipe.strays(&left, "/home/bob/bin/headsup"), [""; 0]);
        }
    }

    #[test]
    fn a_list_with_nothing_in_it_makes_way_for_tables() {
        for recipe in both() {
            for (text, rest) in [
                ("hooks = []\n", ""),
                ("model = \"x\"\nhooks = [ ] # none\n\n[ui]\n", "model = \"x\"\n# none\n\n[ui]\n"),
            ] {
                assert!(!recipe.inspect(text, LAUNCHER).unwrap().is_complete());
                let installed = recipe.append(text, LAUNCHER).unwrap();
                assert!(installed.starts_with(rest), "{installed}");
                assert!(recipe.inspect(&installed, LAUNCHER).unwrap().is_complete());
                assert_eq!(recipe.append(&installed, LAUNCHER).unwrap(), installed);
                assert_eq!(recipe.remove(&installed, LAUNCHER, None).unwrap(), rest);
                assert_eq!(recipe.remove(text, LAUNCHER, None).unwrap(), text, "none of ours");
            }
        }
    }

    #[test]
    fn a_list_that_cannot_be_continued_is_left_as_it_is() {
        for recipe in both() {
            for text in [
                "hooks = [\n  # none yet\n]\n",
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
