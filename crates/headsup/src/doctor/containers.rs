//! Container engines: there, and may we ask them?

use super::Check;
use headsup_daemon::engine;
use std::io;
use std::path::{Path, PathBuf};

/// What an engine would add, where its word is missing.
const MISSING: &str = "agents in containers report all the same, and those that the hub can see are \
    watched as processes; only a container's exit code and its pauses go untold";

/// An engine is no must: no row of it is bad.
pub(super) async fn check() -> Check {
    let sockets = engine::sockets(|name| std::env::var_os(name));
    let mut found = Vec::new();
    for socket in sockets.into_iter().filter(|socket| is_there(socket)) {
        let answer = engine::ping(&socket).await;
        found.push((socket, answer));
    }
    row(&found)
}

/// A folder that we may not look into may hold one.
fn is_there(socket: &Path) -> bool {
    !matches!(socket.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound)
}

fn row(found: &[(PathBuf, io::Result<String>)]) -> Check {
    let said: Vec<String> = found
        .iter()
        .map(|(socket, answer)| match answer {
            Ok(engine) => format!("{engine} at {}", socket.display()),
            Err(error) => format!("{}: {error}", socket.display()),
        })
        .collect();
    let refused = found.iter().find(|(_, answer)| {
        answer.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    });
    let answers = found.iter().any(|(_, answer)| answer.is_ok());
    let check = Check::good("containers", said.join(", "));
    match (found, refused) {
        ([], _) => Check::good("containers", "no engine (Docker, Podman) is here"),
        _ if answers => check,
        (_, Some((socket, _))) => check.with(format!(
            "you may not ask {}: {MISSING}. Whoever may ask an engine may do as root does, so this is \
             yours to decide; an engine of your own (rootless) has no such socket",
            socket.display()
        )),
        (_, None) => check.with(format!("no engine answers: {MISSING}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, answer: Result<&str, io::ErrorKind>) -> (PathBuf, io::Result<String>) {
        (path.into(), answer.map(str::to_owned).map_err(io::Error::from))
    }

    #[test]
    fn an_engine_that_may_not_be_asked_is_named_with_what_that_means() {
        let docker = Ok("Docker/27.3.1 (linux)");
        let refused = Err(io::ErrorKind::PermissionDenied);
        assert_eq!(row(&[]).detail, "no engine (Docker, Podman) is here");
        let both = row(&[at("/a.sock", docker), at("/b.sock", refused)]);
        let said = "Docker/27.3.1 (linux) at /a.sock, /b.sock: permission denied";
        assert_eq!((&*both.detail, both.hint), (said, None));
        let hint = row(&[at("/b.sock", refused)]).hint.unwrap();
        assert!(hint.contains("you may not ask /b.sock") && hint.contains("exit code"), "{hint}");
        let stuck = row(&[at("/c.sock", Err(io::ErrorKind::TimedOut))]);
        assert!(stuck.ok && stuck.hint.unwrap().starts_with("no engine answers"));
    }
}
