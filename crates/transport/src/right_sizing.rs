//! Dynamic right-sizing: a receive window that grows with what the application reads.
//!
//! Once a round trip, the receiver measures how much the application read. A sender in slow start
//! doubles its rate each round trip. So that it is never held back, the window must be several
//! times the amount read. Growth is offered in steps, two segments for each segment that is
//! received.
//!
//! Specification: Fisk and Feng, "Dynamic Right-Sizing in TCP" (2001), as in Linux 6.1
//! (`tcp_rcv_space_adjust`, `tcp_grow_window`, `tcp_rcv_rtt_measure`).
//!
//! Deviations: Linux counts buffers with their overhead, which makes half a buffer a window; here
//! it is bytes of data throughout.

use units::{Span, Time};

use crate::rtt::timestamp;

/// The first window in bytes: Linux's `tcp_rmem[1]` is 131072, half of it for overhead.
const FIRST: u64 = 65_536;
/// The number of segments assumed to have been read in the round trip before the first (Linux
/// `tcp_init_buffer_space`).
const FIRST_READ: u64 = 10;
/// The number of segments added against small variations (Linux `tcp_rcv_space_adjust`).
const CUSHION: u64 = 16;

/// The window of one receiver, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct RightSizing {
    max: u64,
    mss: u32,
    /// The bound up to which the offer grows (Linux `window_clamp`).
    clamp: u64,
    /// The number of bytes offered (Linux `rcv_ssthresh`).
    offered: u64,
    /// The most bytes that the application has read in a round trip.
    read: u64,
    /// The sequence number and the time at which the current round trip began.
    reading_from: (u64, Time),
    /// The round trip; [`Span::MAX`] before the first sample.
    round_trip: Span,
    /// The sequence number at which a whole window has passed, and the start time of that window.
    /// Without timestamps it is the only measure of the round trip. `None` before the first.
    window_end: Option<(u64, Time)>,
    last_echo: Option<u32>,
}

impl RightSizing {
    pub(crate) fn new(max: u64, mss: u32) -> Self {
        let mss = mss.max(1);
        let clamp = FIRST.min(max);
        // Linux `tcp_select_initial_window`: whole segments.
        let segment = u64::from(mss);
        let offered = if clamp > segment { clamp / segment * segment } else { clamp };
        Self {
            max,
            mss,
            clamp,
            offered,
            read: 0,
            reading_from: (0, Time::ZERO),
            round_trip: Span::MAX,
            window_end: None,
            last_echo: None,
        }
    }

    pub(crate) fn established(&mut self, mss: u32, next: u64, now: Time) {
        self.mss = mss.max(1);
        self.read = self.offered.min(FIRST_READ * u64::from(self.mss));
        self.reading_from = (next, now);
    }

    /// The number of bytes to offer while `held` bytes wait beyond a gap.
    pub(crate) fn window(&self, held: u64) -> u64 {
        self.offered.min(self.clamp.saturating_sub(held))
    }

    /// Takes notice that `len` bytes of data were received while `held` bytes wait beyond a gap.
    /// Returns true if the window grows.
    pub(crate) fn on_data(&mut self, len: u32, held: u64) -> bool {
        let room = self.clamp.saturating_sub(held).saturating_sub(self.offered);
        // Linux `tcp_event_data_recv`: small segments cost too much memory to count.
        if room == 0 || len < 128 {
            return false;
        }
        self.offered += room.min(2 * u64::from(self.mss.max(len)));
        true
    }

    /// Takes the echo of our clock in a full segment.
    pub(crate) fn on_echo(&mut self, echo: u32, now: Time) {
        if self.last_echo != Some(echo) {
            self.last_echo = Some(echo);
            let elapsed = timestamp(now).wrapping_sub(echo);
            let sample = Span::from_millis(u64::from(elapsed.max(1)));
            self.round_trip = match self.round_trip {
                Span::MAX => sample,
                mean => mean - mean / 8 + sample / 8,
            };
        }
    }

    /// Takes notice that the application reads everything below `next`; the window offered last
    /// ends at `edge`.
    pub(crate) fn on_read(&mut self, next: u64, edge: u64, now: Time) {
        self.time_window(next, edge, now);
        let (from, since) = self.reading_from;
        if now.since(since) < self.round_trip {
            return;
        }
        let read = next - from;
        if read > self.read {
            self.widen(read);
            self.read = read;
        }
        self.reading_from = (next, now);
    }

    /// Measures the round trip by a whole window, which takes at least a round trip; the shortest
    /// time is the best estimate.
    fn time_window(&mut self, next: u64, edge: u64, now: Time) {
        match self.window_end {
            Some((end, _)) if next < end => return,
            Some((_, since)) => {
                let sample = now.since(since);
                self.round_trip = self.round_trip.min(sample);
            }
            None => {}
        }
        self.window_end = Some((edge, now));
    }

