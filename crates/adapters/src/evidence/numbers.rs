//! Numbers that may call somebody, by the names they stand under and by their length.

use super::vocabulary as known;
use serde_json::Number;

/// A longer one may be somebody's: of an account, a card, a telephone. In characters.
const LONGEST: usize = 6;

/// Words in the name of a member whose number, however short, is somebody's or leads to somebody.
const SOMEBODYS: &[&str] = &[
    "account",
    "acct",
    "address",
    "author",
    "birth",
    "birthday",
    "card",
    "ccn",
    "cell",
    "client",
    "company",
    "coordinate",
    "customer",
    "cvc",
    "cvv",
    "device",
    "dob",
    "ein",
    "employee",
    "fax",
    "geo",
    "gid",
    "gps",
    "iban",
    "imei",
    "imsi",
    "ip",
    "lat",
    "latitude",
    "latlng",
    "latlon",
    "licence",
    "license",
    "lng",
    "lon",
    "longitude",
    "machine",
    "member",
    "mobile",
    "msisdn",
    "org",
    "organisation",
    "organization",
    "otp",
    "owner",
    "passport",
    "patient",
    "person",
    "phone",
    "pin",
    "postal",
    "postcode",
    "serial",
    "ssn",
    "student",
    "swift",
    "tax",
    "tel",
    "telephone",
    "tenant",
    "tin",
    "uid",
    "user",
    "vat",
    "zip",
    "zipcode",
];

/// How the name of a moment ends.
const MOMENTS: &[&str] =
    &["at", "completed", "created", "since", "start", "started", "time", "timestamp", "updated"];

/// Whether a number says nothing of anybody. `free`: the agent itself has made up what it stands in.
pub(super) fn stays(name: &str, number: &Number, free: bool) -> bool {
    if number.as_i64() == Some(0) {
        return true;
    }
    let words = words(name);
    let is_short = !number.is_f64() && number.to_string().len() <= LONGEST;
    let is_somebodys = words.iter().any(|word| is_somebodys(word));
    if free {
        return is_short && known::is_of_calls(name) && !is_somebodys;
    }
    // What status files, hooks and processes are put together by.
    if name == "procStart" || words.iter().any(|word| word == "pid" || word == "ppid") {
        return number.is_u64();
    }
    let of_a_moment = words.iter().rfind(|word| *word != "ms");
    let of_a_moment = of_a_moment.is_some_and(|word| MOMENTS.contains(&word.as_str()));
    !is_somebodys && (is_short || (of_a_moment && is_moment(number)))
}

/// Seconds or milliseconds, between 2001 and 2100.
fn is_moment(number: &Number) -> bool {
    let moments = 1_000_000_000..4_102_444_800;
    number.as_u64().is_some_and(|at| moments.contains(&at) || moments.contains(&(at / 1_000)))
}

fn is_somebodys(word: &str) -> bool {
    let endings = ["", "id", "number", "num", "no", "nr", "s"];
    let mut stems = endings.iter().filter_map(|ending| word.strip_suffix(ending));
    stems.any(|stem| SOMEBODYS.contains(&stem))
}

/// `phone_number`, `phone-number` and `phoneNumber2` are two words each.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut was_small) = (vec![String::new()], false);
    for c in name.chars() {
        if !c.is_alphabetic() || (was_small && c.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(name: &str, number: impl Into<Number>) -> bool {
        stays(name, &number.into(), false)
    }

    fn float(number: f64) -> Number {
        Number::from_f64(number).unwrap()
    }

    #[test]
    fn a_number_under_a_name_that_leads_to_somebody_does_not_stay() {
        for name in [
            "account_id",
            "accountId",
            "userid",
            "user_id",
            "userID",
            "phone",
            "phoneNumber2",
            "phones",
            "cardNumber",
            "CVC",
            "ssn",
            "lat",
            "home-lon",
            "zip",
        ] {
            assert!(!kept(name, 4_711), "{name}");
            assert!(!stays(name, &Number::from(4_711), true), "{name}");
        }
        assert!(!kept("anything", float(48.137)) && !kept("lat", float(1.5)));
    }

    #[test]
    fn a_long_number_stays_only_as_a_moment_or_a_process() {
        for (name, number) in [
            ("number", 4_111_111_111_111_111_u64),
            ("value", 491_701_234_567),
            ("n", 123_456_789),
            ("updatedAt", 4_111_111_111_111_111),
            ("called", 1_795_296_994_161),
        ] {
            assert!(!kept(name, number), "{name}");
        }
        for (name, number) in [
            ("statusUpdatedAt", 1_795_296_994_161_u64),
            ("started_at_ms", 1_795_296_994_161),
            ("timestamp", 1_795_296_994_161),
            ("started_at", 1_795_297_872),
            ("pid", 4_194_303),
            ("parentPid", 4_194_303),
            ("procStart", 45_781_412),
        ] {
            assert!(kept(name, number), "{name}");
        }
    }

    #[test]
    fn what_a_program_counts_stays_and_what_an_agent_made_up_does_not() {
        for name in ["apiErrorStatus", "exit_code", "attempt", "id", "plate", "output_tokens"] {
            assert!(kept(name, 529), "{name}");
        }
        assert!(kept("code", -32_603) && kept("user", 0));
        let of_a_call = |name: &str, number: u64| stays(name, &Number::from(number), true);
        assert!(of_a_call("timeout", 600) && of_a_call("anything", 0));
        assert!(!of_a_call("timeout", 1_234_567) && !of_a_call("secret_code", 4_711));
    }
}
