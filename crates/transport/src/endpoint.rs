//! One end of a connection: a sending and a receiving half, and how they begin and end.
//!
//! It is a state machine without clock or wire. Tell it what arrived and what time it is, then
//! take what it wants to send until there is no more, then ask when it wants to be woken.
//!
//! Specification: RFC 9293 sections 3.3.2 (states), 3.5 (opening), 3.6 (closing, half-closed).
//!
//! Deviations: no reset. TIME-WAIT ends at once, since no sequence number is ever used again; a
//! FIN that comes once more is still acknowledged.

use units::{Span, Time};

use crate::config::Config;
use crate::handshake::{Agreement, EMPTY, Handshake, Progress, TIMESTAMPS_LEN, announced_mss};
use crate::receiver::Receiver;
use crate::segment::{Flags, Segment, Timestamps};
use crate::sender::{Acknowledgement, Outgoing, Sender};

/// RFC 9293 section 3.1: bytes of options that a header holds.
const OPTION_SPACE: u32 = 40;

/// The states of RFC 9293 section 3.3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// Nothing has begun, or everything is over.
    Closed,
    /// Waits for a SYN.
    Listen,
    /// Has sent a SYN.
    SynSent,
    /// Has answered a SYN.
    SynReceived,
    /// Data may flow both ways.
    Established,
    /// Has sent a FIN.
    FinWait1,
    /// Its FIN was acknowledged; the peer may still send.
    FinWait2,
    /// The peer has finished; this end may still send.
    CloseWait,
    /// Both have sent a FIN, and neither is acknowledged.
    Closing,
    /// The peer finished first, and our FIN is not acknowledged yet.
    LastAck,
    /// Everything is over, and the peer may not know.
    TimeWait,
}

/// One end of a connection.
#[derive(Clone, Debug)]
pub struct Endpoint {
    sender: Sender,
    receiver: Receiver,
    handshake: Handshake,
    /// Shift of the windows that the peer offers.
    peer_shift: u32,
    /// Payload bytes of a full segment.
    mss: u32,
    /// Bytes that options other than timestamps may take.
    option_room: u32,
    /// First sequence number that was never sent.
    next: u64,
    fin_sent: bool,
    /// Did the peer finish before we did?
    passive: bool,
    /// Is the third segment of the handshake to be sent?
    third: bool,
}

impl Endpoint {
    /// An end that begins the handshake when told to [`connect`](Self::connect).
    pub fn client(config: Config) -> Self {
        Self::new(&config, Progress::Closed, u32::from(announced_mss(&config)))
    }

    /// An end that waits for a SYN.
    pub fn server(config: Config) -> Self {
        Self::new(&config, Progress::Listen, config.mss)
    }

    fn new(config: &Config, progress: Progress, mss: u32) -> Self {
        Self {
            sender: Sender::new(config),
            receiver: Receiver::new(config, mss),
            handshake: Handshake::new(config, progress),
            peer_shift: 0,
            mss,
            option_room: OPTION_SPACE,
            next: 0,
            fin_sent: false,
            passive: false,
            third: false,
        }
    }

    /// Begins the handshake; without effect on a server or if it has begun.
    pub fn connect(&mut self, _now: Time) {
        self.handshake.connect();
    }

    /// Appends `bytes` to what is to be sent; `u64::MAX` never ends. It may be called before the
    /// connection is established.
    pub fn write(&mut self, bytes: u64) {
        self.sender.write(bytes);
    }

    /// Ends this direction after what was written; the other stays open (RFC 9293 section 3.6).
    pub fn close(&mut self) {
        self.sender.finish();
    }

    /// Ends this direction after what was sent; what was only written is forgotten.
    pub fn abandon(&mut self) {
        self.sender.abandon();
    }

