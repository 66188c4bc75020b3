//! Packets that the wire loses.
//!
//! Random loss affects each packet alone. Bursty loss follows a Markov chain of two states, good
//! and bad, which takes a step after each packet; the state sets the probability of a loss.
//!
//! Specification: E. N. Gilbert, "Capacity of a Burst-Noise Channel", BSTJ 1960; E. O. Elliott,
//! "Estimates of Error Rates for Codes on Burst-Noise Channels", BSTJ 1963; the four parameters and
//! the order of loss and step as in `loss gemodel` of tc-netem(8).
//!
//! Deviations: none.

use core::fmt;

use units::{Prob, Rng};

/// The packets that a wire loses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Loss {
    /// No packets.
    #[default]
    None,
    /// The loss of each packet with this probability, independently of the others.
    Random(Prob),
    /// The loss of packets in bursts.
    Bursty(GilbertElliott),
}

/// A model of losses in bursts: a Markov chain of a good and a bad state, which begins in the good
/// one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliott {
    /// The probability that the bad state follows a packet in the good one (`p` in netem).
    pub good_to_bad: Prob,
    /// The probability that the good state follows a packet in the bad one (`r`).
    pub bad_to_good: Prob,
    /// The probability that a packet in the good state is lost (`1-k`).
    pub loss_in_good: Prob,
    /// The probability that a packet in the bad state is lost (`1-h`).
    pub loss_in_bad: Prob,
}

impl GilbertElliott {
    /// A chain that loses all packets of the bad state and none of the good one: a share `rate` of
    /// all packets, `mean_burst` packets in a row on average.
    ///
    /// # Errors
    /// If `mean_burst` is below 1 or not finite, or `rate` above `mean_burst / (mean_burst + 1)`,
    /// since at least one packet gets through between two bursts.
    pub fn bursts(rate: Prob, mean_burst: f64) -> Result<Self, BurstError> {
        let good_to_bad = rate.get() / (1.0 - rate.get()) / mean_burst;
        if !(mean_burst >= 1.0 && mean_burst.is_finite() && good_to_bad <= 1.0) {
            return Err(BurstError { rate, mean_burst });
        }
        Ok(Self {
            good_to_bad: Prob::clamped(good_to_bad),
            bad_to_good: Prob::clamped(1.0 / mean_burst),
            loss_in_good: Prob::ZERO,
            loss_in_bad: Prob::ONE,
        })
    }

    /// The share of packets that is lost in the long run.
    pub fn mean_loss(&self) -> f64 {
        let bad = self.share_bad();
        (1.0 - bad) * self.loss_in_good.get() + bad * self.loss_in_bad.get()
    }

    /// The mean number of packets that are lost in a row: the probability of a loss divided by that
    /// of a loss which is the last of its burst. `None` if no burst ever begins or ends.
    pub fn mean_burst(&self) -> Option<f64> {
        let (bad, p, r) = (self.share_bad(), self.good_to_bad.get(), self.bad_to_good.get());
        let (in_good, in_bad) = (self.loss_in_good.get(), self.loss_in_bad.get());
        let survives_after_good = (1.0 - p) * (1.0 - in_good) + p * (1.0 - in_bad);
        let survives_after_bad = (1.0 - r) * (1.0 - in_bad) + r * (1.0 - in_good);
        let ends = (1.0 - bad) * in_good * survives_after_good + bad * in_bad * survives_after_bad;
        (ends > 0.0).then(|| self.mean_loss() / ends)
    }

    /// The share of packets in the bad state in the long run.
    fn share_bad(&self) -> f64 {
        let (p, r) = (self.good_to_bad.get(), self.bad_to_good.get());
        if p == 0.0 { 0.0 } else { p / (p + r) }
    }
}

/// The error that loss of this rate cannot come in bursts of this length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BurstError {
    /// The wanted share of lost packets.
    pub rate: Prob,
    /// The wanted number of packets lost in a row.
    pub mean_burst: f64,
}

impl fmt::Display for BurstError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rate, mean_burst } = self;
        if !(*mean_burst >= 1.0 && mean_burst.is_finite()) {
            return write!(f, "a burst of {mean_burst} packets; it must have at least 1");
        }
        let most = mean_burst / (mean_burst + 1.0);
        write!(f, "bursts of {mean_burst} packets cannot make a loss of {rate}; at most {most:.3}")
    }
}

impl core::error::Error for BurstError {}

/// The process that decides which packets are lost.
#[derive(Clone, Debug)]
pub(crate) struct LossProcess {
    loss: Loss,
    bad: bool,
    rng: Rng,
}

impl LossProcess {
    pub(crate) const fn new(loss: Loss, rng: Rng) -> Self {
        Self { loss, bad: false, rng }
    }

    /// True if the next packet is lost.
    #[inline]
    pub(crate) fn next_is_lost(&mut self) -> bool {
        match self.loss {
            Loss::None => false,
            Loss::Random(p) => self.rng.chance(p),
            Loss::Bursty(model) => self.step(model),
        }
    }

    fn step(&mut self, model: GilbertElliott) -> bool {
        let (leave, loss) = if self.bad {
            (model.bad_to_good, model.loss_in_bad)
        } else {
            (model.good_to_bad, model.loss_in_good)
        };
        let lost = self.rng.chance(loss);
        self.bad ^= self.rng.chance(leave);
        lost
    }
}

#[cfg(test)]
mod tests;
