//! Streams of RTP: losses and jitter.
//!
//! Specification: RFC 3550 appendix A.1 (what belongs to a stream), A.3 (losses) and A.8 (jitter). No header says that it is
//! one of RTP: [`Stream::is_one`] tells by the numbers of packets and their source.

use std::collections::HashMap;

use results::CapturedRtp;
use units::Time;
use wire::RtpPacket;

use crate::endpoint::Endpoint;

/// The fewest packets of a stream.
const FEWEST: u64 = 20;

/// The largest step of numbers in a stream, forward and back (RFC 3550 appendix A.1).
const LARGEST_STEP: i16 = 3000;
const LARGEST_STEP_BACK: i16 = -100;

/// The packets after which the rate of a clock is told, and the part by which that rate may be wrong: arrivals have jitter.
const CLOCK_AFTER: u64 = 50;
const CLOCK_ERROR: f64 = 0.05;

/// The rates of clocks that payloads without a number of their own have, in Hz (RFC 3551, 7587, 6184).
const CLOCKS: [f64; 6] = [8e3, 16e3, 32e3, 44.1e3, 48e3, 90e3];

/// The streams, one between two ends.
#[derive(Debug, Default)]
pub(super) struct Rtp {
    all: Vec<Stream>,
    numbers: HashMap<[Endpoint; 2], usize>,
}

#[derive(Debug)]
struct Stream {
    ends: [Endpoint; 2],
    first: RtpPacket,
    began: Time,
    packets: u64,
    /// The packets of another source, and those whose number is far from that before.
    strange: u64,
    /// The highest number, beyond the first one.
    highest: i64,
    latest: u16,
    /// The rate of the clock in Hz; `None` while it is not known.
    clock: Option<f64>,
    /// The latest arrival and timestamp, by which the next transit is compared.
    before: (Time, u32),
    /// The jitter in seconds, and the most of it.
    jitter: f64,
    most_jitter: f64,
}

impl Rtp {
    pub(super) fn take(&mut self, from: Endpoint, to: Endpoint, data: &[u8], now: Time) {
        let Some(packet) = RtpPacket::of(data) else { return };
        match self.numbers.get(&[from, to]) {
            Some(number) => self.all[*number].take(packet, now),
            None => {
                self.numbers.insert([from, to], self.all.len());
                self.all.push(Stream::new([from, to], packet, now));
            }
        }
    }

    /// The streams that are clearly some, in the order of their first packets.
    pub(super) fn found(&self) -> Vec<CapturedRtp> {
        self.all.iter().filter(|stream| stream.is_one()).map(Stream::document).collect()
    }
}

impl Stream {
    fn new(ends: [Endpoint; 2], first: RtpPacket, now: Time) -> Self {
        Self {
            ends,
            first,
            began: now,
            packets: 1,
            strange: 0,
            highest: 0,
            latest: first.sequence,
            clock: first.clock_rate().map(f64::from),
            before: (now, first.timestamp),
            jitter: 0.0,
            most_jitter: 0.0,
        }
    }

    fn take(&mut self, packet: RtpPacket, now: Time) {
        let step = packet.sequence.wrapping_sub(self.latest).cast_signed();
        let is_near = (LARGEST_STEP_BACK..=LARGEST_STEP).contains(&step);
        if packet.source != self.first.source || !is_near {
            self.strange += 1;
            // What came first was no stream, or has ended.
            if self.packets < FEWEST {
                *self = Self { strange: self.strange, ..Self::new(self.ends, packet, now) };
            }
            return;
        }
        self.packets += 1;
        if step > 0 {
            self.highest += i64::from(step);
            self.latest = packet.sequence;
        }
        if self.clock.is_none() && self.packets == CLOCK_AFTER {
            self.clock = self.clock_of(&packet, now);
        } else if let Some(clock) = self.clock {
            self.note_jitter(clock, packet.timestamp, now);
        }
        self.before = (now, packet.timestamp);
    }

