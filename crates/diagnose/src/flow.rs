//! Loading connections on the client's clock, and the data that they carried over time.

use observation::{Heading, LoadFlow, Observations, SenderSample};

use crate::clock::Clock;
use crate::held::HELD_BACK;

/// Bytes of the headers of a full segment over IPv4, and over IPv6: IP's own, and 32 of TCP with its
/// time stamps (RFC 7323 section 3.2, padded as every stack does).
pub(crate) const HEADERS: [f64; 2] = [20.0 + 32.0, 40.0 + 32.0];

/// Bytes of a full IP packet where nothing else is known: those of Ethernet.
pub(crate) const FULL: f64 = 1500.0;

/// The multiple of a full segment's payload from which a piece counts as several segments.
const MORE_THAN_ONE: f64 = 1.05;

/// A loading connection. All times are in seconds of the client's clock.
#[derive(Clone, Debug)]
pub(crate) struct Flow<'a> {
    /// The observations of the connection.
    pub(crate) seen: &'a LoadFlow,
    /// The time at which it was connected.
    pub(crate) start: f64,
    /// The time at which it was told to stop.
    pub(crate) stop: f64,
    /// The sums of data that had been delivered, over time.
    pub(crate) received: Vec<Carried>,
    /// Bytes of a full segment as an IP packet.
    pub(crate) largest: f64,
    /// True if segments were delivered in pieces of several.
    pub(crate) in_pieces: bool,
    /// The sender's samples, with their times.
    pub(crate) sender: Vec<(f64, &'a SenderSample)>,
}

/// Sums of the data that had been delivered by a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Carried {
    /// The time, in seconds.
    pub(crate) at: f64,
    /// Application bytes.
    pub(crate) payload: f64,
    /// Bytes of IP packets.
    pub(crate) bytes: f64,
    /// Number of packets.
    pub(crate) packets: f64,
}

impl<'a> Flow<'a> {
    /// All flows of a measurement.
    pub(crate) fn all(observations: &'a Observations, clock: &Clock) -> Vec<Self> {
        let headers = HEADERS[usize::from(observations.ipv6)];
        observations.flows.iter().map(|flow| Self::new(flow, clock, headers)).collect()
    }

    fn new(seen: &'a LoadFlow, clock: &Clock, headers: f64) -> Self {
        let mut theirs = clock.theirs();
        let mut at_server = |time| theirs(time);
        let ours = |time| clock.ours(time);
        let (start, stop) = (ours(seen.start), ours(seen.stop));
        let (received, sender): (Vec<f64>, Vec<f64>) = match seen.heading {
            Heading::Up => (
                seen.received.iter().map(|receipt| at_server(receipt.at)).collect(),
                seen.sender.iter().map(|sample| ours(sample.at)).collect(),
            ),
            Heading::Down => (
                seen.received.iter().map(|receipt| ours(receipt.at)).collect(),
                seen.sender.iter().map(|sample| at_server(sample.at)).collect(),
            ),
        };
        let received = match is_counted(seen) {
            true => carried(seen, &received, headers),
            false => delivered(seen, &sender, headers)
                .unwrap_or_else(|| carried(seen, &received, headers)),
        };
        Self {
            seen,
            start,
            stop,
            received,
            largest: segment(seen).unwrap_or(FULL - headers) + headers,
            in_pieces: payload(seen) > 0.0 && !is_counted(seen),
            sender: sender.into_iter().zip(&seen.sender).collect(),
        }
    }

    /// The sums of data that had been delivered by a time, interpolated between two receipts.
    pub(crate) fn carried(&self, at: f64) -> Carried {
        let next = self.received.partition_point(|one| one.at <= at);
        let nothing = Carried { at: self.start, ..Carried::default() };
        let before = next.checked_sub(1).map_or(nothing, |index| self.received[index]);
        let Some(after) = self.received.get(next) else { return Carried { at, ..before } };
        let part = (at - before.at) / (after.at - before.at);
        let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
        let mix = |from: f64, to: f64| from + (to - from) * part;
        Carried {
            at,
            payload: mix(before.payload, after.payload),
            bytes: mix(before.bytes, after.bytes),
            packets: mix(before.packets, after.packets),
        }
    }

    /// The sum of acknowledgements that the sender had received by a time, interpolated between two
    /// of its samples; `None` if it does not count them.
    pub(crate) fn acknowledgements(&self, at: f64) -> Option<f64> {
        self.sender.last().filter(|(_, last)| last.heard > 0)?;
        let next = self.sender.partition_point(|(time, _)| *time <= at);
        let count = |index: usize| self.sender.get(index).map(|(at, one)| (*at, one.heard as f64));
        let before = next.checked_sub(1).and_then(count).unwrap_or((self.start, 0.0));
        let Some(after) = count(next) else { return Some(before.1) };
        let part = stats::ratio(at - before.0, after.0 - before.0).unwrap_or(0.0);
        Some(before.1 + (after.1 - before.1) * part.clamp(0.0, 1.0))
    }

