//! HyStart: leaves slow start before it overflows the buffer.
//!
//! HyStart watches two signs in each round trip. If acknowledgements keep coming closely spaced for
//! as long as half the smallest round-trip time, the path is full. If the first round-trip times of
//! a round are clearly longer than the smallest one ever, a queue is growing. Either ends slow
//! start at the present window.
//!
//! Specification: Ha and Rhee, "Hybrid Slow Start for High-Bandwidth and Long-Distance Networks"
//! (2008), with the constants of Linux 6.1, which differ from RFC 9406 (HyStart++), and its rounds
//! as since 6.14 (commit 25c1a9ca53db, "tcp_cubic: fix incorrect HyStart round start detection",
//! which the long-term kernels have too).
//!
//! Deviations: Linux shortens its allowance for offloads below 1 ms on paths faster than 2 Gbit/s;
//! here it is always 1 ms.

use units::{Span, Time};

use super::{Acked, Window};

/// The window in segments below which slow start goes on in any case (Linux `hystart_low_window`).
const LOW_WINDOW: u32 = 16;
/// The longest time between two acknowledgements of one train (Linux `hystart_ack_delta_us`).
const TRAIN_GAP: Span = Span::from_millis(2);
/// The time that Linux allows a train for segmentation offloads at either end.
const OFFLOAD_ALLOWANCE: Span = Span::from_millis(1);
/// The number of round-trip samples before the delay of a round is judged (Linux
/// `HYSTART_MIN_SAMPLES`).
const SAMPLES: u32 = 8;
/// The increase of the delay below which there is only noise (Linux `HYSTART_DELAY_MIN`).
const LEAST_INCREASE: Span = Span::from_millis(4);
/// The increase of the delay above which there is a queue (Linux `HYSTART_DELAY_MAX`).
const MOST_INCREASE: Span = Span::from_millis(16);

/// The state of the present round.
#[derive(Clone, Debug)]
pub struct HyStart {
    found: bool,
    /// The sequence number whose acknowledgement ends the round.
    end: u64,
    started: Time,
    last_ack: Time,
    /// The smallest round-trip time of this round.
    rtt: Span,
    samples: u32,
}

impl HyStart {
    /// The state before the first round.
    pub const fn new() -> Self {
        Self {
            found: false,
            end: 0,
            started: Time::ZERO,
            last_ack: Time::ZERO,
            rtt: Span::MAX,
            samples: 0,
        }
    }

    /// Judges an acknowledgement with the round-trip time `rtt`; `min_rtt` is the smallest so far.
    /// Returns true if slow start is over.
    pub fn on_ack(&mut self, window: &Window, ack: &Acked, rtt: Span, min_rtt: Span) -> bool {
        if self.found || !window.in_slow_start() {
            return false;
        }
        // Rounds follow each other from the first one on, also where the window is still too small
        // to be judged.
        if ack.una > self.end {
            self.start_round(ack);
        }
        if window.cwnd < LOW_WINDOW {
            return false;
        }
        self.found = self.train_fills_pipe(ack, min_rtt) | self.delay_grows(rtt, min_rtt);
        self.found
    }

    fn start_round(&mut self, ack: &Acked) {
        *self = Self { end: ack.next, started: ack.now, last_ack: ack.now, ..Self::new() };
    }

    fn train_fills_pipe(&mut self, ack: &Acked, min_rtt: Span) -> bool {
        if ack.now.since(self.last_ack) > TRAIN_GAP {
            return false;
        }
        self.last_ack = ack.now;
        // Pacing may itself have spread the segments over half a round trip.
        let whole = min_rtt + OFFLOAD_ALLOWANCE;
        let threshold = if ack.paced { whole } else { whole / 2 };
        ack.now.since(self.started) > threshold
    }

    fn delay_grows(&mut self, rtt: Span, min_rtt: Span) -> bool {
        self.rtt = self.rtt.min(rtt);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        self.rtt > min_rtt + (min_rtt / 8).clamp(LEAST_INCREASE, MOST_INCREASE)
    }
}

impl Default for HyStart {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::ack;
    use super::*;

    const MIN_RTT: Span = Span::from_millis(50);

    /// The window at which slow start ends when acknowledgements come `gap` apart, each with the
    /// round-trip time that `rtt` gives it by its number in the round; `None` if the round ends
    /// before.
    fn exit(paced: bool, gap: Span, count: u32, rtt: impl Fn(u32) -> Span) -> Option<u32> {
        let mut hystart = HyStart::new();
        let window = Window { cwnd: 16, ssthresh: u32::MAX };
        (0..count).find(|&index| {
            let now = Time::from_secs(1) + gap * u64::from(index);
            let ack = Acked { una: 2 + u64::from(index), next: 1_000_000, paced, ..ack(now, 1) };
            hystart.on_ack(&window, &ack, rtt(index), MIN_RTT)
        })
    }

