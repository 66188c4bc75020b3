//! The true properties of one direction while it was loaded, from the path, the probes and the
//! kernel's counts.

use observation::Heading;
use results::{LoadedDirection, Tolerance};

use super::path::{FRAME, FRAMING, Path, Queue, Shaper};
use super::probes::{self, Track};
use super::run_case::Run;
use super::watch::Counts;

/// A figure whose true value is known only to lie between two values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Percentiles of the time that packets waited, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Waits {
    pub(crate) p50: Option<Bounds>,
    pub(crate) p95: Option<Bounds>,
    pub(crate) p99: Option<Bounds>,
    /// The part of the probes that were lost.
    pub(crate) loss: Option<f64>,
}

/// The known facts about a direction.
pub(crate) struct Facts<'a> {
    pub(crate) path: &'a Path,
    pub(crate) heading: Heading,
    /// The waits that a datagram met.
    pub(crate) udp: Waits,
    /// The waits that a segment met.
    pub(crate) tcp: Waits,
    /// The waits that a datagram met in the other direction meanwhile.
    pub(crate) opposite: Waits,
    /// The probes of a datagram's class, and the window.
    pub(crate) track: &'a Track,
    pub(crate) window: [f64; 2],
    /// The part of the packets that the queues dropped.
    pub(crate) dropped: f64,
    /// The data that left the bottleneck, in Mbit/s of IP.
    pub(crate) carried_mbit: Option<f64>,
    /// The rate that the direction can carry, in Mbit/s; `None` without a bottleneck.
    pub(crate) line_mbit: Option<f64>,
    /// The hops where packets waited, with their parts of the wait; the longest first.
    pub(crate) places: Vec<(u8, f64)>,
    /// The most that each queue held and whether it dropped; the bottleneck's first.
    pub(crate) held: Vec<Held>,
}

/// The backlog of a queue while its direction was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Held {
    /// The bytes of IP.
    pub(crate) bytes: f64,
    /// The packets; a super-packet counts as one.
    pub(crate) packets: f64,
    /// The packets, with each segment of a super-packet counted, by the mean size of the packets
    /// sent.
    pub(crate) segments: f64,
    pub(crate) dropped: bool,
    /// True if the queue held more in the last quarter of the time than ever before.
    pub(crate) grew: bool,
}

/// The delay, in milliseconds, below which a queue is not noticed.
pub(crate) const SHORT_MS: f64 = 2.0;
/// The part of its capacity from which on a line is full.
pub(crate) const FULL: f64 = 0.97;
/// The least part of the wait that makes a hop a place of the queue.
const PLACE: f64 = 0.25;

impl<'a> Facts<'a> {
    /// The facts about the window that a measurement covers.
    pub(crate) fn of(run: &'a Run, heading: Heading, found: &LoadedDirection) -> Self {
        let path = &run.path;
        let window = found.window_s.map(|second| second + run.began_s);
        let (track, tcp, opposite, line) = match heading {
            Heading::Up => (&run.tracks.up, &run.tracks.tcp_up, &run.tracks.down, &run.up),
            Heading::Down => (&run.tracks.down, &run.tracks.tcp_down, &run.tracks.up, &run.down),
        };
        let udp = Waits::of(track, window);
        let carried = line.first().and_then(|counts| carried(counts, window));
        let carried_mbit = carried.map(|mbit| mbit * in_ip(path, heading, path.way(heading).node));
        let mut facts = Self {
            path,
            heading,
            udp,
            tcp: tcp.as_ref().map_or(udp, |track| Waits::of(track, window)),
            opposite: Waits::of(opposite, window),
            track,
            window,
            dropped: line.iter().map(|counts| dropped(counts, window)).fold(0.0, f64::max),
            carried_mbit,
            line_mbit: line_mbit(path, heading),
            places: Vec::new(),
            held: Vec::new(),
        };
        if let Some(waits) = facts.counted(line, window) {
            facts.udp = facts.udp.or(&waits);
            facts.tcp = facts.tcp.or(&waits);
        }
        // The stage begins earlier, because slow start may be the only time in which a queue is
        // full.
        let stage = [window[0] - 3.0, window[1]];
        for ((node, queue), counts) in path.way(heading).queues().zip(line) {
            let held = Held::of(counts, stage, in_ip(path, heading, node));
            facts.places.push((node as u8, mean(counts, window) / queue.mbit));
            facts.held.push(held);
        }
        let all: f64 = facts.places.iter().map(|(_, wait)| wait).sum();
        facts.places.iter_mut().for_each(|(_, wait)| *wait /= all.max(1e-9));
        facts.places.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        facts
    }

