//! What the machine's owner has ruled, over the heads of all its users.

use headsup_adapters::inject::Recipe;
use std::path::Path;

/// The file by which the machine says what its programs start with, so that nothing beside it counts; `None`
/// where there is none. One that cannot be looked at may be there.
pub(crate) fn by(recipe: &'static Recipe) -> Option<&'static str> {
    let is_there = |path: &&str| !matches!(Path::new(path).try_exists(), Ok(false));
    recipe.managed.iter().copied().find(is_there)
}
