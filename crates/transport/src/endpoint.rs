//! One end of a connection: a sending and a receiving half, their opening and their closing.
//!
//! An endpoint is a state machine without clock or wire. The caller passes to it what was received
//! and the time, then takes the segments to send until there are none, then asks for the time of
//! the timer.
//!
//! Specification: RFC 9293 sections 3.3.2 (states), 3.5 (opening), 3.6 (closing, half-closed).
//!
//! Deviations: no reset. TIME-WAIT ends at once, since no sequence number is ever used again; a FIN
//! that is received again is still acknowledged.

use std::sync::Arc;

use units::{Span, Time};

use crate::config::Config;
use crate::handshake::{Agreement, Handshake, Progress, TIMESTAMPS_LEN, announced_mss};
use crate::receiver::Receiver;
use crate::segment::{Flags, Segment, Timestamps};
use crate::sender::{Acknowledgement, Outgoing, Sender, SenderStats};
use crate::sending::Sending;

/// The number of bytes of options that a header holds (RFC 9293 section 3.1).
const OPTION_SPACE: u32 = 40;

/// The state of a connection at one end (RFC 9293 section 3.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// The connection is not opened yet, or completely closed.
    Closed,
    /// This end waits for a SYN.
    Listen,
    /// This end has sent a SYN.
    SynSent,
    /// This end has answered a SYN.
    SynReceived,
    /// Data may flow both ways.
    Established,
    /// This end has sent a FIN, which is not acknowledged yet.
    FinWait1,
    /// The FIN of this end was acknowledged; the peer may still send.
    FinWait2,
    /// The peer has finished; this end may still send.
    CloseWait,
    /// Both ends have sent a FIN, this end first, and its FIN is not acknowledged yet.
    Closing,
    /// The peer finished first, and the FIN of this end is not acknowledged yet.
    LastAck,
    /// Both directions are closed, but the peer may not know it yet.
    TimeWait,
}

/// One end of a connection.
#[derive(Clone, Debug)]
pub struct Endpoint {
    sending: Sending,
    receiver: Receiver,
    /// The handshake; `None` once it is complete.
    handshake: Option<Box<Handshake>>,
    /// The shift of the windows that the peer offers.
    peer_shift: u32,
    /// The payload of a full segment, in bytes.
    mss: u32,
    /// The number of bytes that options other than timestamps may take.
    option_room: u32,
    /// The first sequence number that was never sent.
    next: u64,
    fin_sent: bool,
    /// True if the peer finished before this end did.
    passive: bool,
    /// True if the third segment of the handshake is to be sent.
    third: bool,
}

impl Endpoint {
    /// Creates an end that begins the handshake when told to [`connect`](Self::connect).
    pub fn client(config: impl Into<Arc<Config>>) -> Self {
        let config = config.into();
        let mss = u32::from(announced_mss(&config));
        Self::new(config, Progress::Closed, mss)
    }

    /// Creates an end that waits for a SYN.
    pub fn server(config: impl Into<Arc<Config>>) -> Self {
        let config = config.into();
        let mss = config.mss;
        Self::new(config, Progress::Listen, mss)
    }

    fn new(config: Arc<Config>, progress: Progress, mss: u32) -> Self {
        Self {
            receiver: Receiver::new(&config, mss),
            handshake: Some(Box::new(Handshake::new(&config, progress))),
            sending: Sending::new(config),
            peer_shift: 0,
            mss,
            option_room: OPTION_SPACE,
            next: 0,
            fin_sent: false,
            passive: false,
            third: false,
        }
    }

    /// Begins the handshake. Does nothing on a server, or if the handshake has begun.
    pub fn connect(&mut self, _now: Time) {
        if let Some(handshake) = &mut self.handshake {
            handshake.connect();
        }
    }

    /// Appends `bytes` bytes to the data to be sent; `u64::MAX` is data without end. The connection
    /// need not be established.
    pub fn write(&mut self, bytes: u64) {
        self.sending.activate().write(bytes);
    }

    /// Ends this direction after the data written; the other stays open (RFC 9293 section 3.6).
    pub fn close(&mut self) {
        self.sending.activate().finish();
    }

    /// Ends this direction after the data sent; data written but not yet sent is dropped.
    pub fn abandon(&mut self) {
        self.sending.activate().abandon();
    }

