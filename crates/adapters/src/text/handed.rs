//! Credentials that a program is handed: on its standard input, as `docker login --password-stdin` and
//! `gh auth login --with-token` read them, or as a cookie, as in `curl -b NAME=…`.

use super::accounts::{after, behind};
use super::assign::{is_reference, quote_before, skip_quote};
use super::command::{Word, is_one_command, separator, word, word_from, words_since};
use super::programs::{CURL, JOINED_TO_NAMES};
use super::words::is_plain;
use std::ops::Range;

/// How far ahead a command is read, and how many of its words.
const AHEAD: usize = 512;
const WORDS: usize = 16;

/// Options by which a program reads a credential from its standard input.
const OPTIONS: &[&str] = &["--password-stdin", "--with-token", "--passphrase-fd 0"];

/// Programs that ask their standard input for a password.
const READERS: &[&str] = &["sudo -S", "passwd --stdin"];

/// A program that reads names with their passwords.
const PAIRS: &[u8] = b"chpasswd";

/// `curl -b NAME=…`, also joined and behind other letters, and `--cookie NAME=…`; a word without a
/// sign is the name of a file.
pub(super) fn cookie(text: &[u8], at: usize) -> Option<Range<usize>> {
    let letter = |b: &&u8| b.is_ascii_alphabetic() || **b == b'-';
    let end = at + 1 + text[at + 1..].iter().take(16).take_while(letter).count();
    let spaced = separator(text, end);
    let name = &text[at + 1..end];
    let start = match name {
        b"-cookie" if text.get(end) == Some(&b'=') => end + 1,
        b"-cookie" => spaced?,
        [.., b'b'] if spaced.is_some() && !name.starts_with(b"-") => spaced?,
        [b'b', ..] => at + 2,
        _ => return None,
    };
    // A quote may stand before the option and what is joined to it.
    let whole = match quote_before(text, at).filter(|_| spaced != Some(start)) {
        quote @ Some(_) => word_from(text, start, start, quote),
        None => word(text, start),
    };
    let has_secret = text[whole.range.clone()].split(|b| *b == b';').any(|pair| {
        let sign = pair.iter().position(|b| *b == b'=');
        let value = sign.map_or(&b""[..], |sign| &pair[sign + 1..]);
        !(value.is_empty() || is_reference(value) || is_plain(value))
    });
    let is_called = || words_since(text, at, CURL).is_some_and(|(_, words)| is_one_command(words));
    (has_secret && is_called()).then(|| whole.all(text))
}

/// `smbclient -U NAME%…` and the like; a name alone is none.
pub(super) fn joined_to_name(text: &[u8], at: usize) -> Option<Range<usize>> {
    JOINED_TO_NAMES.iter().find_map(|(programs, options, sign)| {
        let option = options.iter().find(|option| text[at..].starts_with(option.as_bytes()))?;
        let end = at + option.len();
        let spaced = separator(text, end);
        let is_long = option.starts_with("--");
        let start = match text.get(end) {
            Some(b'=') if is_long => end + 1,
            _ if is_long => spaced?,
            _ => spaced.unwrap_or(end),
        };
        // A quote may stand before the option and what is joined to it.
        let whole = match quote_before(text, at).filter(|_| spaced.is_none()) {
            quote @ Some(_) => word_from(text, start, start, quote),
            None => word(text, start),
        };
        // A domain may stand before the name, behind a backslash, and whatever letter follows that.
        let goes_on = |b: &&u8| **b > b' ' && !b"\"'`;|&)<>".contains(*b);
        let bare = || text[whole.range.start..].iter().take(128).take_while(goes_on).count();
        let length = whole.quote.map_or_else(bare, |_| whole.range.len().min(128));
        let stretch = &text[whole.range.start..whole.range.start + length];
        let sign = stretch.iter().position(|b| b == sign)?;
        let value = whole.range.start + sign + 1;
        let found = match whole.quote {
            Some(_) => Word { range: value..whole.range.end, raw: value, quote: whole.quote },
            None => word(text, value),
        };
        let is_called =
            || words_since(text, at, programs).is_some_and(|(_, words)| is_one_command(words));
        (found.is_secret(text) && is_called()).then(|| found.all(text))
    })
}

/// `--password-stdin <<< …`
pub(super) fn here(text: &[u8], at: usize) -> Option<Range<usize>> {
    let option = OPTIONS.iter().find(|option| text[at..].starts_with(option.as_bytes()))?;
    let mut next = separator(text, at + option.len())?;
    for _ in 0..WORDS {
        if text[next..].starts_with(b"<<<") {
            let start = next + 3;
            let found = word(text, separator(text, start).unwrap_or(start));
            return found.is_secret(text).then(|| found.all(text));
        }
        next = after(text, &word(text, next))?;
    }
    None
}

