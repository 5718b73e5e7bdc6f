//! What a client reads of the hub's answers, with the same places inside.

#[path = "../../headsup/src/client/rows.rs"]
mod rows;

pub(crate) use rows::Rows;

mod answer {
    use crate::error::CommandError;
    use serde::Deserialize;

    pub(super) fn doc<'a, T: Deserialize<'a>>(
        path: &str,
        body: &'a [u8],
    ) -> Result<T, CommandError> {
        let why = |_| CommandError::internal(path);
        let text = str::from_utf8(body).map_err(|_| CommandError::internal(path))?;
        serde_json::from_str(text).map_err(why)
    }
}
