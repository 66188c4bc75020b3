//! The window that a receiver offers.
//!
//! The offer is a right edge, up to which the sender may send and which never moves back. On the
//! wire it is a size in units of a power of two that both ends agreed on.
//!
//! Specification: RFC 7323 section 2 (window scale), RFC 9293 section 3.8.6 (the edge must not
//! shrink).
//!
//! Deviations: none. A fixed window that does not fit into the header field is clamped: to 65535
//! bytes without scaling, to 1 GiB with.

use units::Time;

use crate::config::{Config, ReceiveWindow};
use crate::right_sizing::RightSizing;

/// The largest value of the header field.
const FIELD_MAX: u64 = u16::MAX as u64;
/// The largest shift (RFC 7323 section 2.3).
const MOST_SHIFT: u32 = 14;

/// The size of the window before it is written into the header.
#[derive(Clone, Debug)]
enum Size {
    Fixed(u64),
    Auto(RightSizing),
}

/// The window that one receiver offers.
#[derive(Clone, Debug)]
pub(crate) struct OfferedWindow {
    size: Size,
    /// The payload of a segment in bytes; without scaling, an adaptive window is rounded down to
    /// segments.
    mss: u32,
    /// The shift of the window; 0 until the handshake has agreed on scaling.
    shift: u32,
    /// The first sequence number that the peer may not send.
    edge: u64,
}

impl OfferedWindow {
    pub(crate) fn new(config: &Config, mss: u32) -> Self {
        let size = match config.receive_window {
            ReceiveWindow::Fixed(bytes) => Size::Fixed(bytes.0),
            ReceiveWindow::Auto { max } => Size::Auto(RightSizing::new(max.0, mss)),
        };
        Self { size, mss: mss.max(1), shift: 0, edge: 0 }
    }

    /// Notes that the handshake agreed to shift by `shift`; `next` is the first number of the
    /// peer's data.
    pub(crate) fn established(&mut self, mss: u32, shift: u8, next: u64, now: Time) {
        self.mss = mss.max(1);
        self.shift = u32::from(shift);
        if let Size::Auto(sizing) = &mut self.size {
            sizing.established(mss, next, now);
        }
    }

    /// The first sequence number that the peer may not send.
    pub(crate) const fn edge(&self) -> u64 {
        self.edge
    }

    /// The adaptation of the window; `None` if it is fixed.
    pub(crate) fn sizing(&mut self) -> Option<&mut RightSizing> {
        match &mut self.size {
            Size::Fixed(_) => None,
            Size::Auto(sizing) => Some(sizing),
        }
    }

    /// The header field of an acknowledgement of `next`, while `held` bytes wait beyond a gap.
    pub(crate) fn offer(&mut self, next: u64, held: u64) -> u16 {
        let wanted = match &self.size {
            Size::Fixed(size) => size >> self.shift << self.shift,
            // The window is rounded up to the unit, and without scaling down to segments (Linux
            // `__tcp_select_window`).
            Size::Auto(sizing) if self.shift > 0 => self.rounded_up(sizing.window(held)),
            Size::Auto(sizing) => match sizing.window(held) {
                window if window < u64::from(self.mss) => window,
                window => window - window % u64::from(self.mss),
            },
        };
        // RFC 9293 section 3.8.6: the edge must not move back; RFC 7323 section 2.4: so the rest
        // of an earlier offer is rounded up.
        let kept = self.rounded_up(self.edge.saturating_sub(next));
        let window = wanted.max(kept).min(FIELD_MAX << self.shift);
        self.edge = self.edge.max(next + window);
        (window >> self.shift) as u16
    }

    /// The smallest number of whole units that is at least `bytes`.
    const fn rounded_up(&self, bytes: u64) -> u64 {
        let unit = 1 << self.shift;
        (bytes + (unit - 1)) & !(unit - 1)
    }
}

/// The shift to propose in a SYN; `None` without window scaling.
pub(crate) fn proposed_shift(config: &Config) -> Option<u8> {
    let shift = match config.receive_window {
        // The finest unit in which the window fits into the field.
        ReceiveWindow::Fixed(size) => {
            (0..MOST_SHIFT).find(|&shift| size.0 >> shift <= FIELD_MAX).unwrap_or(MOST_SHIFT)
        }
        // Linux `tcp_select_initial_window`, where the buffer is twice the window.
        ReceiveWindow::Auto { max } => {
            max.0.saturating_mul(2).max(1).ilog2().saturating_sub(15).min(MOST_SHIFT)
        }
    };
    config.window_scaling.then_some(shift as u8)
}

