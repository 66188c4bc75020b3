//! Progress of a sweep on stderr, for a user at a terminal.

use std::io::{self, Write};
use std::num::NonZero;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ::sweep::{Row, Store, Watch};

use crate::interrupt;
use crate::terminal;

/// The progress line of a sweep, which is shown only on a terminal, and only if the sweep takes a
/// while.
pub(super) struct Bar {
    line: Option<Mutex<Line>>,
}

struct Line {
    /// The number of runs in this sweep or shard.
    runs: u64,
    /// The runs that were done before this process began.
    before: u64,
    /// The runs that this process has done.
    since: u64,
    failed: u64,
    /// The finished part of the run on each thread, from 0 to 1.
    begun: Vec<f64>,
    started: Instant,
    /// The time to show the line again.
    due: Instant,
    shown: bool,
}

const PATIENCE: Duration = Duration::from_millis(500);
const REFRESH: Duration = Duration::from_millis(100);
/// The width of the bar itself, in characters.
const WIDTH: usize = 24;

impl Bar {
    /// The progress of the missing runs of `store`.
    pub(super) fn new(store: &Store, threads: NonZero<usize>, quiet: bool) -> Self {
        let line = || Line {
            runs: store.ours(),
            before: store.ours() - store.missing(),
            since: 0,
            failed: 0,
            begun: vec![0.0; threads.get()],
            started: now(),
            due: now() + PATIENCE,
            shown: false,
        };
        Self {
            line: (!quiet && terminal::can_draw_over(&io::stderr())).then(|| Mutex::new(line())),
        }
    }
}

impl Watch for Bar {
    fn goes_on(&self, thread: usize, done: f64) -> bool {
        // Another thread is showing the line now: skip this update.
        if let Some(mut line) = self.line.as_ref().and_then(|line| line.try_lock().ok()) {
            line.begun[thread] = done;
            line.show_if_due(now());
        }
        !interrupt::asked()
    }

    fn is_done(&self, thread: usize, row: &Row) {
        if let Some(mut line) = self.line.as_ref().and_then(|line| line.lock().ok()) {
            line.begun[thread] = 0.0;
            line.since += 1;
            line.failed += u64::from(row.error.is_some());
            line.show_if_due(now());
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        let shown = |line: &Mutex<Line>| line.lock().is_ok_and(|line| line.shown);
        if self.line.as_ref().is_some_and(shown) {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}

impl Line {
    fn show_if_due(&mut self, now: Instant) {
        if now >= self.due {
            self.due = now + REFRESH;
            self.shown = true;
            let text = self.text(now.duration_since(self.started).as_secs_f64());
            let _ = write!(io::stderr(), "\r{text}\u{1b}[K");
        }
    }

    /// The line's text, `seconds` after the start.
    fn text(&self, seconds: f64) -> String {
        let done = self.before + self.since;
        let filled = (WIDTH as u64 * done / self.runs.max(1)) as usize;
        let bar = format!("{}{}", "█".repeat(filled), "░".repeat(WIDTH - filled));
        let mut text = format!("{bar} {done} of {} runs", self.runs);
        let work = self.since as f64 + self.begun.iter().sum::<f64>();
        if work > 0.0 && seconds > 0.0 {
            let (rate, rest) = (work / seconds, self.runs as f64 - self.before as f64 - work);
            let rate = if rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") };
            text += &format!(", {rate}/s, {} left", length(rest.max(0.0) * seconds / work));
        }
        if self.failed > 0 {
            text += &format!(", {} failed", self.failed);
        }
        text
    }
}

/// A length of time in two units at most: `45 s`, `2 min 10 s`, `3 h 5 min`, `12 days`.
pub(super) fn length(seconds: f64) -> String {
    // The cast saturates, far above the duration of any sweep.
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        3600..259_200 => format!("{} h {} min", whole / 3600, whole / 60 % 60),
        _ => format!("{} days", whole / 86_400),
    }
}

#[expect(clippy::disallowed_methods, reason = "paces what is shown, never what is computed")]
pub(super) fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_rate_and_time_left() {
        let (started, due) = (now(), now());
        let mut line = Line {
            runs: 3000,
            before: 1000,
            since: 0,
            failed: 0,
            begun: vec![0.0; 2],
            started,
            due,
            shown: false,
        };
        assert_eq!(line.text(1.0), "████████░░░░░░░░░░░░░░░░ 1000 of 3000 runs");
        line.since = 499;
        line.begun = vec![0.5, 0.5];
        assert!(line.text(100.0).ends_with(" 1499 of 3000 runs, 5.0/s, 5 min 0 s left"));
        line.failed = 2;
        line.since = 2000;
        line.begun = vec![0.0; 2];
        let expected = format!("{} 3000 of 3000 runs, 20/s, 0 s left, 2 failed", "█".repeat(WIDTH));
        assert_eq!(line.text(100.0), expected);
    }

    #[test]
    fn lengths_have_two_units() {
        let lengths = [0.4, 59.4, 130.0, 7500.0, 1e6].map(length);
        assert_eq!(lengths, ["0 s", "59 s", "2 min 10 s", "2 h 5 min", "11 days"]);
    }
}
