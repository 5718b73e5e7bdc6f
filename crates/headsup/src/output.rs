//! stdout is data, stderr is talk; this is the only module that writes either.

pub(crate) mod age;
pub(crate) mod changes;
pub(crate) mod event;
pub(crate) mod explain;
#[cfg(test)]
pub(crate) mod fixture;
pub(crate) mod inbox;
pub(crate) mod line;
pub(crate) mod outage;
pub(crate) mod pieces;
pub(crate) mod printer;
pub(crate) mod roster;
pub(crate) mod screen;
pub(crate) mod sheet;
pub(crate) mod statusline;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod theme;

use crate::config::Colour;
use crate::error::{CommandError, Kind, Warning};
use anstream::{AutoStream, ColorChoice};
use line::Line;
use rustix::io::Errno;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// Bytes of a long list that are written at a time.
const PIECE: usize = 64 << 10;

/// Where a command's words go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    json: bool,
    colour_out: bool,
    colour_err: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let colour_out = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        let colour_err = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
        Self { json, colour_out, colour_err }
    }

    /// As a person's settings say.
    #[must_use]
    pub(crate) fn in_colour(self, colour: Colour) -> Self {
        let wanted = match colour {
            Colour::Auto => return self,
            Colour::Always => true,
            Colour::Never => false,
        };
        Self { colour_out: wanted, colour_err: wanted, ..self }
    }

    /// Was `--json` asked for?
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Are words on stdout coloured?
    pub(crate) fn is_coloured(self) -> bool {
        self.colour_out
    }

    pub(crate) fn is_terminal() -> bool {
        io::stdout().is_terminal()
    }

    /// Columns to fill: `COLUMNS`, else the terminal's; `None` where nothing sets a limit.
    pub(crate) fn width() -> Option<usize> {
        let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
        columns.filter(|columns| *columns > 0).or_else(|| {
            let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
            (size.ws_col > 0).then(|| usize::from(size.ws_col))
        })
    }

    /// Rows of the terminal, where there is one.
    pub(crate) fn height() -> Option<usize> {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        (size.ws_row > 0).then(|| usize::from(size.ws_row))
    }

    /// One line of data.
    pub(crate) fn line(self, line: &Line) -> Result<(), CommandError> {
        self.lines(std::slice::from_ref(line))
    }

    /// Lines of data, in one write.
    pub(crate) fn lines(self, lines: &[Line]) -> Result<(), CommandError> {
        let mut text = String::new();
        for line in lines {
            line.write_to(&mut text, self.colour_out);
            text.push('\n');
        }
        write_out(text.as_bytes())
    }

    /// A diff of somebody's file, in one write. What its lines are indented by stays as it is.
    pub(crate) fn diff(diff: &str) -> Result<(), CommandError> {
        let mut shown = String::with_capacity(diff.len());
        for line in diff.lines() {
            shown.push_str(&text::indented(line));
            shown.push('\n');
        }
        write_out(shown.as_bytes())
    }

    /// A list of agents, in as many writes as are worth one.
    pub(crate) fn table(self, table: roster::Table) -> Result<(), CommandError> {
        let mut text = String::with_capacity(PIECE);
        let mut written = Ok(());
        table.each_line(|line| {
            line.write_to(&mut text, self.colour_out);
            text.push('\n');
            if text.len() >= PIECE && written.is_ok() {
                written = write_out(text.as_bytes());
                text.clear();
            }
        });
        written.and_then(|()| write_out(text.as_bytes()))
    }

    /// One JSON document, on one line.
    pub(crate) fn json<T: Serialize>(doc: &T) -> Result<(), CommandError> {
        let text = serde_json::to_string(doc)
            .map_err(|error| CommandError::internal(format!("cannot write JSON: {error}")))?;
        Self::json_text(&text)
    }

    /// JSON text as the hub sent it, on one line.
    pub(crate) fn json_text(text: &str) -> Result<(), CommandError> {
        let mut out = text::json(text.trim()).into_owned();
        out.push('\n');
        write_out(out.as_bytes())
    }

    /// A text of our own that another program reads.
    pub(crate) fn text(text: &str) -> Result<(), CommandError> {
        write_out(text.as_bytes())
    }

    /// The next piece of a JSON document, which has passed [`pieces::Pieces`].
    pub(crate) fn json_piece(piece: &[u8]) -> Result<(), CommandError> {
        write_out(piece)
    }

    /// JSON text, one document a line.
    pub(crate) fn json_lines(lines: &str) -> Result<(), CommandError> {
        let mut out = String::with_capacity(lines.len());
        for line in lines.lines() {
            out.push_str(&text::json(line));
            out.push('\n');
        }
        write_out(out.as_bytes())
    }

    /// Talk to the person. Nobody listening is no error.
    pub(crate) fn say(self, line: &Line) {
        let mut text = line.render(self.colour_err);
        text.push('\n');
        write_err(text.as_bytes());
    }

    /// Tells the error in the form that was asked for.
    pub(crate) fn error(self, error: &CommandError) {
        if matches!(error.kind, Kind::OutputClosed | Kind::Agent(_)) {
            return;
        }
        if self.json {
            let doc = serde_json::to_string(&error.to_doc()).unwrap_or_default();
            write_err(format!("{}\n", text::json(&doc)).as_bytes());
            return;
        }
        self.say(&Line::new().styled(theme::ERROR, "error:").then(" ").then(&error.message));
        for hint in &error.hints {
            self.say(&Line::new().styled(theme::HINT, "hint:").then(" ").then(hint));
        }
    }

    /// Tells what is amiss in the form that was asked for.
    pub(crate) fn warning(self, warning: &Warning) {
        if self.json {
            let doc = serde_json::to_string(&warning.to_doc()).unwrap_or_default();
            write_err(format!("{}\n", text::json(&doc)).as_bytes());
            return;
        }
        let Warning { message, hint, .. } = warning;
        self.say(&Line::plain(format!("headsup: {message}: {hint}")));
    }

    /// Help and version, as the argument parser laid them out.
    pub(crate) fn help(self, text: &clap::builder::StyledStr) -> Result<(), CommandError> {
        if self.colour_out {
            write_out(text.ansi().to_string().as_bytes())
        } else {
            write_out(text.to_string().as_bytes())
        }
    }

    /// A usage error, as the argument parser laid it out. `is_harmless`: what was typed, which it quotes, is.
    pub(crate) fn usage(self, said: &clap::builder::StyledStr, is_harmless: bool) {
        write_err(usage_text(said, self.colour_err && is_harmless).as_bytes());
    }
}

