//! Notices that a dialog is open (G4). They do not name the call that it is about: that is one of which nobody
//! has asked yet, and it may be told just after the notice, or not at all.

use super::{Effect, Refusal, SETTLE_MS, Step, alike, late, prompts};
use crate::prompt::{Actor, NewPrompt, OpenPrompt, PromptKind, ToolRef};
use crate::seat::{Held, HeldFact, OpenTool};
use crate::source::Tier;

/// So long after its notice a program that has nobody to ask may take until it tells that it has denied by itself.
/// Milliseconds.
const DENIES_MS: u32 = 1_500;

/// A notice that a dialog is open. A program may send it also where it has nobody to ask, and denies by itself at
/// once: where nobody can type to it that settles first, as what its log has told of it does.
pub(super) fn shown(
    step: &mut Step<'_>,
    name: &str,
    actor: &Actor,
    prompt: &NewPrompt,
) -> Result<Effect, Refusal> {
    if step.seat.process.headless && is_logged_and_waits(step, prompt) {
        return Ok(Effect::Confirms);
    }
    if let Some(effect) = of_a_request(step, actor, prompt, true) {
        return Ok(effect);
    }
    if let Some(effect) = of_a_misread_request(step, actor, prompt) {
        return Ok(effect);
    }
    if let Some(effect) = of_a_question(step, actor, prompt) {
        return Ok(effect);
    }
    let call = free_call(step, actor).filter(|_| prompt.tool.is_none());
    if prompt.tool.is_none() && is_told(step, actor, prompt, call.is_some()) {
        return Ok(Effect::Confirms);
    }
    if let Some(effect) = of_a_request(step, actor, prompt, false) {
        return Ok(effect);
    }
    let (actor, prompt) = match call {
        Some(open) => (open.actor, NewPrompt { tool: Some(open.tool), ..prompt.clone() }),
        None => (actor.clone(), prompt.clone()),
    };
    let settle_ms = if step.seat.process.headless { DENIES_MS } else { 0 };
    let (opened, waiting) = (step.seat.prompts_opened, step.seat.held.len());
    let before = step.seat.turn.seq;
    let effect = prompts::opened(step, name, &actor, &prompt, settle_ms)?;
    if step.seat.prompts_opened > opened
        && let Some(open) = step.seat.prompts.last_mut()
    {
        open.by_notice = true;
    }
    if step.seat.turn.seq != before {
        late::note_begun_by_notice(step);
    }
    let held = step.seat.held.get_mut(waiting).map(|held| &mut held.what);
    if let Some(HeldFact::Prompt { by_notice, .. }) = held {
        *by_notice = true;
    }
    Ok(effect)
}

/// Does a request of this kind wait that a log has named?
fn is_logged_and_waits(step: &Step<'_>, prompt: &NewPrompt) -> bool {
    step.seat.held.iter().any(|held| match &held.what {
        HeldFact::Prompt { prompt: ask, .. } => {
            held.source.tier() == Tier::Transcript && ask.kind == prompt.kind
        }
        _ => false,
    })
}

/// The last call that nobody has asked about. A notice without a name may be a helper's; one of a helper is
/// its own.
pub(super) fn free_call(step: &Step<'_>, actor: &Actor) -> Option<OpenTool> {
    let waiting = step.seat.held.iter().filter_map(|held| match &held.what {
        HeldFact::Prompt { prompt, by_notice: true, .. } => prompt.tool.as_ref(),
        _ => None,
    });
    let asked = step.seat.own_prompts().filter_map(|p| p.ask.tool.as_ref());
    let asked: Vec<_> = asked.chain(waiting).collect();
    let may_be = |open: &&OpenTool| actor.is_main() || open.actor == *actor;
    let mut calls = step.seat.open_tools.iter().rev().filter(may_be);
    calls.find(|open| !asked.contains(&&open.tool)).cloned()
}

