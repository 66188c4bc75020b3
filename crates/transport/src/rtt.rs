//! The smoothed round-trip time, its variance, and the retransmission timeout.
//!
//! Each sample moves the smoothed time by an eighth, and the variance by a quarter, of its
//! deviation; the timeout is the smoothed time plus four variances, and doubles whenever it fires.
//! Linux differs in two ways: the variance term never falls below 200 ms, and it follows the
//! *largest* deviation of each round trip at once, but falls only slowly and once a round trip.
//!
//! Specification: RFC 6298; RFC 7323 section 5.4 (the timestamp clock); Linux `tcp_rtt_estimator`.
//! Deviations: with [`RtoFloor::Variance`] those of Linux; G, the clock granularity, is 1 ms.

use units::{Span, Time};

use crate::config::RtoFloor;

/// The timeout before any sample (RFC 6298 section 2.1).
const INITIAL: Span = Span::from_secs(1);
/// The timeout after a SYN that was sent again and gave no sample, as happens without timestamps
/// (RFC 6298 section 5.7; Linux `TCP_TIMEOUT_FALLBACK`).
const AFTER_LOST_SYN: Span = Span::from_secs(3);
/// The longest timeout, that of Linux's `TCP_RTO_MAX`; RFC 6298 section 2.5 allows 60 s and more.
pub(crate) const LONGEST_TIMEOUT: Span = Span::from_secs(120);
/// The granularity of the clock: G of RFC 6298 section 2.
const GRANULARITY: Span = Span::from_millis(1);

/// The timestamp clock (RFC 7323 section 5.4): milliseconds as Linux counts them, from 1 on, since
/// an echo of 0 means none.
pub fn timestamp(now: Time) -> u32 {
    (now.as_nanos() / 1_000_000 + 1) as u32
}

/// The time since our clock showed `echo`, in whole milliseconds and at least one, as in Linux
/// `tcp_rtt_tsopt_us`. `None` for an echo of 0 or of a future time.
pub(crate) fn since_echo(echo: u32, now: Time) -> Option<Span> {
    let elapsed = timestamp(now).wrapping_sub(echo);
    (echo != 0 && elapsed <= i32::MAX as u32).then(|| Span::from_millis(u64::from(elapsed.max(1))))
}

/// The estimator of RFC 6298.
#[derive(Clone, Debug)]
pub(crate) struct RttEstimator {
    floor: RtoFloor,
    /// Eight times the smoothed round-trip time, in nanoseconds; 0 before the first sample.
    srtt8: u64,
    /// Four times the mean deviation, in nanoseconds.
    mdev4: u64,
    /// The largest value of `mdev4` in this round trip (Linux).
    mdev4_max: u64,
    /// Four times the variance in the timeout, in nanoseconds.
    rttvar4: u64,
    /// The sequence number whose acknowledgement ends the round trip.
    round_end: u64,
    rto: Span,
}

impl RttEstimator {
    pub(crate) fn new(floor: RtoFloor) -> Self {
        Self { floor, srtt8: 0, mdev4: 0, mdev4_max: 0, rttvar4: 0, round_end: 0, rto: INITIAL }
    }

    /// Takes notice that the handshake gave no sample.
    pub(crate) fn on_lost_syn(&mut self) {
        self.rto = AFTER_LOST_SYN;
    }

    /// Takes a sample that was received with `una` acknowledged and `next` to be sent, and ends any
    /// back-off (RFC 6298 section 5: only a sample does).
    #[inline(always)]
    pub(crate) fn sample(&mut self, rtt: Span, una: u64, next: u64) {
        let rtt = rtt.as_nanos().max(1);
        if self.srtt8 == 0 {
            // RFC 6298 section 2.2: RTTVAR = R / 2.
            self.srtt8 = rtt.saturating_mul(8);
            self.mdev4 = rtt.saturating_mul(2);
            self.rttvar4 = self.mdev4.max(self.variance_floor());
            self.mdev4_max = self.rttvar4;
            self.round_end = next;
        } else {
            self.smooth(rtt);
            self.follow_deviation(una, next);
        }
        self.rto = self.timeout();
    }

    /// Doubles the timeout, because the timer ran out (RFC 6298 section 5.5).
    pub(crate) fn back_off(&mut self) {
        self.rto = (self.rto * 2).min(LONGEST_TIMEOUT);
    }

    /// The retransmission timeout, with its back-off.
    pub(crate) fn rto(&self) -> Span {
        self.rto
    }

    /// The smoothed round-trip time; `None` before any sample.
    pub(crate) fn srtt(&self) -> Option<Span> {
        (self.srtt8 > 0).then(|| Span::from_nanos(self.srtt8 / 8))
    }

    fn smooth(&mut self, rtt: u64) {
        let srtt = self.srtt8 / 8;
        let deviation = rtt.abs_diff(srtt);
        self.srtt8 = (self.srtt8 - srtt).saturating_add(rtt);
        let step = deviation as i64 - (self.mdev4 / 4) as i64;
        // Linux: a sample far below the mean shows that a queue drained; the timeout must not
        // grow for that (Ludwig and Sklower, "The Eifel Retransmission Timer", 2000).
        let drained = rtt < srtt && step > 0 && self.is_linux();
        let step = if drained { step / 8 } else { step };
        self.mdev4 = self.mdev4.saturating_add_signed(step);
    }

    fn follow_deviation(&mut self, una: u64, next: u64) {
        if !self.is_linux() {
            self.rttvar4 = self.mdev4;
            return;
        }
        self.mdev4_max = self.mdev4_max.max(self.mdev4);
        self.rttvar4 = self.rttvar4.max(self.mdev4_max);
        if una > self.round_end {
            self.rttvar4 -= (self.rttvar4 - self.mdev4_max) / 4;
            self.round_end = next;
            self.mdev4_max = self.variance_floor();
        }
    }

