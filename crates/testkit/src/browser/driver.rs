//! The chromedriver process.

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub(super) struct Programs {
    pub(super) browser: PathBuf,
    pub(super) driver: PathBuf,
}

/// Where they are, or which one is not there.
pub(super) fn programs() -> Result<Programs, String> {
    let find = |names: &[&str]| {
        let paths = names.iter().flat_map(|name| {
            ["/usr/bin", "/usr/local/bin"].map(|folder| Path::new(folder).join(name))
        });
        paths.into_iter().find(|path| path.exists())
    };
    let missing = |name: &str| format!("{name} is not installed, and without it no page is tested");
    Ok(Programs {
        browser: find(&["chromium", "google-chrome"]).ok_or_else(|| missing("chromium"))?,
        driver: find(&["chromedriver"]).ok_or_else(|| missing("chromedriver"))?,
    })
}

#[derive(Debug)]
pub(super) struct Driver {
    child: Child,
    port: u16,
}

impl Driver {
    /// Starts it on a free port; `home` is all it knows of the machine.
    #[expect(clippy::expect_used, reason = "a test without its browser cannot go on")]
    pub(super) fn start(program: &Path, home: &Path) -> Self {
        let mut command = Command::new(program);
        command.arg("--port=0").env_clear().env("HOME", home).env("TMPDIR", home);
        command.env("PATH", "/usr/bin:/bin").env("LANG", "C.UTF-8").env("TZ", "UTC");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver runs");
        let stdout = BufReader::new(child.stdout.take().expect("its output"));
        let mut lines = stdout.lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok()
        });
        // It must not be stopped by a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, port: port.expect("the driver's port") }
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Told to end, it ends its browser too.
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _gone = kill_process(pid, Signal::TERM);
        }
        let _reaped = self.child.wait();
    }
}
