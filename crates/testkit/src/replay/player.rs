//! Plays the rows of a recording, each at its time.

mod captured;

use super::bus::Bus;
use super::clock::Clock;
use super::listener::Listener;
use super::proxy::Proxy;
use super::recording::{Captured, How, ProcessKey, Recording, Row, What, Witness};
use super::server::Server;
use super::shim::Shim;
use super::stand_in::{Call, StandIn, Start};
use super::terminal;
use super::verdict::{LONG_REST_MS, REST_MS, Truth, Verdict, Watched};
use crate::home::Home;
use crate::http;
use crate::hub::Hub;
use headsup_adapters::terminal::{Started, ready};
use headsup_core::time::UnixMs;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::thread::park_timeout;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A line of a log says when it was written: now.
fn written_now(line: &str) -> String {
    let Ok(mut line) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
    if line["timestamp"].is_string() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        line["timestamp"] = UnixMs(i64::try_from(now).unwrap_or_default()).to_string().into();
    }
    line.to_string()
}

/// No hook takes as long as this; one whose program was killed may never say that it has ended.
const LONGEST_HOOK: Duration = Duration::from_secs(2);

/// Plays the recording in `folder` against a hub of `binary` and judges what it told. `without`:
/// witnesses that say nothing this time.
///
/// # Errors
/// If the recording cannot be read, or a stand-in cannot be started or written to.
pub fn play(binary: &Path, folder: &Path, without: &[Witness]) -> io::Result<Verdict> {
    play_and(binary, folder, without, |_| ())
}

/// Recorded people had trusted the folders in which they worked.
fn trust_all(home: &Home, kind: &str) -> io::Result<()> {
    let start = Started { variables: [home.path().to_str(), None], cwd: "/", words: &[] };
    let Some(ready) = ready(kind, &start) else { return Ok(()) };
    ready.trusted.parent().map(fs::create_dir_all).transpose()?;
    fs::write(ready.trusted, json!({ "trustedFolders": ["/"] }).to_string())
}

/// The same, and does something in the home of the hub before it ends.
///
/// # Errors
/// As those of [`play`].
pub fn play_and(
    binary: &Path,
    folder: &Path,
    without: &[Witness],
    then: impl FnOnce(&Home),
) -> io::Result<Verdict> {
    let recording = Recording::read(folder, without)?;
    let home = Home::new(&binary.to_string_lossy());
    if recording.watches_screens {
        terminal::watch(home.path())?;
    }
    trust_all(&home, recording.program.kind)?;
    let hub = Hub::start(&home);
    let mut player = Player::new(&home, binary, &recording)?;
    for (kind, count) in &recording.unknown {
        let name = &recording.name;
        writeln!(
            io::stderr(),
            "{name}: {count} rows of the kind {kind:?} are not known and not played"
        )?;
    }
    let mut clock = Clock::start();
    let listener = Listener::start(&home.socket(), clock.began())?;
    let (mut truths, mut end) = (Vec::<Truth>::new(), 0);
    for row in &recording.rows {
        end = clock.wait_for(row.t_ms);
        match &row.what {
            What::Truth { status, why, session } => truths.push(Truth {
                recorded_ms: row.t_ms,
                t_ms: end,
                status: status.clone(),
                why: why.clone(),
                session: session.clone(),
                gone_ms: None,
            }),
            What::End { process, .. } | What::Captured(Captured::Exit { process, .. }) => {
                for truth in truths.iter_mut().filter(|truth| truth.gone_ms.is_none()) {
                    let session = truth.session.as_ref();
                    let processes = session.and_then(|session| recording.sessions.get(session));
                    if processes.is_none_or(|processes| processes.contains(process)) {
                        truth.gone_ms = Some(end);
                    }
                }
            }
            _ => {}
        }
        player.step(row)?;
    }
    let last = recording.rows.last().map_or(0, |row| row.t_ms);
    let rest = recording.captured_ms.map(|at| at.saturating_sub(last).clamp(REST_MS, LONG_REST_MS));
    clock.wait_for(last + rest.unwrap_or(REST_MS));
    let delay = clock.delay();
    let pids = player.pids_of_sessions();
    let (told, in_vain) = (&listener.told(), &recording.in_vain);
    let has_log = recording.rows.iter().any(|row| matches!(row.what, What::Line { .. }));
    let kind = &recording.kind;
    let watched = Watched { told, kind, without, has_log, pids: &pids, in_vain, rest };
    let verdict = Verdict::new(&recording.name, delay, &truths, end, &watched);
    then(&home);
    drop(player);
    drop(hub);
    Ok(verdict)
}

