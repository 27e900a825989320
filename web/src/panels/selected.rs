//! The selected client, as the buttons and forms for it read it.

use leptos::prelude::*;
use leptos::text_prop::TextProp;
use lictor_sim::Condition;
use lictor_view::rows::ActorRow;

use crate::state::controller::use_controller;

/// The selected client. A cheap copy: all copies share its signals.
#[derive(Clone, Copy)]
pub struct Selected {
    pub row: Memo<Option<ActorRow>>,
    /// Its name; empty without a client.
    pub name: Memo<String>,
}

impl Selected {
    pub fn of_page() -> Self {
        let controller = use_controller();
        let row = Memo::new(move |_| controller.selected_row().map(|row| row.get()));
        let name = Memo::new(move |_| {
            row.with(|row| row.as_ref().map(|row| row.actor.name.to_string()).unwrap_or_default())
        });
        Self { row, name }
    }

    /// A property of the client; without a client, the default value. Subscribes.
    pub fn map<T: Default>(self, read: impl FnOnce(&ActorRow) -> T) -> T {
        self.row.with(|row| row.as_ref().map(read).unwrap_or_default())
    }

    /// Whether the process of the client runs. Subscribes.
    pub fn is_up(self) -> bool {
        self.map(|row| row.host.condition == Condition::Up)
    }

    /// The test id of a button, which ends with the name of the client.
    pub fn test_id(self, id: &'static str) -> TextProp {
        (move || format!("{id}-{}", self.name.get())).into()
    }
}
