//! Progress on stderr, for a user at a terminal.

use std::io::{self, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::terminal;

/// The progress line of several runs, which is shown only on a terminal, and only if the runs take
/// a while.
pub(crate) struct Progress {
    line: Option<Mutex<Line>>,
}

struct Line {
    /// The activity, such as "simulating".
    verb: &'static str,
    /// The finished part of each run, from 0 to 1.
    done: Vec<f64>,
    /// The time to show the line again.
    due: Instant,
    shown: bool,
}

const PATIENCE: Duration = Duration::from_millis(500);
const REFRESH: Duration = Duration::from_millis(100);

impl Progress {
    /// The progress of `runs` runs.
    pub(crate) fn of(runs: usize, quiet: bool) -> Self {
        let line = || Line {
            verb: "simulating",
            done: vec![0.0; runs],
            due: now() + PATIENCE,
            shown: false,
        };
        Self {
            line: (!quiet && terminal::can_draw_over(&io::stderr())).then(|| Mutex::new(line())),
        }
    }

    /// The progress with another word for the activity.
    pub(crate) fn doing(mut self, verb: &'static str) -> Self {
        if let Some(line) = self.line.as_mut().and_then(|line| line.get_mut().ok()) {
            line.verb = verb;
        }
        self
    }

    /// Reports the finished part of this run, from 0 to 1.
    pub(crate) fn report(&self, run: usize, done: f64) {
        let Some(line) = &self.line else { return };
        // Another run is showing the line now: skip this update.
        let Ok(mut line) = line.try_lock() else { return };
        line.done[run] = done;
        let now = now();
        if now >= line.due {
            line.due = now + REFRESH;
            line.shown = true;
            let percent = 100.0 * line.done.iter().sum::<f64>() / line.done.len() as f64;
            let _ = write!(io::stderr(), "\r{} {percent:3.0} %", line.verb);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let shown = |line: &Mutex<Line>| line.lock().is_ok_and(|line| line.shown);
        if self.line.as_ref().is_some_and(shown) {
            let _ = write!(io::stderr(), "\r                \r");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "paces what is shown, never what is computed")]
fn now() -> Instant {
    Instant::now()
}