    /// The waits of packets by the kernel's counts, which are more frequent than probes can be on a
    /// slow line; `None` unless there is a single queue of a steady rate in which all packets wait
    /// alike.
    fn counted(&self, line: &[Counts], window: [f64; 2]) -> Option<Waits> {
        let way = self.path.way(self.heading);
        let ([counts], Some(queue)) = (line, &way.queue) else { return None };
        let steady = matches!(queue.shaper, Shaper::Htb | Shaper::Tbf) && way.varies_s.is_none();
        if !steady || self.path.favoured.is_some() {
            return None;
        }
        let range = counts.within(window);
        let wait = |index: usize| {
            let bytes = f64::from(counts.backlog[index]);
            (counts.at_s[index], Some(bytes * 8.0 / queue.mbit / 1e3))
        };
        let waits: Vec<(f64, Option<f64>)> = range.map(wait).collect();
        let quantile = |part| quantile(&waits, part);
        Some(Waits { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99), loss: None })
    }

    /// The bottleneck.
    pub(crate) fn queue(&self) -> Option<&Queue> {
        self.path.way(self.heading).queue.as_ref()
    }

    /// All queues of this direction.
    pub(crate) fn queues(&self) -> impl Iterator<Item = &Queue> {
        self.path.way(self.heading).queues().map(|(_, queue)| queue)
    }

    /// True if the path limited the load. Where a neighbour uses what a bounded server leaves, the
    /// path is full.
    pub(crate) fn is_of_the_path(&self) -> bool {
        let is_held_back = self.path.is_held_back(self.heading);
        self.queue().is_some() && (!is_held_back || self.filled().is_some_and(|it| it >= FULL))
    }

    /// The part of its capacity that the bottleneck carried; `None` where the capacity changes.
    pub(crate) fn filled(&self) -> Option<f64> {
        let steady = self.path.way(self.heading).varies_s.is_none();
        self.carried_mbit.zip(self.line_mbit).filter(|_| steady).map(|(it, line)| it / line)
    }

    /// True if a statement may place the queue at this hop.
    pub(crate) fn is_at(&self, hop: u8) -> bool {
        let first = self.places.first().map(|(first, _)| *first);
        self.places
            .iter()
            .any(|(place, part)| *place == hop && (*part >= PLACE || Some(*place) == first))
    }

    /// True if the bucket of a policer, or of a line that is faster at first, lasted for the whole
    /// window, so that the path was not the limit. False where there is other traffic, whose share
    /// of the bucket is unknown.
    pub(crate) fn lets_all_pass(&self) -> bool {
        const BEYOND: f64 = 1.1;
        let way = self.path.way(self.heading);
        // Tokens remained if nothing waited.
        let is_empty = self.tcp.p95.is_some_and(|p95| p95.high < SHORT_MS);
        let has_bucket = way.is_policed() || way.is_boosted() && is_empty;
        let is_alone = !self.path.is_used_by_others(self.heading);
        has_bucket && is_alone && self.filled().is_some_and(|filled| filled > BEYOND)
    }

    /// The part of the packets that are this bench's own probes.
    pub(crate) fn own_places(&self) -> f64 {
        let [own, all] = self.own();
        stats::ratio(own, all / FRAME + own).unwrap_or_default()
    }

    /// The part of the bytes that are this bench's own probes.
    pub(crate) fn own_bytes(&self) -> f64 {
        let [own, all] = self.own();
        stats::ratio(own * probes::BYTES, all).unwrap_or_default()
    }

    /// The number of this bench's own probes in the window.
    pub(crate) fn probes(&self) -> f64 {
        let [from, to] = self.window;
        self.track.sent_s.iter().filter(|at| (from..to).contains(at)).count() as f64
    }

    /// The number of this bench's own probes in the window, and the bytes of all packets.
    fn own(&self) -> [f64; 2] {
        let [from, to] = self.window;
        let all = self.carried_mbit.map_or(f64::INFINITY, |mbit| mbit * 1e6 / 8.0 * (to - from));
        [self.probes(), all]
    }

    /// True if hardly any packet waited.
    pub(crate) fn is_short(&self) -> bool {
        let packet_ms = self.queue().map_or(0.0, |queue| FRAME * 8.0 / queue.mbit / 1e3);
        self.tcp.p95.is_some_and(|p95| p95.low < SHORT_MS.max(2.0 * packet_ms))
    }
}

