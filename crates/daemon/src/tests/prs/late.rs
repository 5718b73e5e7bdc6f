//! Who has looked at a pull request before it was merged, and comes back behind that.

use super::{allowing, ok, opened};
use crate::forge::Looked;
use crate::forge::plain::Plain;
use crate::job::{PullAct, Work};
use headsup_core::work::pull::{MergeMethod, PullState};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_under_way_ends_first_and_an_older_look_does_not_overwrite_it() {
    let (bench, plain) = (allowing().await, Plain::new());
    let client = bench.client();
    plain.branch("work", "new", "a\n");
    let (pr, path) = opened(&client, &plain).await;
    let (app, id) = (bench.hub().app(), pr["id"].as_str().unwrap());
    let before = app.pulls.get(id).await.unwrap();
    // Its commit comes into the base as it is: there is nothing left to merge.
    ok(&client, "POST", &format!("{path}/merge"), &json!({"merge_method": "rebase"})).await;
    let state = app.pulls.check(&before, MergeMethod::Merge).await.unwrap();
    assert_eq!(state, PullState::Merged);
    let looked = Looked { head_sha: before.head_sha.clone(), ..Looked::default() };
    let looked = PullAct::Looked { id: id.to_owned(), looked: Box::new(looked) };
    app.inbox.submit(Work::Pull(Box::new(looked)), None).await.unwrap();
    let after = app.pulls.get(id).await.unwrap();
    let why = after.mergeable_reason.as_deref();
    assert_eq!(
        (after.state, after.mergeable, why),
        (PullState::Merged, false, Some("it is merged"))
    );
}
