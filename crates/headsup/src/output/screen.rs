//! A picture redrawn in place, on the normal screen. The cursor is only hidden while it is drawn: so it is there
//! whatever happens, also where we are stopped (Ctrl-Z) or killed.

use crate::error::CommandError;
use crate::output::line::Line;

const HIDE_CURSOR: &str = "\x1b[?25l";
const SHOW_CURSOR: &str = "\x1b[?25h";
const CLEAR: &str = "\x1b[2J\x1b[H";
const HOME: &str = "\x1b[H";
const CLEAR_LINE: &str = "\x1b[K";
const CLEAR_BELOW: &str = "\x1b[J";

/// A terminal that a picture stands on for as long as this lives.
#[derive(Debug)]
pub(crate) struct Screen {
    output: super::Output,
}

impl Screen {
    pub(crate) fn start(output: super::Output) -> Result<Self, CommandError> {
        super::write_out(CLEAR.as_bytes())?;
        Ok(Self { output })
    }

    /// Draws `lines` over what stood there, in one write. The caller knows how many fit.
    pub(crate) fn draw(&self, lines: &[Line]) -> Result<(), CommandError> {
        super::write_out(picture(lines, self.output.colour_out).as_bytes())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        drop(super::write_out(b"\r\n"));
    }
}

fn picture(lines: &[Line], in_colour: bool) -> String {
    let mut picture = format!("{HIDE_CURSOR}{HOME}");
    for (i, line) in lines.iter().enumerate() {
        if i > 0 {
            picture.push_str("\r\n");
        }
        picture.push_str(&line.render(in_colour));
        picture.push_str(CLEAR_LINE);
    }
    picture.push_str(CLEAR_BELOW);
    picture.push_str(SHOW_CURSOR);
    picture
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_a_picture_the_cursor_is_there() {
        let drawn = picture(&[Line::plain("a"), Line::plain("b")], false);
        assert_eq!(drawn, "\x1b[?25l\x1b[Ha\x1b[K\r\nb\x1b[K\x1b[J\x1b[?25h");
    }
}
