//! Commands of chromedriver's own.

use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use url::{ParseError, Url};

#[derive(Debug)]
pub(super) struct Chrome {
    /// Behind the session's address.
    pub(super) path: &'static str,
    pub(super) body: String,
}

impl WebDriverCompatibleCommand for Chrome {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _url: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.clone()))
    }
}
