//! `headsup ls | picture > docs/roster.svg`

use clap::Parser;
use std::io::{Read, Write};

/// Make a picture of coloured terminal text: text in, an SVG out.
#[derive(Debug, Parser)]
#[command(name = "picture")]
struct Args {
    /// What stands above it.
    #[arg(default_value = "headsup")]
    title: String,
}

fn main() -> std::io::Result<()> {
    let Args { title } = Args::parse();
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    std::io::stdout().write_all(headsup_testkit::picture::svg(&text, &title).as_bytes())
}