    /// True if the flow was loading at some time between these.
    pub(crate) fn ran(&self, from: f64, to: f64) -> bool {
        self.start < to && self.stop > from
    }

    /// The sender's samples between these times.
    pub(crate) fn samples(&self, from: f64, to: f64) -> &[(f64, &'a SenderSample)] {
        let start = self.sender.partition_point(|(at, _)| *at < from);
        let end = self.sender.partition_point(|(at, _)| *at < to);
        self.sender.get(start..end).unwrap_or_default()
    }
}

/// The data that was delivered by these times. The number of bytes in order stops while a gap waits
/// to be filled, and then leaps. Where the kernel counts segments, their number shows when bytes
/// were delivered.
fn carried(seen: &LoadFlow, times: &[f64], headers: f64) -> Vec<Carried> {
    let (counted, full) = (is_counted(seen), segment(seen));
    // Segments that are delivered twice bring no bytes for the application, so bytes by segment are
    // too few where many do.
    let payload = of_a_window(seen).or(full).unwrap_or_else(|| payload(seen));
    let full = full.unwrap_or(FULL - headers);
    times
        .iter()
        .zip(&seen.received)
        .map(|(at, receipt)| {
            let segments = receipt.segments.filter(|_| counted).map(|segments| segments as f64);
            let packets = segments.unwrap_or(receipt.bytes.0 as f64 / full);
            let payload = segments.map_or(receipt.bytes.0 as f64, |packets| packets * payload);
            Carried { at: *at, payload, bytes: payload + packets * headers, packets }
        })
        .collect()
}

/// The data that was delivered by these times, where the receiver's kernel has not counted
/// segments: by the acknowledgements at the sender, which took at least half a round trip back;
/// `None` if the sender's kernel does not count them.
fn delivered(seen: &LoadFlow, times: &[f64], headers: f64) -> Option<Vec<Carried>> {
    let full = of_a_window(seen).or(segment(seen))?;
    seen.sender.last().filter(|last| last.delivered > 0)?;
    let back = seen.sender.iter().filter_map(|sample| sample.min_rtt).min();
    let back = back.map_or(0.0, units::Span::as_secs_f64) / 2.0;
    let carried = |(at, sample): (&f64, &SenderSample)| {
        let packets = sample.delivered as f64;
        Carried {
            at: at - back,
            payload: packets * full,
            bytes: packets * (full + headers),
            packets,
        }
    };
    Some(times.iter().zip(&seen.sender).map(carried).collect())
}

/// The payload of a segment by the receiver's count: where no gap waits, bytes by segments; 0 where
/// it counted none.
fn payload(seen: &LoadFlow) -> f64 {
    let later = seen.received.iter().skip(seen.received.len() / 2);
    let by_segment =
        later.filter_map(|receipt| stats::ratio(receipt.bytes.0 as f64, receipt.segments? as f64));
    by_segment.fold(0.0, f64::max)
}

/// True if the receiver's kernel has counted segments. Some devices of virtual machines deliver
/// many of them in one piece, which the kernel takes for one.
fn is_counted(seen: &LoadFlow) -> bool {
    let payload = payload(seen);
    payload > 0.0 && segment(seen).is_none_or(|full| payload <= full * MORE_THAN_ONE)
}

/// The usual payload of a segment where the receiver's window limits the sender: the window opens
/// in pieces, which make some segments smaller. That payload is acknowledged bytes by delivered
/// segments, where no gap waits, and at most the payload of a full segment; `None` where the window
/// is no limit, or neither kernel counts.
fn of_a_window(seen: &LoadFlow) -> Option<f64> {
    let last = seen.sender.last()?;
    let held = stats::ratio(last.receiver_limited.as_secs_f64(), last.busy.as_secs_f64())?;
    let later = seen.sender.iter().skip(seen.sender.len() / 2);
    let by_segment = later
        .filter_map(|sample| stats::ratio(sample.acknowledged.0 as f64, sample.delivered as f64));
    let most = by_segment.fold(0.0, f64::max);
    segment(seen).map(|full| full.min(most)).filter(|payload| *payload > 0.0 && held > HELD_BACK)
}

/// The payload of a full segment; `None` where its sender does not know it.
fn segment(seen: &LoadFlow) -> Option<f64> {
    let segment = seen.sender.iter().map(|sample| sample.mss).max();
    segment.filter(|segment| *segment > 0).map(f64::from)
}

#[cfg(test)]
pub(crate) mod tests {
    use observation::Receipt;
    use units::{Bytes, Time};

    use super::*;

