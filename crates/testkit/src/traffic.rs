//! What goes over terminals: recorded off real programs (`fixtures/terminal`), and made up.

use std::io;
use std::path::Path;

/// The beginning of the query whether a terminal understands status reports, and of its answer.
const ASKS: &[u8] = b"\x1b]7501;?";
/// What ends the query.
const ENDS: [&[u8]; 2] = [b"\x07", b"\x1b\\"];

/// One program in a terminal, from its start to its end.
#[derive(Clone, Debug)]
pub struct Recording {
    pub name: String,
    /// What it wrote to the terminal, with the query that `headsup run` answers itself.
    pub said: Vec<u8>,
    /// What it read from there: keys, and what the terminal answered.
    pub typed: Vec<u8>,
}

/// All that there are, by their names.
///
/// # Errors
/// If one cannot be read.
pub fn recorded() -> io::Result<Vec<Recording>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/terminal");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "bytes") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (said, typed) = (std::fs::read(&path)?, std::fs::read(path.with_extension("keys"))?);
        all.push(Recording { name, said, typed });
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

/// The same again and again, `len` bytes of it.
pub fn looped(bytes: &[u8], len: usize) -> Vec<u8> {
    bytes.iter().copied().cycle().take(len).collect()
}

/// What of it a terminal gets to hear through `headsup run`: all but the query.
pub fn for_the_terminal(bytes: &[u8]) -> Vec<u8> {
    let (mut left, mut heard) = (bytes, Vec::with_capacity(bytes.len()));
    while let Some((first, rest)) = left.split_first() {
        let query = left.strip_prefix(ASKS);
        let behind = query.and_then(|rest| ENDS.iter().find_map(|end| rest.strip_prefix(*end)));
        left = behind.unwrap_or_else(|| {
            heard.push(*first);
            rest
        });
    }
    heard
}

/// The same where nothing is an answer to `headsup run` itself: all of it is for the program.
pub fn for_the_program(mut bytes: Vec<u8>) -> Vec<u8> {
    for at in 0..bytes.len() {
        if bytes[at..].starts_with(ASKS) {
            bytes[at] = b'.';
        }
    }
    bytes
}

/// `len` bytes of what programs and terminals can send: colours, mouse, paste, titles, images, reports, halves of each. There is no
/// query in it that is ours to answer.
pub fn made_up(len: usize) -> Vec<u8> {
    let parts: [&[u8]; 12] = [
        b"\x1b[?1049h\x1b[?1000;1006h\x1b[?2004h\x1b[38;2;1;2;3mtext\x1b[0m\r\n",
        b"\x1b]0;\xe2\x9c\xb3 Claude Code\x07",
        b"\x1b]7501;state=working:app=claude-code\x1b\\",
        b"\x1b]7501;?:states=idle\x07",
        b"\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\",
        b"\x1bPq#0;2;0;0;0#0~~@@vv@@~~@@~~$\x1b\\",
        b"\x1bPtmux;\x1b\x1b]7501;?\x07\x1b\\",
        b"\x1b_Gf=24,s=1,v=1;AAAA\x1b\\",
        b"\x1b[<0;10;20M\x1b[200~paste\x1b[201~\x1b[I",
        b"\x1b]9;4;1;50\x07\x9b31m\x9d0;c1\x9c",
        b"\xff\xfe\xf0\x9f\xa6\x80\xc3\x28\x00\x1b\x1b\x1b[",
        b"\x1b]7501;\x18\x1b]0;half\x1b[A\x1a",
    ];
    let mut bytes: Vec<u8> = Vec::with_capacity(len + 64);
    let mut state = 0x9e37_79b9_usize;
    while bytes.len() < len {
        // Any order will do, so long as it is none.
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345) % 0x8000_0000;
        bytes.extend_from_slice(parts[(state >> 16) % parts.len()]);
    }
    bytes.truncate(len);
    bytes
}