    /// RFC 3550 appendix A.8: a sixteenth of each difference of transits.
    fn note_jitter(&mut self, clock: f64, timestamp: u32, now: Time) {
        let (arrival, before) = self.before;
        let sent = f64::from(timestamp.wrapping_sub(before).cast_signed()) / clock;
        let difference = (now.as_secs_f64() - arrival.as_secs_f64() - sent).abs();
        self.jitter += (difference - self.jitter) / 16.0;
        self.most_jitter = self.most_jitter.max(self.jitter);
    }

    /// The rate of the clock by the timestamps so far; `None` if it is none that payloads have.
    fn clock_of(&self, packet: &RtpPacket, now: Time) -> Option<f64> {
        let ticks = f64::from(packet.timestamp.wrapping_sub(self.first.timestamp));
        let rate = ticks / now.since(self.began).as_secs_f64();
        CLOCKS.into_iter().find(|clock| (rate / clock - 1.0).abs() < CLOCK_ERROR)
    }

    /// True if this is clearly a stream: enough packets of one source, whose numbers go on.
    fn is_one(&self) -> bool {
        self.packets >= FEWEST && self.strange * 10 <= self.packets && self.highest > 0
    }

    fn document(&self) -> CapturedRtp {
        let millis = |secs: f64| self.clock.map(|_| secs * 1e3);
        let [from, to] = self.ends;
        CapturedRtp {
            from: from.to_string(),
            to: to.to_string(),
            source: self.first.source,
            payload_type: self.first.payload_type,
            packets: self.packets,
            lost: self.highest + 1 - self.packets.cast_signed(),
            jitter_ms: millis(self.jitter),
            most_jitter_ms: millis(self.most_jitter),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn packet(payload_type: u8, sequence: u16, timestamp: u32, source: u8) -> Vec<u8> {
        let mut bytes = vec![0x80, payload_type];
        bytes.extend(sequence.to_be_bytes());
        bytes.extend(timestamp.to_be_bytes());
        bytes.extend([0, 0, 0, source]);
        bytes
    }

    fn stream(packets: impl IntoIterator<Item = (Vec<u8>, Time)>) -> Vec<CapturedRtp> {
        let [from, to] =
            [1, 2].map(|number| Endpoint { address: IpAddr::from([10, 0, 0, number]), port: 4000 });
        let mut rtp = Rtp::default();
        packets.into_iter().for_each(|(data, at)| rtp.take(from, to, &data, at));
        rtp.found()
    }

    /// A call whose packets come every 20 ms, with every second one late by 8 ms: each difference is 8 ms.
    #[test]
    fn jitter_and_losses_are_those_of_the_standard() {
        for payload_type in [0, 111] {
            let clock = if payload_type == 0 { 8 } else { 48 };
            let packets = (0..1000_u32).filter(|number| number % 100 != 50).map(|number| {
                let late = u64::from(number % 2) * 8;
                let data = packet(payload_type, (65_000 + number) as u16, number * 20 * clock, 7);
                (data, Time::from_millis(u64::from(number) * 20 + late))
            });
            let [found] = &stream(packets)[..] else { panic!() };
            assert_eq!((found.packets, found.lost), (990, 10));
            let jitter = found.jitter_ms.unwrap();
            assert!((jitter - 8.0).abs() < 0.5, "{jitter}");
        }
    }

    #[test]
    fn what_is_not_clearly_a_stream_is_none() {
        let random = |number: u32| number.wrapping_mul(2_654_435_761).to_be_bytes();
        let noise = (0..500).map(|number| {
            let [a, b, c, d] = random(number);
            (
                packet(96, u16::from_be_bytes([a, b]), u32::from(c), d),
                Time::from_millis(number.into()),
            )
        });
        assert_eq!(stream(noise), []);
        let same = (0..500).map(|number| (packet(96, 7, 7, 7), Time::from_millis(number)));
        assert_eq!(stream(same), []);
        let few = (0..19).map(|number| (packet(0, number, 0, 7), Time::from_millis(number.into())));
        assert_eq!(stream(few), []);
    }
}
