//! The sending half of an end, which has a [`Sender`] only once there is data to send.
//!
//! An end that only receives, as one end of a download does, needs no sender. It keeps the few
//! inputs that a sender needs, and creates one when the application first writes or closes.
//!
//! Specification: RFC 9293 section 3.10.7.4 (the peer's window). Deviations: none.

use std::sync::Arc;

use units::{Span, Time};

use crate::config::Config;
use crate::sender::{FIRST_DATA, Negotiated, Outgoing, Sender};

/// A sender, or the inputs of one to be created.
#[derive(Clone, Debug)]
pub(crate) enum Sending {
    Silent(Silent),
    Active(Box<Sender>),
}

/// A sending half for which nothing has been written.
#[derive(Clone, Debug)]
pub(crate) struct Silent {
    config: Arc<Config>,
    /// The result of the handshake, and its time; `None` before the handshake. The peer's window is
    /// the largest offered since.
    agreed: Option<Agreed>,
}

#[derive(Clone, Copy, Debug)]
struct Agreed {
    peer: Negotiated,
    round_trip: Option<Span>,
    at: Time,
}

impl Sending {
    pub(crate) const fn new(config: Arc<Config>) -> Self {
        Self::Silent(Silent { config, agreed: None })
    }

    /// Takes notice that the handshake is complete.
    pub(crate) fn established(&mut self, peer: Negotiated, round_trip: Option<Span>, now: Time) {
        match self {
            Self::Silent(silent) => silent.agreed = Some(Agreed { peer, round_trip, at: now }),
            Self::Active(sender) => sender.established(peer, round_trip, now),
        }
    }

    /// The sender, which is created now if there is none.
    pub(crate) fn activate(&mut self) -> &mut Sender {
        if let Self::Silent(silent) = self {
            *self = Self::Active(Box::new(silent.sender()));
        }
        match self {
            Self::Active(sender) => sender,
            Self::Silent(_) => unreachable!("it has just become active"),
        }
    }

    /// The sender; `None` if the application has neither written nor closed.
    #[inline]
    pub(crate) fn active(&self) -> Option<&Sender> {
        match self {
            Self::Silent(_) => None,
            Self::Active(sender) => Some(sender),
        }
    }

    #[inline]
    pub(crate) fn active_mut(&mut self) -> Option<&mut Sender> {
        match self {
            Self::Silent(_) => None,
            Self::Active(sender) => Some(sender),
        }
    }

    /// The result of `question` for the sender; without one, for a sender that is created for the
    /// question.
    #[inline]
    pub(crate) fn query<T>(&self, question: impl FnOnce(&Sender) -> T) -> T {
        match self {
            Self::Silent(silent) => question(&silent.sender()),
            Self::Active(sender) => question(sender),
        }
    }

    #[inline]
    pub(crate) fn poll(&mut self, now: Time) -> Option<Outgoing> {
        self.active_mut()?.poll(now)
    }

    #[inline]
    pub(crate) fn next_timer(&self) -> Option<Time> {
        self.active()?.next_timer()
    }
}

impl Silent {
    /// Takes an acknowledgement of `ack` that offers `window` bytes. Nothing was sent, so that only
    /// the window can be new.
    pub(crate) fn on_ack(&mut self, ack: u64, window: u64) {
        if let Some(Agreed { peer, .. }) = &mut self.agreed
            && ack == FIRST_DATA
        {
            peer.window = peer.window.max(window);
        }
    }

    fn sender(&self) -> Sender {
        let mut sender = Sender::new(&self.config);
        if let Some(Agreed { peer, round_trip, at }) = self.agreed {
            sender.established(peer, round_trip, at);
        }
        sender
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::SackBlocks;
    use crate::sender::Acknowledgement;

    fn ack(window: u64) -> Acknowledgement {
        Acknowledgement {
            ack: FIRST_DATA,
            window,
            sack: SackBlocks::EMPTY,
            echo: None,
            stamp: None,
            ece: false,
            carries_data: false,
        }
    }

    /// The time at which the sender is created makes no difference.
    #[test]
    fn a_sender_that_was_silent_is_as_one_that_was_not() {
        let config = Arc::new(Config::default());
        let (mut late, mut early) = (Sending::new(config.clone()), Sending::new(config));
        early.activate();
        let peer = Negotiated { mss: 1448, sack: true, timestamps: true, ecn: false, window: 5000 };
        for sending in [&mut late, &mut early] {
            sending.established(peer, Some(Span::from_millis(20)), Time::from_millis(2));
            for window in [4000, 9000, 7000] {
                match sending {
                    Sending::Silent(silent) => silent.on_ack(FIRST_DATA, window),
                    Sending::Active(sender) => sender.on_ack(&ack(window), Time::from_millis(5)),
                }
                assert_eq!(sending.poll(Time::from_millis(5)), None);
            }
            sending.activate().write(1 << 20);
        }
        assert_eq!(format!("{late:?}"), format!("{early:?}"));
        let now = Time::from_millis(9);
        let sent = core::iter::from_fn(|| late.poll(now)).map(|piece| piece.len);
        assert_eq!(sent.collect::<Vec<_>>(), [1448; 6], "as the largest window admits");
    }
}