    /// 50 ms and 1 ms of allowance: a train of more than 25.5 ms, or 51 ms if paced.
    #[test]
    fn a_long_train_ends_slow_start() {
        let gap = Span::from_millis(1);
        assert_eq!(exit(false, gap, 200, |_| MIN_RTT), Some(26));
        assert_eq!(exit(true, gap, 200, |_| MIN_RTT), Some(52));
        assert_eq!(exit(false, Span::from_micros(2_001), 200, |_| MIN_RTT), None);
    }

    /// An eighth of 50 ms is 6.25 ms; the ninth sample is the first that is judged.
    #[test]
    fn growing_delay_ends_slow_start() {
        let gap = Span::from_millis(3);
        let above = |micros| move |_| MIN_RTT + Span::from_micros(micros);
        assert_eq!(exit(false, gap, 100, above(6_251)), Some(8));
        assert_eq!(exit(false, gap, 100, above(6_250)), None);
        // One low sample clears the round.
        let low_once = |index| if index == 3 { MIN_RTT } else { MIN_RTT * 2 };
        assert_eq!(exit(false, gap, 100, low_once), None);
    }

    #[test]
    fn increase_is_judged_between_4_and_16_ms() {
        for (min_rtt, least) in [(10, 4), (32, 4), (64, 8), (128, 16), (500, 16)] {
            let mut hystart = HyStart { samples: SAMPLES, ..HyStart::new() };
            let min_rtt = Span::from_millis(min_rtt);
            assert!(!hystart.delay_grows(min_rtt + Span::from_millis(least), min_rtt));
            hystart.rtt = Span::MAX;
            assert!(hystart.delay_grows(min_rtt + Span::from_micros(least * 1000 + 1), min_rtt));
        }
    }

    #[test]
    fn small_windows_and_congestion_avoidance_are_left_alone() {
        for window in [Window { cwnd: 15, ssthresh: 100 }, Window { cwnd: 100, ssthresh: 100 }] {
            let mut hystart = HyStart::new();
            for index in 0..100 {
                let ack = Acked { una: 2, next: 1_000_000, ..ack(Time::from_millis(index), 1) };
                assert!(!hystart.on_ack(&window, &ack, MIN_RTT * 3, MIN_RTT));
            }
        }
    }

    /// A round ends when more is acknowledged than what had been sent when it began (Linux
    /// `cubictcp_acked`: `after(ack, end_seq)`), and so the ninth sample is of the same round.
    #[test]
    fn the_acknowledgement_of_a_whole_round_belongs_to_it() {
        for (last, found) in [(10, true), (11, false)] {
            let mut hystart = HyStart::new();
            let window = Window { cwnd: 16, ssthresh: u32::MAX };
            let mut judge = |index: u64, una| {
                let ack = Acked { una, next: 10, ..ack(Time::from_millis(3 * index), 1) };
                hystart.on_ack(&window, &ack, MIN_RTT * 3, MIN_RTT)
            };
            assert!((0..8).all(|index| !judge(index, 2 + index)));
            assert_eq!(judge(8, last), found, "{last}");
        }
    }

    /// From a window of 10, each acknowledged segment adds one. The first round waits behind itself
    /// (1.2 ms a segment), the second behind the first by 12 ms, and its ninth sample tells: it is
    /// the 19th. A round that began only at a window of 16 would hold five samples of the first,
    /// and the second would begin where the sixteen were acknowledged.
    #[test]
    fn a_round_begins_below_the_least_window_too() {
        let (min_rtt, gap) = (Span::from_millis(80), Span::from_micros(1_211));
        let mut hystart = HyStart::new();
        let found = (0..40_u64).find(|&index| {
            let window = Window { cwnd: 10 + index as u32, ssthresh: u32::MAX };
            let (round, place) = if index < 10 { (0, index) } else { (1, index - 10) };
            let queued = if round == 0 { gap * place } else { Span::from_millis(12) + gap * place };
            let now = Time::from_secs(1) + (min_rtt + Span::from_millis(20)) * round + gap * place;
            // Each acknowledgement lets two segments go.
            let ack = Acked { una: 2 + index, next: 11 + 2 * index, ..ack(now, 1) };
            hystart.on_ack(&window, &ack, min_rtt + queued, min_rtt)
        });
        assert_eq!(found, Some(18));
    }

    /// A new round forgets the delay of the last one.
    #[test]
    fn rounds_are_counted_by_sequence_numbers() {
        let mut hystart = HyStart::new();
        let window = Window { cwnd: 16, ssthresh: u32::MAX };
        for index in 0..100 {
            let now = Time::from_millis(3 * index);
            // Eight acknowledgements a round: never a ninth sample.
            let round = index / 8;
            let ack = Acked { una: 8 * round + 1 + index % 8, next: 8 * round + 9, ..ack(now, 1) };
            let ack = Acked { una: ack.una + 1, ..ack };
            assert!(!hystart.on_ack(&window, &ack, MIN_RTT * 3, MIN_RTT), "{index}");
        }
    }
}
