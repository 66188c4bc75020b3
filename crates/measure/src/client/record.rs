//! The record of a test.

use observation::{ForeignProbe, HostSample, Incomplete, PageLoad, Stage};
use units::Time;

use super::flow::Loaded;

/// The events of a test, in the order in which they happened.
#[derive(Default)]
pub(super) struct Record {
    pub(super) stages: Vec<Stage>,
    pub(super) flows: Vec<Loaded>,
    pub(super) foreign: Vec<ForeignProbe>,
    pub(super) host: Vec<HostSample>,
    pub(super) pages: Vec<PageLoad>,
    /// The reason why the test ended early; `None` if it did not.
    pub(super) trouble: Option<Incomplete>,
}

impl Record {
    /// Adds a stage that is over. Observations after `until` do not concern the path, so no stage
    /// lasts longer: the loss of the path is often noticed in a later stage.
    pub(super) fn end(&mut self, stage: Stage, until: Time) {
        let ended = stage.ended;
        self.stages.push(stage);
        if stage.end <= until {
            return;
        }
        // At least one stage remains, to say how the test ended.
        while self.stages.len() > 1 && self.stages.last().is_some_and(|last| last.start >= until) {
            self.stages.pop();
        }
        if let Some(last) = self.stages.last_mut() {
            (last.end, last.ended) = (last.end.min(until).max(last.start), ended);
        }
    }
}

#[cfg(test)]
mod tests {
    use observation::{Ended, Load};

    use super::*;

    #[test]
    fn what_was_lost_before_it_was_noticed_is_in_no_stage() {
        let stage = |start, end, ended| {
            let [start, end] = [start, end].map(Time::from_secs);
            Stage { load: Load::Both, start, end, ended }
        };
        let ended = |until| {
            let mut record = Record::default();
            record.end(stage(0, 2, Ended::Planned), Time::MAX);
            record.end(stage(2, 7, Ended::Planned), Time::MAX);
            record.end(stage(7, 9, Ended::Lost), until);
            record.stages
        };
        let [first, second] = [stage(0, 2, Ended::Planned), stage(2, 7, Ended::Planned)];
        assert_eq!(ended(Time::MAX), [first, second, stage(7, 9, Ended::Lost)]);
        assert_eq!(ended(Time::from_secs(8)), [first, second, stage(7, 8, Ended::Lost)]);
        assert_eq!(ended(Time::from_secs(3)), [first, stage(2, 3, Ended::Lost)]);
        assert_eq!(ended(Time::ZERO), [stage(0, 0, Ended::Lost)]);
    }
}
