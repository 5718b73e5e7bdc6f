//! What is to be done to cards, and whether it was done.

use super::documents::{self, Card, Said};
use super::{KANBANGER, Kanbanger};
use crate::effects::{Courier, Delivered, DeliveryError, Effect, Looked, Sent};
use crate::outgoing::RemoteError;
use crate::tracker::{Change, Creation};
use headsup_core::work::comment::{mark, marked, without_mark};
use headsup_core::work::effect::EffectKind;
use serde_json::Value;

/// What is wanted there, as an error names it.
const LIST: &str = "list of cards";
/// Cards that are looked through for one that was made.
const LOOKED_THROUGH: &str = "200";

impl Courier for Kanbanger {
    fn provider(&self) -> &'static str {
        KANBANGER
    }

    fn closed(&self) -> Option<&'static str> {
        (!self.has_key()).then_some("no_key")
    }

    fn deliver<'a>(&'a self, effect: &'a Effect) -> Sent<'a> {
        Box::pin(async move {
            let target = effect.target.as_str();
            let made = match effect.kind {
                EffectKind::Comment => {
                    let body = marked(&effect.body, &effect.key);
                    let values = [("task", Some(target)), ("body", Some(&*body))];
                    let answer = self.client().call("comment", &values, &card_name(target)).await?;
                    let id = documents::said(self.settings(), &answer).map(|said| said.id);
                    // Whoever answers without an id has taken it all the same.
                    return Ok(Delivered { id: id.unwrap_or_default(), url: None });
                }
                EffectKind::TaskStatus => {
                    let word = self.settings().word(effect.status()?);
                    let values = [("task", Some(target)), ("status", Some(word))];
                    self.client().call("change", &values, &card_name(target)).await?
                }
                EffectKind::TaskChange => {
                    let Change { title, body } = effect.read()?;
                    let body = body.map(|body| marked(&body, &effect.key));
                    let (title, body) = (title.as_deref(), body.as_deref());
                    let values = [("task", Some(target)), ("title", title), ("body", body)];
                    self.client().call("change", &values, &card_name(target)).await?
                }
                EffectKind::TaskCreate => {
                    let Creation { title, body, status } = effect.read()?;
                    let (body, word) = (marked(&body, &effect.key), self.settings().word(status));
                    let (title, body) = (Some(&*title), Some(&*body));
                    let values = [("title", title), ("body", body), ("status", Some(word))];
                    self.client().call("create", &values, LIST).await?
                }
            };
            let target = (effect.kind != EffectKind::TaskCreate).then_some(target);
            self.delivered(&made, target)
        })
    }

    fn find<'a>(&'a self, effect: &'a Effect) -> Looked<'a> {
        Box::pin(async move {
            let target = effect.target.as_str();
            match effect.kind {
                EffectKind::Comment => {
                    let mark = mark(&effect.key);
                    let comments = self.comments(target).await?;
                    let found = comments.into_iter().find(|said| said.raw.contains(&mark));
                    Ok(found.map(|said| Delivered { id: said.id, url: None }))
                }
                EffectKind::TaskStatus => {
                    let (there, wanted) = (self.card(target).await?, effect.status()?);
                    Ok((there.status == Some(wanted)).then(|| named(there)))
                }
                EffectKind::TaskChange => {
                    let Change { title, body } = effect.read()?;
                    let there = self.card(target).await?;
                    let said = without_mark(there.body.as_deref().unwrap_or_default());
                    let is_done = title.is_none_or(|title| title == there.title)
                        && body.is_none_or(|body| body.trim_end() == said);
                    Ok(is_done.then(|| named(there)))
                }
                EffectKind::TaskCreate => {
                    let mark = mark(&effect.key);
                    let made =
                        self.cards(LOOKED_THROUGH, None).await?.into_iter().find(|card| {
                            card.body.as_deref().is_some_and(|body| body.contains(&mark))
                        });
                    Ok(made.map(named))
                }
            }
        })
    }
}

impl Kanbanger {
    pub(super) async fn card(&self, target: &str) -> Result<Card, RemoteError> {
        let what = card_name(target);
        let answer = self.client().call("get", &[("task", Some(target))], &what).await?;
        documents::card(self.settings(), &answer).ok_or_else(|| self.garbled(&what))
    }

    pub(super) async fn cards(
        &self,
        most: &str,
        status: Option<&str>,
    ) -> Result<Vec<Card>, RemoteError> {
        let values = [("limit", Some(most)), ("status", status)];
        let answer = self.client().call("list", &values, LIST).await?;
        let cards = documents::cards(self.settings(), &answer);
        cards.ok_or_else(|| self.garbled(LIST))
    }

    pub(super) async fn comments(&self, target: &str) -> Result<Vec<Said>, RemoteError> {
        let what = format!("comments of {target}");
        let answer = self.client().call("comments", &[("task", Some(target))], &what).await?;
        documents::comments(self.settings(), &answer).ok_or_else(|| self.garbled(&what))
    }

    /// What was done to which card: the one that the answer names, or the one that was meant.
    fn delivered(&self, answer: &Value, target: Option<&str>) -> Result<Delivered, DeliveryError> {
        match (documents::card(self.settings(), answer), target) {
            (Some(card), _) => Ok(named(card)),
            (None, Some(target)) => Ok(Delivered { id: target.to_owned(), url: None }),
            (None, None) => Err(self.garbled("the new card").into()),
        }
    }

    fn garbled(&self, what: &str) -> RemoteError {
        let host = self.client().host();
        RemoteError::Garbled { host, what: format!("{what}; `fields` says where what stands") }
    }
}

fn named(card: Card) -> Delivered {
    Delivered { id: card.identifier, url: card.url }
}

fn card_name(target: &str) -> String {
    format!("card {target}")
}
