//! The page's own files, in the program itself. Their address holds their digest, so a browser may
//! keep them for ever and a new hub brings new ones.

use super::sink::GUARD;
use crate::api::Refused;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use std::sync::LazyLock;
use xxhash_rust::xxh3::Xxh3;

struct Asset {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

const ALL: [Asset; 5] = [
    Asset {
        name: "board.css",
        kind: "text/css; charset=utf-8",
        text: include_str!("assets/board.css"),
    },
    Asset {
        name: "board.js",
        kind: "text/javascript; charset=utf-8",
        text: include_str!("assets/board.js"),
    },
    Asset {
        name: "answer.js",
        kind: "text/javascript; charset=utf-8",
        text: include_str!("assets/answer.js"),
    },
    Asset { name: "icon.svg", kind: "image/svg+xml", text: include_str!("assets/icon.svg") },
    Asset {
        name: "icon-wanted.svg",
        kind: "image/svg+xml",
        text: include_str!("assets/icon-wanted.svg"),
    },
];

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut digest = Xxh3::new();
    for asset in &ALL {
        digest.update(asset.text.as_bytes());
    }
    format!("{:016x}", digest.digest())
});

/// The digest of all files together.
pub(super) fn version() -> &'static str {
    &VERSION
}

/// The address of a file.
pub(super) fn url(name: &str) -> String {
    format!("/ui/{}/{name}", version())
}

pub(super) async fn get(
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<Response, Refused> {
    let (version, name) = path.map(|Path(path)| path).unwrap_or_default();
    let asset = ALL.iter().find(|asset| asset.name == name && version == *VERSION);
    let asset =
        asset.ok_or_else(|| Refused::new(404, "not_found", "no such file, or an old one"))?;
    let headers =
        [(CONTENT_TYPE, asset.kind), (CACHE_CONTROL, "private, max-age=31536000, immutable")];
    Ok((headers, GUARD, asset.text).into_response())
}
