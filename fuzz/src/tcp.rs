//! A TCP endpoint with a hostile peer: for any input it does not panic, does not acknowledge
//! without end, and keeps no timer that is always due.

use transport::{
    AckPolicy, Config, Congestion, Endpoint, Flags, LossDetection, ReceiveWindow, SackBlocks,
    Segment, SynOptions, Timestamps,
};
use units::{Bytes, Span, Time};

/// Runs an endpoint with settings of three bytes, then events of twelve bytes each.
pub fn tcp(bytes: &[u8]) {
    let Some((&[role, ref settings @ ..], events)) = bytes.split_first_chunk::<3>() else { return };
    let mut subject = Subject::new(role, *settings);
    let (events, _) = events.as_chunks::<12>();
    for event in events {
        subject.apply(event);
        if !subject.settle() {
            return;
        }
    }
}

/// The endpoint under test, the time, and the end of the data that the endpoint has sent.
struct Subject {
    endpoint: Endpoint,
    now: Time,
    next: u64,
}

impl Subject {
    fn new(role: u8, settings: [u8; 2]) -> Self {
        let config = config(settings);
        let mut endpoint =
            if role & 1 == 0 { Endpoint::client(config) } else { Endpoint::server(config) };
        if role & 2 == 0 {
            endpoint.write(u64::MAX);
        }
        let mut subject = Self { endpoint, now: Time::ZERO, next: 0 };
        subject.endpoint.connect(subject.now);
        let _ = subject.settle();
        subject
    }

    fn apply(&mut self, event: &[u8; 12]) {
        let amount = u64::from(u16::from_be_bytes([event[1], event[2]]));
        match event[0] {
            0..32 => self.now += Span::from_micros(amount << (event[0] & 15)),
            32..40 => self.endpoint.write(amount << (event[3] & 31)),
            40..44 => self.endpoint.close(),
            // A segment of a good peer, without which no connection would be established.
            44..80 => self.receive(event, 0),
            _ => self.receive(event, u32::from(u16::from_be_bytes([event[10], event[11]]))),
        }
    }

    /// Receives a segment near the expected one; `malice` selects the differences.
    fn receive(&mut self, event: &[u8; 12], malice: u32) {
        // Numbers of the 64-bit space that share 32 bits on the wire.
        const FAR: u64 = 1 << 34;
        let off = |near: u64, by: u8| match by {
            0..128 => near.saturating_add(u64::from(by) * u64::from(malice)),
            128..250 => near.saturating_sub(u64::from(by - 127) * u64::from(malice)),
            250.. => u64::from(by - 250) * FAR,
        };
        let seq =
            off(self.endpoint.received() + u64::from(self.endpoint.is_established()), event[3]);
        let ack = off(self.next, event[4]);
        let bits = if malice == 0 && !self.endpoint.is_established() { 0x12 } else { event[5] };
        let mut sack = SackBlocks::EMPTY;
        for (block, byte) in event[6..8].iter().enumerate().filter(|(_, byte)| **byte != 0) {
            let start = off(ack, *byte);
            sack.push(start, start.wrapping_add(u64::from(event[8 + block]) * 100));
        }
        let stamp = u32::from_be_bytes([event[8], event[9], event[10], event[11]]);
        let segment = Segment {
            seq,
            ack,
            len: u32::from(event[2]) * 11,
            window: u16::from_be_bytes([event[1], event[9]]),
            flags: flags(bits),
            ect: event[0] & 1 != 0,
            timestamps: (event[0] & 2 != 0)
                .then_some(Timestamps { value: stamp, echo: stamp >> 7 }),
            sack,
            syn: SynOptions {
                mss: u16::from_be_bytes([event[6], event[7]]),
                window_scale: (event[8] & 1 != 0).then_some(event[9]),
                sack_permitted: event[8] & 2 != 0,
            },
        };
        self.endpoint.on_segment(&segment, event[0] & 4 != 0, self.now);
    }

    /// Lets the endpoint send all it can, and its timers run. Returns false if that is too much:
    /// the peer has opened a window of up to a gigabyte, and filling it is a waste of time.
    fn settle(&mut self) -> bool {
        const A_LOT: u32 = 10_000;
        for _ in 0..100 {
            let (mut sent, mut empty) = (0, 0);
            while let Some(segment) = self.endpoint.poll(self.now) {
                self.next = self.next.max(segment.end());
                sent += 1;
                empty += u32::from(segment.seq_len() == 0);
                assert!(empty < 100, "it acknowledges without end");
                if sent > A_LOT {
                    return false;
                }
            }
            match self.endpoint.next_timer() {
                Some(due) if due <= self.now => self.endpoint.on_timer(self.now),
                _ => return true,
            }
        }
        panic!("a timer is always due");
    }
}

fn config([first, second]: [u8; 2]) -> Config {
    let bit = |place: u8| first & (1 << place) != 0;
    Config {
        sack: bit(0),
        timestamps: bit(1),
        window_scaling: bit(2),
        pacing: bit(3),
        ecn: bit(4),
        abe: bit(5),
        congestion: match second & 3 {
            0 => Congestion::Reno,
            1 => Congestion::Cubic { hystart: false, beta: 0.7 },
            2 => Congestion::CUBIC,
            _ => Congestion::Ledbat { target: Span::from_millis(25), gain: 10.0 },
        },
        acks: match second >> 2 & 3 {
            0 => AckPolicy::EverySegment,
            1 => AckPolicy::Delayed { quick_start: true },
            2 => AckPolicy::Delayed { quick_start: false },
            _ => AckPolicy::OncePerWindow,
        },
        loss_detection: match second >> 4 & 3 {
            0 => LossDetection::DuplicateAcks,
            1 => LossDetection::Scoreboard,
            _ => LossDetection::RackTlp,
        },
        // The policy of one acknowledgement for each window needs a constant window.
        receive_window: if bit(6) || second >> 2 & 3 == 3 {
            ReceiveWindow::Fixed(Bytes(65_535))
        } else {
            ReceiveWindow::Auto { max: Bytes(6 << 20) }
        },
        mss: if bit(7) { 536 } else { 1448 },
        ..Config::default()
    }
}

fn flags(bits: u8) -> Flags {
    const ALL: [Flags; 7] =
        [Flags::FIN, Flags::SYN, Flags::RST, Flags::PSH, Flags::ACK, Flags::ECE, Flags::CWR];
    let set = ALL.into_iter().filter(|flag| bits & flag.bits() != 0);
    set.fold(Flags::NONE, |all, flag| all | flag)
}
