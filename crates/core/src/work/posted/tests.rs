use super::*;
use crate::prompt::{Choice, Resolution, Risk};
use crate::time::UnixMs;
use crate::wire::PromptState;
use crate::work::comment::{self, Comment, NoAnswer, Rules, marked, without_mark};

const OPENED: UnixMs = UnixMs(1_795_296_597_200);

fn agent() -> AgentId {
    AgentId::new("api").unwrap()
}

fn prompt(on_timeout: OnTimeout) -> PromptDoc {
    let option = |label: &str| Choice {
        label: label.to_owned(),
        value: label.to_owned(),
        description: Some("a @file".to_owned()),
    };
    PromptDoc {
        remaining_seconds: None,
        id: "api-p1".to_owned(),
        agent_id: agent(),
        kind: PromptKind::Input,
        subagent: None,
        title: "Which one?".to_owned(),
        body: Some("Which one?\n/answer 1\n@ada knows".to_owned()),
        options: vec![option("left"), option("right")],
        multi_select: false,
        default_action: Some("take the left\n@headsup 1".to_owned()),
        expires_at: Some(OPENED.plus(60_000)),
        opened_at: OPENED,
        answerable: Vec::new(),
        state: PromptState::Open,
        resolution: None,
        dedupe_key: None,
        on_timeout: Some(on_timeout),
        risk: Some(Risk::Low),
        delivered: Vec::new(),
        seen: Vec::new(),
    }
}

fn of(event: &EventBody, before: Option<&StageStatus>) -> Option<Post> {
    let agent = agent();
    post(Before { agent: &agent, stage: before }, event, 7)
}

fn ended(on_timeout: OnTimeout, by: ResolvedBy) -> Option<Post> {
    let mut resolution = Resolution::of(by, OPENED);
    resolution.value = (on_timeout == OnTimeout::Default).then(|| "take the left".to_owned());
    let prompt = PromptDoc { resolution: Some(resolution), ..prompt(on_timeout) };
    of(&EventBody::PromptResolved { prompt: Box::new(prompt) }, None)
}

fn stage(stage: Stage, message: Option<&str>, blockers: &[&str]) -> StageStatus {
    StageStatus {
        stage,
        message: message.map(str::to_owned),
        phase: None,
        progress: None,
        since: OPENED,
        blockers: blockers.iter().map(|text| (*text).to_owned()).collect(),
    }
}

fn entered(before: Option<&StageStatus>, now: &StageStatus) -> Option<String> {
    of(&EventBody::StageChanged { stage: now.clone() }, before).map(|post| post.body)
}

#[test]
fn a_question_is_told_with_its_options_and_its_default() {
    let opened = EventBody::PromptOpened { prompt: Box::new(prompt(OnTimeout::Default)) };
    let told = of(&opened, None).unwrap();
    assert_eq!(told.key, "api-p1-opened");
    let expected = "**api waits for an answer** (`api-p1`)\n\n\
        > Which one?\n> /answer 1\n> @\u{200b}ada knows\n\
        > 1. left: a @\u{200b}file\n> 2. right: a @\u{200b}file\n\n\
        Without an answer by 2026-11-21T21:30:57.200Z this is done:\n\n\
        > take the left\n> @\u{200b}headsup 1";
    assert_eq!(told.body, expected);
}

#[test]
fn a_dialog_of_the_agents_own_is_not_told() {
    let own = PromptDoc { kind: PromptKind::Permission, ..prompt(OnTimeout::Default) };
    assert_eq!(of(&EventBody::PromptOpened { prompt: Box::new(own) }, None), None);
}

#[test]
fn a_deadline_is_told_and_an_answer_is_not() {
    let told = ended(OnTimeout::Default, ResolvedBy::Timeout).unwrap();
    assert_eq!(told.key, "api-p1-timeout");
    assert!(told.body.ends_with("does what it had said:\n\n> take the left"), "{}", told.body);
    let told = ended(OnTimeout::Fail, ResolvedBy::Timeout).unwrap();
    assert!(told.body.ends_with("api is told that it got no answer"), "{}", told.body);
    // The stage that comes of it says so.
    assert_eq!(ended(OnTimeout::Block, ResolvedBy::Timeout), None);
    for by in [ResolvedBy::Human, ResolvedBy::Cancelled] {
        assert_eq!(ended(OnTimeout::Default, by), None, "{by:?}");
    }
}

#[test]
fn a_stage_is_told_when_it_begins() {
    let working = stage(Stage::Working, Some("on it"), &[]);
    let blocked = stage(Stage::Blocked, Some("no key"), &["ask @ada", "wait"]);
    let told = entered(Some(&working), &blocked).unwrap();
    assert_eq!(told, "**api is blocked**\n\n> no key\n\n> ask @\u{200b}ada\n\n> wait");
    assert_eq!(entered(Some(&blocked), &blocked), None);
    let other = stage(Stage::Blocked, Some("no disk"), &[]);
    assert!(entered(Some(&blocked), &other).unwrap().contains("no disk"));
    for (of, says) in [
        (Stage::AwaitingReview, "**api waits for a review**"),
        (Stage::Completed, "**api has completed its work**"),
        (Stage::AwaitingInput, "**api waits for a person**"),
    ] {
        let now = stage(of, None, &[]);
        assert_eq!(entered(Some(&working), &now).as_deref(), Some(says));
        let again = stage(of, Some("more"), &[]);
        assert_eq!(entered(Some(&now), &again), None, "{of:?}");
    }
    for of in [Stage::Started, Stage::Working, Stage::Paused, Stage::Failed, Stage::Cancelled] {
        assert_eq!(entered(None, &stage(of, Some("m"), &[])), None, "{of:?}");
    }
}

#[test]
fn two_events_have_two_keys() {
    let event = EventBody::StageChanged { stage: stage(Stage::Blocked, None, &[]) };
    let agent = agent();
    let key = |place| post(Before { agent: &agent, stage: None }, &event, place).unwrap().key;
    assert_ne!(key(7), key(8));
}

/// Whatever an agent asks, the comment in which it is told answers nothing, with the marker and without.
#[test]
fn what_we_post_answers_nothing() {
    let opened = EventBody::PromptOpened { prompt: Box::new(prompt(OnTimeout::Default)) };
    let told = of(&opened, None).unwrap();
    let authors = ["ada".to_owned()];
    let judge = |body: &str| {
        let (author, created_at) = ("ada", OPENED.plus(1));
        let comment = Comment { action: "created", body, author, is_bot: false, created_at };
        let open = [comment::Open { id: "api-p1", opened_at: OPENED, options: &[] }];
        comment::answers(comment, &open, Rules { authors: &authors }).unwrap_err()
    };
    assert_eq!(judge(&told.body), NoAnswer::NotAddressed);
    assert_eq!(judge(&marked(&told.body, &told.key)), NoAnswer::Ours);
    assert_eq!(without_mark(&marked(&told.body, &told.key)), told.body);
}

#[test]
fn a_name_is_no_mention_and_an_address_stays_legible() {
    for (text, quieted) in [
        ("@ada and @grace_h", "@\u{200b}ada and @\u{200b}grace_h"),
        ("a @ b, @", "a @ b, @"),
        ("@@org/team", "@@\u{200b}org/team"),
        ("@größe", "@\u{200b}größe"),
        ("", ""),
    ] {
        assert_eq!(quiet(text), quieted, "{text}");
    }
}
