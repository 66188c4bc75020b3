//! Round trips by timestamps.
//!
//! The first packet with a new timestamp, and the first one of the other end that echoes it (RFC 7323 section 4.1).
//! The echo is that of the oldest segment that is not acknowledged (section 4.3), so that a receiver that waits with
//! its acknowledgements makes these round trips longer than the path's.

use std::collections::VecDeque;

use units::{Span, Time};

/// The most timestamps that wait for their echo.
const MOST: usize = 1 << 12;

/// The timestamps of one end that have not been echoed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Echoes {
    waiting: VecDeque<(u32, Time)>,
    /// The latest timestamp; `None` before the first.
    latest: Option<u32>,
}

impl Echoes {
    /// True if this timestamp comes after all that have passed.
    pub(crate) fn is_new(&self, value: u32) -> bool {
        self.latest.is_none_or(|latest| is_after(value, latest))
    }

    /// Notes a timestamp that has passed.
    pub(crate) fn sent(&mut self, value: u32, now: Time) {
        if !self.is_new(value) {
            return;
        }
        self.latest = Some(value);
        if self.waiting.len() < MOST {
            self.waiting.push_back((value, now));
        }
    }

    /// Takes an echo. Returns the round trip; `None` if the timestamp was echoed before, or has not passed here.
    pub(crate) fn echoed(&mut self, value: u32, now: Time) -> Option<Span> {
        while let Some((oldest, sent)) = self.waiting.front().copied() {
            if is_after(oldest, value) {
                return None;
            }
            self.waiting.pop_front();
            if oldest == value {
                return Some(now.since(sent));
            }
        }
        None
    }
}

const fn is_after(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn the_first_echo_of_the_first_packet_counts() {
        let mut echoes = Echoes::default();
        echoes.sent(u32::MAX, at(0));
        echoes.sent(u32::MAX, at(1));
        echoes.sent(3, at(2));
        assert_eq!(echoes.echoed(7, at(3)), None);
        echoes.sent(8, at(4));
        echoes.sent(9, at(5));
        assert_eq!(echoes.echoed(9, at(25)), Some(Span::from_millis(20)));
        assert_eq!(echoes.echoed(9, at(26)), None);
        // What has been echoed is not new when it comes again.
        echoes.sent(9, at(27));
        assert_eq!(echoes.echoed(9, at(28)), None);
    }
}
