//! `headsup ls | picture > docs/roster.svg`: coloured terminal text in, an SVG out.

use std::io::{Read, Write};

fn main() -> std::io::Result<()> {
    let title = std::env::args().nth(1).unwrap_or_else(|| "headsup".to_owned());
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    std::io::stdout().write_all(headsup_testkit::picture::svg(&text, &title).as_bytes())
}
