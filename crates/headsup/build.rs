//! A release stands alone: linked statically and at a fixed place. A hook is a new process at every
//! event of every agent, and finding its libraries and correcting ten thousand addresses would be
//! most of its life (measured: half of its time).
//!
//! What runs where somebody waits lies side by side in it (`hot.txt`, which `measure layout`
//! writes): the system maps a program by pieces of 64 KiB, so that functions that lie apart take
//! memory and time for everything around them.
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
    println!("cargo:rerun-if-changed=hot.txt");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_said = env::var("CARGO_CFG_TARGET_FEATURE")
        .is_ok_and(|features| features.split(',').any(|feature| feature == "crt-static"));
    let is_gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if !is("PROFILE", "release") || !is_gnu || is_said {
        return Ok(());
    }
    // The last of these options decides.
    println!("cargo:rustc-link-arg-bins=-no-pie");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    if takes_scripts() {
        let script = out.join("hot.ld");
        fs::write(&script, together(&fs::read_to_string("hot.txt")?))?;
        println!("cargo:rustc-link-arg-bins=-T{}", script.display());
    }
    let is_native = env::var("HOST")? == env::var("TARGET")?;
    if is_native && LIBRARIES.iter().all(|(_, archives)| archives.iter().all(|name| is_there(name)))
    {
        let folder = out.join("archives");
        name_archives(&folder)?;
        println!("cargo:rustc-link-arg-bins=-static");
        println!("cargo:rustc-link-arg-bins=-L{}", folder.display());
    }
    Ok(())
}

/// GNU's linker and LLVM's understand scripts; others may not. Whoever says in RUSTFLAGS how to link has their way.
fn takes_scripts() -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let is_known = Command::new(linker).arg("-Wl,--version").output().is_ok_and(|said| {
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        ["GNU ld", "LLD"].iter().any(|name| said.contains(name))
    });
    !flags.contains("link") && is_known
}

/// A linker script that puts these functions before all others, in their order.
fn together(list: &str) -> String {
    let names = list.lines().filter(|line| !line.starts_with('#'));
    let lines = names.map(|name| format!("*(.text.{name}) *(.text.unlikely.{name})\n"));
    format!("SECTIONS {{ .hot : {{\n{}}} }}\nINSERT BEFORE .text;\n", lines.collect::<String>())
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
