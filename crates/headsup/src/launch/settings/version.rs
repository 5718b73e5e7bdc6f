//! Of which version a program is, as its package says: to ask the program itself takes longer than it may.

use serde_json::Value;
use std::path::Path;

/// Major and minor version of the package that a program is in. `None` where it is in no such package.
pub(super) fn of(program: &Path, package: &str) -> Option<(u64, u64)> {
    let program = program.canonicalize().ok()?;
    // In a folder of the package.
    let file = program.parent()?.parent()?.join("package.json");
    let said: Value = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
    let mut parts = said["version"].as_str()?.split('.').map(str::parse);
    let is_it = said["name"] == package;
    let (Ok(major), Ok(minor)) = (parts.next()?, parts.next()?) else { return None };
    is_it.then_some((major, minor))
}
