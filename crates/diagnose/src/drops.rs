//! How long the queue was when it dropped: a FIFO drops when it is full, and at no other time.
//!
//! Nobody tells when a segment was dropped, but its sender tells when it was sent again: a round trip
//! later, when what came behind it is acknowledged, and if many were dropped at once, up to another
//! round trip later, since one is sent for each that has left (RFC 6675 section 5). So the queue must
//! have been full at some time of that round trip.
//!
//! All this is about the whole stage: a FIFO that slow start has filled, and nothing again, has dropped
//! at its longest delay all the same, and a managed queue that slow start made long drops at any later.

use crate::flow::Flow;
use crate::passage::{Fate, Passage, between};
use crate::window::Window;

/// Steps of time, each a round trip over the full queue, so that none tells what another one has told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Drops {
    /// Steps for which something was dropped.
    pub(crate) steps: f64,
    /// Those of them in which the queue was nearly as long as it ever is.
    pub(crate) near: f64,
    /// The part of all steps in which it was.
    pub(crate) usual: f64,
}

/// What is this part of the longest delay is near it.
const NEAR: f64 = 0.9;

/// The shortest step, in seconds: senders are looked at twice in it.
const SHORTEST: f64 = 0.1;

/// What is known of a queue's length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths<'a> {
    pub(crate) passages: &'a [Passage],
    /// The whole stage.
    pub(crate) stage: &'a Window,
    /// The longest delay, and that of one packet, in seconds.
    pub(crate) longest: f64,
    pub(crate) packet: f64,
    /// The round trip without this queue, in seconds.
    pub(crate) least: f64,
}

impl Drops {
    /// By the segments of these flows; if none was sent again, by the probes that were lost.
    pub(crate) fn new(flows: &[&Flow<'_>], lengths: &Lengths<'_>) -> Self {
        let again = |from: f64, to: f64| flows.iter().any(|flow| sent_again(flow, from, to));
        let by_segments = lengths.count(again);
        if by_segments.steps > 0.0 {
            return by_segments;
        }
        lengths.count(|from, to| {
            let round_trip = lengths.least + lengths.longest;
            let within = between(lengths.passages, from - round_trip, to - round_trip);
            within.iter().any(|passage| passage.fate == Fate::Lost)
        })
    }
}

impl Lengths<'_> {
    fn count(&self, dropped: impl Fn(f64, f64) -> bool) -> Drops {
        let length = SHORTEST.max(self.least + self.longest);
        let steps = (self.stage.length() / length).clamp(0.0, 1e4) as u32;
        let (mut drops, mut all, mut full) = (Drops::default(), 0.0, 0.0);
        for step in 0..steps {
            let from = self.stage.from + f64::from(step) * length;
            let Some(longest) = self.longest_before(from, from + length) else { continue };
            let near = f64::from(u8::from(longest >= NEAR * self.longest - self.packet));
            all += 1.0;
            full += near;
            if dropped(from, from + length) {
                drops.steps += 1.0;
                drops.near += near;
            }
        }
        Drops { usual: results::ratio(full, all).unwrap_or(0.0), ..drops }
    }

    /// The longest delay of all that may have been dropped if it was sent again from `from` to `to`.
    fn longest_before(&self, from: f64, to: f64) -> Option<f64> {
        let within = between(self.passages, self.stage.from, self.stage.to).iter();
        let waits = within.filter_map(|passage| {
            let round_trip = passage.wait()? + self.least;
            let is_known = passage.at + round_trip <= to;
            let is_late = passage.at + 2.0 * round_trip < from;
            (is_known && !is_late).then_some(passage.wait()?)
        });
        waits.reduce(f64::max)
    }
}

/// Did this flow send anything again since the last sample before `from`?
fn sent_again(flow: &Flow<'_>, from: f64, to: f64) -> bool {
    let before = flow.sender.partition_point(|(at, _)| *at < from).saturating_sub(1);
    let end = flow.sender.partition_point(|(at, _)| *at < to);
    match flow.sender.get(before..end) {
        Some([(_, first), .., (_, last)]) => last.retransmitted > first.retransmitted,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use results::observation::{Heading, LoadFlow, SenderSample};
    use units::Time;

    use super::*;

    /// A delay that rises to 0.2 s in two seconds and falls to nothing, again and again, and what is
    /// said if segments dropped at this part of the cycle are sent again a round trip later.
    fn drops(dropped: f64) -> Drops {
        let wait = |at: f64| 0.1 * (at % 2.0);
        let passages: Vec<Passage> = (0..1000)
            .map(|index| f64::from(index) * 0.02)
            .map(|at| Passage { at, fate: Fate::Waited(wait(at)) })
            .collect();
        let samples: Vec<SenderSample> = (0..400u32)
            .map(|index| f64::from(index) * 0.05)
            .map(|at| {
                let round_trip = 0.02 + wait(dropped);
                let retransmitted = ((at - dropped - round_trip) / 2.0 + 1.0).max(0.0) as u64;
                SenderSample { retransmitted, ..SenderSample::default() }
            })
            .collect();
        let seen = LoadFlow {
            heading: Heading::Down,
            dscp: 0,
            congestion: "cubic".into(),
            start: Time::ZERO,
            stop: Time::from_secs(20),
            received: Vec::new(),
            sender: samples,
        };
        let sender = (0..400u32).map(|index| f64::from(index) * 0.05).zip(&seen.sender).collect();
        let (start, stop, received, largest) = (0.0, 20.0, Vec::new(), 1500.0);
        let flow = Flow { seen: &seen, start, stop, received, largest, sender };
        let stage = Window { from: 0.0, to: 20.0 };
        let lengths = Lengths {
            passages: &passages,
            stage: &stage,
            longest: 0.198,
            packet: 0.001,
            least: 0.02,
        };
        Drops::new(&[&flow], &lengths)
    }

    #[test]
    fn a_fifo_drops_when_it_is_full_and_others_at_any_time() {
        let full = drops(1.99);
        assert!(full.steps >= 8.0 && full.near == full.steps, "{full:?}");
        assert!((0.1..0.5).contains(&full.usual), "{full:?}");
        let any = drops(1.0);
        assert!(any.steps >= 8.0 && any.near == 0.0, "{any:?}");
    }

    #[test]
    fn nothing_dropped_says_nothing() {
        let stage = Window { from: 0.0, to: 0.0 };
        let (longest, packet, least) = (0.0, 0.0, f64::INFINITY);
        let lengths = Lengths { passages: &[], stage: &stage, longest, packet, least };
        assert_eq!(Drops::new(&[], &lengths), Drops::default());
    }
}
