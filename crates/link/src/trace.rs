//! Packet delivery traces in the format of mahimahi.
//!
//! Specification: the manual page mm-link(1) of mahimahi, and Netravali et al., "Mahimahi: Accurate
//! Record-and-Replay for HTTP", USENIX ATC 2015, section 4.
//!
//! Each line is a time in milliseconds at which 1500 bytes can be delivered, an opportunity.
//! Accounting is by the byte. One opportunity can carry several small packets. A packet that does
//! not fit into the rest of an opportunity goes on in the next, and is delivered with its last
//! byte. Bytes of an opportunity that find no packet are wasted. Several lines with the same time
//! are several opportunities at that time. The trace starts over after the last line, whose time is
//! the period of the trace.
//!
//! Deviations: a packet that is offered at the very instant of an opportunity may use it, since an
//! arrival comes before a departure at the same instant everywhere here. In mm-link, which sees
//! whole milliseconds only, the packet misses the opportunity. Packets may be longer than 1500
//! bytes.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use units::{Bytes, Rate, Span, Time};

/// The times at which a wire can carry packets: a recorded list of opportunities, repeated for
/// ever. Clones share the list.
#[derive(Clone, PartialEq, Eq)]
pub struct Trace {
    /// The times in milliseconds, not decreasing; the last one is not zero.
    millis: Arc<[u32]>,
    average: Rate,
}

impl Trace {
    /// The bytes that one opportunity carries.
    pub const OPPORTUNITY: Bytes = Bytes(1500);

    /// The most opportunities, more than any recording has: an hour at 200 Gbit/s.
    const MOST: usize = 60_000_000;

    /// Reads a trace file.
    ///
    /// # Errors
    /// If the file is empty, a line is not a whole number of milliseconds, times decrease, the last
    /// time is zero, there are too many lines, or the rate is below 1 bit/s.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let mut millis = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let error = |message| TraceError { line: index + 1, message };
            let time = time(line).map_err(error)?;
            if let Some(before) = millis.last().filter(|before| **before > time) {
                let order = "times must not decrease";
                return Err(error(format!(
                    "{time} comes after {before} on the line before; {order}"
                )));
            }
            if millis.len() == Self::MOST {
                return Err(error(format!("a trace can have at most {} lines", Self::MOST)));
            }
            millis.push(time);
        }
        let error =
            |message: &str| TraceError { line: millis.len().max(1), message: message.into() };
        let Some(&last) = millis.last() else {
            return Err(error("the trace is empty; write one time in milliseconds a line"));
        };
        let delivered = Self::OPPORTUNITY * millis.len() as u64;
        match delivered / Span::from_millis(last.into()) {
            Some(average) => Ok(Self { average, millis: millis.into() }),
            None if last == 0 => Err(error("the last time is 0; the trace must take some time")),
            None => Err(error("the trace delivers less than 1 bit per second")),
        }
    }

    /// The time after which the trace starts over.
    pub fn period(&self) -> Span {
        Span::from_millis(self.millis.last().copied().unwrap_or_default().into())
    }

    /// The mean rate of the trace over its period.
    pub const fn average_rate(&self) -> Rate {
        self.average
    }

    /// The bytes that can be sent in `from..to`.
    pub fn capacity(&self, from: Time, to: Time) -> Bytes {
        Self::OPPORTUNITY * self.first_from(to).saturating_sub(self.first_from(from))
    }

    /// The number of the first opportunity that is not before `time`, counted through all
    /// repetitions from 0.
    pub(crate) fn first_from(&self, time: Time) -> u64 {
        let Some(before) = time.as_nanos().checked_sub(1) else { return 0 };
        let period = self.period().as_nanos();
        let rounds = (before / period).saturating_mul(self.millis.len() as u64);
        let offset = Span::from_nanos(before % period);
        let passed = self.millis.partition_point(|m| Span::from_millis((*m).into()) <= offset);
        rounds.saturating_add(passed as u64)
    }

    /// The time of the opportunity with this number.
    pub(crate) fn time(&self, opportunity: u64) -> Time {
        let lines = self.millis.len() as u64;
        let offset = self.millis[(opportunity % lines) as usize];
        Time::ZERO + self.period() * (opportunity / lines) + Span::from_millis(offset.into())
    }
}

impl fmt::Debug for Trace {
    /// Writes the trace without its list, which may have millions of entries.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trace({} opportunities in {})", self.millis.len(), self.period())
    }
}

/// The time in one line of a trace file.
fn time(line: &str) -> Result<u32, String> {
    let shown: String = line.chars().take(24).collect();
    if line.is_empty() || !line.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("{shown:?} is not a whole number of milliseconds"));
    }
    line.parse().map_err(|_| format!("{shown:?} milliseconds is too late; at most {}", u32::MAX))
}

/// The error that a text is not a [`Trace`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The line, counted from 1.
    pub line: usize,
    /// The mistake in the line, and what would be right.
    pub message: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl core::error::Error for TraceError {}

#[cfg(test)]
mod tests;
