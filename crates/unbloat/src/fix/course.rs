//! The course of a change: make it, look whether it is in force, test the line, keep it or take it
//! back.
//!
//! The order matters. Before anything is changed, a timer runs on the machine that takes the change
//! back; it is stopped last. Until then the change does not outlive a reboot.

use observation::Heading;
use remedy::autotune::Search;
use remedy::{Prescription, Shaper, outcome};
use results::{LoadedDirection, Measurement, Plan, TakenBack, Tuning, UndoReason};
use routers::{Platform, TreatedQueue, Treatment};
use units::Span;

use super::machine::sent;
use super::platform;
use crate::args::FixArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::machine::Machine;
use crate::message::note;
use crate::test;

/// The part of what a direction carried in the test that its queue must have sent.
const SEEN: f64 = 0.5;

/// A change of the machine.
pub(super) struct Change {
    pub(super) plan: Plan,
    pub(super) prescription: Prescription,
    pub(super) treatment: Treatment,
}

/// A change under way.
pub(super) struct Course<'a> {
    pub(super) args: &'a FixArgs,
    pub(super) machine: &'a mut Machine,
    pub(super) wan: String,
    /// What the machine said of its state before the change.
    pub(super) answer: String,
    pub(super) change: Change,
    pub(super) before: Measurement,
    pub(super) server: String,
    /// What the search for the rates found; `None` without a search.
    pub(super) tuning: Option<Tuning>,
}

/// What a test found after a change, and the reasons to take the change back.
type Judged = (Measurement, Vec<UndoReason>);