/// The wait, in milliseconds, that this part of the track's probes did not exceed in a window.
pub(crate) fn waited(track: &Track, window: [f64; 2], part: f64) -> Option<f64> {
    quantile(&within(track, window), part).map(|bounds| bounds.low)
}

/// The sending time of each probe of a window, and its wait: its time less that of the fastest
/// probe of all.
fn within(track: &Track, [from, to]: [f64; 2]) -> Vec<(f64, Option<f64>)> {
    let least = track.took_ms.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let first = track.sent_s.partition_point(|at| *at < from);
    let last = track.sent_s.partition_point(|at| *at < to).max(first);
    let wait = |index: usize| (track.sent_s[index], track.took_ms[index].map(|took| took - least));
    (first..last).map(wait).collect()
}

impl Waits {
    /// Bounds that contain the waits of both.
    fn or(&self, other: &Self) -> Self {
        let join = |one: Option<Bounds>, other: Option<Bounds>| {
            let (one, other) = (one?, other.or(one)?);
            Some(Bounds { low: one.low.min(other.low), high: one.high.max(other.high) })
        };
        Self {
            p50: join(self.p50, other.p50),
            p95: join(self.p95, other.p95),
            p99: join(self.p99, other.p99),
            loss: self.loss,
        }
    }

    /// The waits in this window, relative to the fastest probe of the track.
    pub(crate) fn of(track: &Track, window: [f64; 2]) -> Self {
        let there = within(track, window);
        let lost = there.iter().filter(|(_, wait)| wait.is_none()).count() as f64;
        let quantile = |part| quantile(&there, part);
        Self {
            p50: quantile(0.5),
            p95: quantile(0.95),
            p99: quantile(0.99),
            loss: stats::ratio(lost, there.len() as f64),
        }
    }
}

/// A percentile over the time: a probe stands for the time half way to its neighbours that were
/// delivered. The bounds are those of one probe more and one less, since this many probes cannot
/// tell more precisely.
fn quantile(probes: &[(f64, Option<f64>)], part: f64) -> Option<Bounds> {
    let there: Vec<(f64, f64)> =
        probes.iter().filter_map(|(at, wait)| Some((*at, (*wait)?))).collect();
    let stands = |index: usize| {
        let before = there[index.saturating_sub(1)].0;
        let after = there[(index + 1).min(there.len() - 1)].0;
        (there[index].1, (after - before) / 2.0)
    };
    let mut weighted: Vec<(f64, f64)> = (0..there.len()).map(stands).collect();
    weighted.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let all: f64 = weighted.iter().map(|(_, time)| time).sum();
    let at = |part: f64| {
        let mut sum = 0.0;
        let reached = weighted.iter().find(|(_, time)| {
            sum += time;
            sum >= part * all
        });
        reached.or(weighted.last()).map(|(wait, _)| *wait)
    };
    let one_more = 1.5 / there.len().max(1) as f64;
    Some(Bounds { low: at(part - one_more)?, high: at((part + one_more).min(1.0))? })
}

impl Bounds {
    /// The value between `from` and `to` that is nearest to the middle of the bounds.
    pub(crate) fn nearest(&self, from: f64, to: f64) -> f64 {
        ((self.low + self.high) / 2.0).clamp(from, to.max(from))
    }

    /// True if the value lies within the bounds, widened by this tolerance.
    pub(crate) fn holds(&self, said: f64, Tolerance { part, amount }: Tolerance) -> bool {
        said >= self.low - amount.max(part * self.low)
            && said <= self.high + amount.max(part * self.high)
    }
}

