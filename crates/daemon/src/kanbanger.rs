//! Kanbanger, and whatever is called as the settings say: its cards as tasks.

mod client;
mod courier;
mod documents;
mod says;
mod settings;
mod standing;
mod template;
mod tracker;

pub use settings::{KanbangerSettings, Written, WrittenCall};
pub(crate) use standing::Standing;
pub(crate) use tracker::Cards;

use client::Client;
use std::sync::Arc;

/// The name of the system, in settings, identifiers and documents.
pub(crate) const KANBANGER: &str = crate::webhooks::kanbanger::NAME;

/// One server.
#[derive(Clone, Debug)]
pub(crate) struct Kanbanger(Arc<Client>);

impl Kanbanger {
    pub(crate) fn new(settings: KanbangerSettings) -> Self {
        Self(Arc::new(Client::new(settings)))
    }

    fn client(&self) -> &Client {
        &self.0
    }

    pub(crate) fn has_key(&self) -> bool {
        self.settings().has_key()
    }

    fn settings(&self) -> &KanbangerSettings {
        &self.0.settings
    }
}

/// What is called `KAN-12` there, in an identifier of ours.
pub(crate) fn identifier(target: &str) -> String {
    format!("{KANBANGER}:{target}")
}
