//! The blocked set: one entry per open prompt and actor (G4, G12).

use super::{
    Effect, Refusal, Rule, SETTLE_MS, Step, alike, beside, dialog, level, parts, refuse, repeats,
    screen, shown, side, tools, turn,
};
use crate::event::EventBody;
use crate::prompt::{Actor, NewPrompt, OpenPrompt, PromptKind, Resolution, ResolvedBy, ToolRef};
use crate::seat::{Held, HeldFact, HeldLevel};
use crate::source::{Evidence, Source, Tier};
use crate::status::{BlockedReason, Process, Turn, WorkingReason};
use crate::time::UnixMs;
use crate::wire::PromptDoc;
use thin_vec::ThinVec;

/// Milliseconds a request may settle at most before it is published (G12).
const LONGEST_SETTLING_MS: u32 = 1_500;
const MOST_PROMPTS: usize = 64;

/// A prompt of the main agent belongs to the open turn, or shows that another one is open. One that is told after the
/// end of the helper that asks, or of the call that it is about, asks for nothing any more.
pub(super) fn belongs(
    step: &mut Step<'_>,
    actor: &Actor,
    prompt: &NewPrompt,
    turn_ref: Option<&str>,
) -> Result<(), Refusal> {
    if matches!(actor, Actor::Sub(id) if tools::is_late(step, id)) {
        return refuse(Rule::G10, tools::TOLD_LATE);
    }
    repeats::check_request(step, actor, prompt)?;
    // What is about no call may be asked at rest, by the name of the last turn.
    let is_calls = actor.is_main() && prompt.tool.is_some();
    match turn_ref {
        Some(name) if is_calls && shown::rests_behind(step, name) => {
            refuse(Rule::G10, tools::TOLD_AFTER_TURN)
        }
        Some(_) if actor.is_main() => turn::follow(step, turn_ref),
        _ => Ok(()),
    }
}

pub(super) fn opened(
    step: &mut Step<'_>,
    name: &str,
    actor: &Actor,
    prompt: &NewPrompt,
    settle_ms: u32,
) -> Result<Effect, Refusal> {
    if let Actor::Sub(_) = actor {
        step.seat.turn.helpers_unheard = false;
    }
    repeats::note(step, actor, prompt);
    if is_open(step, actor, prompt) {
        return Ok(Effect::Confirms);
    }
    let is_held = dialog::is_held(step, actor, prompt);
    if is_held || dialog::name(step, actor, prompt) || dialog::asks(step, actor, prompt) {
        return Ok(Effect::Confirms);
    }
    if dialog::was_anothers(step, prompt) {
        dialog::open_shown(step, actor, prompt);
        return Ok(Effect::Decides);
    }
    if settle_ms > 0 && !step.seat.held.iter().any(shows_a_request) {
        let until = step.now.plus(i64::from(settle_ms.min(LONGEST_SETTLING_MS)));
        let prompt = alike::about_its_call(step, actor, prompt);
        let what = HeldFact::Prompt { actor: actor.clone(), prompt, by_notice: false };
        let source = step.evidence.source;
        step.seat.held.push(Held { until, source, name: name.to_owned(), what });
        step.changed = true;
        return Ok(Effect::Outranked("held for a moment: the agent may approve it itself (G12)"));
    }
    open(step, actor, prompt);
    Ok(Effect::Decides)
}

/// Is this prompt open already? One that a level showed first, without its words, has them from now on.
pub(super) fn is_open(step: &mut Step<'_>, actor: &Actor, prompt: &NewPrompt) -> bool {
    let another = alike::asks_of_another(step, actor, prompt, 0);
    let mut open_prompts = step.seat.prompts.iter_mut();
    let Some(open) = open_prompts.find(|open| !another && is_same(open, actor, prompt)) else {
        return false;
    };
    if open.ask.tool.is_none() && prompt.tool.is_some() {
        open.ask = prompt.clone();
        step.changed = true;
        step.announce = true;
    }
    true
}

/// Does the program's own status show that a person is asked? A dialog of another kind may be one that the
/// person has opened.
fn shows_a_request(held: &Held) -> bool {
    let HeldFact::Level(level) = &held.what else { return false };
    is_request(level, held.source)
}

fn is_request(level: &HeldLevel, source: Source) -> bool {
    let asks = |reason: &BlockedReason| *reason != BlockedReason::Other;
    let is_own = source.tier() == Tier::Own;
    is_own && matches!(level, HeldLevel::Blocked { reason, .. } if asks(reason))
}

