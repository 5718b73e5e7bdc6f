//! Who answers first, and how long everybody waits to hear of it; deadlines around the hub's death.

use crate::progress::{Progress, note};
use crate::{Outcome, row, say};
use headsup_core::time::UnixMs;
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::races::{Channel, RACERS, Track, ends};
use headsup_testkit::{http, wait};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Deadlines that the hub dies around, for as many races.
const RACES_A_DEATH: usize = 10;
/// How far from its deadline the hub dies, at most.
const AROUND_MS: i64 = 10;
/// Between two deadlines: a hub is up again by then.
const APART_MS: i64 = 400;
/// The shortest time that a question can stand.
const SHORTEST_MS: i64 = 60_000;
/// Questions that one agent may have open.
const OF_ONE: usize = 16;
/// How late a deadline may be, beside the time that no hub was there.
const LATE_MS: i64 = 1_000;

/// `rounds` races of 64, then deadlines at whose moment the hub is killed and started again.
pub(crate) fn measure(home: &Home, rounds: usize) -> Outcome<()> {
    let track = Track::open(home)?;
    let (mut took, mut won) = (Vec::new(), [0_usize; Channel::ALL.len()]);
    let mut progress = Progress::new("races of 64", rounds);
    for round in 0..rounds {
        progress.at(round);
        let finish = track.race(round, RACERS)?;
        took.extend(finish.took);
        for (channel, won) in Channel::ALL.iter().zip(&mut won) {
            *won += usize::from(*channel == finish.winner);
        }
    }
    let (times, questions) = track.ends()?;
    drop(track);
    row("answer to one of 64", took)?;
    say(&format!(
        "{rounds} races: {questions} questions ended {times} times; won over {}",
        Channel::ALL
            .iter()
            .zip(won)
            .map(|(channel, won)| format!("{channel:?} {won}"))
            .collect::<Vec<_>>()
            .join(", ")
    ))?;
    if (times, questions) != (rounds, rounds) {
        return Err("a question ended not once".into());
    }
    deadlines(home, (rounds / RACES_A_DEATH).max(1))
}

/// A question, and when its time is over.
struct Standing {
    id: String,
    expires_ms: i64,
}

fn deadlines(home: &Home, deaths: usize) -> Outcome<()> {
    let mut hub = Hub::start(home);
    let (before, _) = ends(home)?;
    let mut standing = Vec::new();
    for number in 0..deaths {
        standing.push(ask(home, number)?);
    }
    let first = standing.first().map_or(0, |first| first.expires_ms - now_ms());
    note(&format!("the first of {deaths} deadlines is in {} s", first / 1_000));
    let mut progress = Progress::new("deadlines", deaths);
    let (mut answered, mut over_time, mut late) = (0, 0, Vec::new());
    for (number, asked) in standing.iter().enumerate() {
        progress.at(number);
        let span = 2 * AROUND_MS + 1;
        let from_it = i64::try_from(number).unwrap_or(0) * 7 % span - AROUND_MS;
        wait::within(Duration::from_secs(600), "the moment", || {
            (now_ms() >= asked.expires_ms + from_it).then_some(())
        });
        // Every second one is answered in the very moment, and every one by nobody who hears of it.
        let path = format!("/api/v1/prompts/{}/answer", asked.id);
        let answer =
            (number % 2 == 0).then(|| http::post(&home.socket(), &path, br#"{"value":"now"}"#));
        hub.kill();
        hub = Hub::start(home);
        let up = now_ms();
        let path = format!("/api/v1/prompts/{}", asked.id);
        let resolution = wait::until("the end of the question", || {
            let (_, doc) = http::get(&home.socket(), &path).ok()?;
            let doc: Value = serde_json::from_slice(&doc).ok()?;
            Some(doc["resolution"].clone()).filter(Value::is_object)
        });
        let was_answered = matches!(&answer, Some(Ok((200, _))));
        let by = resolution["by"].as_str().unwrap_or_default();
        answered += usize::from(by == "human");
        if was_answered != (by == "human") && answer.as_ref().is_none_or(Result::is_ok) {
            return Err(format!("{}: told {answer:?}, kept {resolution}", asked.id).into());
        }
        if by == "timeout" {
            let at = moment(&resolution["at"])?;
            let over = at - asked.expires_ms;
            if over < 0 {
                return Err(format!("{} ended {} ms early", asked.id, -over).into());
            }
            over_time += usize::from(at > asked.expires_ms.max(up) + LATE_MS);
            late.push(Duration::from_millis(over.unsigned_abs()));
        }
    }
    let (times, questions) = ends(home)?;
    drop(hub);
    if !late.is_empty() {
        row("deadline over a kill -9", late)?;
    }
    say(&format!(
        "{deaths} deadlines within {AROUND_MS} ms of a kill -9: {answered} answered before, {} ended once",
        times - before
    ))?;
    let is_once = times == questions && times - before == deaths;
    match (is_once, over_time) {
        (true, 0) => Ok(()),
        (true, late) => Err(format!(
            "{late} ended more than a second after the hub was up: is the machine busy?"
        )
        .into()),
        (false, _) => Err("a question ended not once".into()),
    }
}

fn ask(home: &Home, number: usize) -> Outcome<Standing> {
    let agent = format!("waits-{}", number / OF_ONE);
    let timeout_ms = SHORTEST_MS + APART_MS * i64::try_from(number)?;
    let body = json!({
        "question": format!("Deadline {number}?"), "default_action": "go on", "timeout_ms": timeout_ms,
    });
    let path = format!("/api/v1/agents/{agent}/prompts");
    let who = [("x-headsup-agent", agent.as_str())];
    let body = body.to_string();
    let (status, said) = http::request(&home.socket(), "POST", &path, &who, body.as_bytes())?;
    let said: Value = serde_json::from_slice(&said)?;
    let Some(id) = said["id"].as_str().filter(|_| status == 201) else {
        return Err(format!("not asked: {status} {said}").into());
    };
    Ok(Standing { id: id.to_owned(), expires_ms: moment(&said["expires_at"])? })
}

fn moment(text: &Value) -> Outcome<i64> {
    let moment = text.as_str().and_then(UnixMs::parse);
    moment.map(|moment| moment.0).ok_or_else(|| format!("{text} is no moment").into())
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
