//! What stands in a map, and how it is read.

use serde::Deserialize;

/// One program, as far as its documentation tells.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Map {
    pub(crate) kind: String,
    /// As people call it.
    pub(crate) title: String,
    /// The version that the facts below are of.
    pub(crate) version: String,
    /// Where they stand.
    pub(crate) source: String,
    /// The names its program is started by.
    pub(crate) programs: Vec<String>,
    /// The names of the process that runs its hooks.
    #[serde(default)]
    pub(crate) processes: Vec<String>,
    /// Those of them that any program in its language has as well.
    #[serde(default)]
    pub(crate) interpreters: Vec<String>,
    /// Where its scripts lie when they are not called as its program is: parts of their paths.
    #[serde(default)]
    pub(crate) folders: Vec<String>,
    /// The kinds whose hooks it calls as well, as it reads their configuration beside its own.
    #[serde(default)]
    pub(crate) reads: Vec<String>,
    /// What tells of it.
    pub(crate) witnesses: String,
    /// What nothing tells.
    pub(crate) cannot: String,
    #[serde(default)]
    pub(crate) members: Paths,
    #[serde(default, rename = "event")]
    pub(crate) events: Vec<Event>,
    /// What events have in all versions that are known.
    #[serde(default, rename = "must")]
    pub(crate) musts: Vec<Must>,
    /// A helper's events name a session of its own, and not the main agent's.
    #[serde(default)]
    pub(crate) helpers_have_sessions: bool,
    /// Several helpers may have one name, and nothing tells whose the end of a turn is, the main agent's or a
    /// helper's.
    #[serde(default)]
    pub(crate) helpers_are_nameless: bool,
    /// A helper is known by the call that starts it, and each turn starts it once.
    #[serde(default)]
    pub(crate) helpers_run_once: bool,
    /// No helper outlives the stop of its main agent: what looks like one behind it has begun there.
    #[serde(default)]
    pub(crate) helpers_end_first: bool,
    pub(crate) install: Option<Install>,
    /// Why hooks are not installed, and what to do instead.
    pub(crate) instead: Option<String>,
}

/// Where in a payload things stand: `a.b` is `b` in `a`, `a.0` the first of a list. Of several the
/// first one that is there counts.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Paths {
    pub(crate) event: Vec<String>,
    pub(crate) session: Vec<String>,
    pub(crate) cwd: Vec<String>,
    pub(crate) log: Vec<String>,
    pub(crate) model: Vec<String>,
    pub(crate) title: Vec<String>,
    pub(crate) turn: Vec<String>,
    /// The process serves other sessions as well.
    pub(crate) shared: Vec<String>,
    /// Whose event it is, if not the main agent's.
    pub(crate) helper: Vec<String>,
    /// It is a helper's if this is there, whether or not it says which helper's, and only then.
    pub(crate) helper_if: Vec<String>,
    pub(crate) tool: Vec<String>,
    pub(crate) input: Vec<String>,
    pub(crate) call: Vec<String>,
    /// The id by which a request is answered.
    pub(crate) key: Vec<String>,
    pub(crate) prompt: Vec<String>,
    pub(crate) message: Vec<String>,
    /// How a session started.
    pub(crate) start: Vec<String>,
    /// Why a compaction was made.
    pub(crate) trigger: Vec<String>,
    pub(crate) code: Vec<String>,
    pub(crate) detail: Vec<String>,
}

/// What one event means. Of several of the same name the first one that fits counts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) fact: Word,
    pub(crate) when: Option<When>,
    /// Whether a hook is installed for it.
    #[serde(default = "yes")]
    pub(crate) register: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct When {
    pub(crate) member: String,
    /// One of these words; that it is there at all, if none is named.
    #[serde(default)]
    pub(crate) is: Vec<String>,
}

/// What some events have. Where it is not there, or says another word, that is counted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Must {
    pub(crate) events: Vec<String>,
    pub(crate) member: String,
    /// One of these words; any, if none is named.
    #[serde(default)]
    pub(crate) is: Vec<String>,
    /// It says whose they are, and stands there as `null` where they are the main agent's: without it
    /// they are not understood.
    #[serde(default)]
    pub(crate) tells_whose: bool,
}