/// Is it of a dialog that is open? One that reads the same may be another one where there is a call that it
/// could be about, but not at once.
fn is_told(step: &Step<'_>, actor: &Actor, prompt: &NewPrompt, is_free: bool) -> bool {
    step.seat.own_prompts().any(|open| {
        let is_its = actor.is_main() || open.actor == *actor;
        let is_same = open.ask.kind == prompt.kind && open.ask.title == prompt.title;
        let at_once = open.by_notice && step.now.since(open.opened_at) < SETTLE_MS;
        is_its && is_same && (!is_free || at_once)
    })
}

/// A notice may be of a request that a log has named before it. That has settled then: a person is asked (G12).
/// `exactly`: of one that reads the same.
fn of_a_request(
    step: &mut Step<'_>,
    actor: &Actor,
    notice: &NewPrompt,
    exactly: bool,
) -> Option<Effect> {
    let fits = |of: &Actor, ask: &NewPrompt| {
        let is_its = actor.is_main() || of == actor;
        let reads_so = !exactly || ask.title == notice.title;
        ask.key.is_some() && is_its && reads_so && ask.kind == notice.kind
    };
    let is_unseen = |open: &&mut OpenPrompt| {
        let is_logged = open.source.tier() == Tier::Transcript && !open.by_notice;
        is_logged && fits(&open.actor, &open.ask)
    };
    if let Some(open) = step.seat.prompts.iter_mut().find(is_unseen) {
        step.announce |= open.ask.title != notice.title;
        step.changed = true;
        open.by_notice = true;
        take_words(open, notice);
        return Some(Effect::Confirms);
    }
    let mut held = step.seat.held.iter().enumerate();
    let (at, of, ask) = held.find_map(|(at, held)| match &held.what {
        HeldFact::Prompt { actor: of, prompt: ask, .. } => {
            let is_logged = held.source.tier() == Tier::Transcript;
            (is_logged && fits(of, ask)).then(|| (at, of.clone(), ask.clone()))
        }
        _ => None,
    })?;
    step.seat.held.remove(at);
    let logged = (ask.title != notice.title).then(|| ask.title.clone());
    open_shown(step, &of, &NewPrompt { title: notice.title.clone(), ..ask });
    if let Some(open) = step.seat.prompts.last_mut() {
        open.logged = logged;
    }
    Some(Effect::Decides)
}

/// A dialog has the words of its notice.
fn take_words(open: &mut OpenPrompt, notice: &NewPrompt) {
    if open.ask.title != notice.title {
        open.logged = Some(std::mem::replace(&mut open.ask.title, notice.title.clone()));
    }
}

/// Opens a request of which a notice has told.
pub(super) fn open_shown(step: &mut Step<'_>, actor: &Actor, prompt: &NewPrompt) {
    prompts::open(step, actor, prompt);
    if let Some(open) = step.seat.prompts.last_mut() {
        open.by_notice = true;
    }
}

/// Of several calls at once the log may name them in another order than their notices: one that read otherwise was taken
/// for that of the only request that was known then. This one reads as that request does: so the other was of a call
/// that the log names next.
fn of_a_misread_request(step: &mut Step<'_>, actor: &Actor, notice: &NewPrompt) -> Option<Effect> {
    let is_its = |open: &&mut OpenPrompt| {
        let is_actors = actor.is_main() || open.actor == *actor;
        is_actors && open.ask.kind == notice.kind && open.logged.as_ref() == Some(&notice.title)
    };
    let open = step.seat.prompts.iter_mut().find(is_its)?;
    let other = std::mem::replace(&mut open.ask.title, notice.title.clone());
    open.logged = None;
    let (of, other) = (open.actor.clone(), NewPrompt { title: other, ..notice.clone() });
    step.announce = true;
    step.changed = true;
    open_shown(step, &of, &other);
    Some(Effect::Decides)
}