    fn timeout(&self) -> Span {
        let srtt = Span::from_nanos(self.srtt8 / 8);
        let variance = Span::from_nanos(self.rttvar4);
        let rto = match self.floor {
            RtoFloor::Variance(_) => srtt + variance,
            // RFC 6298 sections 2.3 and 2.4.
            RtoFloor::Timeout(floor) => (srtt + variance.max(GRANULARITY)).max(floor),
        };
        rto.min(LONGEST_TIMEOUT)
    }

    const fn is_linux(&self) -> bool {
        matches!(self.floor, RtoFloor::Variance(_))
    }

    const fn variance_floor(&self) -> u64 {
        match self.floor {
            RtoFloor::Variance(floor) => floor.as_nanos(),
            RtoFloor::Timeout(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Span {
        Span::from_millis(millis)
    }

    #[test]
    fn rfc_6298_worked_by_hand() {
        let mut rtt = RttEstimator::new(RtoFloor::Timeout(Span::from_secs(1)));
        assert_eq!((rtt.rto(), rtt.srtt()), (Span::from_secs(1), None));
        // SRTT 800, RTTVAR 400: 800 + 1600.
        rtt.sample(ms(800), 1, 1);
        assert_eq!((rtt.rto(), rtt.srtt()), (ms(2400), Some(ms(800))));
        // RTTVAR = 3/4 400 + 1/4 |800 - 1600| = 500; SRTT = 7/8 800 + 1/8 1600 = 900.
        rtt.sample(ms(1600), 1, 1);
        assert_eq!((rtt.rto(), rtt.srtt()), (ms(2900), Some(ms(900))));
        // RTTVAR = 375 + 1/4 |900 - 100| = 575; SRTT = 787.5 + 12.5 = 800.
        rtt.sample(ms(100), 1, 1);
        assert_eq!((rtt.rto(), rtt.srtt()), (ms(3100), Some(ms(800))));
    }

    #[test]
    fn floor_under_the_timeout() {
        let mut rtt = RttEstimator::new(RtoFloor::Timeout(Span::from_secs(1)));
        rtt.sample(ms(20), 1, 1);
        assert_eq!(rtt.rto(), Span::from_secs(1));
        let mut rtt = RttEstimator::new(RtoFloor::Timeout(Span::ZERO));
        (0..200).for_each(|_| rtt.sample(ms(20), 1, 1));
        assert_eq!(rtt.rto(), ms(21), "the variance is never taken below the granularity");
    }

    #[test]
    fn linux_floor_lies_under_the_variance() {
        let mut rtt = RttEstimator::new(RtoFloor::Variance(ms(200)));
        (0..50).for_each(|i| rtt.sample(ms(20), i * 2 + 1, i * 2));
        assert_eq!(rtt.rto(), ms(220));
    }

    /// A first sample of 500 ms gives 4 RTTVAR = 1 s; it falls by a quarter of its distance to
    /// the floor each round trip and not with each sample.
    #[test]
    fn linux_variance_falls_once_a_round_trip() {
        let mut rtt = RttEstimator::new(RtoFloor::Variance(ms(200)));
        rtt.sample(ms(500), 1, 100);
        assert_eq!(rtt.rto(), ms(1500));
        (2..=100).for_each(|una| rtt.sample(ms(500), una, 200));
        assert_eq!(rtt.rto(), ms(1500));
        rtt.sample(ms(500), 101, 200);
        assert_eq!(rtt.rto(), ms(1500), "the first round's largest deviation was the first");
        (102..=200).for_each(|una| rtt.sample(ms(500), una, 300));
        rtt.sample(ms(500), 201, 300);
        assert_eq!(rtt.rto(), ms(500 + 1000 - 800 / 4));
    }

    /// Linux: a sample far above the mean counts in full, one far below it an eighth.
    #[test]
    fn a_queue_that_drains_does_not_raise_the_timeout() {
        for (sample, srtt, rto) in [(700, 437.5, 737.5), (100, 362.5, 562.5)] {
            let mut rtt = RttEstimator::new(RtoFloor::Variance(ms(200)));
            (0..100).for_each(|i| rtt.sample(ms(400), i * 2 + 1, i * 2));
            assert_eq!(rtt.rto().as_millis_f64().round(), 600.0);
            rtt.sample(ms(sample), 1000, 1000);
            assert_eq!(rtt.srtt().map(Span::as_millis_f64), Some(srtt));
            assert!((rtt.rto().as_millis_f64() - rto).abs() < 0.001, "{sample}: {}", rtt.rto());
        }
    }

    #[test]
    fn back_off_doubles_up_to_two_minutes_and_a_sample_ends_it() {
        let mut rtt = RttEstimator::new(RtoFloor::Variance(ms(200)));
        rtt.sample(ms(100), 1, 1);
        assert_eq!(rtt.rto(), ms(300));
        rtt.back_off();
        rtt.back_off();
        assert_eq!(rtt.rto(), ms(1200));
        (0..20).for_each(|_| rtt.back_off());
        assert_eq!(rtt.rto(), LONGEST_TIMEOUT);
        rtt.sample(ms(100), 1, 1);
        assert!(rtt.rto() < ms(400));
    }

    #[test]
    fn timestamps_never_say_none() {
        assert_eq!(timestamp(Time::ZERO), 1);
        assert_eq!(timestamp(Time::from_millis(1500)), 1501);
    }
}
