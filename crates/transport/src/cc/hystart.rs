//! HyStart: leaves slow start before it overflows the buffer.
//!
//! It watches two signs in each round trip. If acknowledgements keep coming closely spaced for as
//! long as half the smallest round-trip time, the pipe is full. If the first round-trip times of a
//! round are clearly longer than the smallest one ever, a queue is growing. Either ends slow start
//! at the present window.
//!
//! Specification: Ha and Rhee, "Hybrid Slow Start for High-Bandwidth and Long-Distance Networks"
//! (2008), with the constants of Linux 6.1, which differ from RFC 9406 (HyStart++).
//!
//! Deviations: Linux shortens its allowance for offloads below 1 ms on paths faster than 2 Gbit/s;
//! here it is always 1 ms.

use units::{Span, Time};

use super::{Acked, Window};

/// Linux `hystart_low_window`: below this window, in segments, slow start goes on in any case.
const LOW_WINDOW: u32 = 16;
/// Linux `hystart_ack_delta_us`: acknowledgements at most this far apart belong to one train.
const TRAIN_GAP: Span = Span::from_millis(2);
/// What Linux allows a train for segmentation offloads at either end.
const OFFLOAD_ALLOWANCE: Span = Span::from_millis(1);
/// Linux `HYSTART_MIN_SAMPLES`: round-trip samples before a round's delay is judged.
const SAMPLES: u32 = 8;
/// Linux `HYSTART_DELAY_MIN`: an increase below this is noise.
const LEAST_INCREASE: Span = Span::from_millis(4);
/// Linux `HYSTART_DELAY_MAX`: an increase above this is a queue.
const MOST_INCREASE: Span = Span::from_millis(16);

/// The round that is being watched.
#[derive(Clone, Debug)]
pub struct HyStart {
    found: bool,
    /// The round ends when this sequence number has been acknowledged.
    end: u64,
    started: Time,
    last_ack: Time,
    /// Smallest round-trip time of this round.
    rtt: Span,
    samples: u32,
}

impl HyStart {
    /// Before the first round.
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

    /// Judges an acknowledgement with the round-trip time `rtt`, whose smallest so far was
    /// `min_rtt`: is slow start over?
    pub fn on_ack(&mut self, window: &Window, ack: &Acked, rtt: Span, min_rtt: Span) -> bool {
        if self.found || !window.in_slow_start() || window.cwnd < LOW_WINDOW {
            return false;
        }
        if ack.una > self.end {
            self.start_round(ack);
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
