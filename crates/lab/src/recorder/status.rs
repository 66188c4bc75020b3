//! Reports the status now and then to the thread that watches the run.

use std::sync::Arc;

use meter::Counters;
use qdisc::Backlog;
use units::{Span, Time};

use super::Shared;
use crate::{DirectionStatus, Status};

/// The time between two reports.
const STEP: Span = Span::from_millis(100);

/// The ticker that keeps the status up to date.
pub(super) struct StatusTicker {
    shared: Arc<Shared>,
    names: Vec<String>,
    due: Time,
}

impl StatusTicker {
    pub(super) fn new(names: Vec<String>, shared: Arc<Shared>) -> Self {
        Self { shared, names, due: Time::ZERO }
    }

    /// The time of the next report.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// Updates the status, if it is time. An update is skipped while another thread reads the
    /// status.
    pub(super) fn look(
        &mut self,
        now: Time,
        directions: impl Iterator<Item = (Backlog, Counters)>,
    ) {
        if now < self.due {
            return;
        }
        self.due = now + STEP;
        let Ok(mut status) = self.shared.status.try_lock() else { return };
        let directions = self.names.iter().zip(directions);
        let directions = directions.map(|(name, (backlog, counters))| DirectionStatus {
            name: name.clone(),
            delivered_bytes: counters.delivered_bytes,
            departed: counters.departed,
            waited: Span::from_nanos(counters.waited_nanos),
            drops: counters.drops.without_ack_filter(),
            marks: counters.marks,
            backlog,
        });
        *status = Status { elapsed: now.since(Time::ZERO), directions: directions.collect() };
    }
}