    fn widen(&mut self, read: u64) {
        // The window is twice the bytes read, so that a loss does not stop the sender.
        let window = 2 * read + CUSHION * u64::from(self.mss);
        // It grows further by twice the growth since then, for the next round trips.
        let growth =
            u128::from(window) * u128::from(read - self.read) / u128::from(self.read.max(1));
        let growth = u64::try_from(growth).unwrap_or(u64::MAX);
        let wanted = window.saturating_add(growth.saturating_mul(2)).min(self.max);
        self.clamp = self.clamp.max(wanted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1448;

    /// A sender that doubles each round trip of 100 ms; the windows at the end of each round.
    fn windows_in_slow_start(timestamps: bool, rounds: u64) -> Vec<u64> {
        let mut sizing = RightSizing::new(3 << 20, MSS);
        sizing.established(MSS, 1, Time::ZERO);
        let mut next = 1;
        (1..=rounds)
            .map(|round| {
                let start = Time::from_millis(100 * round);
                let segments = 10 << (round - 1);
                for segment in 0..segments {
                    let now = start + Span::from_micros(40_000 * segment / segments);
                    if timestamps {
                        sizing.on_echo(timestamp(now) - 100, now);
                    }
                    let edge = next + sizing.window(0);
                    next += u64::from(MSS);
                    sizing.on_data(MSS, 0);
                    sizing.on_read(next, edge, now);
                }
                sizing.window(0)
            })
            .collect()
    }

    #[test]
    fn never_holds_back_slow_start() {
        for timestamps in [true, false] {
            let windows = windows_in_slow_start(timestamps, 9);
            for (round, window) in windows.iter().enumerate() {
                let next_round = (20 << round) * u64::from(MSS);
                assert!(*window >= next_round.min(3 << 20), "{timestamps} {round} {windows:?}");
            }
            assert_eq!(windows.last(), Some(&(3 << 20)));
        }
    }

    #[test]
    fn stays_where_it_is_if_no_more_is_read() {
        let mut sizing = RightSizing::new(3 << 20, MSS);
        sizing.established(MSS, 1, Time::ZERO);
        let first = sizing.window(0);
        for segment in 1..1000 {
            let now = Time::from_millis(20 * segment);
            sizing.on_echo(timestamp(now), now + Span::from_millis(100));
            sizing.on_data(MSS, 0);
            let next = 1 + segment * u64::from(MSS);
            sizing.on_read(next, next + sizing.window(0), now);
        }
        assert_eq!((first, sizing.window(0)), (65_160, 65_536));
    }

    /// Linux `tcp_rcv_rtt_update`: a new sample moves the mean by an eighth.
    #[test]
    fn the_round_trip_is_a_mean_of_samples() {
        let mut sizing = RightSizing::new(3 << 20, MSS);
        sizing.on_echo(1, Time::from_millis(100));
        assert_eq!(sizing.round_trip, Span::from_millis(100));
        sizing.on_echo(2, Time::from_millis(181));
        assert_eq!(sizing.round_trip, Span::from_millis(110));
        sizing.on_echo(2, Time::from_millis(899));
        assert_eq!(sizing.round_trip, Span::from_millis(110), "one sample for each echo");
    }

    #[test]
    fn absurd_bounds_do_no_harm() {
        for max in [0, 1, 100, u64::MAX] {
            let mut sizing = RightSizing::new(max, MSS);
            sizing.established(MSS, 1, Time::ZERO);
            sizing.on_echo(0, Time::ZERO);
            sizing.on_read(u64::MAX / 4, u64::MAX / 2, Time::from_secs(1));
            sizing.on_data(MSS, 0);
            assert!(sizing.window(0) <= max);
            assert_eq!(sizing.window(u64::MAX), 0);
        }
    }

    /// Linux `tcp_rcv_rtt_measure`: without timestamps, a round trip is over when all of the window
    /// that was offered at its begin has been received, and not before.
    #[test]
    fn a_window_that_was_received_is_a_round_trip() {
        let mut sizing = RightSizing::new(3 << 20, MSS);
        sizing.established(MSS, 1, Time::ZERO);
        sizing.on_read(1, 1_001, Time::ZERO);
        sizing.on_read(1_000, 2_000, Time::from_millis(40));
        assert_eq!(sizing.round_trip, Span::MAX);
        sizing.on_read(1_001, 2_001, Time::from_millis(50));
        assert_eq!(sizing.round_trip, Span::from_millis(50));
    }
}