    /// A segment arrived; `ce` if its IP header said that congestion was experienced.
    pub fn on_segment(&mut self, segment: &Segment, ce: bool, now: Time) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if self.handshake.progress() != Progress::Established {
            if let Some(Timestamps { value, .. }) = segment.timestamps {
                self.receiver.echo().begin(value);
            }
            match self.handshake.on_segment(segment, now) {
                Some(agreement) => self.establish(&agreement, now),
                None => return,
            }
            if segment.flags.has(Flags::SYN) {
                self.third = true;
                return;
            }
        }
        self.on_established(segment, ce, now);
    }

    fn establish(&mut self, agreement: &Agreement, now: Time) {
        let Agreement { peer, own_shift, peer_shift, round_trip, .. } = *agreement;
        self.peer_shift = u32::from(peer_shift);
        self.mss = peer.mss;
        if peer.timestamps {
            self.option_room -= TIMESTAMPS_LEN;
        }
        self.receiver.established(&peer, own_shift, round_trip, now);
        self.sender.established(peer, round_trip, now);
    }

    fn on_established(&mut self, segment: &Segment, ce: bool, now: Time) {
        if segment.flags.has(Flags::SYN) {
            // RFC 9293 section 3.10.7.4: the peer did not get our acknowledgement of its SYN.
            self.receiver.demand_ack();
            return;
        }
        self.receiver.on_segment(segment, ce, now);
        self.passive |= self.receiver.peer_closed() && !self.fin_sent;
        if segment.flags.has(Flags::ACK) {
            let acknowledgement = Acknowledgement {
                ack: segment.ack,
                window: u64::from(segment.window) << self.peer_shift,
                sack: segment.sack,
                echo: segment.timestamps.map(|timestamps| timestamps.echo),
                stamp: segment.timestamps.map(|timestamps| timestamps.value),
                ece: segment.flags.has(Flags::ECE),
                carries_data: segment.seq_len() > 0,
            };
            self.sender.on_ack(&acknowledgement, now);
        }
    }

    /// What to send now. To be called after every other call until there is nothing more.
    pub fn poll(&mut self, now: Time) -> Option<Segment> {
        if self.handshake.progress() != Progress::Established {
            return self.poll_handshake(now);
        }
        if core::mem::take(&mut self.third) {
            return Some(self.pure_ack(now));
        }
        if let Some(outgoing) = self.sender.poll(now) {
            return Some(self.data(&outgoing, now));
        }
        self.receiver.ack_due().then(|| self.pure_ack(now))
    }

    fn poll_handshake(&mut self, now: Time) -> Option<Segment> {
        let (mut segment, timestamps) = self.handshake.poll(now)?;
        segment.window = self.receiver.syn_window();
        if timestamps {
            segment.timestamps = Some(self.receiver.echo().option(now));
        }
        self.next = 1;
        Some(segment)
    }

    fn pure_ack(&mut self, now: Time) -> Segment {
        let mut segment = Segment { seq: self.next, ..EMPTY };
        self.receiver.acknowledge(&mut segment, self.option_room, now);
        segment
    }

    fn data(&mut self, outgoing: &Outgoing, now: Time) -> Segment {
        let mut segment = Segment { seq: outgoing.seq, len: outgoing.len, ..EMPTY };
        segment.ect = outgoing.ect;
        for (set, flag) in
            [(outgoing.fin, Flags::FIN), (outgoing.push, Flags::PSH), (outgoing.cwr, Flags::CWR)]
        {
            if set {
                segment.flags |= flag;
            }
        }
        self.fin_sent |= outgoing.fin;
        self.next = self.next.max(segment.end());
        let room = self.option_room.min(self.mss.saturating_sub(outgoing.len));
        self.receiver.acknowledge(&mut segment, room, now);
        segment
    }

    /// When [`on_timer`](Self::on_timer) wants to be called; it changes with every other call.
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        let halves = Time::earliest(self.sender.next_timer(), self.receiver.next_timer());
        Time::earliest(halves, self.handshake.deadline())
    }

    /// The time that [`next_timer`](Self::next_timer) named has come. Calling it earlier does no
    /// harm.
    pub fn on_timer(&mut self, now: Time) {
        self.handshake.on_timer(now);
        if self.handshake.progress() == Progress::Established {
            self.receiver.on_timer(now);
            self.sender.on_timer(now);
        }
    }

    /// Payload bytes that have arrived in order; the application has read them all.
    pub fn received(&self) -> u64 {
        self.receiver.received()
    }

    /// Has everything up to the peer's FIN arrived?
    pub fn peer_closed(&self) -> bool {
        self.receiver.peer_closed()
    }

    /// Is the handshake complete? It stays so after the connection has closed.
    pub fn is_established(&self) -> bool {
        self.handshake.progress() == Progress::Established
    }

    /// Are both directions finished and acknowledged?
    pub fn is_closed(&self) -> bool {
        self.peer_closed() && self.fin_acknowledged()
    }

    /// The state of RFC 9293 section 3.3.2.
    pub fn state(&self) -> ConnectionState {
        match self.handshake.progress() {
            Progress::Closed => return ConnectionState::Closed,
            Progress::Listen => return ConnectionState::Listen,
            Progress::SynSent => return ConnectionState::SynSent,
            Progress::SynReceived => return ConnectionState::SynReceived,
            Progress::Established => {}
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
        self.fin_sent && self.sender.is_done()
    }

    /// The sending half.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// The receiving half.
    pub fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// The round-trip time that the last acknowledgement gave, once.
    pub fn take_rtt_sample(&mut self) -> Option<Span> {
        self.sender.take_rtt_sample()
    }
}
