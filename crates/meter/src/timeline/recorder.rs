//! The recorder that fills a timeline as time goes on.

use results::{LinkTimeline, Timeline};
use units::{Span, Time, Way};

use super::{DirectionRecorder, FlowRecorder};

/// Fills a [`Timeline`] in steps from [`Time::ZERO`] on. All memory is allocated at the beginning.
/// Whenever there are more steps than allocated, the steps become twice as long.
///
/// ```
/// use meter::TimelineRecorder;
/// use units::{Span, Time, Way};
///
/// let step = Span::from_millis(10);
/// let mut recorder = TimelineRecorder::new(step, 100, vec!["uplink".into()], vec![]);
/// recorder.advance(Time::from_millis(15));
/// recorder.direction(0, Way::Forward).departed(Span::from_micros(1500));
/// let timeline = recorder.finish(Time::from_millis(25));
///
/// let sojourn = &timeline.links["uplink"].forward.sojourn_ms;
/// assert_eq!(sojourn.high, [None, Some(1.5), None]);
/// ```
#[derive(Clone, Debug)]
pub struct TimelineRecorder {
    step: Span,
    /// Time at which the present step ends.
    ends: Time,
    /// Number of steps that are over.
    steps: usize,
    most_steps: usize,
    links: Vec<(String, [DirectionRecorder; 2])>,
    flows: Vec<(String, FlowRecorder)>,
}

impl TimelineRecorder {
    /// Begins a timeline of these links and these flows.
    ///
    /// # Panics
    /// If `step` is zero.
    pub fn new(step: Span, most_steps: usize, links: Vec<String>, flows: Vec<String>) -> Self {
        assert!(!step.is_zero(), "a step of a timeline takes time");
        // Steps are joined two by two.
        let most_steps = most_steps.max(2).next_multiple_of(2);
        let both = || [DirectionRecorder::new(most_steps), DirectionRecorder::new(most_steps)];
        let links = links.into_iter().map(|name| (name, both())).collect();
        let flows = flows.into_iter().map(|name| (name, FlowRecorder::new(most_steps))).collect();
        Self { step, ends: Time::ZERO + step, steps: 0, most_steps, links, flows }
    }

    /// The recorder of events on this link in this direction.
    #[inline]
    pub fn direction(&mut self, link: usize, way: Way) -> &mut DirectionRecorder {
        &mut self.links[link].1[way as usize]
    }

    /// The recorder of events of this flow.
    #[inline]
    pub fn flow(&mut self, index: usize) -> &mut FlowRecorder {
        &mut self.flows[index].1
    }

    /// Time at which the present step ends.
    pub const fn step_ends(&self) -> Time {
        self.ends
    }

    /// Advances the time to `now`: events that are recorded from here on happen at `now` or later.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        while self.ends <= now && self.ends < Time::MAX {
            match self.is_full() {
                true => self.join_steps(),
                false => self.end_step(),
            }
        }
    }

    /// Ends the timeline at `now`. The last step may be shorter than the others.
    pub fn finish(mut self, now: Time) -> Timeline {
        self.advance(now);
        if self.ends - self.step < now {
            if self.is_full() {
                self.join_steps();
            }
            self.end_step();
        }
        let link = |(name, [forward, reverse]): (_, [DirectionRecorder; 2])| {
            (name, LinkTimeline { forward: forward.finish(), reverse: reverse.finish() })
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
        self.links.iter_mut().flat_map(|(_, ways)| ways)
    }
}

#[cfg(test)]
mod tests;
