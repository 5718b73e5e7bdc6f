//! A real Chromium without a window, driven through chromedriver. It lives in a folder of its own
//! and ends with the test.

mod command;
mod driver;

use command::Chrome;
use driver::Driver;
use fantoccini::actions::{InputSource as _, KeyAction, KeyActions};
use fantoccini::wd::WindowHandle;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub const TAB: char = '\u{e004}';
pub const ENTER: char = '\u{e007}';

/// A browser with one tab. Every call comes back when the browser has done it.
#[derive(Debug)]
pub struct Browser {
    runtime: Runtime,
    client: Client,
    /// What the console said, as far as it has been fetched.
    console: Mutex<Vec<String>>,
    // In this order: the driver ends its browser, then their folder goes.
    _driver: Driver,
    _folder: TempDir,
}

impl Browser {
    /// Starts one with these further switches. `None`, and a line that says so, where there is no
    /// Chromium; but where the whole suite has to run (`CI=true`) that is an error.
    ///
    /// # Panics
    /// If it does not start, or is missing under `CI=true`.
    #[expect(clippy::print_stderr, reason = "whoever runs the tests must see what was left out")]
    pub fn start(switches: &[&str]) -> Option<Self> {
        match driver::programs() {
            Ok(programs) => Some(Self::launch(programs, switches)),
            Err(missing) => {
                assert!(
                    std::env::var("CI").as_deref() != Ok("true"),
                    "{missing}, and CI=true asks for every test"
                );
                eprintln!("SKIPPED: {missing}; apt-get install chromium chromium-driver");
                None
            }
        }
    }

    #[expect(clippy::expect_used, reason = "a test without its browser cannot go on")]
    fn launch(programs: driver::Programs, switches: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("headsup-browser-").tempdir();
        let folder = folder.expect("a folder");
        let driver = Driver::start(&programs.driver, folder.path());
        let profile = format!("--user-data-dir={}", folder.path().join("profile").display());
        let own = [
            "--headless=new",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--hide-scrollbars",
            "--force-color-profile=srgb",
            &profile,
        ];
        // Chromium has no sandbox for root.
        let root = rustix::process::geteuid().is_root().then_some("--no-sandbox");
        let args: Vec<&str> = own.into_iter().chain(root).chain(switches.iter().copied()).collect();
        let capabilities = json!({
            "goog:chromeOptions": {"binary": programs.browser, "args": args},
            "goog:loggingPrefs": {"browser": "ALL"},
        });
        let Value::Object(capabilities) = capabilities else { unreachable!("an object") };
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build().expect("a runtime");
        let client = runtime.block_on(async {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            builder.capabilities(capabilities).connect(&driver.url()).await
        });
        let client = client.expect("a browser");
        let console = Mutex::default();
        Self { runtime, client, console, _driver: driver, _folder: folder }
    }

    /// Opens an address and waits until the page has loaded.
    ///
    /// # Panics
    /// If there is no answer.
    #[track_caller]
    #[expect(clippy::expect_used, reason = "a test without its page cannot go on")]
    pub fn open(&self, url: &str) {
        self.runtime.block_on(self.client.goto(url)).expect("a page");
    }

    /// Opens an address in a tab of its own, which is looked at from here on. Returns the tab that
    /// was looked at before.
    ///
    /// # Panics
    /// If there is no answer.
    #[track_caller]
    #[expect(clippy::expect_used, reason = "a test without its page cannot go on")]
    pub fn open_tab(&self, url: &str) -> WindowHandle {
        let before = self.runtime.block_on(self.client.window()).expect("a tab");
        let tab = self.runtime.block_on(self.client.new_window(true)).expect("another tab");
        self.look_at(tab.handle);
        self.open(url);
        before
    }

    /// Looks at another tab.
    ///
    /// # Panics
    /// If it is gone.
    #[track_caller]
    #[expect(clippy::expect_used, reason = "a test without its page cannot go on")]
    pub fn look_at(&self, tab: WindowHandle) {
        self.runtime.block_on(self.client.switch_to_window(tab)).expect("a tab");
    }

    /// The address that is shown.
    ///
    /// # Panics
    /// If the browser is gone.
    #[expect(clippy::expect_used, reason = "a test without its browser cannot go on")]
    pub fn address(&self) -> String {
        self.runtime.block_on(self.client.current_url()).expect("an address").to_string()
    }

    /// Runs a function's body in the page and waits for what it returns.
    ///
    /// # Panics
    /// If it throws.
    #[track_caller]
    pub fn js(&self, body: &str) -> Value {
        match self.runtime.block_on(self.client.execute(body, Vec::new())) {
            Ok(value) => value,
            Err(error) => panic!("{body}: {error}"),
        }
    }

    /// The same for text.
    #[track_caller]
    pub fn text(&self, body: &str) -> String {
        self.js(body).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the expression is true in the page.
    #[track_caller]
    pub fn until(&self, what: &str, expression: &str) {
        let body = format!("return Boolean({expression});");
        crate::wait::until(what, || (self.js(&body) == true).then_some(()));
    }

    /// Presses and releases a key.
    ///
    /// # Panics
    /// If the browser is gone.
    #[expect(clippy::expect_used, reason = "a test without its browser cannot go on")]
    pub fn press(&self, key: char) {
        let keys = KeyActions::new("keys".to_owned());
        let keys = keys.then(KeyAction::Down { value: key }).then(KeyAction::Up { value: key });
        self.runtime.block_on(self.client.perform_actions(keys)).expect("a key press");
    }

    /// Sets the size of the page, in its own pixels.
    pub fn size(&self, width: u32, height: u32) {
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// What the person prefers: `prefers-color-scheme` and so on.
    pub fn prefer(&self, features: &[(&str, &str)]) {
        let features = features.iter().map(|(name, value)| json!({"name": name, "value": value}));
        let features: Vec<Value> = features.collect();
        self.devtools("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// The page as it stands, as a PNG.
    ///
    /// # Panics
    /// If there is no picture.
    #[expect(clippy::expect_used, reason = "a test without its browser cannot go on")]
    pub fn picture(&self) -> Vec<u8> {
        self.runtime.block_on(self.client.screenshot()).expect("a picture")
    }

    /// Everything the console has said since the start: script errors, refused loads, breaches of
    /// the content security policy.
    pub fn console(&self) -> Vec<String> {
        let news = self.chrome("se/log", &json!({"type": "browser"}));
        let mut console = self.console.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = news.as_array().into_iter().flatten();
        console.extend(lines.map(|line| format!("{}: {}", line["level"], line["message"])));
        console.clone()
    }

    fn devtools(&self, name: &str, params: Value) {
        self.chrome("goog/cdp/execute", &json!({"cmd": name, "params": params}));
    }

    #[expect(clippy::expect_used, reason = "a test without its browser cannot go on")]
    fn chrome(&self, path: &'static str, body: &Value) -> Value {
        let command = Chrome { path, body: body.to_string() };
        self.runtime.block_on(self.client.issue_cmd(command)).expect("an answer of the driver")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // One that hangs goes with its driver.
        let client = self.client.clone();
        let close = async || {
            let closed = tokio::time::timeout(crate::wait::DEADLINE, client.close()).await;
            drop(closed);
        };
        self.runtime.block_on(close());
    }
}