    /// Takes a segment that was received. `ce` says that its IP header has the mark Congestion
    /// Experienced.
    pub fn on_segment(&mut self, segment: &Segment, ce: bool, now: Time) {
        // The rare segments first, by one test.
        if segment.flags.bits() & (Flags::RST | Flags::SYN).bits() != 0 || self.handshake.is_some()
        {
            return self.on_unusual(segment, ce, now);
        }
        self.on_established(segment, ce, now);
    }

    /// Takes a segment with RST or SYN, or before the connection is established.
    #[cold]
    fn on_unusual(&mut self, segment: &Segment, ce: bool, now: Time) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if let Some(handshake) = &mut self.handshake {
            if let Some(Timestamps { value, .. }) = segment.timestamps {
                self.receiver.echo().begin(value);
            }
            match handshake.on_segment(segment, now) {
                Some(agreement) => self.establish(&agreement, now),
                None => return,
            }
            if segment.flags.has(Flags::SYN) {
                self.third = true;
                return;
            }
        }
        if segment.flags.has(Flags::SYN) {
            // RFC 9293 section 3.10.7.4: the peer did not get our acknowledgement of its SYN.
            return self.receiver.demand_ack();
        }
        self.on_established(segment, ce, now);
    }

    fn establish(&mut self, agreement: &Agreement, now: Time) {
        let Agreement { peer, own_shift, peer_shift, round_trip, .. } = *agreement;
        self.handshake = None;
        self.peer_shift = u32::from(peer_shift);
        self.mss = peer.mss;
        if peer.timestamps {
            self.option_room -= TIMESTAMPS_LEN;
        }
        self.receiver.established(&peer, own_shift, round_trip, now);
        self.sending.established(peer, round_trip, now);
    }

    #[inline]
    fn on_established(&mut self, segment: &Segment, ce: bool, now: Time) {
        self.receiver.on_segment(segment, ce, now);
        self.passive |= self.receiver.peer_closed() && !self.fin_sent;
        if segment.flags.has(Flags::ACK) {
            self.on_ack(segment, now);
        }
    }

    fn on_ack(&mut self, segment: &Segment, now: Time) {
        let window = u64::from(segment.window) << self.peer_shift;
        let sender = match &mut self.sending {
            Sending::Silent(silent) => return silent.on_ack(segment.ack, window),
            Sending::Active(sender) => sender,
        };
        let acknowledgement = Acknowledgement {
            ack: segment.ack,
            window,
            sack: segment.sack,
            echo: segment.timestamps.map(|timestamps| timestamps.echo),
            stamp: segment.timestamps.map(|timestamps| timestamps.value),
            ece: segment.flags.has(Flags::ECE),
            carries_data: segment.seq_len() > 0,
        };
        sender.on_ack(&acknowledgement, now);
    }

    /// True if [`poll`](Self::poll) has nothing to return, which is known without a search: this
    /// end only receives, and no acknowledgement is due.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.sending.active().is_none()
            && !self.receiver.ack_due()
            && !self.third
            && self.handshake.is_none()
    }

    /// Returns the next segment to send now; `None` if there is none. To be called after every
    /// other call until it returns `None`.
    pub fn poll(&mut self, now: Time) -> Option<Segment> {
        let mut segment = Segment::EMPTY;
        self.poll_into(&mut segment, now).then_some(segment)
    }

    /// Writes the next segment to send now into `segment`. Returns false if there is none, and then
    /// `segment` has no meaning. This is [`poll`](Self::poll) for a caller that sends many segments: a
    /// copy of a segment would have to wait until its parts are written.
    pub fn poll_into(&mut self, segment: &mut Segment, now: Time) -> bool {
        if self.handshake.is_some() {
            return self.poll_handshake(segment, now);
        }
        if self.third {
            self.third = false;
            self.pure_ack(segment, now);
            return true;
        }
        if let Some(outgoing) = self.sending.poll(now) {
            self.data(segment, &outgoing, now);
            return true;
        }
        if !self.receiver.ack_due() {
            return false;
        }
        self.pure_ack(segment, now);
        true
    }

    #[cold]
    fn poll_handshake(&mut self, segment: &mut Segment, now: Time) -> bool {
        let polled = self.handshake.as_mut().and_then(|handshake| handshake.poll(now));
        let Some((polled, timestamps)) = polled else { return false };
        *segment = polled;
        segment.window = self.receiver.syn_window();
        if timestamps {
            segment.timestamps = Some(self.receiver.echo().option(now));
        }
        self.next = 1;
        true
    }

    #[inline(always)]
    fn pure_ack(&mut self, segment: &mut Segment, now: Time) {
        *segment = Segment { seq: self.next, ..Segment::EMPTY };
        self.receiver.acknowledge(segment, self.option_room, now);
    }

    fn data(&mut self, segment: &mut Segment, outgoing: &Outgoing, now: Time) {
        let Outgoing { seq, len, flags, ect, .. } = *outgoing;
        *segment = Segment { seq, len, flags, ect, ..Segment::EMPTY };
        self.fin_sent |= flags.has(Flags::FIN);
        self.next = self.next.max(segment.end());
        let room = self.option_room.min(self.mss.saturating_sub(len));
        self.receiver.acknowledge(segment, room, now);
    }

    /// The time at which [`on_timer`](Self::on_timer) is to be called; `None` if no timer is set.
    /// Every other call may change this time.
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        if let Some(handshake) = &self.handshake {
            return handshake.deadline();
        }
        Time::earliest(self.sending.next_timer(), self.receiver.next_timer())
    }

    /// Runs the timers that are due. To be called at the time that [`next_timer`](Self::next_timer)
    /// returns; an earlier call does no harm.
    pub fn on_timer(&mut self, now: Time) {
        if let Some(handshake) = &mut self.handshake {
            return handshake.on_timer(now);
        }
        self.receiver.on_timer(now);
        if let Some(sender) = self.sending.active_mut() {
            sender.on_timer(now);
        }
    }

    /// The number of payload bytes that have been received in order, all of which the application
    /// has read.
    pub fn received(&self) -> u64 {
        self.receiver.received()
    }

    /// True if everything up to the peer's FIN has been received.
    pub fn peer_closed(&self) -> bool {
        self.receiver.peer_closed()
    }

    /// True if the handshake is complete, also after the connection has closed.
    pub fn is_established(&self) -> bool {
        self.handshake.is_none()
    }

    /// True if both directions are finished and acknowledged.
    pub fn is_closed(&self) -> bool {
        self.peer_closed() && self.fin_acknowledged()
    }

    /// The state of RFC 9293 section 3.3.2.
    pub fn state(&self) -> ConnectionState {
        match self.handshake.as_ref().map(|handshake| handshake.progress()) {
            Some(Progress::Closed) => return ConnectionState::Closed,
            Some(Progress::Listen) => return ConnectionState::Listen,
            Some(Progress::SynSent) => return ConnectionState::SynSent,
            Some(Progress::SynReceived) => return ConnectionState::SynReceived,
            None => {}
        }
        match (self.fin_sent, self.fin_acknowledged(), self.peer_closed()) {
            (false, _, false) => ConnectionState::Established,
            (false, _, true) => ConnectionState::CloseWait,
            (true, false, false) => ConnectionState::FinWait1,
            (true, true, false) => ConnectionState::FinWait2,
            (true, false, true) if self.passive => ConnectionState::LastAck,
            (true, false, true) => ConnectionState::Closing,
            (true, true, true) if self.passive => ConnectionState::Closed,
            (true, true, true) => ConnectionState::TimeWait,
        }
    }

    fn fin_acknowledged(&self) -> bool {
        self.fin_sent && self.sending.active().is_some_and(Sender::is_done)
    }

    /// The sending half; `None` until there is data or a FIN to send.
    pub fn sender(&self) -> Option<&Sender> {
        self.sending.active()
    }

    /// The congestion window in segments.
    #[inline]
    pub fn cwnd(&self) -> u32 {
        self.sending.query(Sender::cwnd)
    }

    /// The smoothed round-trip time of the segments sent; `None` before the first sample.
    pub fn srtt(&self) -> Option<Span> {
        self.sending.query(Sender::srtt)
    }

    /// The counters of the sending half.
    pub fn sent(&self) -> SenderStats {
        self.sending.query(Sender::stats)
    }

    /// The receiving half.
    pub fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// Takes the latest round-trip sample; `None` if there is no new one.
    pub fn take_rtt_sample(&mut self) -> Option<Span> {
        self.sending.active_mut()?.take_rtt_sample()
    }
}