/// A log names a request, and a notice that reads so was taken for another one's: that has its own words again, and its
/// notice is still to come. True if so.
pub(super) fn was_anothers(step: &mut Step<'_>, request: &NewPrompt) -> bool {
    let source = step.evidence.source;
    if source.tier() != Tier::Transcript || request.key.is_none() {
        return false;
    }
    let reads_so = |open: &&mut OpenPrompt| {
        let is_others = open.ask.kind == request.kind && open.ask.key != request.key;
        is_others && open.logged.is_some() && open.ask.title == request.title
    };
    let Some(open) = step.seat.prompts.iter_mut().find(reads_so) else { return false };
    let Some(own) = open.logged.take() else { return false };
    open.ask.title = own;
    open.by_notice = false;
    open.source = source;
    step.announce = true;
    step.changed = true;
    true
}

/// A notice may be of the question that a call asks: it has settled then, and has the words of its call.
fn of_a_question(step: &mut Step<'_>, actor: &Actor, notice: &NewPrompt) -> Option<Effect> {
    let is_its = |of: &Actor, ask: &NewPrompt| {
        is_a_calls(ask) && ask.kind == notice.kind && (actor.is_main() || of == actor)
    };
    let mut held = step.seat.held.iter().enumerate();
    let found = held.find_map(|(at, held)| match &held.what {
        HeldFact::Prompt { actor: of, prompt: ask, .. } if is_its(of, ask) => {
            Some((at, of.clone(), ask.clone()))
        }
        _ => None,
    });
    if let Some((at, of, ask)) = found {
        step.seat.held.remove(at);
        prompts::open(step, &of, &ask);
        return Some(Effect::Decides);
    }
    let now = step.now;
    let mut open = step.seat.own_prompts();
    let is_told =
        open.any(|open| is_its(&open.actor, &open.ask) && now.since(open.opened_at) < SETTLE_MS);
    is_told.then_some(Effect::Confirms)
}

/// Is it a question, in the words of the call that asks it?
fn is_a_calls(ask: &NewPrompt) -> bool {
    ask.kind == PromptKind::Question && ask.tool.is_some() && ask.key.is_none()
}

/// A call asks a question of whose dialog a notice has just told. True if so: that has its words from now on.
pub(super) fn asks(step: &mut Step<'_>, actor: &Actor, request: &NewPrompt) -> bool {
    let now = step.now;
    let may_be = |open: &OpenPrompt| {
        let is_just_shown = is_unnamed(open) && now.since(open.opened_at) < SETTLE_MS;
        let is_its = open.actor.is_main() || open.actor == *actor;
        is_just_shown && is_its && open.ask.kind == request.kind
    };
    let prompts = &mut step.seat.prompts;
    let told = prompts.iter_mut().find(|open| is_a_calls(request) && may_be(open));
    let Some(open) = told else { return false };
    open.actor.clone_from(actor);
    open.ask.clone_from(request);
    open.by_notice = false;
    step.announce = true;
    step.changed = true;
    true
}

/// Is this request held already? What a notice has told of has its name from now on.
pub(super) fn is_held(step: &mut Step<'_>, actor: &Actor, request: &NewPrompt) -> bool {
    let tool = |ask: &NewPrompt| ask.tool.as_ref().map(|tool| (tool.name.clone(), tool.input));
    let is_it = |held: &Held| match &held.what {
        HeldFact::Prompt { actor: of, prompt: ask, .. } => {
            let named = ask.key.as_ref().zip(request.key.as_ref());
            let is_its = named.is_none_or(|(held, said)| held == said);
            is_its && of == actor && tool(ask) == tool(request) && ask.kind == request.kind
        }
        _ => false,
    };
    if name_held(step, actor, request) {
        return true;
    }
    let held = step.seat.held.iter().filter(|&held| is_it(held)).count();
    let of_another = request.key.is_none() && alike::asks_of_another(step, actor, request, held);
    held > 0 && !of_another
}

