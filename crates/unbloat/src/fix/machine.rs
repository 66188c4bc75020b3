//! The machine that a plan is applied to.

use remote::{Destination, RemoteError, Shell};
use routers::{TreatedQueue, Treatment, undo_timer};
use units::Span;

use crate::failure::Failure;
use crate::message::note;

/// The longest time without a word from the machine.
const LONGEST: Span = Span::from_secs(90);

/// The machine, and the shell on it.
pub(super) struct Machine {
    destination: Option<Destination>,
    shell: Shell,
}

impl Machine {
    /// The machine of this name, or this one. The connection to it is tried.
    pub(super) fn reach(destination: Option<&Destination>) -> Result<Self, Failure> {
        let shell = match destination {
            Some(destination) => Shell::over(destination),
            None => Shell::here(),
        };
        let failed = |error: RemoteError| unreached(destination, &error);
        let mut shell = shell.map_err(failed)?;
        shell.become_root().map_err(failed)?;
        Ok(Self { destination: destination.cloned(), shell })
    }

    /// The name of the machine, in messages.
    pub(super) fn name(&self) -> String {
        self.destination.as_ref().map_or_else(|| "this machine".into(), ToString::to_string)
    }

    /// The name of the machine, unless it is this one.
    pub(super) fn destination(&self) -> Option<String> {
        self.destination.as_ref().map(ToString::to_string)
    }

    /// What a script prints that changes nothing.
    pub(super) fn ask(&mut self, script: &str) -> Result<String, Failure> {
        let answer = self.shell.run(script, LONGEST);
        let answer = answer.map_err(|error| unreached(self.destination.as_ref(), &error))?;
        Ok(answer.text)
    }

    /// Starts the timer that takes the change back.
    pub(super) fn arm(&mut self, treatment: &Treatment, after: Span) -> Result<(), Failure> {
        let seconds = after.as_nanos().div_ceil(1_000_000_000);
        let answer = self.shell.run(&undo_timer::arm(&treatment.undo, seconds), LONGEST);
        let answer = answer.map_err(|error| unreached(self.destination.as_ref(), &error))?;
        match answer.status {
            0 => Ok(()),
            _ => Err(Failure::Run(format!(
                "{}: {}; nothing was changed",
                self.name(),
                report::printable(answer.text.trim_end())
            ))),
        }
    }

    /// Gives the timer its whole time again. The error is what the machine said.
    pub(super) fn again(&mut self) -> Result<(), String> {
        self.done(&undo_timer::again())
    }

    /// Makes the change. The error is what the machine said.
    pub(super) fn apply(&mut self, treatment: &Treatment) -> Result<(), String> {
        self.done(&undo_timer::within(&treatment.apply))
    }

    /// Makes the change outlive a reboot, and stops the timer. The error is what the machine said;
    /// then the change was taken back.
    pub(super) fn keep(&mut self, treatment: &Treatment) -> Result<(), String> {
        self.done(&undo_timer::keep(&treatment.keep, &treatment.unkeep))
    }

    /// Takes the change back now, by a new connection if the old one is lost.
    ///
    /// If that fails, the timer on the machine takes it back.
    pub(super) fn undo(&mut self, after: Span) {
        if self.done(&undo_timer::undo()).is_ok() {
            return;
        }
        let again = Self::reach(self.destination.as_ref());
        if again.is_ok_and(|mut again| again.done(&undo_timer::undo()).is_ok()) {
            return;
        }
        let name = self.name();
        note(format_args!(
            "{name} is not reached; it takes the change back by itself within {after}"
        ));
    }

    /// Takes back what an earlier treatment kept; false if there is nothing. The error is what the
    /// machine said.
    pub(super) fn take_back(&mut self) -> Result<bool, String> {
        let is_there = format!("[ -e {} ]", routers::KEPT_UNDO);
        let answer = self.shell.run(&is_there, LONGEST).map_err(|error| error.to_string())?;
        if answer.status != 0 {
            return Ok(false);
        }
        self.done(&format!("trap '' HUP PIPE\nsh {}", routers::KEPT_UNDO)).map(|()| true)
    }

    /// The queues of the machine as tc shows them.
    pub(super) fn queues(&mut self) -> Result<String, String> {
        let answer = self.shell.run(routers::QUEUES, LONGEST).map_err(|error| error.to_string())?;
        Ok(answer.text)
    }

    fn done(&mut self, script: &str) -> Result<(), String> {
        let answer = self.shell.run(script, LONGEST).map_err(|error| error.to_string())?;
        match answer.status {
            0 => Ok(()),
            _ => Err(report::printable(answer.text.trim_end())),
        }
    }
}

/// The bytes that each queue has sent; 0 for one that is not there.
pub(super) fn sent(queues: &[TreatedQueue], shown: &str) -> Vec<u64> {
    queues.iter().map(|queue| queue.sent_bytes(shown).unwrap_or_default()).collect()
}

fn unreached(destination: Option<&Destination>, error: &RemoteError) -> Failure {
    let name = destination.map_or_else(|| "this machine".into(), ToString::to_string);
    Failure::Run(format!("{name}: {error}; nothing was changed"))
}
