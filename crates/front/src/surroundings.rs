//! What the command line and the environment say.

use crate::number::number;
use crate::system::{Address, Stack};
use crate::text::Text;
use crate::told::{OTHERS, TOLD, Told};

/// A longer word is no kind and no event of any agent.
const MAX_WORD: usize = 256;
/// More variables than any kind may report.
pub(crate) const MOST: usize = 8;

/// Room for the path of a socket.
const PATH: usize = 112;

type Word = &'static [u8];

pub(crate) struct Surroundings {
    pub(crate) kind: Word,
    pub(crate) event: Word,
    pub(crate) socket: Address,
    /// The path of the spool's folder, and zero bytes.
    pub(crate) spool: [u8; PATH],
    pub(crate) agent: Option<Word>,
    pub(crate) token: Option<Word>,
    /// Of the variables that may be told those that are set, in their order.
    pub(crate) variables: [Option<(Word, Word)>; MOST],
    pub(crate) vendor_pid: Option<u32>,
}

/// The first of each name counts, as in the C library.
#[derive(Default)]
struct Found {
    home: Option<Word>,
    state: Option<Word>,
    own_home: Option<Word>,
    url: Option<Word>,
    agent: Option<Word>,
    other_agent: Option<Word>,
    token: Option<Word>,
    told: [Option<Word>; MOST],
}

impl Surroundings {
    /// `None`: anything but a usual hook with a hub on this machine.
    pub(crate) fn of(stack: &Stack) -> Option<Self> {
        (stack.argument_count() == 4 && stack.argument(1)? == b"hook").then_some(())?;
        let (kind, event) = (word(stack.argument(2)?)?, word(stack.argument(3)?)?);
        let told = TOLD.iter().find(|told| told.kind.as_bytes() == kind).unwrap_or(&OTHERS);
        // How the program was started is looked at then.
        (told.start.map(str::as_bytes) != Some(event)).then_some(())?;

        let found = Found::of(stack, told);
        is_unset(found.url).then_some(())?;
        let agent = set(found.agent).or(set(found.other_agent));
        // A name that cannot be one is left to whoever says so.
        agent.is_none_or(is_an_id).then_some(())?;
        let token = set(found.token);
        token.is_none_or(|token| token.len() <= 1024 && is_graphic(token)).then_some(())?;

        let mut variables = [None; MOST];
        let mut vendor_pid = None;
        for ((place, name), value) in variables.iter_mut().zip(told.environment).zip(found.told) {
            let Some(value) = set(value) else { continue };
            if told.pid_variable == Some(*name) {
                // What is no number here may be one elsewhere.
                vendor_pid = Some(u32::try_from(number(value)?).ok()?);
            }
            *place = Some((name.as_bytes(), value));
        }
        let (mut path, mut spool) = ([0; PATH], [0; PATH]);
        let socket = Address::new(found.path(b"/headsup.sock", &mut path)?)?;
        found.path(b"/spool\0", &mut spool)?;
        Some(Self { kind, event, socket, spool, agent, token, variables, vendor_pid })
    }
}

impl Found {
    fn of(stack: &Stack, told: &Told) -> Self {
        let mut found = Self::default();
        for variable in stack.environment() {
            let Some(at) = variable.iter().position(|byte| *byte == b'=') else { continue };
            let (Some(name), Some(value)) = (variable.get(..at), variable.get(at + 1..)) else {
                continue;
            };
            for (place, wanted) in found.told.iter_mut().zip(told.environment) {
                if name == wanted.as_bytes() {
                    place.get_or_insert(value);
                }
            }
            let place = match name {
                b"HEADSUP_HOME" => &mut found.home,
                b"XDG_STATE_HOME" => &mut found.state,
                b"HOME" => &mut found.own_home,
                b"HEADSUP_URL" => &mut found.url,
                b"HEADSUP_AGENT_ID" => &mut found.agent,
                b"PANOPTICON_AGENT_ID" => &mut found.other_agent,
                b"HEADSUP_AGENT_TOKEN" => &mut found.token,
                _ => continue,
            };
            place.get_or_insert(value);
        }
        found
    }

    /// Of something in the state folder.
    fn path<'a>(&self, name: &[u8], room: &'a mut [u8]) -> Option<&'a [u8]> {
        let base = |value: Option<Word>| set(value).filter(|path| path.first() == Some(&b'/'));
        let (folder, below): (Word, Word) = match (set(self.home), base(self.state)) {
            (Some(home), _) => (base(Some(home))?, b""),
            (None, Some(state)) => (state, b"/headsup"),
            (None, None) => (base(self.own_home)?, b"/.local/state/headsup"),
        };
        let mut text = Text::new(room);
        let has_an_end = folder.last() == Some(&b'/');
        text.push(if has_an_end { folder.get(..folder.len() - 1)? } else { folder });
        text.push(below);
        text.push(name);
        text.done()
    }
}

fn is_unset(value: Option<Word>) -> bool {
    set(value).is_none()
}

fn set(value: Option<Word>) -> Option<Word> {
    value.filter(|value| !value.is_empty())
}

/// One that needs no escape in a request line and is no option.
fn word(word: Word) -> Option<Word> {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
    let starts = word.first()?.is_ascii_alphanumeric();
    (starts && word.len() <= MAX_WORD && word.iter().all(plain)).then_some(word)
}

/// As in `headsup_core::id`.
fn is_an_id(id: Word) -> bool {
    let legal = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    id.len() <= 128 && id.iter().all(legal) && id != b"." && id != b".."
}

fn is_graphic(text: Word) -> bool {
    text.iter().all(u8::is_ascii_graphic)
}