/// The same of a notice that waits, where nobody can type to the program: by its name the log tells that it was denied.
fn name_held(step: &mut Step<'_>, actor: &Actor, request: &NewPrompt) -> bool {
    if !is_named_by_log(step, request) {
        return false;
    }
    let calls = step.seat.open_tools.iter().filter(|open| open.actor == *actor).count();
    let held = step.seat.held.iter_mut().filter_map(|held| match &mut held.what {
        HeldFact::Prompt { actor: of, prompt: ask, by_notice: true }
            if ask.key.is_none() && ask.kind == request.kind =>
        {
            Some((of, ask))
        }
        _ => None,
    });
    // The one that reads the same, or else the first.
    let unlike =
        |(of, ask): &(&mut Actor, &mut NewPrompt)| (ask.title != request.title, **of != *actor);
    let Some((of, ask)) = held.min_by_key(unlike) else { return false };
    if calls > 1 || *of != *actor {
        ask.tool = None;
    }
    of.clone_from(actor);
    ask.key.clone_from(&request.key);
    step.changed = true;
    true
}

/// Does a log name this request, and not the call that it is about?
fn is_named_by_log(step: &Step<'_>, request: &NewPrompt) -> bool {
    let is_logged = step.evidence.source.tier() == Tier::Transcript;
    is_logged && request.key.is_some() && request.tool.is_none()
}

/// A log names a request. True if a notice has told of it: that dialog has its name from now on, by which its end is
/// told, and of several calls nobody knows which one it is about.
pub(super) fn name(step: &mut Step<'_>, actor: &Actor, request: &NewPrompt) -> bool {
    if !is_named_by_log(step, request) {
        return false;
    }
    let calls = step.seat.open_tools.iter().filter(|open| open.actor == *actor).count();
    let prompts = step.seat.prompts.iter_mut();
    let told = prompts.filter(|open| is_nameless(open) && open.ask.kind == request.kind);
    // The one that reads the same, or else the first.
    let unlike = |open: &&mut OpenPrompt| (open.ask.title != request.title, open.actor != *actor);
    let Some(open) = told.min_by_key(unlike) else { return false };
    let is_others = open.actor != *actor;
    step.announce |= is_others;
    step.changed = true;
    open.actor.clone_from(actor);
    open.ask.key.clone_from(&request.key);
    if calls > 1 || is_others {
        open.ask.tool = None;
    }
    true
}

/// Has a notice told of it, and nothing of its name?
pub(super) fn is_nameless(open: &OpenPrompt) -> bool {
    open.by_notice && open.ask.key.is_none()
}

/// Is nothing known of the call that it is about?
fn is_unnamed(open: &OpenPrompt) -> bool {
    is_nameless(open) && open.ask.tool.is_none()
}

/// A call begins. It is what an unnamed dialog is about: whatever else went on then has been asked about.
/// One of a helper is only where it comes at once, because others go on beside the main agent.
pub(super) fn begun(step: &mut Step<'_>, actor: &Actor, call: &ToolRef) {
    let now = step.now;
    let may_be = |open: &OpenPrompt| {
        let is_next = open.actor.is_main() && now.since(open.opened_at) < SETTLE_MS;
        is_unnamed(open) && (open.actor == *actor || is_next)
    };
    if let Some(open) = step.seat.prompts.iter_mut().find(|open| may_be(open)) {
        step.announce |= open.actor != *actor;
        step.changed = true;
        open.actor.clone_from(actor);
        open.ask.tool = Some(call.clone());
    }
}

/// A call ends of whose start nothing was told, and with it the unnamed dialog that was open longest. True if
/// there was one.
pub(super) fn clear_by_unheard(step: &mut Step<'_>, actor: &Actor) -> bool {
    let is_its = |open: &&OpenPrompt| is_unnamed(open) && open.actor == *actor;
    let unnamed = step.seat.own_prompts().find(is_its).map(|open| open.ask.clone());
    let Some(about) = unnamed else { return false };
    prompts::withdraw(step, |asked| asked.actor == actor && *asked.ask == about)
}
