//! Opening a connection: SYN, SYN-ACK, and the options that they agree on.
//!
//! Specification: RFC 9293 section 3.5 (three-way handshake) and 3.7.1 (MSS option), RFC 7323
//! sections 2.2 and 3.2 (window scale, timestamps), RFC 2018 section 2 (SACK permitted), RFC 3168
//! section 6.1.1 (ECN), RFC 6298 sections 2.1 and 5.5 (timer) and 3 (round trip).
//!
//! Deviations: no simultaneous open, no reset, and no limit to retransmissions (Linux gives up
//! after six). As in Linux, a SYN that is sent again does not ask for ECN (RFC 3168 section
//! 6.1.1.1), since the first may have been dropped for it.

use units::{Span, Time};

use crate::config::Config;
use crate::receive_window::proposed_shift;
use crate::rtt::since_echo;
use crate::segment::{Flags, Segment, SynOptions};
use crate::sender::Negotiated;

/// The timeout before any round trip is known (RFC 6298 section 2.1).
const FIRST_TIMEOUT: Span = Span::from_secs(1);
/// The longest timeout (Linux `TCP_RTO_MAX`).
const LONGEST_TIMEOUT: Span = Span::from_secs(120);
/// The length in bytes of the timestamps option with padding (RFC 7323 appendix A).
pub(crate) const TIMESTAMPS_LEN: u32 = 12;
/// The largest shift; a larger one counts as this (RFC 7323 section 2.3).
const MOST_SHIFT: u8 = 14;

/// The progress of the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// A client that has not been told to connect.
    Closed,
    /// A server that waits for a SYN.
    Listen,
    /// A client that waits for the SYN-ACK.
    SynSent,
    /// A server that waits for the third segment.
    SynReceived,
}

/// The options that both ends have agreed on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreement {
    /// The options that the sender needs.
    pub(crate) peer: Negotiated,
    /// True if windows are scaled.
    scaled: bool,
    /// The shifts of the windows that we offer and that the peer offers.
    pub(crate) own_shift: u8,
    pub(crate) peer_shift: u8,
    /// Time from our SYN to its acknowledgement. `None` if our SYN was sent more than once and no
    /// timestamp tells which transmission was acknowledged (Karn).
    pub(crate) round_trip: Option<Span>,
}

/// The part of one end in the handshake.
#[derive(Clone, Debug)]
pub(crate) struct Handshake {
    progress: Progress,
    /// The options that we propose.
    options: SynOptions,
    timestamps: bool,
    ecn: bool,
    agreement: Option<Agreement>,
    /// True if our SYN is to be sent.
    due: bool,
    sent: u32,
    first_sent: Time,
    deadline: Option<Time>,
}

impl Handshake {
    pub(crate) fn new(config: &Config, progress: Progress) -> Self {
        Self {
            progress,
            options: SynOptions {
                mss: announced_mss(config),
                window_scale: proposed_shift(config),
                sack_permitted: config.sack,
            },
            timestamps: config.timestamps,
            ecn: config.ecn,
            agreement: None,
            due: false,
            sent: 0,
            first_sent: Time::ZERO,
            deadline: None,
        }
    }

    pub(crate) const fn progress(&self) -> Progress {
        self.progress
    }

    /// Makes the SYN of a closed client due.
    pub(crate) fn connect(&mut self) {
        if self.progress == Progress::Closed {
            self.progress = Progress::SynSent;
            self.due = true;
        }
    }

    /// Takes a segment before the connection is established. Returns the agreement if the segment
    /// completes the handshake; `None` otherwise.
    pub(crate) fn on_segment(&mut self, segment: &Segment, now: Time) -> Option<Agreement> {
        let syn = segment.flags.has(Flags::SYN);
        let acknowledged = segment.flags.has(Flags::ACK) && segment.ack >= 1;
        match self.progress {
            Progress::Listen | Progress::SynReceived if syn && !acknowledged => {
                self.agreement.get_or_insert(self.agree(segment));
                self.progress = Progress::SynReceived;
                self.due = true;
                None
            }
            Progress::SynReceived if acknowledged && !syn => {
                self.agreement.map(|agreement| self.complete(agreement, segment, now))
            }
            Progress::SynSent if syn && acknowledged => {
                Some(self.complete(self.agree(segment), segment, now))
            }
            _ => None,
        }
    }

