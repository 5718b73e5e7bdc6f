//! `headsup hooks`

mod each;
mod shown;

use crate::cli::Context;
use crate::client::start;
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use crate::setup::status::{State, Status, status};
use crate::setup::{self, SetupError, Site, Way};
use headsup_adapters::inject::{Recipe, quote, recipe, recipes};
use headsup_adapters::support::{self, Support};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use each::{Asked, apply};

/// Install, remove and check the hooks by which agents report.
///
/// Only what is headsup's own is added, and exactly that is removed again: where nobody has
/// edited since, to the byte. Without AGENT it is about every agent whose program is on PATH or whose
/// folder is there, to install (exit code 4 if there is none; `--all` names those that are not), and about
/// those with hooks of ours, to look and to uninstall. An agent that is refused stops none of the others (exit code 7).
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Put headsup's entries into each agent's configuration.
    Install {
        #[command(flatten)]
        which: Which,
        /// Show the changes and make none.
        #[arg(long)]
        dry_run: bool,
        /// Append to the agent's settings, so that sessions that run already report as well;
        /// otherwise a plugin folder is added and no file is changed, where the agent knows such.
        #[arg(long)]
        live: bool,
    },
    /// Take exactly headsup's entries out again.
    Uninstall {
        #[command(flatten)]
        which: Which,
        /// Show the changes and make none.
        #[arg(long)]
        dry_run: bool,
    },
    /// Say for each agent what is installed, and what keeps it from working.
    Status {
        #[command(flatten)]
        which: Which,
        /// As with the others; it changes nothing without it, too.
        #[arg(long, hide = true)]
        dry_run: bool,
    },
}

impl Args {
    /// Whether it only takes away.
    pub(crate) fn uninstalls(&self) -> bool {
        matches!(self.act, Act::Uninstall { .. })
    }

    /// Whether it only says how things are.
    pub(crate) fn only_looks(&self) -> bool {
        matches!(self.act, Act::Status { .. })
    }
}

#[derive(Debug, clap::Args)]
struct Which {
    /// Kinds of agents, or the names of their programs.
    #[arg(value_name = "AGENT", value_parser = named)]
    agents: Vec<Named>,
    /// Every agent that hooks can be installed into; of these `install` takes the ones that are here,
    /// and says which are not.
    #[arg(long, conflicts_with = "agents")]
    all: bool,
}

/// A kind as it was asked for.
#[derive(Clone, Copy, Debug)]
enum Named {
    With(&'static Recipe),
    /// No hooks can be installed into it.
    Without(&'static Support),
}

impl Which {
    fn recipes(&self) -> Vec<&'static Recipe> {
        let with = |named: &Named| match named {
            Named::With(recipe) => Some(*recipe),
            Named::Without(_) => None,
        };
        match self.agents.is_empty() {
            true => recipes().to_vec(),
            false => self.agents.iter().filter_map(with).collect(),
        }
    }

    /// Those that hooks cannot be installed into.
    fn without(&self) -> Vec<&'static Support> {
        let named = self.agents.iter().filter_map(|named| match named {
            Named::With(_) => None,
            Named::Without(row) => Some(*row),
        });
        let mut rows: Vec<&'static Support> = match self.all {
            true => support::all().iter().filter(|row| row.instead.is_some()).collect(),
            false => named.collect(),
        };
        let mut kinds = BTreeSet::new();
        rows.retain(|row| kinds.insert(row.kind));
        rows
    }
}

const EXAMPLES: &str = "\
Examples:
  headsup hooks install --dry-run       show what would change
  headsup hooks install                 every agent on this machine
  headsup hooks install --live          running sessions too
  headsup hooks status
  headsup hooks uninstall";

fn named(text: &str) -> Result<Named, String> {
    if let Some(recipe) = recipe(text) {
        return Ok(Named::With(recipe));
    }
    support::of(text).map(Named::Without).ok_or_else(|| {
        let known: Vec<&str> = support::all().iter().map(|row| row.kind).collect();
        format!("there is no such kind of agent; there are {}", known.join(", "))
    })
}

pub(crate) fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    match args.act {
        Act::Install { which, dry_run, live } => install(&which, dry_run, live, context),
        Act::Uninstall { which, dry_run } => uninstall(&which, dry_run, context),
        Act::Status { which, .. } => shown::status_of(&which, context),
    }
}

/// The sites of some recipes in this environment.
pub(crate) fn site(recipe: &'static Recipe, context: &Context) -> Result<Site, CommandError> {
    let state = context.place.home.as_deref().ok_or_else(start::no_home)?;
    Site::of(recipe, state, |name| std::env::var_os(name)).map_err(|error| refused(&error))
}

