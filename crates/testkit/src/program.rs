//! The `headsup` that a program of this crate plays against or measures.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const HEADSUP: [&str; 4] = ["--package", "headsup", "--bin", "headsup"];

/// The `headsup` of the target folder that this program is in, made anew from the sources as they
/// are now. What `cargo` has to say goes to standard error. Without `cargo` it is the one that is
/// there.
///
/// # Errors
/// If it cannot be built, or there is none.
pub fn built() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    build(&own, own.with_file_name("headsup"), "build", &HEADSUP, &[])
}

/// The same with the names of its functions in it.
///
/// # Errors
/// If it cannot be built.
pub fn built_with_names() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    build(&own, own.with_file_name("headsup"), "rustc", &HEADSUP, &["--", "-C", "strip=none"])
}

/// The same for the program that looks at the hub from inside.
///
/// # Errors
/// If it cannot be built, or there is none.
pub fn built_inside() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    // With the other package, too, so that what both are made of is made once.
    let packages = ["--package", "headsup", "--package", "headsup-daemon"];
    let target = [&packages[..], &["--bin", "inside"]].concat();
    build(&own, own.with_file_name("inside"), "build", &target, &[])
}

/// `cargo {what} …target …rest`, in the profile and folder of `own`.
fn build(
    own: &Path,
    binary: PathBuf,
    what: &str,
    target: &[&str],
    rest: &[&str],
) -> io::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // Under `cargo run` they are this crate's, and libraries that look at them would be made anew each time.
    for (name, _) in std::env::vars_os() {
        let is_this_crates =
            |name: &str| ["CARGO_MANIFEST_", "CARGO_PKG_"].iter().any(|of| name.starts_with(of));
        if name.to_str().is_some_and(is_this_crates) {
            command.env_remove(name);
        }
    }
    command.arg(what).args(target).arg("--manifest-path");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml"));
    // TARGET/PROFILE/replay
    let mut above = own.ancestors().skip(1);
    let (profile, target) = (above.next().and_then(Path::file_name), above.next());
    if let (Some(profile), Some(target)) = (profile.and_then(|name| name.to_str()), target) {
        let profile = if profile == "debug" { "dev" } else { profile };
        command.args(["--profile", profile]).arg("--target-dir").arg(target);
    }
    command.args(rest);
    match command.stdin(Stdio::null()).stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(binary),
        Ok(_) => Err(io::Error::other("it cannot be built; see above what is wrong")),
        Err(_) if binary.exists() => Ok(binary),
        Err(error) => Err(io::Error::new(
            error.kind(),
            format!("there is no {}, and cargo cannot be started: {error}", binary.display()),
        )),
    }
}
