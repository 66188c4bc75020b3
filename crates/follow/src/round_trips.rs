//! Round trips of TCP connections that pass, beyond the place where they pass.
//!
//! A packet that leaves carries a time stamp, and the first packet that comes back with its echo tells the
//! round trip from here to the far end and back (RFC 7323 sections 3 and 4.3; K. Nichols, "Listening to
//! networks", Pollere 2018: pping). What waits in the shaper of an upload has not left yet, and what waits in
//! that of a download has come already: so neither of them counts.
//!
//! A far end may take its time before it answers, up to 40 ms for an acknowledgement and any time for data. So
//! an answer counts only as the least of several, and only of a far end that answers often.

use autorate::{Delay, ReflectorId, Sample};
use kernel::{Clock, TAPPED_BYTES, Tap, Tapped};
use qdisc::TcpHeader;
use units::{Bytes, Span, Time};
use wire::{LinkType, PacketView, dissect, host};

/// The stamps that are remembered: some for each of a thousand connections.
const STAMPS: usize = 8192;
/// The far ends that are known at a time.
const FAR_ENDS: usize = 64;
/// A longer time is no round trip.
const LONGEST: Span = Span::from_secs(10);
/// The answers of which the least counts.
const ANSWERS: u32 = 3;
/// The time within which these must come.
const WINDOW: Span = Span::from_millis(400);
/// The time for which a far end is only listened to: the least round trip of a new connection is known then,
/// which began before it loaded the line.
const NEW: Span = Span::from_secs(1);

/// The stamps that have left, and the far ends that echo them.
#[derive(Debug)]
pub struct RoundTrips {
    stamps: Vec<Stamp>,
    far_ends: Vec<FarEnd>,
    next_id: u32,
    window_began: Time,
}

/// A time stamp that has left; the key is 0 where there is none.
#[derive(Clone, Copy, Debug, Default)]
struct Stamp {
    key: u64,
    left: Time,
}

#[derive(Clone, Copy, Debug)]
struct FarEnd {
    host: u64,
    id: ReflectorId,
    began: Time,
    heard: Time,
    /// The answers of this window, and the least round trip of them.
    answers: u32,
    least: Span,
}

impl Default for RoundTrips {
    fn default() -> Self {
        Self {
            stamps: vec![Stamp::default(); STAMPS],
            far_ends: Vec::new(),
            next_id: 0,
            window_began: Time::ZERO,
        }
    }
}

impl RoundTrips {
    /// Notes all packets that have passed a tap since the last call.
    pub fn take(&mut self, tap: &Tap, clock: Clock) {
        let mut bytes = [0; TAPPED_BYTES];
        while let Ok(Tapped { len, is_outgoing, age, .. }) = tap.take(&mut bytes) {
            let (headers, at) = (&bytes[..len], clock.now() - age);
            let Ok(view) = dissect(LinkType::RAW, headers, 0) else { continue };
            match is_outgoing {
                true => self.left(&view, headers, at),
                false => self.came(&view, headers, at),
            }
        }
    }

    /// Notes a packet, of which these are the headers, that leaves for the line.
    pub fn left(&mut self, view: &PacketView, headers: &[u8], now: Time) {
        let Some((value, _)) = stamps(view, headers) else { return };
        let Some((from, to)) = view.ports else { return };
        let key = key((host(view.source), from), (host(view.destination), to), value);
        let stamp = &mut self.stamps[place(key)];
        // The first packet with a stamp is that which the echo is of.
        if stamp.key != key {
            *stamp = Stamp { key, left: now };
        }
    }

    /// Notes a packet, of which these are the headers, that has come from the line.
    pub fn came(&mut self, view: &PacketView, headers: &[u8], now: Time) {
        let Some((_, echo)) = stamps(view, headers) else { return };
        let Some((from, to)) = view.ports else { return };
        let far = host(view.source);
        let key = key((host(view.destination), to), (far, from), echo);
        let stamp = &mut self.stamps[place(key)];
        if stamp.key != key {
            return;
        }
        let round_trip = now.since(std::mem::take(stamp).left);
        if round_trip < LONGEST {
            self.hear(far, round_trip, now);
        }
    }

    /// The round trip of the far end that answered most since the last sample; `None` if none answered often
    /// enough.
    pub fn sample(&mut self, now: Time) -> Option<Sample> {
        let is_known = |it: &&FarEnd| it.answers >= ANSWERS && now.since(it.began) >= NEW;
        let most = self.far_ends.iter().filter(is_known).max_by_key(|it| it.answers).copied();
        if most.is_some() || now.since(self.window_began) > WINDOW {
            self.window_began = now;
            let old = |it: &&mut FarEnd| now.since(it.began) >= NEW;
            self.far_ends.iter_mut().filter(old).for_each(FarEnd::clear);
        }
        most.map(|it| Sample { reflector: it.id, delay: Delay::Passing(it.least) })
    }

    fn hear(&mut self, host: u64, round_trip: Span, now: Time) {
        let index = self.far_ends.iter().position(|it| it.host == host);
        let index = index.unwrap_or_else(|| self.meet(host, now));
        let far_end = &mut self.far_ends[index];
        far_end.heard = now;
        far_end.answers += 1;
        far_end.least = far_end.least.min(round_trip);
    }

    /// The place of a new far end. If there are too many, the one that was silent for longest goes.
    fn meet(&mut self, host: u64, now: Time) -> usize {
        let id = ReflectorId(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        let new = FarEnd { host, id, began: now, heard: now, answers: 0, least: Span::MAX };
        if self.far_ends.len() < FAR_ENDS {
            self.far_ends.push(new);
            return self.far_ends.len() - 1;
        }
        let oldest = (0..FAR_ENDS).min_by_key(|index| self.far_ends[*index].heard).unwrap_or(0);
        self.far_ends[oldest] = new;
        oldest
    }
}

impl FarEnd {
    const fn clear(&mut self) {
        (self.answers, self.least) = (0, Span::MAX);
    }
}

/// The time stamp of a segment, and the one that it echoes; `None` if it has none.
fn stamps(view: &PacketView, headers: &[u8]) -> Option<(u32, u32)> {
    let header = TcpHeader::parse(view.tcp_header(headers)?, Bytes::ZERO)?;
    header.timestamps.map(|stamps| (stamps.value, stamps.echo))
}

/// The key of a stamp of a connection from here to there; never 0.
fn key(here: (u64, u16), there: (u64, u16), stamp: u32) -> u64 {
    let ports = u64::from(here.1) << 48 | u64::from(there.1) << 32;
    let words = [here.0, there.0, ports | u64::from(stamp)];
    words.into_iter().fold(1, |sum, word| mix(sum ^ word)) | 1
}

/// An invertible mixture (the finaliser of SplitMix64: G. Steele et al., OOPSLA 2014).
const fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

const fn place(key: u64) -> usize {
    (key >> 20) as usize % STAMPS
}

#[cfg(test)]
mod tests;
