//! What is shown of a watch: a table at a terminal, or a line for each event.

use std::collections::VecDeque;

use results::{Spike, Version, WatchEvent, WatchLine, WatchNews, WatchSchema};
use units::{Span, Time};

use super::book::Book;
use super::time::{for_logs, of_day};
use crate::args::WatchArgs;
use crate::failure::Failure;
use crate::message::note;
use crate::output;
use crate::screen::Screen;

/// The time between two pictures.
const SECOND: Span = Span::from_secs(1);
/// The events that a terminal shows.
const SHOWN: usize = 5;

/// The display of a watch.
pub(super) struct Show {
    form: Form,
    /// The latest events, each with its time.
    events: VecDeque<(String, String)>,
    due: Time,
}

/// The form in which it is shown.
enum Form {
    /// A JSON document for each event, and for each minute of each target.
    Json,
    /// A table that is drawn in place.
    Screen(Screen),
    /// A line for each event.
    Lines,
}

impl Show {
    pub(super) fn new(args: &WatchArgs) -> Self {
        let form = match (args.json, Screen::is_there()) {
            (true, _) => Form::Json,
            (false, true) => Form::Screen(Screen::default()),
            (false, false) => Form::Lines,
        };
        Self { form, events: VecDeque::new(), due: Time::ZERO }
    }

    /// Shows an event that began at this time.
    pub(super) fn event(&mut self, start: Time, event: &WatchEvent) -> Result<(), Failure> {
        match self.form {
            Form::Json => print(WatchNews::Event(event.clone())),
            Form::Lines => {
                output::print(&format!("{} {}", for_logs(start), report::watch_event(event)))
            }
            Form::Screen(_) => {
                self.put(start, report::watch_event(event));
                Ok(())
            }
        }
    }

    /// Tells something that is no event of the watch.
    pub(super) fn tell(&mut self, now: Time, text: &str) {
        match self.form {
            Form::Json | Form::Lines => note(text),
            Form::Screen(_) => self.put(now, text.to_owned()),
        }
    }

    /// Shows what is known at the end: the minutes that have not ended, and the last events.
    pub(super) fn end(&mut self, book: &mut Book, now: Time) -> Result<(), Failure> {
        self.due = Time::ZERO;
        match self.form {
            Form::Json => {
                book.rest(now).into_iter().try_for_each(|it| print(WatchNews::Minute(it)))
            }
            Form::Screen(_) => self.show(book, now, None),
            Form::Lines => Ok(()),
        }
    }

    fn put(&mut self, time: Time, text: String) {
        self.events.push_back((of_day(time), text));
        if self.events.len() > SHOWN {
            self.events.pop_front();
        }
    }

    /// Shows what is known now. `ongoing` is the spike that is under way, with its beginning.
    pub(super) fn show(
        &mut self,
        book: &mut Book,
        now: Time,
        ongoing: Option<(Time, Option<&Spike>)>,
    ) -> Result<(), Failure> {
        match &mut self.form {
            Form::Json => {
                book.settled(now).into_iter().try_for_each(|it| print(WatchNews::Minute(it)))
            }
            Form::Screen(screen) if now >= self.due => {
                self.due = now + SECOND;
                let mut events: Vec<_> = self.events.iter().cloned().collect();
                if let Some((start, suspected)) = ongoing {
                    events.push((of_day(start), report::watch_ongoing(suspected)));
                }
                let lines = Screen::room().lines;
                screen.draw(&report::watch_screen(&book.rows(), &events, lines, output::style()))
            }
            Form::Screen(_) | Form::Lines => Ok(()),
        }
    }
}

fn print(news: WatchNews) -> Result<(), Failure> {
    let line = WatchLine { schema: WatchSchema::Watch, version: Version, news };
    let line = serde_json::to_string(&line).map_err(|error| Failure::Run(error.to_string()))?;
    output::print(&line)
}