/// The same, where nothing is to be changed.
fn site_to_look_at(recipe: &'static Recipe, context: &Context) -> Result<Site, CommandError> {
    let state = context.place.home.as_deref().ok_or_else(start::no_home)?;
    Site::to_look_at(recipe, state, |name| std::env::var_os(name)).map_err(|error| refused(&error))
}

fn sites(
    which: &Which,
    context: &Context,
    site: fn(&'static Recipe, &Context) -> Result<Site, CommandError>,
) -> Result<Vec<Site>, CommandError> {
    let recipes = which.recipes().into_iter();
    let sites: Result<Vec<_>, _> = recipes.map(|recipe| site(recipe, context)).collect();
    let mut sites = sites?;
    if which.agents.is_empty() && !which.all {
        sites.retain(|site| site.is_present() || site.was_ever_installed());
    }
    Ok(sites)
}

fn install(
    which: &Which,
    dry_run: bool,
    live: bool,
    context: &Context,
) -> Result<(), CommandError> {
    let without = if which.all { Vec::new() } else { which.without() };
    if let [row] = without.as_slice()
        && which.recipes().is_empty()
    {
        return Err(each::no_hooks(row));
    }
    let way = if live { Way::Settings } else { Way::Plugin };
    let is_wanted = |site: &Site| !which.agents.is_empty() || site.is_present();
    let (sites, absent): (Vec<Site>, Vec<Site>) =
        sites(which, context, site)?.into_iter().partition(is_wanted);
    if sites.is_empty() && without.is_empty() {
        let known: Vec<&str> = recipes().iter().map(|recipe| recipe.title).collect();
        let none = format!("no agent was found here to install hooks into ({})", known.join(", "));
        let kinds: Vec<&str> = recipes().iter().map(|recipe| recipe.kind).collect();
        let (first, others) = kinds.split_first().unwrap_or((&"", &[]));
        return Err(CommandError::new(Kind::NotFound, none).code("no_agent_found").hint(format!(
            "name it all the same: `headsup hooks install {first}` (or {})",
            others.join(", ")
        )));
    }
    let not_found: Vec<&str> = match which.all {
        true => absent.iter().map(|site| site.recipe.kind).collect(),
        false => Vec::new(),
    };
    for site in absent.iter().filter(|_| which.all && !context.output.is_json()) {
        let Recipe { title, kind, .. } = site.recipe;
        context.output.say(&Line::plain(format!(
            "headsup: {title} was not found here; by name it is done all the same: `headsup hooks install {kind}`"
        )));
    }
    let binary = binary()?;
    let after = |site: &Site| match site.recipe.plugin.filter(|_| !live && site.finds_plugin()) {
        Some(plugin) => plugin.after,
        None => site.recipe.after_settings,
    };
    let make = |site: &Site| setup::install(site, way, &binary);
    // Entries that never fire are not installed without a word. It is looked once: settings may be large.
    let seen = RefCell::new(None);
    let problems = |site: &Site| {
        let status = status(site);
        let problems = status.problems.clone();
        seen.replace(Some(status));
        problems
    };
    let asked = Asked { dry_run, not_found: &not_found, without: &without };
    apply(&sites, asked, context, &make, &with_snippet, &problems, &|site| {
        let status: Status = seen.take().unwrap_or_else(|| status(site));
        let then = if status.fires || status.untrusted.is_some() {
            after(site)
        } else {
            "until that is put right, none of them fires"
        };
        let awaits = site.awaits().map(|what| format!("; {what}")).unwrap_or_default();
        format!("{}: hooks are installed; {then}{awaits}", site.recipe.title)
    })
}

fn uninstall(which: &Which, dry_run: bool, context: &Context) -> Result<(), CommandError> {
    let sites = sites(which, context, site)?;
    if sites.is_empty() && !context.output.is_json() {
        context.output.say(&Line::plain("headsup: no hooks are installed, nothing to change"));
    }
    let make = |site: &Site| setup::uninstall(site);
    let asked = Asked { dry_run, ..Asked::default() };
    apply(&sites, asked, context, &make, &by_hand, &|_| Vec::new(), &|site| {
        format!("{}: the hooks are gone", site.recipe.title)
    })
}

/// This program where it really is: the launcher must not be a link to itself.
pub(crate) fn binary() -> Result<PathBuf, CommandError> {
    let path = std::env::current_exe().and_then(|path| path.canonicalize());
    path.map_err(|error| CommandError::internal(format!("cannot find this program: {error}")))
}

/// The refusal, and what to paste by hand.
pub(crate) fn with_snippet(error: &SetupError, site: &Site, output: Output) -> CommandError {
    let command = refused(error);
    if !matches!(error, SetupError::Denied { .. } | SetupError::Unclear { .. }) {
        return command;
    }
    // Where none can be written, the refusal says why.
    let Ok(snippet) = site.for_settings().recipe.append("", &site.launcher) else { return command };
    let settings = site.settings();
    // A whole file is nothing to paste from a refusal.
    match site.recipe.place() {
        "plugin file" => return command.hint(text_of_file(site)),
        "skill" => {
            return command.hint(format!(
                "put its text into {} by hand; `headsup mcp install --print --skill` shows it",
                settings.display()
            ));
        }
        _ => {}
    }
    if output.is_json() {
        let text = match snippet.starts_with('{') {
            true => snippet.lines().map(str::trim).collect::<Vec<_>>().join(" "),
            // Elsewhere the ends of lines count.
            false => snippet.trim().to_owned(),
        };
        return command.hint(format!("put this into {}: {text}", settings.display()));
    }
    for line in snippet.lines() {
        output.say(&Line::plain(line));
    }
    command.hint(format!("merge the lines above into {} by hand", settings.display()))
}

/// Where the text of a plugin file is to be had: a dry run in an empty folder shows all of it.
fn text_of_file(site: &Site) -> String {
    let variable = match (site.recipe.folder_variable, site.recipe.config_folder()) {
        ("", Some(_)) => "XDG_CONFIG_HOME",
        ("", None) => "HOME",
        (variable, _) => variable,
    };
    // The state folder follows HOME, and the file names it.
    let state = quote(&site.state.to_string_lossy());
    format!(
        "put its text into {} by hand; `HEADSUP_HOME={state} {variable}=\"$(mktemp -d)\" headsup \
         hooks install {} --dry-run` shows it, each line behind a plus sign",
        site.settings().display(),
        site.recipe.kind
    )
}

/// The refusal, and what to take out by hand.
pub(crate) fn by_hand(error: &SetupError, site: &Site, _: Output) -> CommandError {
    let command = refused(error);
    let (SetupError::Denied { path, .. } | SetupError::Unclear { path, .. }) = error else {
        return command;
    };
    let (settings, launcher) = (site.settings(), &site.launcher);
    let folder = site.plugin_around(path);
    let at = folder.as_ref().unwrap_or(&settings).display();
    command.hint(match site.recipe.place() {
        "settings" if folder.is_none() => format!(
            "take every entry that runs {launcher} out of {at} by hand, or put the file right and \
             uninstall again"
        ),
        _ => format!("delete {at} by hand, or put it right and uninstall again"),
    })
}

fn refused(error: &SetupError) -> CommandError {
    let kind = match error {
        SetupError::Io { .. } | SetupError::Damaged { .. } => Kind::Internal,
        SetupError::Homeless { .. } => Kind::Usage,
        _ => Kind::Refused,
    };
    let command = CommandError::new(kind, error.to_string());
    match error {
        SetupError::Io { source, .. } if is_full(source) => {
            command.hint("make room on that disk, and do it again")
        }
        SetupError::Io { source, .. } if source.kind() == io::ErrorKind::FileTooLarge => {
            command.hint("let files be as large as that (`ulimit -f`), and do it again")
        }
        SetupError::Astray(_) => {
            command.hint("name its folder without `..`, or make the folders on the way to it")
        }
        SetupError::Homeless { variable: "", .. } => command.hint("set HOME"),
        SetupError::Homeless { variable, .. } => command.hint(format!("set HOME, or {variable}")),
        SetupError::Damaged { path, .. } => command.hint(format!(
            "move {} away, and do it again: what was there before headsup is forgotten then, and \
             exactly what is headsup's goes",
            path.display()
        )),
        _ => command,
    }
}

/// Does the disk take no more?
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// How it is installed, in a few words.
pub(crate) fn summary(status: &Status) -> String {
    let word = |state: State, what: &str| match state {
        State::Absent | State::Unreadable => None,
        State::Complete => Some(format!("{what}, complete")),
        State::Outdated => Some(format!("{what}, outdated: install again")),
    };
    let ways = [word(status.plugin, "plugin folder"), word(status.settings, status.place)];
    let ways: Vec<String> = ways.into_iter().flatten().collect();
    let found = if status.program.is_some() { "" } else { " (its program is not on PATH)" };
    match (ways.is_empty(), status.elsewhere.is_empty()) {
        (true, true) if status.is_unreadable => {
            return format!("whether hooks are installed cannot be read{found}");
        }
        (true, true) if status.was_installed => {
            return format!("the hooks that were installed are gone{found}");
        }
        (true, true) if status.is_pasted => {
            return format!("no hooks installed, but pasted by hand{found}");
        }
        (true, true) => return format!("no hooks installed{found}"),
        (true, false) => return format!("hooks of another hub{found}"),
        _ => {}
    }
    format!("{}{found}", ways.join("; "))
}

/// For whoever only needs the path.
pub(crate) fn launch_folder(state: &Path) -> PathBuf {
    state.join("launch")
}
