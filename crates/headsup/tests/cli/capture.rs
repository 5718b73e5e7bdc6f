//! `headsup capture`: where the bundle goes.

use crate::hub::{Reply, Request};
use crate::rig::{AT, Rig, agent, answer, run};
use rustix::fs::{CWD, Mode, OFlags, mkfifoat};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _, symlink};
use std::process::{Command, Stdio};

fn evidence(request: &Request) -> Reply {
    let agents = [agent("api", "idle")];
    match request.path.contains("/evidence?") {
        true => Reply::Json(
            200,
            json!({
                "schema": 1, "version": "0", "kind": "custom", "captured_at": AT, "since": null,
                "kept": {}, "dropped": 0, "replaced": 0, "text": false,
                "rows": [{"t_ms": 0, "kind": "told"}],
            }),
        ),
        false => answer(&agents, request),
    }
}

#[test]
fn a_dash_for_the_file_is_standard_output() {
    let rig = Rig::new();
    let _hub = rig.hub(evidence);
    let folder = rig.socket().parent().unwrap().to_owned();
    let plain = rig.run(&["capture", "api"]);
    assert!(plain.ok().starts_with("{\"headsup_capture\":1,"), "{plain:?}");
    for args in [&["capture", "api", "-o", "-"][..], &["capture", "api", "--output=-", "--json"]] {
        let seen = run(rig.command(args).current_dir(&folder));
        assert_eq!(seen.ok(), plain.stdout, "{args:?}");
        assert!(!folder.join("-").exists(), "{args:?}");
    }
    // A file of that name can still be had.
    let seen = run(rig.command(&["capture", "api", "-o", "./-"]).current_dir(&folder));
    assert_eq!(seen.ok(), "");
    assert_eq!(std::fs::read_to_string(folder.join("-")).unwrap(), plain.stdout);
}

/// As `/dev/stdout` is one, whatever standard output leads to.
#[test]
fn another_name_of_standard_output_is_standard_output() {
    let rig = Rig::new();
    let _hub = rig.hub(evidence);
    let plain = rig.run(&["capture", "api"]);
    let [link, out] = ["link", "out"].map(|name| rig.socket().with_file_name(name));
    symlink("/proc/self/fd/1", &link).unwrap();
    for args in [&[][..], &["--force"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_headsup"));
        command.env_clear().env("HOME", "/home/ada");
        command.env("HEADSUP_HOME", rig.socket().parent().unwrap());
        command.args(["capture", "api", "-o"]).arg(&link).args(args);
        let done = command.stdout(File::create(&out).unwrap()).stderr(Stdio::null()).status();
        assert!(done.unwrap().success() && link.is_symlink(), "{args:?}");
        assert_eq!(std::fs::read_to_string(&out).unwrap(), plain.stdout, "{args:?}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let rig = Rig::new();
    let _hub = rig.hub(evidence);
    let file = rig.socket().with_file_name("nowhere").join("api.capture");
    let seen = rig.run(&["capture", "api", "-o", file.to_str().unwrap()]);
    assert_eq!((seen.code, &*seen.stdout), (2, ""), "{seen:?}");
    assert!(seen.stderr.contains("its folder is not there"), "{seen:?}");
    assert!(seen.stderr.contains("make the folder"), "{seen:?}");
}

#[test]
fn a_pipe_is_written_to_and_stays_one() {
    let rig = Rig::new();
    let _hub = rig.hub(evidence);
    let plain = rig.run(&["capture", "api"]);
    let pipe = rig.socket().with_file_name("pipe");
    mkfifoat(CWD, &pipe, Mode::RWXU).unwrap();
    // Open at both ends: nobody waits for anybody.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let mut reader = OpenOptions::new();
    reader.read(true).write(true).custom_flags(flags);
    let mut reader = reader.open(&pipe).unwrap();
    for args in [&[][..], &["--force"]] {
        let seen = rig.run(&[&["capture", "api", "-o", pipe.to_str().unwrap()], args].concat());
        assert_eq!(seen.ok(), "", "{args:?}");
        assert!(pipe.metadata().unwrap().file_type().is_fifo(), "{args:?}");
        let mut bundle = vec![0; plain.stdout.len()];
        reader.read_exact(&mut bundle).unwrap();
        assert_eq!(String::from_utf8(bundle).unwrap(), plain.stdout, "{args:?}");
    }
}
