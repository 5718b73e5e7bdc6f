//! A release stands alone: linked statically and at a fixed place. A hook is a new process at every
//! event of every agent, and finding its libraries and correcting ten thousand addresses would be
//! most of its life (measured: half of its time).
//!
//! Whoever wants another kind of program says so in RUSTFLAGS: with `crt-static` named there, the
//! compiler's own way is taken.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the compiler links dynamically to, and the archives that hold the same.
const LIBRARIES: [(&str, &[&str]); 7] = [
    ("gcc_s", &["gcc_eh", "gcc"]),
    ("c", &["c"]),
    ("m", &["m"]),
    ("dl", &["dl"]),
    ("rt", &["rt"]),
    ("pthread", &["pthread"]),
    ("util", &["util"]),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_said = env::var("CARGO_CFG_TARGET_FEATURE")
        .is_ok_and(|features| features.split(',').any(|feature| feature == "crt-static"));
    let is_gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if !is("PROFILE", "release") || !is_gnu || is_said {
        return Ok(());
    }
    // The last of these options decides.
    println!("cargo:rustc-link-arg-bins=-no-pie");
    let is_native = env::var("HOST")? == env::var("TARGET")?;
    if is_native && LIBRARIES.iter().all(|(_, archives)| archives.iter().all(|name| is_there(name)))
    {
        let folder = PathBuf::from(env::var("OUT_DIR")?).join("archives");
        name_archives(&folder)?;
        println!("cargo:rustc-link-arg-bins=-static");
        println!("cargo:rustc-link-arg-bins=-L{}", folder.display());
    }
    Ok(())
}

/// Does the system's compiler find this archive? Some systems have them in a package of their own.
fn is_there(archive: &str) -> bool {
    let name = format!("lib{archive}.a");
    let said = Command::new("cc").arg(format!("-print-file-name={name}")).output();
    said.is_ok_and(|said| Path::new(String::from_utf8_lossy(&said.stdout).trim()).is_absolute())
}

/// Where the linker asks for a library, it is shown to the archive.
fn name_archives(folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    for (library, archives) in LIBRARIES {
        let names: Vec<String> = archives.iter().map(|name| format!("-l:lib{name}.a")).collect();
        let script = format!("GROUP({})\n", names.join(" "));
        fs::write(folder.join(format!("lib{library}.so")), script)?;
    }
    Ok(())
}
