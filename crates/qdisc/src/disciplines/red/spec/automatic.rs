//! The settings of RED that ns-2 derives from a link; each can be given instead.

use core::fmt;

use units::{Bytes, Prob, Rate, Span};

use crate::disciplines::red::RedParameters;
use crate::spec::TcSize;

/// The properties of a link that ns-2 reads, and the settings that it derives from them. In ns-2
/// `thresh_ 0`, `maxthresh_ 0`, `q_weight_ -1` and `bottom_ 0` ask for the derived settings, and
/// are the defaults since 2001.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RedAutomatic {
    /// The rate of the link; `None` for that of the link that the queue feeds. ns-2 reads the rate
    /// once, so that a link which changes its rate keeps its settings.
    pub bandwidth: Option<Rate>,
    /// The propagation delay of the link; zero. A delay above 33 ms makes the average slower.
    pub delay: Span,
    /// The packet length in which everything is counted (`mean_pktsize_`); 500 bytes.
    pub average_packet: Bytes,
    /// The average at which dropping begins; `None` for half of the bytes that the rate sends in 5
    /// ms, but at least five packets.
    pub min: Option<Bytes>,
    /// The average at which the steeper slope begins; `None` for three times `min`.
    pub max: Option<Bytes>,
    /// The weight of the average; `None` for 1 - exp(-1/C), for C packets in ten round trips of 100
    /// ms or three times the delay.
    pub weight: Option<Prob>,
    /// The least value of an adapted probability; `None` for 0.01, or less above 8 Mbit/s.
    pub bottom: Option<Prob>,
}

impl Default for RedAutomatic {
    fn default() -> Self {
        Self {
            bandwidth: None,
            delay: Span::ZERO,
            average_packet: Bytes(500),
            min: None,
            max: None,
            weight: None,
            bottom: None,
        }
    }
}

impl RedAutomatic {
    /// The settings with all those filled in that this rate determines, thresholds to the nearest
    /// byte.
    #[must_use]
    pub fn settled(self, rate: Rate) -> Self {
        let derived = RedParameters::automatic(rate, self.delay, self.average_packet);
        let min = self.min.unwrap_or(Bytes((derived.min + 0.5) as u64));
        Self {
            min: Some(min),
            max: Some(self.max.unwrap_or(min * 3)),
            weight: Some(self.weight.unwrap_or(Prob::clamped(derived.weight))),
            bottom: Some(self.bottom.unwrap_or(derived.bottom)),
            ..self
        }
    }

    /// The parameters of the controller before a link of this rate.
    pub(super) fn parameters(self, link: Rate) -> RedParameters {
        let rate = self.bandwidth.unwrap_or(link);
        let derived = RedParameters::automatic(rate, self.delay, self.average_packet);
        let Self { min, max, weight, bottom, .. } = self.settled(rate);
        RedParameters {
            min: min.map_or(derived.min, |min| min.0 as f64),
            max: max.map_or(derived.max, |max| max.0 as f64),
            weight: weight.map_or(derived.weight, Prob::get),
            bottom: bottom.unwrap_or(derived.bottom),
            ..derived
        }
    }

    pub(super) fn write_options(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bandwidth, delay, average_packet, min, max, weight, bottom } = *self;
        if let Some(rate) = bandwidth {
            write!(f, " bandwidth {rate}")?;
        }
        write!(f, " delay {delay} avpkt {}", TcSize(average_packet))?;
        if let Some(min) = min {
            write!(f, " min {}", TcSize(min))?;
        }
        if let Some(max) = max {
            write!(f, " max {}", TcSize(max))?;
        }
        if let Some(weight) = weight {
            write!(f, " weight {weight}")?;
        }
        if let Some(bottom) = bottom {
            write!(f, " bottom {bottom}")?;
        }
        Ok(())
    }
}
