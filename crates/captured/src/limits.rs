//! What keeps a sender from sending more.
//!
//! The classes are those of T-RAT (Y. Zhang et al., "On the characteristics and origins of Internet flow rates",
//! SIGCOMM 2002), without those that only a sender can tell apart.

use units::{Span, Time};

/// The reason why a sender sends no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// The sender's program has no more data, though the window has room: nothing is in flight, or the latest packet was
    /// not full.
    Application,
    /// The receiver's window has no room for a full packet.
    Receiver,
    /// The path: the sender waits for acknowledgements, by its congestion window or its pacing.
    Path,
}

/// The time with each limit, from the first segment with data to the last acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The time in which the sender's program had no more data.
    pub(crate) application: Span,
    /// The time in which the receiver's window had no room for a segment.
    pub(crate) receiver: Span,
    /// The time in which the path, or the sender's estimate of it, was the limit.
    pub(crate) path: Span,
    since: Option<(Time, Limit)>,
    /// True once more was in flight than the receiver's window seems to allow.
    is_exceeded: bool,
}

impl Limits {
    /// Notes that more is in flight than the receiver's window seems to allow.
    pub(crate) const fn note_exceeded(&mut self) {
        self.is_exceeded = true;
    }

    /// The times, as far as they are known: without the SYNs, or with their options cut off, the scale of the windows
    /// is not (RFC 7323 section 2.2), and so neither is what they allow.
    pub(crate) fn known(self) -> Self {
        match self.is_exceeded {
            true => Self { receiver: Span::ZERO, path: self.path + self.receiver, ..self },
            false => self,
        }
    }

    /// Notes the limit from now on.
    pub(crate) fn note(&mut self, limit: Limit, now: Time) {
        if let Some((since, before)) = self.since.replace((now, limit)) {
            let time = now.since(since);
            *match before {
                Limit::Application => &mut self.application,
                Limit::Receiver => &mut self.receiver,
                Limit::Path => &mut self.path,
            } += time;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_is_exceeded_limits_nobody() {
        let mut limits = Limits::default();
        limits.note(Limit::Receiver, Time::ZERO);
        limits.note(Limit::Application, Time::from_secs(3));
        limits.note(Limit::Path, Time::from_secs(4));
        assert_eq!(limits.known(), limits);
        limits.note_exceeded();
        let known = limits.known();
        let secs = Span::from_secs;
        assert_eq!((known.receiver, known.path, known.application), (secs(0), secs(3), secs(1)));
    }
}
