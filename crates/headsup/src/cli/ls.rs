//! `headsup ls`

use crate::cli::Context;
use crate::client::answer::encode;
use crate::client::rows::Rows;
use crate::client::{Beside, Client};
use crate::error::{CommandError, Warning};
use crate::output::Output;
use crate::output::line::Line;
use crate::output::pieces::Pieces;
use crate::output::printer::Printer;
use crate::output::roster::{Table, View};
use bytes::Bytes;
use headsup_core::compat::{UnknownVocabulary, Vocabulary};
use headsup_core::select::HeadlineSet;
use headsup_core::wire::RosterDoc;
use headsup_core::words;

/// List the agents, those that want you first.
///
/// Blocked comes before crashed, failed, review, done, working, starting, unknown and idle.
/// The age is how long it has been so. What stands last is the prompt it waits at, or what it
/// does; `+1 shell` and `+2 agents` are work in the background, `stale` means that nobody has
/// confirmed it lately.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only these: words of the first column, as `blocked,done`, or `attention` for all that want
    /// you.
    #[arg(long, value_name = "S,…", value_parser = a_set)]
    status: Option<String>,
    /// Only those with this label; may be given again.
    #[arg(long, value_name = "K=V", value_parser = a_label)]
    label: Vec<String>,
    /// Also those that ended over an hour ago.
    #[arg(long)]
    all: bool,
    /// Each status in another system's words as well: boocode, wardian, bob, panopticon, jackin,
    /// multicode, overdeck or superset.
    #[arg(long, value_name = "NAME", value_parser = a_vocabulary)]
    vocabulary: Option<Vocabulary>,
}

const EXAMPLES: &str = "\
Examples:
  headsup ls
  headsup ls --status attention         who waits for me?
  headsup ls --vocabulary wardian
  headsup ls --json | jq -r '.agents[] | select(.headline == \"done\").id'";

fn a_set(text: &str) -> Result<String, headsup_core::select::UnknownHeadline> {
    HeadlineSet::parse(text)?;
    Ok(text.to_owned())
}

fn a_vocabulary(text: &str) -> Result<Vocabulary, UnknownVocabulary> {
    Vocabulary::named(text)
}

pub(super) fn a_label(text: &str) -> Result<String, String> {
    let has_key = text.split_once('=').is_some_and(|(key, _)| !key.is_empty());
    if has_key { Ok(text.to_owned()) } else { Err("a label is KEY=VALUE".to_owned()) }
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let path = args.path();
    if context.output.is_json() {
        let hub = context.ask(async |client: &Client| print(client, &path).await).await??;
        warn_of(context, &hub);
        return Ok(());
    }
    let (table, hub) =
        context.ask(async |client: &Client| listed(client, &path, context).await).await?;
    match &hub.version {
        Some(version) => context.warn_of(version),
        None => drop(context.client().await?),
    }
    warn_of(context, &hub);
    show(context, &args, table)
}

/// What is listed is what the hub's disk has taken.
fn warn_of(context: &Context, hub: &Beside) {
    if hub.is_refused {
        let said = "the hub's disk did not take what was reported last, so this may be old";
        context.output.warning(&Warning {
            code: "storage_refuses",
            message: said,
            hint: "`headsup doctor` says why",
        });
    }
}

/// So many bytes of an answer are printed whole or not at all, about a thousand agents. Of more the rest is printed
/// as it comes: to hold ten megabytes is a good part of the time that somebody waits for them.
const HELD: usize = 1 << 20;

/// Prints the answer, and returns what the hub says of itself. What has been printed cannot be taken back: an answer
/// that breaks off then is not asked for again, and the inner outcome says so.
async fn print(client: &Client, path: &str) -> Result<Result<Beside, CommandError>, CommandError> {
    let (mut pieces, mut held, mut bytes) = (Pieces::default(), Vec::new(), 0);
    let mut printer = None::<Printer>;
    let pass = |piece| {
        let text = pieces.next(piece)?;
        bytes += text.len();
        held.push(text);
        if bytes <= printer.as_ref().map_or(HELD, Printer::part) {
            return Ok(());
        }
        bytes = 0;
        let printer = match &mut printer {
            Some(printer) => printer,
            none => none.insert(Printer::start()?),
        };
        printer.print(std::mem::take(&mut held))
    };
    let done = client.pass_on(path, pass).await.and_then(|beside| {
        pieces.end()?;
        Ok(beside)
    });
    Ok(match (done, printer) {
        (Ok(beside), Some(printer)) => {
            held.push(LINE_END);
            let printed = printer.print(held);
            // Where nobody reads any more, the end says why.
            printer.end().and(printed).map(|()| beside)
        }
        (Err(error), Some(printer)) => {
            let printed = printer.print(held);
            printer.end().and(printed).and(Err(error.hint("what was printed is not all of it")))
        }
        (Ok(beside), None) => {
            held.push(LINE_END);
            held.iter().try_for_each(|text| Output::json_piece(text)).map(|()| beside)
        }
        (Err(error), None) => return Err(error),
    })
}

const LINE_END: Bytes = Bytes::from_static(b"\n");

/// The list, and what the hub says of itself.
async fn listed(
    client: &Client,
    path: &str,
    context: &Context,
) -> Result<(Table, Beside), CommandError> {
    let mark = if path.contains('?') { '&' } else { '?' };
    // Of ten thousand agents a list shows a fifth of what there is to know of them.
    let in_rows = format!("{path}{mark}view=rows");
    let mut table = Table::new(View::here(context.output));
    let mut rows = Rows::default();
    let pass = |piece: Bytes| rows.next(&in_rows, &piece, |row| table.add(row));
    match client.pass_on(&in_rows, pass).await {
        Ok(beside) => {
            rows.end(&in_rows, |row| table.add(row))?;
            Ok((table, beside))
        }
        // A hub that runs since before an update knows no views.
        Err(error) if error.code == "unknown_parameter" => {
            let roster = client.get_doc::<RosterDoc>(path).await?;
            for agent in &roster.agents {
                table.add(&words::row(agent));
            }
            Ok((table, Beside::default()))
        }
        Err(error) => Err(error),
    }
}

fn show(context: &Context, args: &Args, table: Table) -> Result<(), CommandError> {
    if table.is_empty() {
        let none = if args.is_filtered() { &NONE_FITS[..] } else { &NONE_AT_ALL[..] };
        for line in none {
            context.output.say(&Line::plain(line));
        }
        return Ok(());
    }
    context.output.table(table)
}

const NONE_FITS: [&str; 1] = ["No agent fits; `headsup ls --all` shows every one."];
const NONE_AT_ALL: [&str; 3] = [
    "No agents yet. An agent appears here with the first event that its hooks send.",
    "Start one: `headsup run -- AGENT`; or have all of them report: `headsup hooks install`.",
    "To see it at work without any: `headsup up --demo`.",
];

impl Args {
    fn is_filtered(&self) -> bool {
        self.status.is_some() || !self.label.is_empty()
    }

    fn path(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.status.iter().map(|set| format!("status={}", encode(set))));
        parts.extend(self.label.iter().map(|label| format!("label={}", encode(label))));
        parts.extend(self.all.then(|| "all=true".to_owned()));
        parts.extend(self.vocabulary.map(|named| format!("vocabulary={}", named.word())));
        let mark = if parts.is_empty() { "" } else { "?" };
        format!("/api/v1/agents{mark}{}", parts.join("&"))
    }
}