    /// The agreement with the round trip that `segment` gives, which completes the handshake.
    fn complete(&self, agreement: Agreement, segment: &Segment, now: Time) -> Agreement {
        // RFC 6298 section 3 (Karn): a SYN sent more than once gives a sample by its timestamp
        // only. Linux does so too (`tcp_ack_update_rtt`, with `FLAG_SYN_ACKED`).
        let echo = segment.timestamps.filter(|_| agreement.peer.timestamps).map(|t| t.echo);
        let round_trip = if self.sent == 1 {
            Some(now.since(self.first_sent))
        } else {
            echo.and_then(|echo| since_echo(echo, now))
        };
        Agreement { round_trip, ..agreement }
    }

    /// The agreement that follows from our proposal and the peer's SYN.
    fn agree(&self, syn: &Segment) -> Agreement {
        let timestamps = self.timestamps && syn.timestamps.is_some();
        let shifts = self.options.window_scale.zip(syn.syn.window_scale);
        let mss = u32::from(self.options.mss.min(syn.syn.mss));
        let asked = syn.flags.has(Flags::ECE);
        // RFC 3168 section 6.1.1: a SYN asks with ECE and CWR, a SYN-ACK agrees with ECE alone.
        let ecn = asked && syn.flags.has(Flags::CWR) != syn.flags.has(Flags::ACK);
        Agreement {
            peer: Negotiated {
                mss: mss.saturating_sub(if timestamps { TIMESTAMPS_LEN } else { 0 }).max(1),
                sack: self.options.sack_permitted && syn.syn.sack_permitted,
                timestamps,
                ecn: self.ecn && ecn,
                window: u64::from(syn.window),
            },
            scaled: shifts.is_some(),
            own_shift: shifts.map_or(0, |(own, _)| own),
            peer_shift: shifts.map_or(0, |(_, peer)| peer.min(MOST_SHIFT)),
            round_trip: None,
        }
    }

    /// Our SYN or SYN-ACK without window and timestamps, and true if timestamps belong into it.
    /// `None` if neither is to be sent now.
    pub(crate) fn poll(&mut self, now: Time) -> Option<(Segment, bool)> {
        if !core::mem::take(&mut self.due) {
            return None;
        }
        if self.sent == 0 {
            self.first_sent = now;
        }
        // RFC 6298 section 5.5: the timer doubles.
        let timeout = FIRST_TIMEOUT * (1 << self.sent.min(7));
        self.deadline = Some(now + timeout.min(LONGEST_TIMEOUT));
        self.sent = self.sent.saturating_add(1);
        Some(match &self.agreement {
            Some(agreement) => self.syn_ack(agreement),
            None => self.syn(),
        })
    }

    fn syn(&self) -> (Segment, bool) {
        let mut flags = Flags::SYN;
        if self.ecn && self.sent == 1 {
            flags |= Flags::ECE | Flags::CWR;
        }
        (Segment { flags, syn: self.options, ..Segment::EMPTY }, self.timestamps)
    }

    /// The SYN-ACK, which has only those options that the SYN had.
    fn syn_ack(&self, agreement: &Agreement) -> (Segment, bool) {
        let Agreement { peer, own_shift, .. } = *agreement;
        let mut flags = Flags::SYN | Flags::ACK;
        if peer.ecn {
            flags |= Flags::ECE;
        }
        let syn = SynOptions {
            sack_permitted: peer.sack,
            window_scale: agreement.scaled.then_some(own_shift),
            ..self.options
        };
        (Segment { flags, ack: 1, syn, ..Segment::EMPTY }, peer.timestamps)
    }

    /// The time at which our SYN is to be sent again; `None` before it was sent.
    pub(crate) const fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// Makes our SYN due again if the time of [`Self::deadline`] has come.
    pub(crate) fn on_timer(&mut self, now: Time) {
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.deadline = None;
            self.due = true;
        }
    }
}

/// The value of the MSS option, which does not count other options (RFC 9293 section 3.7.1).
pub(crate) fn announced_mss(config: &Config) -> u16 {
    let options = if config.timestamps { TIMESTAMPS_LEN } else { 0 };
    u16::try_from(config.mss.saturating_add(options)).unwrap_or(u16::MAX)
}
