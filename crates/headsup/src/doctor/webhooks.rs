//! Whether web hooks are listened to, and what has become of what they told lately.

use super::Check;
use crate::client::Client;
use headsup_core::wire::{HeardDoc, WebhookResult, WebhooksDoc};
use std::collections::BTreeMap;

const NAME: &str = "webhooks";
const PATH: &str = "/api/v1/webhooks?limit=1000";

pub(super) async fn check(client: &Client) -> Check {
    match client.get_doc::<WebhooksDoc>(PATH).await {
        Ok(doc) => judge(&doc),
        Err(error) => Check::bad(NAME, error.message, "see hub.log in the state folder"),
    }
}

fn judge(doc: &WebhooksDoc) -> Check {
    if !doc.enabled {
        let check = Check::good(NAME, "off: no comment elsewhere answers anything");
        // Who names nobody does not wish for it.
        return match doc.authors.is_empty() {
            true => check,
            false => check.with("to listen, set KANBANGER_WEBHOOK_SECRET in the hub's environment"),
        };
    }
    let check = match doc.deliveries.as_slice() {
        [] => Check::good(NAME, "listening; nothing has come"),
        heard => {
            let all = heard.iter().map(times).sum::<u64>();
            Check::good(NAME, format!("of the last {all}: {}", counted(heard)))
        }
    };
    if doc.authors.is_empty() {
        return check.with("nobody's comments may answer: name people in [webhooks] authors");
    }
    let refused = doc.deliveries.iter().any(|heard| heard.result == WebhookResult::Refused);
    if refused {
        return check.with("GET /api/v1/webhooks lists them with their reasons");
    }
    check
}

/// How many a record stands for.
fn times(heard: &HeardDoc) -> u64 {
    heard.count.unwrap_or(1)
}

/// `3 answered, 2 refused (not_listed 1, too_old 1)`
fn counted(heard: &[HeardDoc]) -> String {
    let of = |result: WebhookResult| {
        let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
        let heard: Vec<_> = heard.iter().filter(|heard| heard.result == result).collect();
        for heard in &heard {
            if let Some(reason) = heard.reason.as_deref() {
                *reasons.entry(reason).or_default() += times(heard);
            }
        }
        let all = heard.iter().map(|heard| times(heard)).sum::<u64>();
        let reasons: Vec<_> =
            reasons.iter().map(|(word, count)| format!("{word} {count}")).collect();
        let said = format!("{all} {}", result.word());
        match (all, reasons.is_empty() || result == WebhookResult::Replayed) {
            (0, _) => None,
            (_, true) => Some(said),
            (_, false) => Some(format!("{said} ({})", reasons.join(", "))),
        }
    };
    WebhookResult::ALL.iter().filter_map(|result| of(*result)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_core::time::UnixMs;
    use headsup_core::wire::SCHEMA;

    fn heard(result: WebhookResult, reason: Option<&str>) -> HeardDoc {
        HeardDoc {
            at: UnixMs(0),
            result,
            reason: reason.map(str::to_owned),
            detail: None,
            event: None,
            action: None,
            task: None,
            comment: None,
            author: None,
            prompt_id: None,
            count: None,
        }
    }

    #[test]
    fn what_came_of_deliveries_is_counted_by_reason() {
        use WebhookResult::{Answered, Refused, Replayed};
        let deliveries = vec![
            heard(Refused, Some("not_listed")),
            heard(Answered, None),
            heard(Replayed, Some("replayed")),
            heard(Refused, Some("too_old")),
            heard(Refused, Some("not_listed")),
        ];
        let authors = vec!["ada".to_owned()];
        let doc = WebhooksDoc { schema: SCHEMA, enabled: true, authors, deliveries };
        let check = judge(&doc);
        let said = "of the last 5: 1 answered, 1 replayed, 3 refused (not_listed 2, too_old 1)";
        assert_eq!((check.ok, check.detail.as_str()), (true, said));
        assert!(check.hint.is_some_and(|hint| hint.contains("/api/v1/webhooks")));
        let flood = HeardDoc { count: Some(5_000), ..heard(Refused, Some("signature_wrong")) };
        let many = judge(&WebhooksDoc { deliveries: vec![flood], ..doc.clone() });
        assert_eq!(many.detail, "of the last 5000: 5000 refused (signature_wrong 5000)");
        let nobody = judge(&WebhooksDoc { authors: Vec::new(), ..doc.clone() });
        assert!(nobody.hint.is_some_and(|hint| hint.contains("authors")));
        let unasked = WebhooksDoc { enabled: false, authors: Vec::new(), ..doc.clone() };
        assert_eq!(judge(&unasked).hint, None);
        let off = judge(&WebhooksDoc { enabled: false, ..doc });
        assert!(off.hint.is_some_and(|hint| hint.contains("KANBANGER_WEBHOOK_SECRET")));
    }
}
