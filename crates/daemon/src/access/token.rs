//! The token: 256 random bits in a file that only its user can read, made once.

use hmac::{Hmac, KeyInit as _, Mac as _};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use sha2::Sha256;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use subtle::ConstantTimeEq as _;

const NAME: &str = "token";
const NEW: &str = "token.new";
/// 256 bits in hexadecimal.
const LEN: usize = 64;

#[derive(Debug, thiserror::Error)]
pub(crate) enum TokenError {
    #[error("the token file {} cannot be used: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is not a file of yours alone; move it away, a new token is then made", .0.display())]
    NotOurs(PathBuf),
    #[error("{} holds no token; move it away, a new one is then made", .0.display())]
    NotAToken(PathBuf),
    #[error("the system gives no random numbers: {0}")]
    NoRandom(#[from] getrandom::Error),
}

/// It has no `Debug`: it must not reach a log.
pub(super) struct Token([u8; LEN]);

impl Token {
    pub(super) fn load(home: &Path) -> Result<Self, TokenError> {
        let path = home.join(NAME);
        let fail = |source: io::Error| TokenError::Io { path: path.clone(), source };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Self::make(home),
            Err(Errno::LOOP) => return Err(TokenError::NotOurs(path)),
            Err(errno) => return Err(fail(errno.into())),
        };
        let stat = rustix::fs::fstat(&file).map_err(|errno| fail(errno.into()))?;
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if !is_file || stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(TokenError::NotOurs(path));
        }
        if stat.st_mode & 0o077 != 0 {
            // Whoever could read it may have: it is worth nothing any more.
            tracing::warn!("the token was readable by others: a new one is made");
            return Self::make(home);
        }
        let mut text = Vec::with_capacity(LEN + 2);
        File::from(file).take(LEN as u64 + 2).read_to_end(&mut text).map_err(fail)?;
        match <[u8; LEN]>::try_from(text.trim_ascii_end()) {
            Ok(token) if token.iter().all(u8::is_ascii_hexdigit) => Ok(Self(token)),
            _ => Err(TokenError::NotAToken(path)),
        }
    }

    /// Whole or not at all: written beside it, flushed and renamed.
    fn make(home: &Path) -> Result<Self, TokenError> {
        let token = random()?;
        let (path, new) = (home.join(NAME), home.join(NEW));
        let write = || -> io::Result<()> {
            if let Err(error) = std::fs::remove_file(&new)
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(error);
            }
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let mut file = File::from(rustix::fs::open(&new, flags, Mode::RUSR | Mode::WUSR)?);
            file.write_all(&token)?;
            file.write_all(b"\n")?;
            file.sync_all()?;
            std::fs::rename(&new, &path)
        };
        write().map_err(|source| TokenError::Io { path: path.clone(), source })?;
        Ok(Self(token))
    }

    /// Compared in constant time.
    pub(super) fn is(&self, said: &[u8]) -> bool {
        self.0.as_slice().ct_eq(said).into()
    }

    /// An authenticator that nobody without the token can make. `purpose` keeps the uses apart.
    pub(super) fn authenticator(&self, purpose: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new(&self.0.into());
        mac.update(purpose.as_bytes());
        mac.update(b"\0");
        mac
    }
}

/// 256 random bits in hexadecimal.
pub(super) fn random() -> Result<[u8; LEN], getrandom::Error> {
    let mut bytes = [0; LEN / 2];
    getrandom::fill(&mut bytes)?;
    let mut text = [0; LEN];
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        for (digit, value) in pair.iter_mut().zip([byte >> 4, byte & 15]) {
            *digit = b"0123456789abcdef"[usize::from(value)];
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn it_is_made_once_and_for_us_alone() {
        let home = tempfile::tempdir().unwrap();
        let made = Token::load(home.path()).unwrap();
        let path = home.path().join(NAME);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.trim_end().len(), LEN);
        let again = Token::load(home.path()).unwrap();
        assert!(again.is(text.trim_end().as_bytes()) && made.is(&again.0));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let other = Token::load(tempfile::tempdir().unwrap().path()).unwrap();
        for wrong in [&other.0, &made.0[1..], b"", &[&made.0[..], b"0"].concat()] {
            assert!(!made.is(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn one_that_others_could_read_is_replaced() {
        let home = tempfile::tempdir().unwrap();
        let old = Token::load(home.path()).unwrap();
        fs::set_permissions(home.path().join(NAME), Permissions::from_mode(0o644)).unwrap();
        let new = Token::load(home.path()).unwrap();
        assert!(!new.is(&old.0));
        let mode = fs::metadata(home.path().join(NAME)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn what_is_not_a_token_of_ours_is_not_believed() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(NAME);
        for text in ["", "secret\n", &"x".repeat(LEN), &"a".repeat(LEN + 1)] {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            let error = Token::load(home.path()).err().unwrap();
            assert!(matches!(error, TokenError::NotAToken(_)), "{text:?}: {error}");
        }
        fs::rename(&path, home.path().join("real")).unwrap();
        symlink("real", &path).unwrap();
        assert!(matches!(Token::load(home.path()), Err(TokenError::NotOurs(_))));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(matches!(Token::load(home.path()), Err(TokenError::NotOurs(_))));
    }
}
