//! How a plan is applied to a machine, and taken back.

use routers::{TreatedQueue, Treatment, undo_timer};
use units::Span;

use crate::failure::Failure;
use crate::machine::Machine;
use crate::message::note;

impl Machine {
    /// # Errors
    /// If a change is under way there.
    pub(super) fn is_free(&mut self) -> Result<(), Failure> {
        let name = self.name();
        let failed = |what: String| Failure::Run(format!("{name}: {what}"));
        let answer = self.run(&undo_timer::is_under_way());
        match answer.map_err(|error| failed(error.to_string()))?.status {
            0 => Err(failed("another fix is under way".to_owned())),
            _ => Ok(()),
        }
    }

    /// Starts the timer that takes the change back.
    pub(super) fn arm(&mut self, treatment: &Treatment, after: Span) -> Result<(), Failure> {
        let seconds = after.as_nanos().div_ceil(1_000_000_000);
        let script = undo_timer::arm(&treatment.undo, &treatment.unkeep, seconds);
        let answer = self.run(&script).map_err(|error| {
            Failure::Run(format!("{}: {error}; nothing was changed", self.name()))
        })?;
        match answer.status {
            0 => Ok(()),
            _ => Err(Failure::Run(format!(
                "{}: {}; nothing was changed",
                self.name(),
                sentence(&answer.text)
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
        self.done(&undo_timer::keep(&treatment.keep))
    }

    /// Takes the change back now, by a new connection if the old one is lost, and returns the answer to the
    /// script that examines the machine; `None` if it is not reached, and its timer takes the change back.
    pub(super) fn undo(&mut self, after: Span, examination: &str) -> Option<String> {
        if self.done(&undo_timer::undo()).is_ok() {
            return self.ask(examination).ok();
        }
        if let Ok(mut again) = Self::reach_as_root(self.destination())
            && again.done(&undo_timer::undo()).is_ok()
        {
            return again.ask(examination).ok();
        }
        let name = self.name();
        note(format_args!(
            "{name} cannot be reached; it takes the change back by itself within {after}"
        ));
        None
    }

    /// Takes back a change that is under way or else what an earlier treatment kept; false if there is
    /// neither. The error is what the machine said.
    pub(super) fn take_back(&mut self) -> Result<bool, String> {
        let is_under_way =
            self.run(&undo_timer::is_under_way()).map_err(|error| error.to_string())?;
        if is_under_way.status == 0 {
            return self.done(&undo_timer::undo()).map(|()| true);
        }
        let is_there = format!("[ -e {} ]", routers::KEPT_UNDO);
        let answer = self.run(&is_there).map_err(|error| error.to_string())?;
        if answer.status != 0 {
            return Ok(false);
        }
        self.done(&format!("trap '' HUP PIPE\nsh {}", routers::KEPT_UNDO)).map(|()| true)
    }

    /// The queues of the machine as the treatment shows them.
    pub(super) fn queues(&mut self, treatment: &Treatment) -> Result<String, String> {
        let answer = self.run(&treatment.look).map_err(|error| error.to_string())?;
        Ok(answer.text)
    }

    fn done(&mut self, script: &str) -> Result<(), String> {
        let answer = self.run(script).map_err(|error| error.to_string())?;
        match answer.status {
            0 => Ok(()),
            _ => Err(sentence(&answer.text)),
        }
    }
}

/// The bytes that each queue has sent; 0 for one that is not there.
pub(super) fn sent(queues: &[TreatedQueue], shown: &str) -> Vec<u64> {
    queues.iter().map(|queue| queue.sent_bytes(shown).unwrap_or_default()).collect()
}

/// What a machine said, in one line.
fn sentence(text: &str) -> String {
    report::printable(&text.trim().lines().collect::<Vec<_>>().join("; "))
}