impl Held {
    fn of(counts: &Counts, stage: [f64; 2], in_ip: f64) -> Self {
        let range = counts.within(stage);
        let most = |held: &[u32]| f64::from(held.iter().copied().max().unwrap_or_default());
        let backlog = &counts.backlog[range.clone()];
        let drops = &counts.drops[range.clone()];
        let late = backlog.len() - backlog.len() / 4;
        Self {
            bytes: most(backlog) * in_ip,
            segments: most(backlog) / mean_size(counts, stage),
            packets: most(&counts.packets[range]),
            dropped: drops.last() > drops.first(),
            grew: most(&backlog[late..]) > most(&backlog[..late]),
        }
    }
}

/// The mean bytes of a sent packet, with Ethernet headers; those of a full frame where none was
/// counted.
fn mean_size(counts: &Counts, stage: [f64; 2]) -> f64 {
    let passed = counts.passed.get(counts.within(stage)).unwrap_or_default();
    let size = passed.first().zip(passed.last()).and_then(|(first, last)| {
        stats::ratio((last.0 - first.0) as f64, f64::from(last.1.wrapping_sub(first.1)))
    });
    size.unwrap_or(FRAME)
}

/// The mean backlog in bytes.
fn mean(counts: &Counts, window: [f64; 2]) -> f64 {
    let backlog = &counts.backlog[counts.within(window)];
    let sum: f64 = backlog.iter().copied().map(f64::from).sum();
    sum / backlog.len().max(1) as f64
}

/// The part of the packets that were dropped, if all sent packets had the largest size.
fn dropped(counts: &Counts, window: [f64; 2]) -> f64 {
    let range = counts.within(window);
    let (drops, sent) = (&counts.drops[range.clone()], &counts.sent[range]);
    let dropped = drops.last().zip(drops.first()).map_or(0, |(last, first)| last - first);
    let sent = sent.last().zip(sent.first()).map_or(0, |(last, first)| last - first);
    let dropped = f64::from(dropped);
    stats::ratio(dropped, dropped + sent as f64 / FRAME).unwrap_or_default()
}

/// The rate in Mbit/s as the device counts it.
fn carried(counts: &Counts, window: [f64; 2]) -> Option<f64> {
    let range = counts.within(window);
    let (first, last) = (range.start, range.end.checked_sub(1)?);
    let bytes = counts.sent.get(last)?.checked_sub(*counts.sent.get(first)?)?;
    let seconds = counts.at_s.get(last)? - counts.at_s.get(first)?;
    stats::ratio(bytes as f64 * 8.0 / 1e6, seconds)
}

/// The capacity of the bottleneck, in Mbit/s of IP.
fn line_mbit(path: &Path, heading: Heading) -> Option<f64> {
    let way = path.way(heading);
    Some(way.mbit()? * in_ip(path, heading, way.node))
}

/// The bytes of IP per byte that the kernel counts, for the largest packets. The delay line's
/// devices have no Ethernet header.
pub(crate) fn in_ip(path: &Path, heading: Heading, node: usize) -> f64 {
    let link = if heading == Heading::Up { node } else { node.wrapping_sub(1) };
    match link == path.delay_link && path.rtt_ms > 0.0 {
        true => 1.0,
        false => 1.0 - FRAMING / FRAME,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_probe_leaves_its_time_to_those_beside_it() {
        let sent_s: Vec<f64> = (0..100).map(f64::from).collect();
        let took_ms = (0..100).map(|n| match n {
            0..50 => Some(10.0),
            50..99 => None,
            _ => Some(30.0),
        });
        let track = Track { sent_s, took_ms: took_ms.collect() };
        let waits = Waits::of(&track, [0.0, 100.0]);
        assert_eq!(waits.loss, Some(0.49));
        // Half of the time between the last short wait and the first long one belongs to each.
        assert_eq!(waits.p50, Some(Bounds { low: 0.0, high: 0.0 }));
        assert_eq!(waits.p99.map(|p99| p99.high), Some(20.0));
    }

    #[test]
    fn bounds_are_as_wide_as_the_probes_are_few() {
        let track = |count: u32| Track {
            sent_s: (0..count).map(f64::from).collect(),
            took_ms: (0..count).map(|n| Some(f64::from(n) * 100.0 / f64::from(count))).collect(),
        };
        let width = |count| {
            let p50 = Waits::of(&track(count), [0.0, 1e9]).p50.unwrap();
            p50.high - p50.low
        };
        assert!(width(1000) < 1.0 && width(20) > 10.0, "{} {}", width(1000), width(20));
    }
}