/// `echo … | PROGRAM --password-stdin`, also with `printf`.
pub(super) fn piped(text: &[u8], at: usize) -> Option<Range<usize>> {
    let mut next = behind(text, at, b"echo").or_else(|| behind(text, at, b"printf"))?;
    for _ in 0..WORDS {
        let found = word(text, next);
        if !matches!(text[found.range.clone()].first(), Some(b'-' | b'%')) {
            let end = found.range.end;
            let closed = if found.quote.is_some() { skip_quote(text, end).0 } else { end };
            let pipe = separator(text, closed).unwrap_or(closed);
            // A name and its password are another's to judge.
            let rest = &text[pipe..text.len().min(pipe + AHEAD)];
            let is_pair = text[found.range.clone()].contains(&b':')
                && rest.windows(PAIRS.len()).any(|piece| piece == PAIRS);
            let is_own = text.get(pipe) == Some(&b'|') && is_read(&text[pipe + 1..]);
            return (is_own && !is_pair && found.is_secret(text)).then(|| found.all(text));
        }
        next = after(text, &found)?;
    }
    None
}

/// Does the next command read a credential?
fn is_read(text: &[u8]) -> bool {
    // Behind `|` a line goes on, and behind a backslash. In quoted JSON its end is `\n`.
    let seen = text[..text.len().min(AHEAD)].trim_ascii_start();
    let goes_on = |at: usize| at > 0 && seen[at - 1] == b'\\';
    let ends = |at: &usize| match seen[*at] {
        b'|' | b';' | b'&' => true,
        b'\n' => !goes_on(*at),
        b'\\' => seen.get(at + 1) == Some(&b'n') && !goes_on(*at),
        _ => false,
    };
    let own = &seen[..(0..seen.len()).find(ends).unwrap_or(seen.len())];
    let has = |name: &&str| own.windows(name.len()).any(|piece| piece == name.as_bytes());
    OPTIONS.iter().chain(READERS).any(has)
}

#[cfg(test)]
mod tests {
    use super::super::{REDACTED, redact};

    /// `@` stands for the secret.
    fn hides(secret: &str, places: &[&str]) {
        for place in places {
            let clean = redact(&place.replace('@', secret)).into_owned();
            assert_eq!(clean, place.replace('@', REDACTED));
            assert_eq!(redact(&clean), clean);
        }
    }

    #[test]
    fn what_a_program_reads_is_a_secret() {
        let places = [
            "echo @ | docker login -u ada --password-stdin r.example",
            "echo '@' | sudo docker login --password-stdin",
            "echo \"@\"|podman login --password-stdin r.example",
            "printf '%s\\n' '@' | gh auth login --with-token",
            "echo -n @ | gh auth login --hostname h --with-token",
            "cd x && echo @ | sudo -S apt install y",
            "echo @ | gpg --batch --passphrase-fd 0 -d f",
            "echo @ | passwd --stdin ada",
            "echo @ | docker login r.example \\\n  -u ada \\\n  --password-stdin",
            "echo @ | \\\n docker login --password-stdin",
            "echo @ |\n docker login --password-stdin",
            "{\"c\":\"echo @ | docker login \\\\\\n --password-stdin\"}",
            "gh auth login --with-token <<< @",
            "docker login --password-stdin -u ada r.example <<< \"@\"",
            "docker login --password-stdin <<<'@' && ls",
            "{\"command\":\"echo \\\"@\\\" | docker login --password-stdin\"}",
        ];
        hides("swordfish", &places);
    }

    #[test]
    fn a_cookie_of_curl_is_a_secret() {
        let places = [
            "curl -b @ https://host.example",
            "curl -b \"@\" https://host.example",
            "curl -sb '@' https://host.example",
            "curl -b'@' x",
            "curl -b@ x",
            "curl --cookie '@' x",
            "curl --cookie=@ x",
            "curl -H 'Accept: a' \\\n  -b '@' x",
            "[\"curl\",\"-b\",\"@\"]",
        ];
        hides("sid=Kq83hdkW", &places);
        let several = redact("curl -b 'theme=$THEME; sid=Kq83hdkW' x");
        assert_eq!(several, format!("curl -b '{REDACTED}' x"));
        let places = ["curl \"-b@\" x", "curl '--cookie=@' x", "[\"curl\",\"-b@\"]"];
        hides("sid=Kq83hdkW; tok=Zz99hdk", &places);
    }

    #[test]
    fn what_is_kept_elsewhere_or_read_by_nobody_stays() {
        for text in [
            "curl -b cookies.txt -c cookies.txt x",
            "curl -b \"sid=$SID\" x",
            "curl --cookie-jar a=b x",
            "curl x | grep -b a=b",
            "git checkout -b a=b",
            "echo \"$TOKEN\" | docker login --password-stdin",
            "echo hello | tee f",
            "{\"command\":\"echo building | tee log\\nsudo -S ls\"}",
            "echo \"root:$PW\" | sudo -S chpasswd",
            "echo root:[redacted] | sudo -S chpasswd",
            "echo hello | wc -c; docker login --password-stdin < f",
            "echo hello; cat f | docker login --password-stdin",
            "cat f | gh auth login --with-token",
            "gh auth login --with-token < f",
            "docker login --password-stdin <<< \"$TOKEN\"",
            "use --with-token to read it",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}