    /// A gap stops the reading of data, but not the acknowledgements at the sender.
    #[test]
    fn what_came_in_pieces_is_counted_by_its_sender() {
        let receipt = |(second, bytes)| Receipt {
            at: Time::from_secs(second),
            bytes: Bytes(bytes),
            segments: Some(1 + bytes / 14_480),
        };
        let sample = |second: u64| SenderSample {
            at: Time::from_secs(second),
            mss: 1448,
            delivered: 1000 * second,
            ..SenderSample::default()
        };
        let seen = LoadFlow {
            received: [(0, 0), (1, 144_800), (2, 2_896_000)].map(receipt).to_vec(),
            sender: (0..3).map(sample).collect(),
            ..download(2)
        };
        assert!(!is_counted(&seen));
        let all = delivered(&seen, &[0.0, 1.0, 2.0], HEADERS[0]).unwrap();
        assert_eq!(all[1].payload, 1_448_000.0);
        assert_eq!(all[1].bytes, 1_500_000.0);
        let silent = LoadFlow { sender: Vec::new(), ..seen };
        assert_eq!(delivered(&silent, &[], HEADERS[0]), None);
    }

    /// Windows of 8192 bytes are five full segments and a smaller one.
    #[test]
    fn where_a_window_is_the_limit_segments_are_as_large_as_what_was_acknowledged() {
        let held = |millis| {
            let sample = |count: u64| SenderSample {
                mss: 1448,
                acknowledged: Bytes(8192 * count),
                delivered: 6 * count,
                busy: units::Span::from_secs(10),
                receiver_limited: units::Span::from_millis(millis),
                ..SenderSample::default()
            };
            of_a_window(&LoadFlow { sender: (1..9).map(sample).collect(), ..download(2) })
        };
        assert_eq!(held(9_000), Some(8192.0 / 6.0));
        assert_eq!(held(500), None);
    }

    /// A flow that stops as a stage begins, or begins as it ends, is not its load.
    #[test]
    fn a_flow_loads_while_it_runs() {
        let seen = Observations { flows: vec![download(20)], ..Observations::default() };
        let clock = Clock::new(&seen, Time::ZERO);
        let flow = &Flow::all(&seen, &clock)[0];
        assert!(flow.ran(0.0, 20.0) && flow.ran(19.0, 30.0) && flow.ran(-1.0, 1.0));
        assert!(!flow.ran(20.0, 30.0) && !flow.ran(-1.0, 0.0));
    }

    /// Acknowledgements are spread evenly between two samples of the sender, and there are none
    /// after the last.
    #[test]
    fn acknowledgements_are_counted_by_who_hears_them() {
        let samples = |all: &[(u64, u64)]| {
            let sample = |&(second, heard): &(u64, u64)| SenderSample {
                at: Time::from_secs(second),
                heard,
                ..SenderSample::default()
            };
            let sender = all.iter().map(sample).collect();
            let flow = LoadFlow { heading: Heading::Up, sender, ..download(9) };
            Observations { flows: vec![flow], ..Observations::default() }
        };
        let counted = |seen: &Observations| {
            let flow = &Flow::all(seen, &Clock::new(seen, Time::ZERO))[0];
            [1.0, 2.0, 2.5, 4.0, 9.0].map(|at| flow.acknowledgements(at))
        };
        let found = counted(&samples(&[(2, 100), (4, 500)]));
        assert_eq!(found, [50.0, 100.0, 200.0, 500.0, 500.0].map(Some));
        assert_eq!(
            counted(&samples(&[(2, 0), (4, 0)])),
            [None; 5],
            "its kernel does not count them"
        );
    }

    /// A download of this duration, without notes.
    pub(crate) fn download(seconds: u64) -> LoadFlow {
        LoadFlow {
            heading: Heading::Down,
            dscp: 0,
            congestion: "cubic".into(),
            start: Time::ZERO,
            stop: Time::from_secs(seconds),
            received: Vec::new(),
            sender: Vec::new(),
        }
    }

    /// The payloads of a download of two seconds, of which this many segments were counted in each
    /// second.
    fn payloads(segments: u64) -> Vec<f64> {
        let receipt = |second: u64| Receipt {
            at: Time::from_secs(second),
            bytes: Bytes(14_480_000 * second),
            segments: Some(segments * second),
        };
        let seen = LoadFlow {
            received: (0..3).map(receipt).collect(),
            sender: vec![SenderSample { mss: 1448, ..SenderSample::default() }],
            ..download(2)
        };
        let all = carried(&seen, &[0.0, 1.0, 2.0], HEADERS[0]);
        assert_eq!(all[1].packets, 10_000.0, "{segments}");
        all.iter().map(|one| one.payload).collect()
    }

    #[test]
    fn segments_that_came_in_pieces_are_not_taken_for_one_each() {
        // Each segment counted, and eight of them counted as one.
        for segments in [10_000, 1_250] {
            assert_eq!(payloads(segments), [0.0, 14_480_000.0, 28_960_000.0]);
        }
    }
}
