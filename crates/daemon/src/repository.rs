//! Which git repository a folder belongs to, and which checkouts it has, by looking at a few names alone:
//! nothing of it is run, and its configuration is not read.

use headsup_core::work::pull::is_branch;
use std::fs;
use std::path::{Path, PathBuf};

/// What may stand in a file that points elsewhere. Bytes.
const LONGEST_POINTER: u64 = 8_192;

/// A repository on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    /// The main checkout; of a bare repository its git folder.
    pub(crate) main: PathBuf,
    /// The git folder that all of its checkouts share.
    pub(crate) common: PathBuf,
}

/// A folder with files of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checkout {
    pub(crate) folder: PathBuf,
    /// Its own git folder, with its index and its `HEAD`.
    pub(crate) git: PathBuf,
}

/// Where in a repository a folder is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The main checkout, as [`Repository::main`].
    pub(crate) repo: PathBuf,
    /// The checkout that the folder is in.
    pub(crate) worktree: PathBuf,
    /// What is checked out there; `None` where that is no branch.
    pub(crate) branch: Option<String>,
}

impl Place {
    /// `None` in no checkout of a repository.
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        let real = real(folder)?;
        let worktree = real.ancestors().find(|root| root.join(".git").exists())?;
        let Repository { main, .. } = Repository::of(worktree)?;
        let dot = worktree.join(".git");
        let git = if dot.is_file() { pointed_at(worktree, &dot)? } else { dot };
        let branch = text_of(&git.join("HEAD"));
        let branch =
            branch.as_deref().and_then(|head| head.trim().strip_prefix("ref: refs/heads/"));
        let branch = branch.filter(|branch| is_branch(branch)).map(str::to_owned);
        Some(Self { repo: main, worktree: worktree.to_owned(), branch })
    }
}

impl Repository {
    /// The repository that `folder` is in; `None` in none.
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        real(folder)?.ancestors().find_map(|root| {
            let dot = root.join(".git");
            if fs::symlink_metadata(&dot).is_ok_and(|dot| dot.is_file()) {
                let common = common_of(&pointed_at(root, &dot)?)?;
                return Some(Self { main: main_of(&common), common });
            }
            let common = [dot, root.to_owned()].into_iter().find(|git| is_git(git))?;
            Some(Self { main: main_of(&common), common })
        })
    }

    /// Every checkout that it knows of and that knows of it.
    pub(crate) fn checkouts(&self) -> Vec<Checkout> {
        let main = Checkout { folder: self.main.clone(), git: self.common.clone() };
        let is_there = |checkout: &Checkout| checkout.git.join("index").is_file();
        let mut found = vec![main];
        let worktrees = fs::read_dir(self.common.join("worktrees"));
        for git in worktrees.into_iter().flatten().flatten().map(|entry| entry.path()) {
            let Some(dot) = text_of(&git.join("gitdir")) else { continue };
            let dot = git.join(dot.trim());
            let Some(folder) = dot.parent().map(Path::to_owned) else { continue };
            // One that was moved or removed may have another in its place.
            let here = pointed_at(&folder, &dot).and_then(|to| to.canonicalize().ok());
            if here.is_some() && here == git.canonicalize().ok() {
                found.push(Checkout { folder, git });
            }
        }
        found.retain(is_there);
        found
    }
}

/// However it is reached, by links or by dots, a folder has one name. It may be gone itself.
fn real(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find_map(|above| above.canonicalize().ok())
}

fn is_git(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// The main checkout of a git folder.
fn main_of(common: &Path) -> PathBuf {
    let above = common.parent().filter(|_| common.ends_with(".git"));
    above.unwrap_or(common).to_owned()
}

/// The git folder that the one of a worktree belongs to.
fn common_of(git: &Path) -> Option<PathBuf> {
    let common = match text_of(&git.join("commondir")) {
        Some(text) => git.join(text.trim()),
        None => git.to_owned(),
    };
    common.canonicalize().ok().filter(|common| is_git(common))
}

/// Where the file `.git` of a worktree points to.
fn pointed_at(root: &Path, dot: &Path) -> Option<PathBuf> {
    Some(root.join(text_of(dot)?.strip_prefix("gitdir:")?.trim()))
}

/// A short file.
fn text_of(path: &Path) -> Option<String> {
    let meta = fs::metadata(path).ok()?;
    let is_short = meta.is_file() && meta.len() <= LONGEST_POINTER;
    is_short.then(|| fs::read_to_string(path).ok()).flatten()
}