/// Does a level show that a request has settled that waits for that? The agent has not answered it by itself.
pub(super) fn has_settled(step: &Step<'_>, level: &HeldLevel) -> bool {
    let is_prompt = |held: &Held| matches!(held.what, HeldFact::Prompt { .. });
    is_request(level, step.evidence.source) && step.seat.held.iter().any(is_prompt)
}

/// Publishes the request that has waited longest.
pub(super) fn publish_held(step: &mut Step<'_>) {
    let prompts = step.seat.held.iter().enumerate();
    let mut prompts = prompts.filter_map(|(at, held)| match &held.what {
        HeldFact::Prompt { actor, prompt, .. } => Some((at, held.source, actor, prompt)),
        _ => None,
    });
    let Some((at, source, actor, prompt)) = prompts.next() else { return };
    let (actor, prompt) = (actor.clone(), prompt.clone());
    step.seat.held.remove(at);
    // It is its own source's word.
    let shown = std::mem::replace(&mut step.evidence, Evidence::new(source, step.now));
    if !is_open(step, &actor, &prompt) {
        open(step, &actor, &prompt);
    }
    step.evidence = shown;
}

/// The same prompt told again: same actor, and the same key, call, or, where neither is
/// carried, kind. An anonymous one of the same actor is the one a level showed.
fn is_same(open: &OpenPrompt, actor: &Actor, prompt: &NewPrompt) -> bool {
    if open.ask.kind == PromptKind::Input {
        return false;
    }
    let anonymous = open.ask.tool.is_none() && open.ask.key.is_none();
    if anonymous && matches!(open.source.tier(), Tier::Own | Tier::Title) {
        // A level does not say whose prompt it is.
        return true;
    }
    if open.actor != *actor || open.ask.kind != prompt.kind || open.ask.key != prompt.key {
        return false;
    }
    match (&open.ask.tool, &prompt.tool) {
        (Some(open), Some(said)) => open.name == said.name && open.input == said.input,
        // A notice that reads otherwise is one of another dialog, and a form that does is another one.
        (None, None) => {
            let is_form = open.source == Source::Hook && prompt.kind == PromptKind::Elicitation;
            let reads_so = open.ask.title == prompt.title;
            match is_form {
                true => reads_so && open.ask.body == prompt.body,
                false => !dialog::is_nameless(open) || reads_so,
            }
        }
        // The name is enough.
        _ => open.ask.key.is_some(),
    }
}

/// Publishes a prompt.
pub(super) fn open(step: &mut Step<'_>, actor: &Actor, prompt: &NewPrompt) {
    if matches!(step.seat.turn(), Turn::Working(_)) {
        // Work that still settles has been told by others meanwhile: it answers nothing that is asked only now.
        level::explain_work(step);
    }
    let starting = matches!(step.seat.process.state, Process::Starting { .. });
    // A dialog before the first event belongs to no turn.
    let is_first = !screen::has_spoken(step.seat) || screen::early_start(step.seat).is_some();
    let before = step.evidence.source == Source::Screen && is_first;
    if !starting && !before {
        step.ensure_running(None);
        if !(step.seat.turn.open || belongs_to_none(step, actor, prompt)) {
            begin(step, actor);
        }
    }
    let ask = alike::about_its_call(step, actor, prompt);
    make_room(step);
    step.seat.held.retain(|held| !matches!(held.what, HeldFact::Level(HeldLevel::Blocked { .. })));
    step.seat.prompts_opened += 1;
    let open = OpenPrompt {
        id: format!("{}-p{}", step.seat.id, step.seat.prompts_opened),
        actor: actor.clone(),
        opened_at: step.now,
        source: step.evidence.source,
        by_notice: false,
        logged: None,
        ask,
        input: None,
    };
    let doc = Box::new(PromptDoc::new(&step.seat.id, &open, None));
    step.seat.prompts.push(open);
    step.emit(EventBody::PromptOpened { prompt: doc });
}

/// Somebody asks while no turn is open. A helper may have outlived the last one; else the start of this one was lost.
fn begin(step: &mut Step<'_>, actor: &Actor) {
    let reason = match actor {
        Actor::Sub(id) if tools::has_outlived(step, id) => return tools::go_on_behind(step, id),
        Actor::Sub(_) => WorkingReason::Background,
        Actor::Main => WorkingReason::Model,
    };
    turn::start(step, None);
    step.set_base(Turn::Working(reason), None);
}