impl Course<'_> {
    /// Makes the change, and keeps it or takes it back.
    pub(super) fn run(mut self) -> Result<results::Treatment, Failure> {
        let _held = interrupt::hold();
        let after_span: Span = self.args.apply.undo_after;
        self.machine.arm(&self.change.treatment, after_span)?;
        let judged = match self.args.apply.autotune {
            true => self.tuned(),
            false => self.changed(),
        };
        let (after, mut reasons) = match judged {
            Ok((after, reasons)) => (Some(after), reasons),
            Err(reason) => (None, vec![reason]),
        };
        let is_interrupted = interrupt::asked();
        if is_interrupted {
            reasons = vec![UndoReason::Interrupted];
        }
        let after = after.filter(|_| !is_interrupted);
        if reasons.is_empty()
            && let Err(said) = self.machine.keep(&self.change.treatment)
        {
            reasons.push(UndoReason::Failed { said });
        }
        let taken_back = (!reasons.is_empty()).then(|| self.take_back(after_span));
        Ok(results::Treatment {
            machine: self.machine.destination().map(ToString::to_string),
            plan: self.change.plan,
            before: self.before,
            after,
            tuning: self.tuning,
            kept: reasons.is_empty(),
            reasons,
            taken_back,
            ..results::Treatment::default()
        })
    }

    /// Takes the change back, and looks whether the machine is as it was.
    fn take_back(&mut self, after: Span) -> TakenBack {
        self.say("taking the change back");
        let examination = platform(self.args).examination(&self.change.prescription, &self.wan);
        match self.machine.undo(after, &examination.unwrap_or_default()) {
            None => TakenBack::NotSeen,
            Some(now) if Platform::is_as_before(&self.wan, &self.answer, &now) => {
                TakenBack::AsBefore
            }
            Some(_) => TakenBack::Differs,
        }
    }

    /// Makes the change with one rate after the other, and ends with the highest that was short.
    fn tuned(&mut self) -> Result<Judged, UndoReason> {
        let first = self.change.prescription.clone();
        let mut search = Search::new(&first, self.args.apply.target);
        loop {
            let plan = search.plan(&first);
            self.take_rates(plan.clone())?;
            let judged = self.changed()?;
            search.take(&plan, |heading| direction(&judged.0, heading));
            self.tuning = Some(self.found(&search));
            let is_still = |it: &UndoReason| {
                matches!(it, UndoReason::CountersStill { .. } | UndoReason::ShaperEnded { .. })
            };
            if judged.1.iter().any(is_still) || search.is_over() {
                return Ok(judged);
            }
            self.machine.again().map_err(|said| UndoReason::Failed { said })?;
        }
    }

    /// What the search found until now.
    fn found(&self, search: &Search) -> Tuning {
        Tuning {
            target_ms: self.args.apply.target.as_millis_f64(),
            download: search.found(Heading::Down),
            upload: search.found(Heading::Up),
        }
    }

    /// Goes on with other rates.
    fn take_rates(&mut self, prescription: Prescription) -> Result<(), UndoReason> {
        let (args, wan) = (self.args, &self.wan);
        let failed = |said: String| UndoReason::Failed { said };
        let plan = platform(args).plan(&prescription, Some(wan));
        let plan = plan.map_err(|error| failed(error.to_string()))?;
        let treatment =
            platform(args).treatment(&prescription, wan, &self.answer, args.apply.replace);
        let treatment = treatment.map_err(|refusal| failed(refusal.to_string()))?;
        self.change = Change { plan, prescription, treatment };
        Ok(())
    }

    /// Makes the change and measures the line again. The reasons are those to take it back.
    fn changed(&mut self) -> Result<Judged, UndoReason> {
        self.say(&format!("applying the plan{}", self.rates_in_words()));
        let failed = |said| UndoReason::Failed { said };
        self.machine.apply(&self.change.treatment).map_err(failed)?;
        let shown = self.machine.queues(&self.change.treatment).map_err(failed)?;
        self.check_in_force(&shown)?;
        if interrupt::asked() {
            return Err(UndoReason::Interrupted);
        }
        self.say("testing again");
        let (token, quiet) = (self.args.token_file.as_deref(), self.args.volume.quiet);
        let after = test::measure(&self.server, token, quiet)
            .map_err(|_| UndoReason::NotMeasured { heading: None })?;
        let shown_after = self.machine.queues(&self.change.treatment).map_err(failed)?;
        let mut reasons = self.still(&after, &shown, &shown_after);
        let short_ms = match self.args.apply.autotune {
            true => outcome::SHORT_MS.max(self.args.apply.target.as_millis_f64()),
            false => outcome::SHORT_MS,
        };
        reasons.extend(outcome::reasons(&self.change.plan.rates, &self.before, &after, short_ms));
        Ok((after, reasons))
    }

    /// The rates of a search, which differ from those that were shown before.
    fn rates_in_words(&self) -> String {
        if !self.args.apply.autotune {
            return String::new();
        }
        let rate =
            |shaper: &Shaper| format!("{} {}", shaper.heading.in_words(), shaper.bandwidth());
        let rates: Vec<String> = self.change.prescription.shapers().map(rate).collect();
        format!(": {}", rates.join(", "))
    }

    fn check_in_force(&self, shown: &str) -> Result<(), UndoReason> {
        for queue in &self.change.treatment.queues {
            let device = queue.device.clone();
            match queue.differences(shown) {
                Some(missing) if missing.is_empty() => {}
                missing => {
                    let missing = missing.unwrap_or_default();
                    return Err(UndoReason::NotInForce { device, missing });
                }
            }
        }
        Ok(())
    }

    /// The queues that the traffic of the test passed by, or that have ended meanwhile.
    fn still(&self, after: &Measurement, shown: &str, shown_after: &str) -> Vec<UndoReason> {
        let queues = &self.change.treatment.queues;
        let sent = sent(queues, shown).into_iter().zip(sent(queues, shown_after));
        let passed_by = queues.iter().zip(sent).filter(|(queue, (before, after_bytes))| {
            let carried = direction(after, queue.shaper.heading).map_or(0.0, carried_bytes);
            (after_bytes.saturating_sub(*before) as f64) < carried * SEEN
        });
        let reason = |queue: &TreatedQueue| {
            let (device, heading) = (queue.device.clone(), queue.shaper.heading);
            match queue.sent_bytes(shown_after) {
                None => UndoReason::ShaperEnded { device, heading },
                Some(_) => UndoReason::CountersStill { device, heading: Some(heading) },
            }
        };
        passed_by.map(|(queue, _)| reason(queue)).collect()
    }

    fn say(&self, what: &str) {
        if !self.args.volume.quiet {
            note(format_args!("{}: {what}", self.machine.name()));
        }
    }
}

fn direction(measurement: &Measurement, heading: Heading) -> Option<&LoadedDirection> {
    measurement.judged().find(|(one, _)| *one == heading).map(|(_, direction)| direction)
}

/// The bytes that the line carried while the figures of a direction were taken.
fn carried_bytes(direction: &LoadedDirection) -> f64 {
    let [begin, end] = direction.window_s;
    direction.rate_mbit.unwrap_or_default() * (end - begin) * 1e6 / 8.0
}