struct Player<'a> {
    home: &'a Home,
    binary: &'a Path,
    recording: &'a Recording,
    /// A shell under the name of the recorded program.
    program: PathBuf,
    /// The program's own folder.
    config: PathBuf,
    stand_ins: HashMap<ProcessKey, StandIn>,
    /// The hook that may still run: the file that is there once it has ended.
    running: HashMap<ProcessKey, PathBuf>,
    namespace: u64,
    shim: Shim,
    server: Option<Server>,
    /// The port of a program that serves its conversations there.
    bus: Option<(ProcessKey, Bus)>,
    /// What stands between a client and its agent.
    proxy: Option<Proxy>,
    /// The seats of those that we have launched.
    launched: HashMap<ProcessKey, String>,
}

impl<'a> Player<'a> {
    fn new(home: &'a Home, binary: &'a Path, recording: &'a Recording) -> io::Result<Self> {
        let programs = home.path().join("programs");
        fs::create_dir_all(&programs)?;
        // Its own name: that of a runtime says nothing without the words of a real one.
        let program = programs.join(recording.program.command);
        symlink("/bin/sh", &program)?;
        let namespace = fs::metadata("/proc/self/ns/pid")?.ino();
        Ok(Self {
            home,
            binary,
            recording,
            program,
            config: home.path().join(recording.program.config),
            stand_ins: HashMap::new(),
            running: HashMap::new(),
            namespace,
            shim: Shim::new(home, namespace),
            server: None,
            bus: None,
            proxy: None,
            launched: HashMap::new(),
        })
    }

    fn step(&mut self, row: &Row) -> io::Result<()> {
        self.shim.report(&self.stand_ins)?;
        match &row.what {
            What::Truth { .. } => Ok(()),
            What::End { process, how } => self.end(*process, *how),
            What::Hook { process, event, env, payload } => {
                self.wait_for_hook(*process);
                let ended = self.hook(*process, event, env, payload)?;
                self.running.insert(*process, ended);
                Ok(())
            }
            What::Registry { process, record } => self.registry(*process, record.as_ref()),
            What::Line { file, line } => self.line(file, line),
            What::Launch { id, words } => self.launch(id, words, row.t_ms),
            What::Run { process, id, arguments } => self.run(*process, id, arguments),
            What::Output { process, line } => {
                let line = self.at_home(line);
                match self.stand_ins.get_mut(process) {
                    Some(stand_in) => stand_in.output(&line),
                    None => Ok(()),
                }
            }
            What::Bus { message, .. } => match &self.bus {
                Some((_, bus)) => bus.say(&self.at_home(message)),
                None => Ok(()),
            },
            What::BusLists { lists, .. } => {
                if let Some((_, bus)) = &self.bus {
                    bus.answers(lists);
                }
                Ok(())
            }
            What::BusEnd { .. } => {
                if let Some((_, bus)) = &self.bus {
                    bus.end_streams();
                }
                Ok(())
            }
            What::Plugin { process, row } => {
                let call = self.at_home(&row.to_string());
                self.stand_in(*process)?.order(&call)
            }
            What::Screen { text } => self.show(text),
            What::Served { message } => self.served(message),
            What::Message { by_client, text } => self.message(*by_client, text),
            What::MessageEnd { code } => match self.proxy.take() {
                Some(proxy) => proxy.end(*code),
                None => Ok(()),
            },
            What::Said { process, part, body } => {
                self.shim.say(*process, part, body);
                self.shim.report(&self.stand_ins)
            }
            What::Captured(captured) => self.captured(captured),
        }
    }

    fn end(&mut self, process: ProcessKey, how: How) -> io::Result<()> {
        if self.bus.as_ref().is_some_and(|(of, _)| *of == process) {
            self.bus = None;
        }
        let Some(stand_in) = self.stand_ins.get_mut(&process) else { return Ok(()) };
        let signal = match how {
            How::Killed { signal } => signal,
            How::Left { code } => return stand_in.exit(code),
            How::ByItself => return stand_in.exit(0),
        };
        let (mut told, seat) = (stand_in.told("exited"), self.launched.get(&process));
        stand_in.kill()?;
        // Its launcher waits for it.
        let (Some(seat), Some(signal)) = (seat, signal) else { return Ok(()) };
        told["signal"] = signal.into();
        self.put_process(seat, &told)
    }

    fn put_process(&self, seat: &str, told: &Value) -> io::Result<()> {
        let path = format!("/api/v1/agents/{seat}/process");
        let body = told.to_string();
        http::request(&self.home.socket(), "PUT", &path, &[], body.as_bytes()).map(drop)
    }

