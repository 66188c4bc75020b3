//! What goes wrong with reflectors on lines that live.

use units::{Span, Time};

use crate::line::Trouble;
use crate::period::Period;

/// Reflectors that fall silent twice: for an eighth of the run each time, but for 20 s at most.
pub(super) fn silent(time: Span) -> Trouble {
    let length = Span::from_nanos(time.as_nanos() / 8).min(Span::from_secs(20));
    let silence = |part: u64| period(time, part, length);
    Trouble { noise_ms: 1.0, silences: vec![silence(25), silence(60)], ..Trouble::default() }
}

/// Reflectors with much noise, of which some have queues of their own twice.
pub(super) fn astray(time: Span) -> Trouble {
    let length = Span::from_nanos(time.as_nanos() / 6).min(Span::from_secs(25));
    let astray = |part: u64| period(time, part, length);
    Trouble { noise_ms: 4.0, astray: vec![astray(20), astray(60)], ..Trouble::default() }
}

/// A period of this length that begins after so many percent of the run.
fn period(time: Span, percent: u64, length: Span) -> Period {
    let from = Time::ZERO + Span::from_nanos(time.as_nanos() / 100 * percent);
    Period { from, to: from + length }
}