/// Nobody has so many dialogs open: where no end of any is told, the first of them is taken for over.
fn make_room(step: &mut Step<'_>) {
    let own = |open: &OpenPrompt| open.ask.kind != PromptKind::Input;
    if step.seat.own_prompts().count() < MOST_PROMPTS {
        return;
    }
    let Some(first) = step.seat.prompts.iter().position(own) else { return };
    let open = step.seat.prompts.remove(first);
    let doc = PromptDoc::new(&step.seat.id, &open, Some(Resolution::elsewhere(step.now)));
    step.emit(EventBody::PromptResolved { prompt: Box::new(doc) });
}

/// Is it no turn of the agent's in which this is asked? Once it is answered all is as it was.
fn belongs_to_none(step: &Step<'_>, actor: &Actor, prompt: &NewPrompt) -> bool {
    match actor {
        _ if beside::goes_on(step) => true,
        // Of its own turn the protocol's words have the name, and it is open by now.
        Actor::Main if step.evidence.source == Source::Acp => true,
        // No turn is open: a person has opened what only the screen shows, or it stands behind the end of one.
        Actor::Main if step.evidence.source == Source::Screen => true,
        Actor::Main => is_a_persons(step, prompt) || screen::asks_first(step),
        Actor::Sub(_) => parts::asks(step.evidence.source, actor),
    }
}

/// Does the program itself show, at rest, a dialog in which its agent asks for nothing? A person has opened it.
fn is_a_persons(step: &Step<'_>, prompt: &NewPrompt) -> bool {
    let is_own = step.evidence.source.tier() == Tier::Own;
    is_own && prompt.reason == BlockedReason::Other && matches!(step.seat.turn.base, Turn::Idle(_))
}

/// Do hooks tell how what is open is answered? Those that name the call do.
pub(super) fn is_told_by_hooks(step: &Step<'_>) -> bool {
    step.seat.own_prompts().any(|open| open.source.tier() == Tier::Edge && !open.by_notice)
}

/// What asked about this call has been answered with yes: it starts.
pub(super) fn granted(step: &mut Step<'_>, actor: &Actor, started: &ToolRef) {
    repeats::begins_granted(step);
    withdraw(step, |asked| {
        asked.actor == actor && asked.ask.tool.as_ref().is_some_and(|t| t.is_like(started))
    });
}

/// A prompt that is open, or is held for a moment.
pub(super) struct Asked<'a> {
    pub(super) actor: &'a Actor,
    pub(super) ask: &'a NewPrompt,
    pub(super) source: Source,
    /// Since when it is open.
    pub(super) since: Option<UnixMs>,
}

impl Asked<'_> {
    /// Has more than a level told of it?
    pub(super) fn is_told(&self) -> bool {
        self.ask.tool.is_some() || self.ask.key.is_some() || self.source.tier() != Tier::Own
    }
}

/// Withdraws the agents' own prompts that `which` picks, open ones and held ones alike: they
/// went away where we could not see it. True if an open one was among them.
pub(super) fn withdraw(step: &mut Step<'_>, which: impl Fn(&Asked<'_>) -> bool) -> bool {
    let resolution = Resolution::elsewhere(step.now);
    resolve_own(step, which, &resolution)
}

/// A terminal that has shown a dialog shows none any more: whoever asked there has been answered, if it does not
/// ask anew in a moment. Nothing else may tell that of what a helper asks.
pub(super) fn hold_answer(step: &mut Step<'_>, name: &str) -> Effect {
    let (until, source) = (step.now.plus(SETTLE_MS), step.evidence.source);
    let (name, what) = (name.to_owned(), HeldFact::Answered);
    step.seat.held.push(Held { until, source, name, what });
    step.changed = true;
    Effect::Outranked("it waits a moment for a dialog that may follow")
}

/// That moment is over. True if anything that was asked before has been answered.
pub(super) fn is_answered(step: &mut Step<'_>, held: &Held) -> bool {
    let mut claims = step.seat.claims.iter();
    let asks = claims.any(|claim| claim.source == held.source && claim.word == "blocked");
    !asks && withdraw_older(step, held.until.plus(-SETTLE_MS))
}

