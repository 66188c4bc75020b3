//! Congestion control: how the window grows, and how far it falls.
//!
//! The sender decides *when* the window falls (loss detection, ECN, timeouts) and spreads the fall
//! over time (PRR); a congestion control decides *how far*. Windows are counted in segments, as in
//! Linux.

mod additive;
mod congestion;
mod control;
mod cubic;
mod foreign;
mod hystart;
mod ledbat;
mod reno;

pub use congestion::Congestion;
pub use control::{Acked, CongestionControl, Reduction, Window};
pub use cubic::Cubic;
pub use foreign::{Factory, Foreign};
pub use hystart::HyStart;
pub use ledbat::Ledbat;
pub use reno::Reno;

use units::{Span, Time};

/// An algorithm of a connection. Those of this crate are dispatched statically.
#[derive(Clone, Debug)]
pub enum Algorithm {
    /// The algorithm of [`Congestion::Reno`].
    Reno(Reno),
    /// The algorithm of [`Congestion::Cubic`].
    Cubic(Cubic),
    /// The algorithm of [`Congestion::Ledbat`].
    Ledbat(Box<Ledbat>),
    /// The algorithm of [`Congestion::Foreign`].
    Foreign(Foreign),
}

impl Algorithm {
    /// The algorithm of this choice, before its first segment. `abe` is true to reduce the window
    /// less on a mark than on a loss (RFC 8511); `tick` is the resolution of CUBIC's clock.
    pub fn new(congestion: &Congestion, abe: bool, tick: Option<Span>) -> Self {
        match congestion {
            Congestion::Reno => Self::Reno(Reno::new(abe)),
            Congestion::Cubic { hystart, beta } => {
                let beta = libm::round(beta * 1024.0) as u16;
                Self::Cubic(Cubic::new(*hystart, abe).with_beta(beta).with_tick(tick))
            }
            Congestion::Ledbat { target, gain } => {
                Self::Ledbat(Box::new(Ledbat::new(*target, *gain)))
            }
            Congestion::Foreign(factory) => Self::Foreign(factory.make()),
        }
    }
}

impl CongestionControl for Algorithm {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &Acked) {
        match self {
            Self::Reno(reno) => reno.on_ack(window, ack),
            Self::Cubic(cubic) => cubic.on_ack(window, ack),
            Self::Ledbat(ledbat) => ledbat.on_ack(window, ack),
            Self::Foreign(foreign) => foreign.on_ack(window, ack),
        }
    }

    fn reduce(&mut self, window: &Window, cause: Reduction, now: Time) -> u32 {
        match self {
            Self::Reno(reno) => reno.reduce(window, cause, now),
            Self::Cubic(cubic) => cubic.reduce(window, cause, now),
            Self::Ledbat(ledbat) => ledbat.reduce(window, cause, now),
            Self::Foreign(foreign) => foreign.reduce(window, cause, now),
        }
    }

    fn on_restart(&mut self, idle: Span, now: Time) {
        match self {
            Self::Reno(reno) => reno.on_restart(idle, now),
            Self::Cubic(cubic) => cubic.on_restart(idle, now),
            Self::Ledbat(ledbat) => ledbat.on_restart(idle, now),
            Self::Foreign(foreign) => foreign.on_restart(idle, now),
        }
    }
}

#[cfg(test)]
mod tests;