    /// Takes a seat for the process that is heard of next.
    fn launch(&mut self, id: &str, words: &[String], t_ms: u64) -> io::Result<()> {
        let later = self.recording.rows.iter().filter(|row| row.t_ms >= t_ms);
        let mut keys = later.filter_map(|row| match row.what {
            What::Hook { process, .. }
            | What::Registry { process, .. }
            | What::Bus { process, .. }
            | What::Plugin { process, .. }
            | What::Said { process, .. } => Some(process),
            _ => None,
        });
        let key = keys.find(|key| !self.stand_ins.contains_key(key)).unwrap_or(ORPHANS);
        terminal::install(self.home.path())?;
        let mut like = self.home.command([""; 0]);
        like.envs(terminal::ENV).env("HEADSUP_AGENT_ID", id);
        let mut words = words.to_vec();
        let plugin = self.plugin(key)?;
        let mut how = Start { plugin: plugin.as_deref(), ..Start::default() };
        if let Some(bus) = self.opened(key)? {
            how.socket = Some(bus.socket()?);
            words.extend(["--port".to_owned(), bus.port().to_string()]);
            self.bus = Some((key, bus));
        }
        how.words = &words;
        let stand_in = StandIn::start_as(&like, &self.program, self.home.path(), how)?;
        let process = stand_in.told("starting");
        self.stand_ins.insert(key, stand_in);
        self.shim.seated(key, id);
        self.launched.insert(key, id.to_owned());
        let seat = format!("/api/v1/agents/{id}");
        let socket = self.home.socket();
        let kind = json!({ "kind": self.recording.kind });
        http::request(&socket, "PUT", &seat, &[], kind.to_string().as_bytes())?;
        self.put_process(id, &process)
    }

    /// The port of a process whose bus was recorded.
    fn opened(&self, process: ProcessKey) -> io::Result<Option<Bus>> {
        let rows = || self.recording.rows.iter();
        let is_its = |row: &Row| matches!(row.what, What::Bus { process: of, .. } if of == process);
        if !rows().any(is_its) {
            return Ok(None);
        }
        let lists = rows().find_map(|row| match &row.what {
            What::BusLists { lists, .. } => Some(lists.clone()),
            _ => None,
        });
        Bus::start(lists).map(Some)
    }

    /// The installed plugin, for a process whose calls of one were recorded.
    fn plugin(&self, process: ProcessKey) -> io::Result<Option<PathBuf>> {
        let is_its =
            |row: &Row| matches!(row.what, What::Plugin { process: of, .. } if of == process);
        if !self.recording.rows.iter().any(is_its) {
            return Ok(None);
        }
        self.home.run(["hooks", "install", &self.recording.kind]);
        let module = self.home.path().join("headsup.mjs");
        fs::copy(self.config.join("plugin/headsup.js"), &module)?;
        Ok(Some(module))
    }

    /// Has `headsup run` start it.
    fn run(&mut self, process: ProcessKey, id: &str, arguments: &[String]) -> io::Result<()> {
        let command = self.home.command(["run", "--here", "--id", id, "--"]);
        let name = self.recording.program.command;
        let stand_in = StandIn::run(command, name, arguments, self.home.path())?;
        self.shim.seated(process, id);
        self.stand_ins.insert(process, stand_in);
        Ok(())
    }

    /// Between a client and an agent, which is started with the first word.
    fn message(&mut self, by_client: bool, text: &str) -> io::Result<()> {
        let proxy = match &mut self.proxy {
            Some(proxy) => proxy,
            place => place.insert(Proxy::start(self.home, &self.recording.name)?),
        };
        if by_client { proxy.client_says(text) } else { proxy.agent_says(text) }
    }

    fn show(&self, text: &str) -> io::Result<()> {
        terminal::show(self.home.path(), &self.at_home(text))
    }

    /// Served from the first message on, to whoever listens.
    fn served(&mut self, message: &str) -> io::Result<()> {
        let Some(place) = self.recording.program.server else { return Ok(()) };
        if self.server.is_none() {
            self.server = Some(Server::start(&self.config.join(place))?);
        }
        match &self.server {
            Some(server) => server.say(&self.at_home(message)),
            None => Ok(()),
        }
    }

