//! A picture redrawn in place, on the normal screen. The cursor comes back whatever happens.

use crate::error::CommandError;
use crate::output::line::Line;

const HIDE_CURSOR: &str = "\x1b[?25l";
const SHOW_CURSOR: &str = "\x1b[?25h";
const CLEAR: &str = "\x1b[2J\x1b[H";
const HOME: &str = "\x1b[H";
const CLEAR_LINE: &str = "\x1b[K";
const CLEAR_BELOW: &str = "\x1b[J";

/// A terminal whose cursor is hidden for as long as this lives.
#[derive(Debug)]
pub(crate) struct Screen {
    output: super::Output,
}

impl Screen {
    pub(crate) fn start(output: super::Output) -> Result<Self, CommandError> {
        super::write_out(format!("{HIDE_CURSOR}{CLEAR}").as_bytes())?;
        Ok(Self { output })
    }

    /// Draws `lines` over what stood there. The caller knows how many fit.
    pub(crate) fn draw(&self, lines: &[Line]) -> Result<(), CommandError> {
        let mut picture = String::from(HOME);
        for (i, line) in lines.iter().enumerate() {
            if i > 0 {
                picture.push_str("\r\n");
            }
            picture.push_str(&line.render(self.output.colour_out));
            picture.push_str(CLEAR_LINE);
        }
        picture.push_str(CLEAR_BELOW);
        super::write_out(picture.as_bytes())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        drop(super::write_out(format!("\r\n{SHOW_CURSOR}").as_bytes()));
    }
}
