//! The round-trip times of a sender: estimated, smallest, largest and latest.
//!
//! Specification: RFC 6298 and RFC 8985 section 6.2 step 1, in [`RttEstimator`] and [`MinRtt`].
//! Deviations: see these.

use units::{Span, Time};

use super::sequence::SendSequence;
use crate::config::RtoFloor;
use crate::min_rtt::MinRtt;
use crate::rtt::RttEstimator;

/// The round-trip samples of one connection.
#[derive(Clone, Debug)]
pub(super) struct RoundTrips {
    estimator: RttEstimator,
    min: MinRtt,
    /// The latest exact sample; `None` before any, and after it was taken.
    latest: Option<Span>,
    /// The largest exact sample; zero before any.
    max: Span,
}

impl RoundTrips {
    pub(super) fn new(floor: RtoFloor) -> Self {
        Self {
            estimator: RttEstimator::new(floor),
            min: MinRtt::default(),
            latest: None,
            max: Span::ZERO,
        }
    }

    /// Takes notice that the handshake gave no sample, because a SYN was lost.
    pub(super) fn on_lost_syn(&mut self) {
        self.estimator.on_lost_syn();
    }

    /// Takes an exact sample: that of a segment that was sent once, not of a timestamp, which
    /// counts in whole milliseconds and may be shorter than the path's delay.
    pub(super) fn on_exact(&mut self, rtt: Span) {
        self.latest = Some(rtt);
        self.max = self.max.max(rtt);
    }

    /// Takes the round-trip times of the `first` and the `last` segment that one acknowledgement
    /// delivered: the estimator takes the longer time, the minimum the shorter.
    #[inline(always)]
    pub(super) fn sample(&mut self, first: Span, last: Span, sequence: &SendSequence, now: Time) {
        self.min.sample(last, now);
        self.estimator.sample(first, sequence.una(), sequence.next());
    }

    /// Doubles the timeout, because the retransmission timer ran out.
    pub(super) fn back_off(&mut self) {
        self.estimator.back_off();
    }

    /// The retransmission timeout, with its back-off.
    pub(super) fn rto(&self) -> Span {
        self.estimator.rto()
    }

    /// The smoothed round-trip time; `None` before any sample.
    pub(super) fn srtt(&self) -> Option<Span> {
        self.estimator.srtt()
    }

    /// The smoothed round-trip time; zero before any sample.
    pub(super) fn srtt_or_zero(&self) -> Span {
        self.srtt().unwrap_or_default()
    }

    /// The smallest round-trip time of the last five minutes; `None` before any sample.
    pub(super) fn min(&self) -> Option<Span> {
        self.min.get()
    }

    /// The smallest round-trip time of the last five minutes; zero before any sample.
    pub(super) fn min_or_zero(&self) -> Span {
        self.min().unwrap_or_default()
    }

    /// The largest exact sample; zero before any.
    pub(super) const fn max(&self) -> Span {
        self.max
    }

    /// Takes the latest exact sample; `None` if there is none since the last call.
    pub(super) fn take_latest(&mut self) -> Option<Span> {
        self.latest.take()
    }
}
