//! The window that a receiver offers.
//!
//! The offer is a right edge: the sender may send up to there. It never moves back. On the wire
//! it is a size in units of a power of two that both ends agreed on.
//!
//! Specification: RFC 7323 section 2 (window scale), RFC 9293 section 3.8.6 (the edge must not
//! shrink).
//!
//! Deviations: none. A fixed window that the header cannot say is clamped: to 65535 bytes without
//! scaling, to 1 GiB with.

use units::Time;

use crate::config::{Config, ReceiveWindow};
use crate::right_sizing::RightSizing;

/// The largest value of the header field.
const FIELD_MAX: u64 = u16::MAX as u64;
/// RFC 7323 section 2.3: the largest shift.
const MOST_SHIFT: u32 = 14;

/// How large the window wants to be.
#[derive(Clone, Debug)]
enum Size {
    Fixed(u64),
    Auto(RightSizing),
}

/// The offer of one receiver.
#[derive(Clone, Debug)]
pub(crate) struct OfferedWindow {
    size: Size,
    /// What a window is rounded to without scaling.
    mss: u64,
    /// 0 until the handshake has agreed on scaling.
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
        Self { size, mss: u64::from(mss.max(1)), shift: 0, edge: 0 }
    }

    /// The handshake agreed to shift by `shift`; `next` is the first number of the peer's data.
    pub(crate) fn established(&mut self, mss: u32, shift: u8, next: u64, now: Time) {
        self.mss = u64::from(mss.max(1));
        self.shift = u32::from(shift);
        if let Size::Auto(sizing) = &mut self.size {
            sizing.established(mss, next, now);
        }
    }

    /// The first sequence number that the peer may not send.
    pub(crate) const fn edge(&self) -> u64 {
        self.edge
    }

    /// What adapts the window, unless it is fixed.
    pub(crate) fn sizing(&mut self) -> Option<&mut RightSizing> {
        match &mut self.size {
            Size::Fixed(_) => None,
            Size::Auto(sizing) => Some(sizing),
        }
    }

    /// The header field of an acknowledgement of `next`, while `held` bytes wait beyond a gap.
    pub(crate) fn offer(&mut self, next: u64, held: u64) -> u16 {
        let unit = 1 << self.shift;
        let wanted = match &self.size {
            Size::Fixed(size) => size / unit * unit,
            // Linux `__tcp_select_window`: up to the unit, but without scaling down to segments.
            Size::Auto(sizing) if self.shift > 0 => sizing.window(held).next_multiple_of(unit),
            Size::Auto(sizing) => match sizing.window(held) {
                window if window < self.mss => window,
                window => window / self.mss * self.mss,
            },
        };
        // RFC 9293 section 3.8.6: what was offered stays offered; RFC 7323 section 2.4: so it is
        // rounded up.
        let kept = self.edge.saturating_sub(next).next_multiple_of(unit);
        let window = wanted.max(kept).min(FIELD_MAX << self.shift);
        self.edge = self.edge.max(next + window);
        (window >> self.shift) as u16
    }
}

/// The shift to propose in a SYN, if any.
pub(crate) fn proposed_shift(config: &Config) -> Option<u8> {
    let shift = match config.receive_window {
        // The finest unit in which the field can say it.
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
