//! Watches a command from outside: passes signals on, reports progress, and ends the command.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;

use kernel::Clock;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{Shutdown, shutdown};
use rustix::process::Signal;
use rustix::time::Timespec;
use units::{Span, Time};

use super::control::{self, Report, Step};
use super::error::SandboxError;
use super::launch::Outcome;
use super::signals::Signals;

/// The time between two questions whether the command shall go on.
const ASKED_EACH: Span = Span::from_millis(100);
/// The time that a command has to end when asked.
const GRACE: Span = Span::from_millis(600);

/// The time within which a second interrupt ends the command, since it seems to ignore them.
/// Interrupts further apart may each have their own meaning to a program that is in use for an
/// hour.
const TWICE: Span = Span::from_secs(5);

/// Waits for a command to end.
#[derive(Debug)]
pub struct Watcher<'a> {
    signals: Signals,
    line: OwnedFd,
    words: &'a [OsString],
    clock: Clock,
    /// The time at which the caller was last asked whether the command shall go on.
    wanted_at: Time,
    report: Option<Report>,
    /// The time at which the command was asked to end; `None` before.
    asked: Option<Time>,
    /// The time of the last interrupt; `None` before the first.
    interrupted: Option<Time>,
}

impl<'a> Watcher<'a> {
    pub(super) fn new(signals: Signals, line: OwnedFd, words: &'a [OsString]) -> Self {
        let clock = Clock::start();
        let wanted_at = Time::ZERO;
        let (report, asked, interrupted) = (None, None, None);
        Self { signals, line, words, clock, wanted_at, report, asked, interrupted }
    }

    /// Waits until the init is gone, or is about to end. Ends the command when `has_failed`, which
    /// is called at every event, returns true, or when `is_wanted`, which is called ten times a
    /// second, returns false.
    pub fn watch(&mut self, has_failed: impl Fn() -> bool, mut is_wanted: impl FnMut() -> bool) {
        loop {
            self.wait();
            while let Some(received) = self.signals.next() {
                // A command that has not begun has not got the signal, so it is passed on.
                if !received.is_known || self.report.is_none() {
                    self.pass_on(received.signal);
                }
                if received.is_final {
                    self.ask(None);
                }
                if received.is_interrupt && self.is_second() {
                    return self.kill();
                }
            }
            match control::reported(&self.line) {
                Ok(report) => self.report = report.or(self.report),
                Err(_) => return,
            }
            if has_failed() || (self.is_time_to_ask() && !is_wanted()) {
                self.ask(Some(Signal::TERM));
            }
            if self.asked.is_some_and(|asked| self.clock.now().since(asked) >= GRACE) {
                return self.kill();
            }
        }
    }

    /// Notes an interrupt. Returns true if it is the second within [`TWICE`].
    fn is_second(&mut self) -> bool {
        let now = self.clock.now();
        self.interrupted.replace(now).is_some_and(|last| now.since(last) < TWICE)
    }

    /// Ends the command and everything that it has started by force.
    fn kill(&mut self) {
        // Marks a command that has not begun as asked to end, too.
        self.ask(None);
        // The init takes this as the end of this process. If there is no init, nothing is left to
        // end.
        let _ = shutdown(&self.line, Shutdown::Both);
    }

    /// The end of the command, with notes from the init's report. `outcome` is the result of
    /// [`Launch::run`](super::Launch::run).
    ///
    /// # Errors
    /// If the command never began.
    pub fn conclude(self, outcome: Result<Outcome, SandboxError>) -> Result<Outcome, SandboxError> {
        let mut outcome = outcome?;
        match self.report {
            Some(Report::Begun { has_proc: true }) => {}
            Some(Report::Begun { has_proc: false }) => {
                let note = "the command sees all processes in /proc: the machine refuses a new one";
                outcome.notes.push(note.into());
            }
            Some(Report::Failed(step, errno)) => return Err(failure(step, errno, self.words)),
            None if self.asked.is_some() => {}
            None => return Err(SandboxError::Init(outcome.code)),
        }
        Ok(outcome)
    }

    fn wait(&self) {
        let mut ready =
            [PollFd::new(&self.signals, PollFlags::IN), PollFd::new(&self.line, PollFlags::IN)];
        let span = (self.wanted_at + ASKED_EACH).since(self.clock.now());
        let span = Timespec { tv_sec: 0, tv_nsec: span.min(ASKED_EACH).as_nanos() as _ };
        // The caller looks at every descriptor, whatever the result is.
        let _ = poll(&mut ready, Some(&span));
    }

    /// True once each [`ASKED_EACH`].
    fn is_time_to_ask(&mut self) -> bool {
        let now = self.clock.now();
        let is_time = now.since(self.wanted_at) >= ASKED_EACH;
        if is_time {
            self.wanted_at = now;
        }
        is_time
    }

    /// Asks the command to end, once.
    fn ask(&mut self, signal: Option<Signal>) {
        if self.asked.is_none() {
            self.asked = Some(self.clock.now());
            signal.into_iter().for_each(|signal| self.pass_on(signal));
        }
    }

    fn pass_on(&self, signal: Signal) {
        // If the init is gone, the next look at the control line finds out.
        let _ = control::pass_on(&self.line, signal);
    }
}

/// The error of an init that failed at this step.
fn failure(step: Step, errno: i32, command: &[OsString]) -> SandboxError {
    let error = io::Error::from_raw_os_error(errno);
    let what = match step {
        Step::Start => {
            let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
            return SandboxError::Start { command: words.join(" "), error };
        }
        Step::Input => "taking stdin of the command",
        Step::Rights => "giving up rights that the command must not have",
        Step::Bond => "binding the command to us",
        Step::Limits => "setting the limits of the command",
        Step::Signals => "letting signals through to the command",
    };
    SandboxError::Refused { what, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_init_that_fails_says_where_and_why() {
        let command = ["no-such-program".into(), "x".into()];
        let started = failure(Step::Start, 2, &command).to_string();
        assert!(started.starts_with("no-such-program x: No such file"), "{started}");
        let limits = failure(Step::Limits, 1, &command).to_string();
        assert!(limits.contains("limits") && limits.contains("not permitted"), "{limits}");
    }
}
