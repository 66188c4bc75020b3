//! The steps of a timeline, which end as time goes on.

use results::Timeline;
use units::{DirectionId, PerWay, Span, Time};

use super::{DirectionRecorder, FlowRecorder, TimelineOptions};

/// The steps of a [`Timeline`]. All memory is allocated at the beginning. Whenever there are more
/// steps than allocated, the steps become twice as long.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    step: Span,
    /// Time at which the present step ends.
    ends: Time,
    /// Number of steps that are over.
    steps: usize,
    most_steps: usize,
    links: Vec<(String, PerWay<DirectionRecorder>)>,
    flows: Vec<(String, FlowRecorder)>,
}

impl Steps {
    /// Begins a timeline of these links and these flows at `start`.
    ///
    /// # Panics
    /// If `step` is zero.
    pub(super) fn new(
        start: Time,
        options: TimelineOptions,
        links: Vec<String>,
        flows: Vec<String>,
    ) -> Self {
        let TimelineOptions { step, most_steps } = options;
        assert!(!step.is_zero(), "a step of a timeline takes time");
        // Steps are joined two by two.
        let most_steps = most_steps.max(2).next_multiple_of(2);
        let both = || PerWay::new(|_| DirectionRecorder::new(most_steps));
        let links = links.into_iter().map(|name| (name, both())).collect();
        let flows = flows.into_iter().map(|name| (name, FlowRecorder::new(most_steps))).collect();
        Self { step, ends: start + step, steps: 0, most_steps, links, flows }
    }

    /// The recorder of events on this direction.
    #[inline]
    pub(super) fn direction(&mut self, direction: DirectionId) -> &mut DirectionRecorder {
        &mut self.links[direction.link()].1[direction.way()]
    }

    /// The recorder of events of this flow.
    #[inline]
    pub(super) fn flow(&mut self, index: usize) -> &mut FlowRecorder {
        &mut self.flows[index].1
    }

    /// Time at which the present step ends.
    pub(super) const fn step_ends(&self) -> Time {
        self.ends
    }

    /// Advances the time to `now`: events that are recorded from here on happen at `now` or later.
    #[inline]
    pub(super) fn advance(&mut self, now: Time) {
        while self.ends <= now && self.ends < Time::MAX {
            match self.is_full() {
                true => self.join_steps(),
                false => self.end_step(),
            }
        }
    }

    /// Ends the timeline at `now`. The last step may be shorter than the others.
    pub(super) fn finish(mut self, now: Time) -> Timeline {
        self.advance(now);
        if self.ends - self.step < now {
            if self.is_full() {
                self.join_steps();
            }
            self.end_step();
        }
        let link = |(name, both): (_, PerWay<DirectionRecorder>)| {
            (name, both.map(DirectionRecorder::finish))
        };
        Timeline {
            step_s: self.step.as_secs_f64(),
            links: self.links.into_iter().map(link).collect(),
            flows: self.flows.into_iter().map(|(name, flow)| (name, flow.finish())).collect(),
            omitted_flows: 0,
        }
    }

    fn end_step(&mut self) {
        self.directions().for_each(DirectionRecorder::end_step);
        self.flows.iter_mut().for_each(|(_, flow)| flow.end_step());
        self.steps += 1;
        self.ends += self.step;
    }

    /// Joins every two steps to one. The present step becomes twice as long too.
    fn join_steps(&mut self) {
        self.directions().for_each(DirectionRecorder::join_steps);
        self.flows.iter_mut().for_each(|(_, flow)| flow.join_steps());
        self.steps /= 2;
        self.ends += self.step;
        self.step = self.step + self.step;
    }

    fn is_full(&self) -> bool {
        self.steps == self.most_steps
    }

    fn directions(&mut self) -> impl Iterator<Item = &mut DirectionRecorder> {
        self.links.iter_mut().flat_map(|(_, both)| both.iter_mut())
    }
}

#[cfg(test)]
mod tests;
