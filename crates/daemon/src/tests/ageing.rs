use super::bench::Bench;
use crate::clock::Manual;

async fn doc(bench: &Bench) -> (String, bool) {
    let doc = bench.client().get("/api/v1/agents/claude-code-s1").await.json();
    (doc["headline"].as_str().unwrap().to_owned(), doc["stale"].as_bool().unwrap())
}

fn is(headline: &str, stale: bool) -> (String, bool) {
    (headline.to_owned(), stale)
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_makes_working_stale_and_then_unknown_but_never_idle() {
    let bench = Bench::new().await;
    bench.client().hook("UserPromptSubmit", "s1", &[]).await;
    bench.pass(59_000).await;
    assert_eq!(doc(&bench).await, is("working", false));
    bench.pass(1_000).await;
    assert_eq!(doc(&bench).await, is("working", true));
    bench.pass(60_000).await;
    assert_eq!(doc(&bench).await.0, "unknown");
    let types: Vec<_> = bench.client().log().await.iter().map(|e| e["type"].clone()).collect();
    assert!(types.iter().all(|kind| kind != "turn.completed"), "{types:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_in_between_starts_the_ageing_anew() {
    let bench = Bench::new().await;
    bench.client().hook("UserPromptSubmit", "s1", &[]).await;
    bench.pass(50_000).await;
    bench.client().hook("PreToolUse", "s1", &[]).await;
    bench.pass(50_000).await;
    assert_eq!(doc(&bench).await, is("working", false));
    bench.pass(10_000).await;
    assert_eq!(doc(&bench).await, is("working", true));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hubs_own_absence_ages_nobody() {
    let mut bench = Bench::new().await;
    bench.client().hook("UserPromptSubmit", "s1", &[]).await;
    bench.stop().await;
    bench.clock.advance(500_000);
    bench.start().await;
    let head = bench.client().head().await;
    bench.pass(59_000).await;
    assert_eq!(doc(&bench).await, is("working", false));
    assert_eq!(bench.client().head().await, head);
    bench.pass(1_000).await;
    assert_eq!(doc(&bench).await, is("working", true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sleep_of_the_machine_and_a_clock_that_is_set_age_nobody() {
    let jumps: [fn(&Manual, i64); 2] = [Manual::sleep, Manual::jump];
    for jump in jumps {
        let bench = Bench::new().await;
        bench.client().hook("UserPromptSubmit", "s1", &[]).await;
        bench.pass(1_000).await;
        jump(&bench.clock, 8 * 3_600_000);
        bench.hub().settle().await;
        assert_eq!(doc(&bench).await, is("working", false));
        bench.pass(60_000).await;
        assert_eq!(doc(&bench).await, is("working", true));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_wrong_for_a_while_costs_no_event_and_old_ones_go_in_the_end() {
    const YEAR: i64 = 365 * 24 * 3_600_000;
    const HOUR: i64 = 3_600_000;
    let bench = Bench::new().await;
    bench.client().hook("UserPromptSubmit", "s1", &[]).await;
    bench.client().hook("Stop", "s1", &[]).await;
    let kept = async || {
        // Chores come behind the answer to what came before them.
        for _ in 0..3 {
            bench.pass(2_000).await;
        }
        bench.client().log().await.len()
    };
    let all = kept().await;
    bench.clock.jump(YEAR);
    assert_eq!(kept().await, all, "in a year that is none");
    bench.clock.jump(-YEAR);
    bench.pass(2 * HOUR).await;
    assert_eq!(kept().await, all, "back again");
    bench.clock.jump(YEAR);
    assert_eq!(kept().await, all, "in a year that may be none");
    bench.pass(2 * HOUR).await;
    assert!(kept().await < all, "a year later, since two hours");
}
