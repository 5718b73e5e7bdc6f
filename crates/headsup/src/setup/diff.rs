//! A step as a unified diff.

use super::edit::Step;
use similar::TextDiff;
use std::path::Path;

pub(super) fn of(step: &Step) -> String {
    match step {
        Step::Write { path, before, after, .. } => {
            unified(path, before.as_deref(), Some(after.as_str()))
        }
        Step::Delete { path, before } => unified(path, Some(before.as_str()), None),
        Step::Tree { path, files } => {
            files.iter().map(|(name, text)| unified(&path.join(name), None, Some(text))).collect()
        }
        Step::DeleteTree { path, files } => {
            files.iter().map(|(name, text)| unified(&path.join(name), Some(text), None)).collect()
        }
        Step::Folder { .. } | Step::DeleteEmpty { .. } | Step::Link { .. } | Step::Clear { .. } => {
            String::new()
        }
    }
}

fn unified(path: &Path, before: Option<&str>, after: Option<&str>) -> String {
    let name = |there: bool| {
        if there { path.display().to_string() } else { "/dev/null".to_owned() }
    };
    let (old, new) = (name(before.is_some()), name(after.is_some()));
    let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    diff.unified_diff().context_radius(3).header(&old, &new).to_string()
}
