//! `headsup open`

use crate::browser;
use crate::cli::{Context, listen};
use crate::client::page;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use headsup_daemon::Listen;

/// Open the hub's page in a browser.
///
/// The hub listens on 127.0.0.1:7717 from then on (`headsup up --listen ADDR` chooses another
/// place, `headsup up --no-listen` ends it). The link that is printed works once, for two minutes;
/// the browser then keeps a session of seven days. On a desktop the browser is started.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only print the link.
    #[arg(long)]
    no_browser: bool,
}

const EXAMPLES: &str = "\
Examples:
  headsup open
  headsup open --no-browser             print the link, for a browser elsewhere
  headsup open --json                   the same for scripts";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    page::listen(&client, &Listen::default()).await?;
    let link = page::link(&client).await?;
    if context.output.is_json() {
        return Output::json(&link);
    }
    listen::show(&link.url, context.output)?;
    if !args.no_browser && browser::open(&link.url) {
        context.output.say(&Line::plain("headsup: your browser should show it now"));
    }
    Ok(())
}