/// The facts that a map may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Word {
    SessionStarted,
    /// The program leaves, as it says itself: of a word, never of an event alone.
    SessionEnded,
    /// Only the conversation ends.
    SessionCleared,
    /// The conversation ends, and perhaps the program.
    SessionLeft,
    /// What a word means at the end of a session that no row has.
    SessionUnclear,
    PromptSubmitted,
    /// The same of a program of which several events tell of one prompt.
    PromptTold,
    ToolStarted,
    ToolEnded,
    PermissionOpened,
    PlanOpened,
    /// A notice of a request, which does not name its call.
    PermissionShown,
    QuestionShown,
    PromptResolved,
    TurnEnded,
    /// It is over, and nobody knows how that came about.
    TurnUnclear,
    TurnFailed,
    TurnInterrupted,
    IdleNotice,
    HelperStarted,
    HelperEnded,
    CompactionStarted,
    CompactionEnded,
    /// The program's own status, as a level.
    ShowsIdle,
    ShowsWorking,
    ShowsBlocked,
    ShowsFailed,
    Nothing,
}

/// Where our entries go, and of what form they are.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Install {
    /// The configuration folder, below the home folder.
    pub(crate) folder: String,
    /// The variable that moves it, and what it is called below the folder that this one names.
    #[serde(default)]
    pub(crate) folder_variable: String,
    #[serde(default)]
    pub(crate) moved_folder: String,
    /// What it is called below `XDG_CONFIG_HOME`, if that moves it too.
    pub(crate) config_folder: Option<String>,
    /// Other programs use that folder, too: it does not show that this one is here.
    #[serde(default)]
    pub(crate) is_shared: bool,
    /// The file that holds the entries, below the configuration folder.
    pub(crate) file: String,
    #[serde(default)]
    pub(crate) managed: Vec<String>,
    pub(crate) form: Shape,
    /// What no file shows and keeps hooks from firing.
    pub(crate) advice: String,
    pub(crate) after: String,
}

/// How a program wants its entries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shape {
    pub(crate) syntax: Syntax,
    /// The member that holds all events; none if they are the file itself.
    pub(crate) within: Option<String>,
    /// Each event has a list of groups, which hold the entries.
    #[serde(default)]
    pub(crate) is_grouped: bool,
    /// An entry says that it is a command.
    #[serde(default = "yes")]
    pub(crate) is_typed: bool,
    /// The program may run a command without a shell.
    #[serde(default)]
    pub(crate) is_wrapped: bool,
    /// What an entry is called, where entries have names.
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) version: Option<u32>,
    /// The member that names an entry's event, where entries stand in one list.
    #[serde(default)]
    pub(crate) event: String,
    /// The member of the time-out, and the time-out in the program's own unit.
    #[serde(default)]
    pub(crate) timeout: (String, u32),
    /// What becomes of a file with comments, unless it is read all the same.
    pub(crate) not_strict: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Syntax {
    Json,
    Toml,
    /// A file of our own, which the program runs: `KIND.js`.
    Script,
}

fn yes() -> bool {
    true
}

impl Word {
    fn ends_session(self) -> bool {
        matches!(self, Self::SessionEnded | Self::SessionCleared | Self::SessionLeft)
    }
}

impl Map {
    pub(crate) fn rows(&self, event: &str) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(move |row| row.name == event)
    }

    pub(crate) fn musts(&self, event: &str) -> impl Iterator<Item = &Must> {
        self.musts.iter().filter(move |must| must.events.iter().any(|name| name == event))
    }

    /// The member that says why a session ends, where the event's rows go by one.
    pub(crate) fn reason_of(&self, event: &str) -> Option<&str> {
        let mut ends = self.rows(event).filter(|row| row.fact.ends_session());
        ends.find_map(|row| Some(row.when.as_ref()?.member.as_str()))
    }

    /// The events that a hook is installed for.
    pub(crate) fn registered(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for event in self.events.iter().filter(|event| event.register) {
            if !names.contains(&event.name.as_str()) {
                names.push(&event.name);
            }
        }
        names
    }

    /// Whether anything that it tells names a helper: by its start, or by what comes out of it.
    pub(crate) fn names_helpers(&self) -> bool {
        !self.members.helper.is_empty()
    }

    /// Whether an event can change a status.
    pub(crate) fn is_transition(&self, event: &str) -> bool {
        self.events.iter().any(|one| one.name == event && one.fact != Word::Nothing)
    }
}
