//! The rate of one direction of a line over time.

use std::fmt::Write as _;

use link::{Trace, TraceError};
use units::{Bytes, Rate, Span, Time};

/// The rate of one direction over time.
#[derive(Clone, Debug)]
pub struct Course {
    /// The mean rate of each step, in bits per second.
    rates: Vec<f64>,
    /// The opportunities to send, in mahimahi's format; `None` for a line that sends evenly.
    opportunities: Option<String>,
}

/// The length of a step.
pub(crate) const STEP: Span = Span::from_millis(100);

/// The least rate of a step, in bits per second, for a line that carries nothing: a rate is never
/// zero.
const NOTHING: f64 = 8_000.0;

/// The steps on each side over which the mean rate of a trace is taken, since single opportunities
/// are no rate.
const AROUND: usize = 1;

impl Course {
    /// A line that sends evenly at the rate of each step.
    pub(crate) fn even(rates: Vec<f64>) -> Self {
        let rates = rates.into_iter().map(|rate| rate.max(NOTHING)).collect();
        Self { rates, opportunities: None }
    }

    /// A line that sends 1500 bytes at each of these times, in milliseconds and ascending, and
    /// starts over after the last.
    pub(crate) fn bursty(millis: &[u32], time: Span) -> Option<Self> {
        let mut text = String::new();
        millis.iter().for_each(|millis| _ = writeln!(text, "{millis}"));
        Self::recorded(text, time).ok()
    }

    /// A line whose trace was recorded.
    ///
    /// # Errors
    /// If the text is no trace of mahimahi, or one that carries no packet in this time.
    pub fn recorded(text: String, time: Span) -> Result<Self, TraceError> {
        let trace = Trace::parse(&text)?;
        if trace.capacity(Time::ZERO, Time::ZERO + time) == Bytes::ZERO {
            let message = format!("the trace carries no packet in the {time} of a run");
            return Err(TraceError { line: 1, message });
        }
        let steps = steps(time);
        let end_of = |step: usize| Time::ZERO + STEP * step as u64;
        let mean = |step: usize| {
            let (from, to) = (step.saturating_sub(AROUND), step + 1 + AROUND);
            let bytes = trace.capacity(end_of(from), end_of(to)).0 as f64;
            8.0 * bytes / (STEP.as_secs_f64() * (to - from) as f64)
        };
        Ok(Self { rates: (0..steps).map(mean).collect(), opportunities: Some(text) })
    }

    /// The mean rate of the step at this time, in bits per second.
    pub(crate) fn at(&self, now: Time) -> f64 {
        let step = (now.as_nanos() / STEP.as_nanos()) as usize;
        self.rates.get(step).or(self.rates.last()).copied().unwrap_or_default()
    }

    /// The mean rate in the time of this length that ends at `end`, in bits per second.
    pub(crate) fn mean(&self, end: Time, length: Span) -> f64 {
        let count = steps(length) as u64;
        let at = |step: u64| self.at(end - STEP * (step + 1));
        (0..count).map(at).sum::<f64>() / count as f64
    }

    /// The opportunities to send, in mahimahi's format; `None` for a line that sends evenly.
    pub(crate) fn opportunities(&self) -> Option<&str> {
        self.opportunities.as_deref()
    }

    /// The rate as a scenario writes it; a trace has this name.
    pub(crate) fn written(&self, name: &str) -> String {
        if self.opportunities.is_some() {
            return format!("{{ trace = \"{name}\" }}");
        }
        let mut steps = String::from("[");
        let mut before = None;
        for (index, rate) in self.rates.iter().enumerate() {
            let rate = *rate as u64;
            if before != Some(rate) {
                let at = (STEP * index as u64).as_nanos() / 1_000_000;
                _ = write!(steps, "[\"{at}ms\", \"{rate}bit\"], ");
                before = Some(rate);
            }
        }
        steps.push(']');
        steps
    }

    /// The rate that this part of the steps does not exceed, in bits per second.
    pub(crate) fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.rates.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted.get((last as f64 * part) as usize).copied().unwrap_or(NOTHING)
    }
}

/// The number of steps in this time, at least one.
pub(crate) fn steps(time: Span) -> usize {
    (time.as_nanos().div_ceil(STEP.as_nanos()) as usize).max(1)
}

/// A rate of so many bits per second.
pub(crate) fn rate(bits_per_sec: f64) -> Rate {
    Rate::from_bits_per_sec(bits_per_sec as u64).unwrap_or(Rate::from_mbit(1))
}
