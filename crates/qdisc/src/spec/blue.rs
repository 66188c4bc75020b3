//! `blue`, which tc does not have.

use alloc::string::String;
use core::fmt;

use units::Rng;

use super::SpecError;
use super::draft::Draft;
use super::size::TcSize;
use super::words::{Word, Words};
use crate::aqm::{Blue, BlueParameters};
use crate::{Fifo, Limit, Packet};

/// `blue [limit PACKETS] [increment PROBABILITY] [decrement PROBABILITY] [freeze_time TIME]
/// [threshold SIZE] [ecn|noecn]`
#[derive(Clone, Debug, PartialEq)]
pub struct BlueSpec {
    /// The limit in packets; 1000.
    pub limit: u64,
    /// The parameters of the controller.
    pub parameters: BlueParameters,
}

impl Default for BlueSpec {
    fn default() -> Self {
        Self { limit: 1000, parameters: BlueParameters::default() }
    }
}

impl BlueSpec {
    pub(super) fn build<P: Packet>(&self, rng: Rng) -> Fifo<P, Blue> {
        Fifo::new(Limit::packets(self.limit), Blue::new(self.parameters, rng))
    }
}

impl Draft for BlueSpec {
    type Spec = Self;
    const OPTIONS: &'static str = "limit, increment, decrement, freeze_time, threshold, ecn, noecn";

    fn option(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError> {
        let parameters = &mut self.parameters;
        match option.text {
            "limit" => self.limit = words.packets(option)?,
            "increment" => parameters.increment = words.probability(option)?,
            "decrement" => parameters.decrement = words.probability(option)?,
            "freeze_time" => parameters.freeze_time = words.some_span(option)?,
            "threshold" => parameters.threshold = Some(words.size(option)?),
            "ecn" => parameters.ecn = true,
            "noecn" => parameters.ecn = false,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self) -> Result<Self, String> {
        Ok(self)
    }
}

impl fmt::Display for BlueSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BlueParameters { increment, decrement, freeze_time, threshold, ecn } = self.parameters;
        write!(f, "blue limit {}p increment {increment} decrement {decrement}", self.limit)?;
        write!(f, " freeze_time {freeze_time}")?;
        if let Some(threshold) = threshold {
            write!(f, " threshold {}", TcSize(threshold))?;
        }
        f.write_str(if ecn { " ecn" } else { " noecn" })
    }
}