/// Withdraws what has been asked since before this time, but for what parts of a program ask by that one's
/// own status.
pub(super) fn withdraw_older(step: &mut Step<'_>, before: UnixMs) -> bool {
    withdraw(step, |asked| {
        let is_older = asked.since.is_some_and(|since| since < before);
        is_older && !parts::asks(asked.source, asked.actor)
    })
}

pub(super) fn withdraw_all(step: &mut Step<'_>) -> bool {
    withdraw(step, |_| true)
}

/// A person has prompted the main agent. Where no answer names what it answers, a dialog takes the keyboard: whoever
/// types has none before them, unless the program's own status shows what a helper asks: it came up meanwhile. Else it
/// says nothing of helpers that go on. `is_late`: the open turn has begun with it, and what is shown came behind it.
pub(super) fn withdraw_at_prompt(step: &mut Step<'_>, helpers: &[String], is_late: bool) {
    let showing = showing_dialogs(step);
    let others = side::others(step);
    withdraw(step, |asked| {
        let is_of = |ids: &[String]| matches!(asked.actor, Actor::Sub(id) if ids.contains(id));
        let goes_on = is_of(&others) || is_of(helpers) && asked.ask.key.is_some();
        let is_shown = asked.ask.reason != BlockedReason::Other && showing.contains(&asked.source);
        // The protocol that asks tells the end of that, too.
        let is_exact = asked.source == Source::Acp;
        !(is_exact
            || goes_on
            || is_late && is_shown
            || !asked.actor.is_main() && !showing.is_empty())
    });
    // Not for ever: the end of who asks may have been lost.
    let waits = step.seat.own_prompts().any(|open| !open.actor.is_main());
    step.seat.turn.helpers_unheard |= waits;
}

/// With a new prompt nothing is held any more but what helpers ask that run, and a request that the program's own
/// status shows now: that is behind the prompt, whose hook is late.
pub(super) fn keep_held_at_prompt(step: &mut Step<'_>) {
    let showing = showing_dialogs(step);
    let seat = &mut *step.seat;
    let running = &seat.subagents;
    seat.held.retain(|held| match &held.what {
        HeldFact::Prompt { actor: Actor::Sub(id), .. } => running.contains(id),
        HeldFact::Prompt { .. } => held.source == Source::Acp,
        HeldFact::Level(level) => is_request(level, held.source) && showing.contains(&held.source),
        // What is typed meanwhile waits.
        HeldFact::AsksAgain => true,
        _ => false,
    });
}

/// Which of the program's own witnesses show a dialog now?
pub(super) fn showing_dialogs(step: &Step<'_>) -> Vec<Source> {
    let claims = step.seat.claims.iter();
    let own = claims.filter(|claim| claim.source.tier() == Tier::Own && claim.word == "blocked");
    own.map(|claim| claim.source).collect()
}

