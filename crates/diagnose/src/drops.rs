//! The length of the queue when it dropped: a FIFO drops when it is full, and at no other time.
//!
//! The time of a drop is not known, but that of the retransmission is: one round trip later, when
//! the segment behind it is acknowledged. If many were dropped at once, the last are retransmitted
//! up to another round trip later, since each waits for one to leave (RFC 6675 section 5, RFC
//! 6937). At some time in between a FIFO was full.
//!
//! All this concerns the whole stage: a FIFO that only slow start has filled has still dropped at
//! its longest delay, while a managed queue that slow start made long drops later, at any delay.

use crate::flow::Flow;
use crate::passage::{Fate, Passage, between};
use crate::window::Window;

/// Times of retransmissions. Those within a round trip over the full queue show the same drop, and
/// count as one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Drops {
    /// The number of these times.
    pub(crate) times: f64,
    /// The number of times shortly before which the queue was nearly as long as ever.
    pub(crate) near: f64,
    /// The part of all times, with drops or without, shortly before which the queue was as long.
    pub(crate) usual: f64,
    /// Number of segments that were retransmitted or, if none was, of probes that were lost.
    pub(crate) packets: f64,
}

/// The part of the longest delay from which a delay is near it.
const NEAR: f64 = 0.9;

/// The time between two looks at the drops, in seconds: two samples of a sender.
const STEP: f64 = 0.1;

/// The time between two samples of a sender, in seconds.
const LOOK: f64 = 0.05;

/// The delays of a queue, from which its drops are judged.
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
    /// The drops, by the retransmissions of these flows; if there were none, by the probes that
    /// were lost.
    pub(crate) fn new(flows: &[&Flow<'_>], lengths: &Lengths<'_>) -> Self {
        let again =
            |from: f64, to: f64| flows.iter().map(|flow| sent_again(flow, from, to)).sum::<f64>();
        let by_segments = lengths.count(again, lengths.packet * flows.len() as f64);
        if by_segments.times > 0.0 {
            return by_segments;
        }
        let lost = |from: f64, to: f64| {
            let within =
                between(lengths.passages, from - lengths.round_trip(), to - lengths.round_trip());
            within.iter().filter(|passage| passage.fate == Fate::Lost).count() as f64
        };
        lengths.count(lost, lengths.round_trip())
    }
}

impl Lengths<'_> {
    /// The round trip over the full queue, in seconds.
    fn round_trip(&self) -> f64 {
        self.least + self.longest
    }

    /// The drops, where `dropped` gives the number of which senders learned between two times, and
    /// each of them keeps the senders busy for `each` seconds.
    fn count(&self, dropped: impl Fn(f64, f64) -> f64, each: f64) -> Drops {
        let steps = (self.stage.length() / STEP).clamp(0.0, 1e4) as u32;
        let begins = |step: u32| self.stage.from + f64::from(step) * STEP;
        // Each time, and the seconds for which the drop may have been known before.
        let times: Vec<(f64, f64)> = (0..steps)
            .map(begins)
            .filter(|from| dropped(*from, from + STEP) > 0.0)
            .map(|from| (from, each * dropped(from - self.round_trip(), from + STEP)))
            .collect();
        let waits = between(self.passages, self.stage.from, self.stage.to).iter();
        let bounds = waits
            .filter_map(Passage::wait)
            .fold([0.0; 2], |[least, most], wait| [f64::min(least, wait), f64::max(most, wait)]);
        let delays = times.iter().map(|(_, known)| *known);
        let usually = stats::ratio(delays.sum(), times.len() as f64).unwrap_or(0.0);
        let near = |from: f64, known: f64| {
            self.longest_before(from, known, bounds)
                .map(|wait| f64::from(u8::from(wait >= NEAR * self.longest - self.packet)))
        };
        let all: Vec<f64> = (0..steps).filter_map(|step| near(begins(step), usually)).collect();
        let found: Vec<f64> =
            times.iter().filter_map(|(from, known)| near(*from, *known)).collect();
        let alike = (STEP / self.round_trip()).min(1.0);
        Drops {
            times: found.len() as f64 * alike,
            near: found.iter().sum::<f64>() * alike,
            packets: dropped(self.stage.from, self.stage.to + self.round_trip()),
            usual: stats::ratio(all.iter().sum(), all.len() as f64).unwrap_or(0.0),
        }
    }

    /// The longest delay of all packets that may have been dropped, if one was retransmitted in the
    /// step from `from`, and its loss was known up to `known` seconds before. All waits are within these
    /// bounds.
    fn longest_before(&self, from: f64, known: f64, [least, most]: [f64; 2]) -> Option<f64> {
        /// More than the error of sums of times in seconds.
        const ROUNDING: f64 = 1e-3;
        // Only these passages can be a cause: to look at all of them each time would take the square of their number.
        let first = from - LOOK - known.min(self.least + most) - self.least - most - ROUNDING;
        let last = from + STEP - self.least - least + ROUNDING;
        let [first, last] = [first.max(self.stage.from), last.min(self.stage.to)];
        let within = between(self.passages, first, last).iter();
        let waits = within.filter_map(|passage| {
            let round_trip = passage.wait()? + self.least;
            let noticed = passage.at + round_trip;
            let is_cause = noticed <= from + STEP && noticed + known.min(round_trip) >= from - LOOK;
            is_cause.then_some(passage.wait()?)
        });
        waits.reduce(f64::max)
    }
}

/// The segments that this flow retransmitted since the last sample before `from`.
fn sent_again(flow: &Flow<'_>, from: f64, to: f64) -> f64 {
    let before = flow.sender.partition_point(|(at, _)| *at < from).saturating_sub(1);
    let end = flow.sender.partition_point(|(at, _)| *at < to);
    match flow.sender.get(before..end) {
        Some([(_, first), .., (_, last)]) => {
            last.retransmitted.saturating_sub(first.retransmitted) as f64
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use observation::{LoadFlow, SenderSample};

    use super::*;
    use crate::flow::tests::download;

    /// The drops if a delay rises to 0.2 s in two seconds and falls to nothing, repeatedly, and
    /// segments dropped at this time of the cycle are retransmitted a round trip later.
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
        let seen = LoadFlow { sender: samples, ..download(20) };
        let sender = (0..400u32).map(|index| f64::from(index) * 0.05).zip(&seen.sender).collect();
        let (start, stop, received, largest) = (0.0, 20.0, Vec::new(), 1500.0);
        let in_pieces = false;
        let flow = Flow { seen: &seen, start, stop, received, largest, in_pieces, sender };
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
        assert!(full.times >= 4.0 && full.near == full.times, "{full:?}");
        assert!((0.1..0.5).contains(&full.usual), "{full:?}");
        let any = drops(1.0);
        assert!(any.times >= 4.0 && any.near == 0.0, "{any:?}");
    }

    #[test]
    fn nothing_dropped_says_nothing() {
        let stage = Window { from: 0.0, to: 0.0 };
        let (longest, packet, least) = (0.0, 0.0, f64::INFINITY);
        let lengths = Lengths { passages: &[], stage: &stage, longest, packet, least };
        assert_eq!(Drops::new(&[], &lengths), Drops::default());
    }
}