/// The parser's colours cannot be told from those that a quoted word brings along: without them nothing of either is
/// left, and each line goes through the door.
pub(crate) fn usage_text(said: &clap::builder::StyledStr, in_colour: bool) -> String {
    if in_colour {
        return said.ansi().to_string();
    }
    let said = said.to_string();
    let lines: Vec<_> = said.lines().map(text::line).collect();
    lines.join("\n") + "\n"
}

/// Past the buffer of the standard library, which looks for line breaks in all of it: a roster of ten
/// thousand agents is one line of eleven megabytes.
fn write_out(bytes: &[u8]) -> Result<(), CommandError> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), rest) {
            Ok(0) => {
                return Err(CommandError::internal("cannot write to stdout: it takes nothing"));
            }
            Ok(written) => rest = &rest[written..],
            Err(Errno::INTR) => {}
            // Whoever has closed it does not want to hear.
            Err(Errno::BADF) => return Ok(()),
            Err(Errno::PIPE) => {
                return Err(CommandError::new(Kind::OutputClosed, "stdout is closed"));
            }
            Err(error) => {
                let error = io::Error::from(error);
                return Err(CommandError::internal(format!("cannot write to stdout: {error}")));
            }
        }
    }
    Ok(())
}

fn write_err(bytes: &[u8]) {
    // A closed stderr leaves nobody to tell.
    drop(io::stderr().lock().write_all(bytes));
}
