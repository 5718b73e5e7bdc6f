//! A release stands alone: linked statically and at a fixed place. A hook is a new process at every
//! event of every agent, and finding its libraries and correcting ten thousand addresses would be
//! most of its life (measured: half of its time).
//!
//! What runs where somebody waits lies side by side in it (`hot.txt`, which `measure layout`
//! writes): the system maps a program by pieces of 64 KiB, so that functions that lie apart take
//! memory and time for everything around them. `.cargo/config.toml` has functions named so that the types they are
//! made for can be told apart.
//!
//! Its entry point, in a debug build as well, is that of `../front`: a hook of the usual kind is over before the
//! C library has started. Of a release it has one such piece for itself, code and constants together.
//!
//! Whoever wants another kind of program says so in RUSTFLAGS: with `crt-static` named there, the
//! compiler's own way is taken.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the system maps at once around what is asked for.
const PIECE: usize = 64 << 10;

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
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let is_said = env::var("CARGO_CFG_TARGET_FEATURE")
        .is_ok_and(|features| features.split(',').any(|feature| feature == "crt-static"));
    let is_gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let is_release = is("PROFILE", "release") && is_gnu && !is_said;
    let is_laid_out = is_release && takes_scripts();
    // The compiler's own way to a static program has no place for it: `entry.rs` says why.
    if is_gnu && !is_said && is("CARGO_CFG_TARGET_ARCH", "x86_64") {
        put_in_front(&out, is_laid_out)?;
    }
    if !is_release {
        return Ok(());
    }
    // The last of these options decides.
    println!("cargo:rustc-link-arg-bins=-no-pie");
    if is_laid_out {
        let script = out.join("hot.ld");
        fs::write(&script, together(&fs::read_to_string("hot.txt")?))?;
        println!("cargo:rustc-link-arg-bins=-T{}", script.display());
        // Constants are mapped with the code: a piece less at every start.
        for option in ["-Wl,--no-rosegment", "-Wl,-z,noseparate-code"] {
            if can_link(&out, option)? {
                println!("cargo:rustc-link-arg-bins={option}");
            }
        }
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

/// Compiles `../front` to an object that needs nothing but the program behind it, and starts there. Where that
/// does not come about, the program starts as all others do: a hook only takes longer. In a program that is not
/// moved (`is_fixed`) its constants hold addresses, and need not be written to.
fn put_in_front(out: &Path, is_fixed: bool) -> Result<(), Box<dyn Error>> {
    for source in [
        "../front/src",
        "../adapters/src/hook_table/events.rs",
        "../adapters/src/hook_table/told.rs",
        "../core/src/spool/format.rs",
    ] {
        println!("cargo:rerun-if-changed={source}");
    }
    let object = out.join("front.o");
    let mut compiler = Command::new(env::var("RUSTC")?);
    compiler.args(["../front/src/lib.rs", "--crate-name=headsup_front", "--crate-type=lib"]);
    compiler.args(["--edition=2024", "--emit=obj", "--cap-lints=allow", "-o"]).arg(&object);
    compiler.arg(format!("--target={}", env::var("TARGET")?));
    let place = if is_fixed { "relocation-model=static" } else { "relocation-model=pic" };
    for option in ["opt-level=3", "panic=abort", "codegen-units=1", place] {
        compiler.args(["-C", option]);
    }
    if is_fixed {
        compiler.args(["--cfg", "fixed_place"]);
    }
    if compiler.status().is_ok_and(|status| status.success()) && stands_alone(&object) {
        println!("cargo:rustc-link-arg-bins={}", object.display());
        for option in ["-e", "headsup_start"] {
            println!("cargo:rustc-link-arg-bins={option}");
        }
    } else {
        println!("cargo:warning=hooks start by way of the C library: they take twice as long");
    }
    Ok(())
}

/// Whether an object asks for nothing of the C library, which has not started yet.
fn stands_alone(object: &Path) -> bool {
    let asked = Command::new("nm").arg("-u").arg(object).output();
    asked.is_ok_and(|said| {
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        said.lines().all(|line| line.split_whitespace().last() == Some("_start"))
    })
}

/// GNU's linker and LLVM's understand scripts; others may not. Whoever says in RUSTFLAGS how to link, or where a
/// program is to lie, has their way.
fn takes_scripts() -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let is_known = Command::new(linker).arg("-Wl,--version").output().is_ok_and(|said| {
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        ["GNU ld", "LLD"].iter().any(|name| said.contains(name))
    });
    !["link", "relocation-model"].iter().any(|said| flags.contains(said)) && is_known
}

/// Whether the linker knows this option. Which one the compiler calls, it does not say.
fn can_link(out: &Path, option: &str) -> Result<bool, Box<dyn Error>> {
    let source = out.join("nothing.rs");
    fs::write(&source, "fn main() {}")?;
    let mut compiler = Command::new(env::var("RUSTC")?);
    compiler.arg(&source).arg("-o").arg(out.join("nothing"));
    compiler.args(["-C", &format!("link-arg={option}")]);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        compiler.arg("-C").arg(format!("linker={}", linker.display()));
    }
    Ok(compiler.output()?.status.success())
}

/// A linker script that puts what is in front into one piece, and these functions, in their order, before all others.
fn together(list: &str) -> String {
    let names = list.lines().filter(|line| !line.starts_with('#'));
    let lines = names.map(|name| format!("*(.text.{name}) *(.text.unlikely.{name})\n"));
    let lines = lines.collect::<String>();
    let front = "*/front.o(.text .text.* .rodata .rodata.*)";
    let allocator = "*libc.a:malloc.o(.text .text.*)";
    format!(
        "SECTIONS {{ .front : ALIGN({PIECE}) {{ {front} }}\n.hot : {{\n{allocator}\n{lines}}} }}\nINSERT BEFORE .text;\n"
    )
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
