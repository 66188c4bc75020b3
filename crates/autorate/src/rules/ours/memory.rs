//! The rates that the line carried lately.

use std::collections::VecDeque;

use units::{Span, Time};

use super::constants::{REMEMBERED_S, SAFE_QUANTILE};

/// The rate that the line carried in each of the last seconds in which that was known.
#[derive(Debug)]
pub(super) struct Memory {
    rates: VecDeque<f64>,
    noted: Time,
}

impl Memory {
    pub(super) const fn new() -> Self {
        Self { rates: VecDeque::new(), noted: Time::ZERO }
    }

    /// Notes a rate in bits per second, once a second.
    pub(super) fn note(&mut self, rate: f64, now: Time) {
        if now.since(self.noted) < Span::from_secs(1) {
            return;
        }
        self.noted = now;
        self.rates.push_back(rate);
        if self.rates.len() > REMEMBERED_S {
            self.rates.pop_front();
        }
    }

    /// A rate that the line carries most of the time; `None` before the first rate.
    pub(super) fn safe(&self) -> Option<f64> {
        let mut sorted: Vec<f64> = self.rates.iter().copied().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        Some(sorted[(last as f64 * SAFE_QUANTILE) as usize])
    }
}