pub(super) fn resolve_own(
    step: &mut Step<'_>,
    which: impl Fn(&Asked<'_>) -> bool,
    resolution: &Resolution,
) -> bool {
    let held = step.seat.held.len();
    step.seat.held.retain(|held| match &held.what {
        HeldFact::Prompt { actor, prompt, .. } => {
            !which(&Asked { actor, ask: prompt, source: held.source, since: None })
        }
        _ => true,
    });
    step.changed |= step.seat.held.len() != held;
    let picked = |open: &OpenPrompt| {
        let since = Some(open.opened_at);
        let asked = Asked { actor: &open.actor, ask: &open.ask, source: open.source, since };
        open.ask.kind != PromptKind::Input && which(&asked)
    };
    let (gone, kept) = std::mem::take(&mut step.seat.prompts).into_iter().partition(picked);
    step.seat.prompts = kept;
    let gone: ThinVec<OpenPrompt> = gone;
    for open in &gone {
        let doc = PromptDoc::new(&step.seat.id, open, Some(resolution.clone()));
        step.emit(EventBody::PromptResolved { prompt: Box::new(doc) });
    }
    !gone.is_empty()
}

/// The end of a call clears the prompt that was about it. True if it did.
pub(super) fn clear_by_tool(step: &mut Step<'_>, actor: &Actor, ended: &ToolRef) -> bool {
    // What does not name its tool is about no other call once none is open.
    let is_last = !step.seat.open_tools.iter().any(|open| open.actor == *actor);
    // Its own call has been closed before this; one that is still open has not ended.
    let calls: Vec<ToolRef> = step.seat.open_tools.iter().map(|open| open.tool.clone()).collect();
    // Where one side carries no id, name and input must do.
    let is_its = |tool: &ToolRef| match (&tool.id, &ended.id) {
        (Some(asked), Some(ended)) => asked == ended,
        _ => tool.is_like(ended),
    };
    let is_of = |of: &OpenPrompt| of.actor == *actor && of.ask.tool.as_ref().is_some_and(is_its);
    let is_asked = step.seat.own_prompts().any(is_of);
    // Without a start, or a question, that matches, any end of the same tool.
    let about = |tool: &ToolRef| {
        let has_own = is_asked || calls.iter().any(|call| call.is_like(tool));
        let may_be_its = tool.name == ended.name && !has_own || tool.is_unnamed() && is_last;
        is_its(tool) || tool.id.is_none() && may_be_its
    };
    withdraw(step, |asked| asked.actor == actor && asked.ask.tool.as_ref().is_some_and(about))
}

pub(super) fn resolved(
    step: &mut Step<'_>,
    actor: &Actor,
    reason: BlockedReason,
    key: Option<&str>,
    resolution: &Resolution,
) -> Result<Effect, Refusal> {
    if let Actor::Sub(_) = actor {
        step.seat.turn.helpers_unheard = false;
    }
    if !settled(step, actor, reason, key, resolution) {
        repeats::note_answer(step, actor, key);
        return Ok(Effect::Confirms);
    }
    if key.is_none() && step.evidence.source == Source::AppServer {
        tools::ask_no_more(step, actor, reason);
    }
    if step.seat.turn.is_answering() {
        // A call that its person has been seen to decide on goes on, or its end follows.
        match resolution.by {
            ResolvedBy::Human => tools::goes_on_with(step),
            _ => step.set_base(Turn::Working(WorkingReason::Model), None),
        }
    }
    Ok(Effect::Decides)
}

/// Whatever was asked has been answered. Where nothing was, its turn has begun unheard.
pub(super) fn answered(step: &mut Step<'_>) -> Result<Effect, Refusal> {
    withdraw_all(step);
    turn::follow(step, None)?;
    if !step.seat.turn.main_stopped {
        step.set_base(Turn::Working(WorkingReason::Model), None);
    }
    Ok(Effect::Decides)
}

/// The prompt is not open any more, whatever follows. True if it was.
pub(super) fn settled(
    step: &mut Step<'_>,
    actor: &Actor,
    reason: BlockedReason,
    key: Option<&str>,
    resolution: &Resolution,
) -> bool {
    // Adapters have no clock: when it happened is when it was told.
    let resolution = Resolution { at: step.now, ..resolution.clone() };
    let fits = |actor_of: &Actor, ask: &NewPrompt| {
        let same_key = key.is_none_or(|key| ask.key.as_deref() == Some(key));
        actor_of == actor && ask.reason == reason && same_key
    };
    let named = step.seat.own_prompts().find(|open| fits(&open.actor, &open.ask));
    let mut first = named.map(|open| open.id.clone());
    if first.is_none() {
        // It may still be held, or a notice has told of it, without its name.
        let held = step.seat.held.len();
        withdraw(step, |asked| fits(asked.actor, asked.ask));
        let is_told = key.is_some() && step.seat.held.len() == held;
        let may_be = |open: &&OpenPrompt| {
            let is_its = open.actor == *actor && open.ask.reason == reason;
            is_told && is_its && dialog::is_nameless(open)
        };
        first = step.seat.own_prompts().find(may_be).map(|open| open.id.clone());
    }
    let Some(id) = first else { return false };
    let (gone, kept) =
        std::mem::take(&mut step.seat.prompts).into_iter().partition(|open| open.id == id);
    step.seat.prompts = kept;
    let gone: ThinVec<OpenPrompt> = gone;
    for open in &gone {
        let doc = PromptDoc::new(&step.seat.id, open, Some(resolution.clone()));
        step.emit(EventBody::PromptResolved { prompt: Box::new(doc) });
    }
    true
}

/// A late notice confirms an open prompt and never opens one.
pub(super) fn confirmed(step: &mut Step<'_>) -> Result<Effect, Refusal> {
    let held = step.seat.held.iter().any(|held| matches!(held.what, HeldFact::Prompt { .. }));
    if step.seat.own_prompts().next().is_some() || held {
        Ok(Effect::Confirms)
    } else {
        refuse(Rule::G4, "a late notice confirms a prompt and never opens one")
    }
}