#[cfg(test)]
mod tests {
    use units::Bytes;

    use super::*;

    fn fixed(bytes: u64) -> Config {
        Config { receive_window: ReceiveWindow::Fixed(Bytes(bytes)), ..Config::default() }
    }

    fn offered(config: &Config) -> OfferedWindow {
        let mut window = OfferedWindow::new(config, 1448);
        window.offer(1, 0);
        window.established(1448, proposed_shift(config).unwrap_or(0), 1, Time::ZERO);
        window
    }

    #[test]
    fn proposes_the_finest_unit_that_suffices() {
        for (bytes, shift) in
            [(0, 0), (300, 0), (65_535, 0), (65_536, 1), (100_000, 1), (100_000_000, 11)]
        {
            assert_eq!(proposed_shift(&fixed(bytes)), Some(shift), "{bytes}");
        }
        assert_eq!(proposed_shift(&fixed(u64::MAX)), Some(14));
        assert_eq!(proposed_shift(&Config { window_scaling: false, ..fixed(1 << 20) }), None);
    }

    /// As in Linux: a buffer of 6 MiB, of which half is window, has shift 7.
    #[test]
    fn proposes_for_the_largest_window_it_may_grow_to() {
        assert_eq!(proposed_shift(&Config::default()), Some(7));
        let window = ReceiveWindow::Auto { max: Bytes(u64::MAX) };
        assert_eq!(
            proposed_shift(&Config { receive_window: window, ..Config::default() }),
            Some(14)
        );
        let window = ReceiveWindow::Auto { max: Bytes(0) };
        assert_eq!(
            proposed_shift(&Config { receive_window: window, ..Config::default() }),
            Some(0)
        );
    }

    /// Linux: 64240 = 44 x 1460 in a SYN, and 502 units of 128 in the third segment.
    #[test]
    fn first_windows_are_those_of_linux() {
        let mut window = OfferedWindow::new(&Config::default(), 1460);
        assert_eq!(window.offer(1, 0), 64_240);
        window.established(1448, 7, 1, Time::ZERO);
        assert_eq!(window.offer(1, 0), 502);
        assert_eq!(OfferedWindow::new(&Config::default(), 1448).offer(1, 0), 65_160);
    }

    #[test]
    fn a_fixed_window_is_rounded_down_once_and_moves_with_the_data() {
        let mut window = offered(&fixed(100_001));
        for next in [1, 2, 537, 100_000] {
            assert_eq!(window.offer(next, 500), 50_000);
            assert_eq!(window.edge(), next + 100_000);
        }
        assert_eq!(offered(&fixed(300)).offer(1, 0), 300);
    }

    #[test]
    fn what_the_field_cannot_say_is_clamped() {
        let unscaled = Config { window_scaling: false, ..fixed(100_000_000) };
        assert_eq!(offered(&unscaled).offer(1, 0), 65_535);
        assert_eq!(offered(&fixed(u64::MAX)).offer(1, 0), 65_535);
        assert_eq!(offered(&fixed(100_000_000)).edge(), 65_536);
    }

    /// RFC 7323 section 2.4: a scaled window may not fall short of the edge.
    #[test]
    fn the_edge_never_moves_back() {
        let mut window = offered(&Config::default());
        window.offer(1, 0);
        let edge = window.edge();
        for next in 2..2_000 {
            let field = window.offer(next, next * 100);
            assert_eq!(window.edge(), edge.max(next + (u64::from(field) << 7)));
            assert!(next + (u64::from(field) << 7) >= edge);
        }
    }

    /// RFC 9293 section 3.8.6.2.2: a receiver whose buffer is less than a segment offers at least
    /// half of it; else it would never offer anything.
    #[test]
    fn a_buffer_for_less_than_a_segment_is_offered_all_the_same() {
        let receive_window = ReceiveWindow::Auto { max: Bytes(1_000) };
        let config = Config { receive_window, window_scaling: false, ..Config::default() };
        let offer = OfferedWindow::new(&config, 1448).offer(1, 0);
        assert!((500..=1_000).contains(&offer), "{offer}");
    }

    /// Linux `__tcp_select_window`: a scaled window is rounded up to its unit, not down to
    /// segments.
    #[test]
    fn a_scaled_window_is_not_cut_to_segments() {
        let mut window = OfferedWindow::new(&Config::default(), 1460);
        window.offer(1, 0);
        window.established(1448, 7, 1, Time::ZERO);
        assert_eq!(window.offer(10_001, 0), 502, "64240 bytes are 501.9 units");
    }
}
