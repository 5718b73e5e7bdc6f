//! Whether it serves others, and where, by the words that it was started with. The plugin reads them, too (`words.js`).

use crate::bus::Served;

const COMMANDS: [&str; 4] = ["run", "serve", "web", "acp"];

/// Options whose value may be any word, also one of those.
const NAMING: [&str; 7] = ["--agent", "--hostname", "--model", "-m", "--prompt", "--session", "-s"];

pub(crate) fn served(words: &[String]) -> Served {
    // That word comes first, before what is said to the model.
    let command = words.iter().enumerate().find(|(at, word)| is_command(words, *at, word));
    let named = words.windows(2).find(|pair| pair[0] == "--port").map(|pair| pair[1].as_str());
    let joined = || words.iter().find_map(|word| word.strip_prefix("--port="));
    let port = named.or_else(joined).and_then(|port| port.parse().ok()).filter(|port| *port != 0);
    Served { port, is_shared: command.is_some_and(|(_, command)| command != "run") }
}

fn is_command(words: &[String], at: usize, word: &str) -> bool {
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    COMMANDS.contains(&word) && !before.is_some_and(|before| NAMING.contains(&before.as_str()))
}
