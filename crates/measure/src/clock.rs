//! The server's clock, and its faults for tests.

use std::str::FromStr;

use kernel::Clock;
use units::{Span, Time};

/// The monotonic clock, or a clock with a deliberate fault, to test that a server whose clock is
/// wrong does not mislead a client.
#[derive(Clone, Copy, Debug)]
pub struct ServerClock {
    clock: Clock,
    fault: Option<Fault>,
}

/// A fault of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The clock is too fast by this many parts in a million; negative if it is too slow.
    Drift(i32),
    /// The clock is set forward by these nanoseconds (back if negative), at this time of the true
    /// clock.
    Step(i64, Time),
}

impl ServerClock {
    /// Starts the clock at [`Time::ZERO`]; `None` is a clock without a fault.
    pub fn start(fault: Option<Fault>) -> Self {
        Self { clock: Clock::start(), fault }
    }

    /// The time by this clock.
    pub fn now(self) -> Time {
        self.ago(Span::ZERO)
    }

    /// The time by this clock at an age before now.
    pub fn ago(self, age: Span) -> Time {
        let truth = self.clock.now().as_nanos().saturating_sub(age.as_nanos());
        Time::from_nanos(self.fault.map_or(truth, |fault| fault.at(truth)))
    }
}

impl Fault {
    /// The clock's time, in nanoseconds, at the true time `truth`.
    fn at(self, truth: u64) -> u64 {
        let wrong = match self {
            Self::Drift(parts) => i128::from(truth) * i128::from(parts) / 1_000_000,
            Self::Step(by, at) if truth >= at.as_nanos() => by.into(),
            Self::Step(..) => 0,
        };
        u64::try_from(i128::from(truth) + wrong).unwrap_or(0)
    }
}

/// A fault from its text: `drift 100ppm`, `drift -100ppm`, `step 50ms at 10s`, `step -50ms at 10s`.
impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let fault = match words[..] {
            ["drift", parts] => parts.strip_suffix("ppm").and_then(drift),
            ["step", by, "at", at] => step(by, at),
            _ => None,
        };
        fault.ok_or_else(|| "write `drift 100ppm` or `step -50ms at 10s`".into())
    }
}

/// The drift of a text; `None` if it is none, or more than a quarter of the time.
fn drift(parts: &str) -> Option<Fault> {
    let parts = parts.parse().ok()?;
    (-250_000..=250_000).contains(&parts).then_some(Fault::Drift(parts))
}

fn step(by: &str, at: &str) -> Option<Fault> {
    let (sign, size) = by.strip_prefix('-').map_or((1, by), |size| (-1, size));
    let size: Span = size.parse().ok()?;
    let at: Span = at.parse().ok()?;
    Some(Fault::Step(sign * i64::try_from(size.as_nanos()).ok()?, Time::ZERO + at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_what_they_are_called() {
        let at = |fault: &str, secs: u64| {
            fault.parse::<Fault>().map(|fault| fault.at(secs * 1_000_000_000))
        };
        assert_eq!(at("drift 100ppm", 10), Ok(10_001_000_000));
        assert_eq!(at("drift -100ppm", 10), Ok(9_999_000_000));
        assert_eq!(at("step 50ms at 10s", 9), Ok(9_000_000_000));
        assert_eq!(at("step 50ms at 10s", 10), Ok(10_050_000_000));
        assert_eq!(at("step -50ms at 0s", 0), Ok(0));
        for wrong in ["", "drift", "drift 1", "drift 300000ppm", "step 5 at 1s", "step 5ms"] {
            assert!(at(wrong, 1).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_clock_without_a_fault_is_the_real_one() {
        let clock = ServerClock::start(None);
        let earlier = clock.now();
        assert!(clock.now() >= earlier && clock.ago(Span::from_secs(3_600)) == Time::ZERO);
    }
}