    /// A program goes on when its hook has ended, and hooks that ran side by side were heard in
    /// this order: one that takes longer here puts off what follows, and is not overtaken.
    fn wait_for_hook(&mut self, process: ProcessKey) {
        let Some(ended) = self.running.remove(&process) else { return };
        let end = Instant::now() + LONGEST_HOOK;
        while !ended.exists() && Instant::now() < end {
            park_timeout(Duration::from_millis(2));
        }
    }

    fn hook(
        &mut self,
        process: ProcessKey,
        event: &str,
        env: &[(String, String)],
        payload: &str,
    ) -> io::Result<PathBuf> {
        let (payload, binary) = (self.at_home(payload), self.binary);
        let (program, kind) = (self.recording.program, &self.recording.kind);
        let mut env: Vec<(String, String)> =
            env.iter().map(|(name, value)| (name.clone(), self.at_home(value))).collect();
        let own = self.stand_in(process)?;
        let variable = env.iter_mut().find(|(name, _)| Some(name.as_str()) == program.pid_variable);
        if let Some((_, pid)) = variable {
            *pid = own.pid().to_string();
        }
        let call = Call { binary, kind, event, env: &env, payload: &payload };
        if !own.has_left() {
            return own.hook(&call);
        }
        // It has outlived its program: another shell runs it.
        let like = self.home.command([""; 0]);
        let mut other = StandIn::start(&like, Path::new("/bin/sh"), self.home.path())?;
        let ended = other.hook(&call)?;
        other.leave();
        let key = ORPHANS + self.stand_ins.len() as ProcessKey;
        self.stand_ins.insert(key, other);
        Ok(ended)
    }

    fn registry(&mut self, process: ProcessKey, record: Option<&Value>) -> io::Result<()> {
        let folder = self.config.join("sessions");
        let real = self.stand_in(process)?;
        let (real_pid, ticks) = (real.pid(), real.start_ticks());
        let path = folder.join(format!("{real_pid}.json"));
        let Some(record) = record else {
            let removed = fs::remove_file(path);
            return removed.or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            });
        };
        let mut record = record.clone();
        let own = [
            ("pid", real_pid.into()),
            ("procStart", ticks.unwrap_or_default().into()),
            ("pidDomain", format!("linux:0:pid:[{}]", self.namespace).into()),
        ];
        for (name, value) in own {
            // What this version does not tell is not told.
            if let Some(told) = record.get_mut(name) {
                *told = value;
            }
        }
        fs::create_dir_all(&folder)?;
        // The file is rewritten in place, as the program does.
        fs::write(path, self.at_home(&record.to_string()))
    }

    fn line(&self, file: &str, line: &str) -> io::Result<()> {
        let file = self.recording.home.moved_log(file, self.home.path());
        let path = self.config.join(self.recording.program.transcripts).join(file);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut log = OpenOptions::new().create(true).append(true).open(path)?;
        log.write_all(format!("{}\n", written_now(&self.at_home(line))).as_bytes())
    }

    /// The process that stands for a recorded one; started when it is first heard of, by the one
    /// that started it.
    fn stand_in(&mut self, key: ProcessKey) -> io::Result<&mut StandIn> {
        if !self.stand_ins.contains_key(&key) {
            let above = self.recording.parents.get(&key).filter(|above| **above != key);
            if let Some(above) = above.copied() {
                let program = self.program.clone();
                // What a process is started with that serves its conversations.
                let serves = self.recording.program.server.is_some();
                let words = if serves { "app-server --managed-daemon" } else { "" };
                let above = self.on_its_own(above)?;
                if !above.has_left() {
                    let started = above.start_within(&program, words)?;
                    self.stand_ins.insert(key, started);
                }
            }
        }
        self.on_its_own(key)
    }

    fn on_its_own(&mut self, key: ProcessKey) -> io::Result<&mut StandIn> {
        match self.stand_ins.entry(key) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let mut like = self.home.command([""; 0]);
                if self.recording.watches_screens {
                    terminal::install(self.home.path())?;
                    like.envs(terminal::ENV);
                }
                Ok(place.insert(StandIn::start(&like, &self.program, self.home.path())?))
            }
        }
    }

    /// The real processes that have been in each session.
    fn pids_of_sessions(&self) -> HashMap<String, Vec<u32>> {
        let sessions = self.recording.sessions.iter().map(|(session, keys)| {
            let known = keys.iter().filter_map(|key| self.stand_ins.get(key));
            (session.clone(), known.map(StandIn::pid).collect())
        });
        sessions.collect()
    }

    fn at_home(&self, text: &str) -> String {
        self.recording.home.moved(text, self.home.path())
    }
}

/// Keys of shells that stand for no recorded process.
const ORPHANS: ProcessKey = 1 << 40;
