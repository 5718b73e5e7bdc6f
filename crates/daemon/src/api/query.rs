//! Query strings. A parameter that we do not know is refused: a typing error must not look like
//! an answer.

use super::Refused;

#[derive(Debug)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(query: Option<&str>, allowed: &[&str]) -> Result<Self, Refused> {
        let mut pairs = Vec::new();
        for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Some(name), Some(value)) = (decode(name), decode(value)) else {
                return Err(bad("the query is not UTF-8 in percent-encoding"));
            };
            if !allowed.contains(&name.as_str()) {
                let allowed = if allowed.is_empty() { "none".into() } else { allowed.join(", ") };
                let detail = format!("{name:?} is not a parameter here; there are: {allowed}");
                return Err(Refused::new(400, "unknown_parameter", detail));
            }
            pairs.push((name, value));
        }
        Ok(Self(pairs))
    }

    /// Every value of a parameter that may be repeated.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(of, _)| of == name).map(|(_, value)| value.as_str())
    }

    /// The value of a parameter that stands once.
    pub(crate) fn one(&self, name: &str) -> Result<Option<&str>, Refused> {
        let mut values = self.0.iter().filter(|(of, _)| of == name);
        let value = values.next().map(|(_, value)| value.as_str());
        match values.next() {
            None => Ok(value),
            Some(_) => Err(bad(&format!("{name} stands more than once"))),
        }
    }

    /// `true`, `false`, or nothing, which is `default`.
    pub(super) fn flag(&self, name: &str, default: bool) -> Result<bool, Refused> {
        match self.one(name)? {
            None => Ok(default),
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(_) => Err(bad(&format!("{name} is true or false"))),
        }
    }
}

pub(super) fn bad(detail: &str) -> Refused {
    Refused::new(400, "bad_parameter", detail)
}

fn decode(text: &str) -> Option<String> {
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_and_repeated_ones_kept() {
        let text = "agent=a&agent=b%2Fc&match=x+y&all=true&empty";
        let query = Query::parse(Some(text), &["agent", "match", "all", "empty"]).unwrap();
        assert_eq!(query.all("agent").collect::<Vec<_>>(), ["a", "b/c"]);
        assert_eq!(query.one("match").unwrap(), Some("x y"));
        assert_eq!(query.one("empty").unwrap(), Some(""));
        assert_eq!(query.one("none").unwrap(), None);
        assert!(query.flag("all", false).unwrap());
        assert_eq!(query.one("agent").unwrap_err().code(), "bad_parameter");
        assert_eq!(query.flag("match", false).unwrap_err().code(), "bad_parameter");
    }

    #[test]
    fn what_is_unknown_or_broken_is_refused() {
        let code = |text| Query::parse(Some(text), &["a"]).unwrap_err().code();
        assert_eq!(code("b=1"), "unknown_parameter");
        for text in ["a=%", "a=%f", "a=%zz", "a=%ff", "a=%+1"] {
            assert_eq!(code(text), "bad_parameter", "{text}");
        }
    }
}
