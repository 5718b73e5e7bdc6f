//! The person whose hub this is, by the name that the machine has for them.

use crate::peer::own_uid;

/// The login name of our user; `you` where there is none.
pub(crate) fn name() -> String {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let from_environment = || std::env::var("USER").ok().filter(|name| !name.is_empty());
    named(&users, own_uid()).or_else(from_environment).unwrap_or_else(|| "you".to_owned())
}

fn named(users: &str, uid: u32) -> Option<String> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty())?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_named_by_the_number() {
        let users = "root:x:0:0:root:/root:/bin/sh\n\nada:x:1000:1000::/home/ada:/bin/sh\n";
        assert_eq!(named(users, 1_000).as_deref(), Some("ada"));
        assert_eq!(named(users, 1), None);
    }
}
