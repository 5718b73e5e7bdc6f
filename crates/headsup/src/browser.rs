//! The browser of the person at this desktop.

use std::ffi::OsString;
use std::process::{Command, Stdio};

/// Starts the browser with `url`, where that is sensible; false where it is not.
pub(crate) fn open(url: &str) -> bool {
    let Some(program) = program(|name| std::env::var_os(name)) else { return false };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

/// The program that opens pages here; `None` without a desktop, or with one elsewhere.
fn program(var: impl Fn(&str) -> Option<OsString>) -> Option<OsString> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty());
    let desktop = ["DISPLAY", "WAYLAND_DISPLAY"].into_iter().any(|name| set(name).is_some());
    let elsewhere = ["SSH_CONNECTION", "SSH_TTY", "CI"].into_iter().any(|name| set(name).is_some());
    if !desktop || elsewhere {
        return None;
    }
    // A list of several, or a command line, is for programs that know how to read one.
    let simple =
        |name: &OsString| !name.as_encoded_bytes().iter().any(|byte| b":% ".contains(byte));
    Some(set("BROWSER").filter(simple).unwrap_or_else(|| "xdg-open".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(vars: &[(&str, &str)]) -> Option<String> {
        let var = |name: &str| {
            vars.iter().find(|(of, _)| *of == name).map(|(_, value)| OsString::from(value))
        };
        program(var).and_then(|name| name.into_string().ok())
    }

    #[test]
    fn a_browser_is_started_on_a_desktop_alone() {
        let display = ("DISPLAY", ":0");
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("BROWSER", "firefox")]), None);
        assert_eq!(found(&[display]).as_deref(), Some("xdg-open"));
        assert_eq!(
            found(&[("WAYLAND_DISPLAY", "w"), ("BROWSER", "/usr/bin/firefox")]).as_deref(),
            Some("/usr/bin/firefox")
        );
        assert_eq!(found(&[display, ("BROWSER", "firefox %s:lynx")]).as_deref(), Some("xdg-open"));
        assert_eq!(found(&[display, ("SSH_CONNECTION", "1 2 3 4")]), None);
        assert_eq!(found(&[display, ("CI", "true")]), None);
    }
}
