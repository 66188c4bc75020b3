//! The display of rates that follow a line.

use std::sync::{Arc, Mutex, PoisonError};

use results::{Autorate, AutorateSchema, AutorateState, Version};
use units::{Span, Time};

use crate::args::AutorateArgs;
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{follow, output};

/// The time between two documents, and between two pictures.
const SECOND: Span = Span::from_secs(1);

/// The latest state; `None` before the first, and while a queue is away.
pub(super) type Latest = Arc<Mutex<Option<Autorate>>>;

/// The display of rates as they are.
pub(super) struct Show {
    interface: String,
    began: Time,
    due: Time,
    form: Form,
    latest: Latest,
}

/// The form in which rates are shown.
enum Form {
    /// A JSON document a second.
    Json,
    /// A text that is drawn in place.
    Screen(Screen),
    /// Nothing, where nobody looks: events are told all the same.
    Nothing,
}

impl Show {
    pub(super) fn new(args: &AutorateArgs, now: Time) -> Self {
        let form = match (args.json, Screen::is_there()) {
            (true, _) => Form::Json,
            (false, true) => Form::Screen(Screen::default()),
            (false, false) => Form::Nothing,
        };
        let interface = args.interface.clone();
        Self { interface, began: now, due: now + SECOND, form, latest: Latest::default() }
    }

    pub(super) fn latest(&self) -> Latest {
        self.latest.clone()
    }

    /// Shows the state, if it is time.
    pub(super) fn show(&mut self, state: Option<AutorateState>, now: Time) -> Result<(), Failure> {
        let Some(state) = state.filter(|_| now >= self.due) else { return Ok(()) };
        self.due = now + SECOND;
        let document = Autorate {
            schema: AutorateSchema::Autorate,
            version: Version,
            interface: self.interface.clone(),
            uptime_s: now.since(self.began).as_secs_f64(),
            state,
        };
        match &mut self.form {
            Form::Json => {
                let line = serde_json::to_string(&document);
                output::print(&line.map_err(|error| Failure::Run(error.to_string()))?)?;
            }
            Form::Screen(screen) => screen.draw(&follow::text(&document.state))?,
            Form::Nothing => {}
        }
        self.keep(Some(document));
        Ok(())
    }

    /// Shows no rates, and the reason for it: there are none now.
    pub(super) fn show_nothing(&mut self, why: &str) -> Result<(), Failure> {
        self.keep(None);
        match &mut self.form {
            Form::Screen(screen) => screen.draw(why),
            Form::Json | Form::Nothing => Ok(()),
        }
    }

    fn keep(&self, document: Option<Autorate>) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = document;
    }
}
