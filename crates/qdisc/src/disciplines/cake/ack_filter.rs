//! The filter of acknowledgements: an acknowledgement that waits is dropped once a later one of the
//! same flow says all that it says. So the acknowledgements of a download fit through an upload
//! that is forty times slower.
//!
//! Specification: Linux, net/sched/sch_cake.c, `cake_ack_filter`, `cake_tcph_may_drop`,
//! `cake_tcph_sack_compare`.
//!
//! Each acknowledgement that comes is compared with all packets of its flow that wait, as in Linux,
//! whose scan walks the whole queue of the flow until it finds one that may go.
//!
//! Deviations:
//! - Two packets are of the same flow if the hashes of their flows are the same.
//! - Packets that came before the filter was turned on are not read.

use crate::TcpHeader;
use crate::spec::name_of;

/// The acknowledgements that are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AckFilter {
    /// None.
    #[default]
    Off,
    /// Those with two later ones: one that says the same may wait besides the latest.
    On,
    /// Also the last but one.
    Aggressive,
}

impl AckFilter {
    /// The words of tc.
    pub(super) const NAMES: [(&'static str, Self); 3] = [
        ("no-ack-filter", Self::Off),
        ("ack-filter", Self::On),
        ("ack-filter-aggressive", Self::Aggressive),
    ];

    /// The word of tc.
    pub fn name(self) -> &'static str {
        name_of(&Self::NAMES, &self)
    }
}

/// The header of a TCP segment that waits, and its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) flow: u32,
    pub(super) header: TcpHeader,
}

const SYN: u16 = 2;
const ACK: u16 = 16;
/// ECE and CWR, the signals of ECN (RFC 3168 section 6.1).
const ECN: u16 = 64 | 128;
/// All flags, reserved ones included, but for those of ECN.
const BUT_ECN: u16 = 0xfff & !ECN;

/// The place of the packet that the last of these makes needless; `None` if each has something to
/// say. Packets that are not TCP are `None`.
pub(super) fn needless<'a>(
    filter: AckFilter,
    waiting: impl DoubleEndedIterator<Item = &'a Option<Segment>> + ExactSizeIterator,
) -> Option<usize> {
    let last_place = waiting.len().checked_sub(1)?;
    let mut waiting = waiting;
    let latest = waiting.next_back()?.as_ref()?;
    if latest.header.flags & (ACK | SYN) != ACK {
        return None;
    }
    let (mut oldest, mut found): (Option<(usize, u16)>, u32) = (None, 0);
    for (place, segment) in waiting.enumerate() {
        let Some(segment) = segment.as_ref().filter(|it| it.flow == latest.flow) else { continue };
        let signals = segment.header.flags & ECN;
        // A change of the signals is news: nothing before it is dropped.
        if oldest.is_some_and(|(_, before)| before != signals) {
            oldest = None;
            found -= 1;
        }
        if !says_less(&segment.header, &latest.header) {
            continue;
        }
        let first = *oldest.get_or_insert((place, signals));
        found += 1;
        if found > 1 {
            return Some(first.0);
        }
    }
    let (place, signals) = oldest?;
    let drops = filter == AckFilter::Aggressive
        && place + 1 == last_place
        && signals == latest.header.flags & ECN;
    drops.then_some(place)
}

/// True if the earlier header is that of an acknowledgement without data and says nothing that the
/// later one does not.
fn says_less(earlier: &TcpHeader, later: &TcpHeader) -> bool {
    if earlier.flags & BUT_ECN != ACK || earlier.has_other_options || earlier.payload.0 > 0 {
        return false;
    }
    let later_times = later.timestamps.unwrap_or_default();
    let is_newer = |times: crate::Timestamps| {
        after(times.value, later_times.value) || after(times.echo, later_times.echo)
    };
    if earlier.timestamps.is_some_and(is_newer) || after(earlier.ack, later.ack) {
        return false;
    }
    match sacked(earlier, later) {
        Sacked::More => false,
        Sacked::Same => earlier.ack != later.ack,
        Sacked::Less => true,
    }
}

/// What one header's SACK blocks report, compared with another's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sacked {
    More,
    Same,
    Less,
}

/// Compares the SACK blocks of an earlier header with those of a later one. A block that repeats
/// acknowledged data (D-SACK, RFC 2883) is always more.
fn sacked(earlier: &TcpHeader, later: &TcpHeader) -> Sacked {
    let (blocks, others) = (earlier.sack.as_slice(), later.sack.as_slice());
    if blocks.is_empty() {
        return if others.is_empty() { Sacked::Same } else { Sacked::Less };
    }
    let covers = |(start, end): (u32, u32)| {
        move |(other_start, other_end): &(u32, u32)| {
            !after(*other_start, start) && !after(end, *other_end)
        }
    };
    let is_news =
        |block: &(u32, u32)| after(earlier.ack, block.0) || !others.iter().any(covers(*block));
    if blocks.iter().any(is_news) {
        return Sacked::More;
    }
    let bytes = |blocks: &[(u32, u32)]| {
        blocks.iter().fold(0_u32, |sum, (start, end)| sum.wrapping_add(end.wrapping_sub(*start)))
    };
    // A header without blocks says less than one with, even if those are empty.
    let is_less = blocks.is_empty() && !others.is_empty() || bytes(others) > bytes(blocks);
    if is_less { Sacked::Less } else { Sacked::Same }
}

/// True if the sequence number or time `one` comes after `other` (RFC 9293 section 3.4).
const fn after(one: u32, other: u32) -> bool {
    (other.wrapping_sub(one) as i32) < 0
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use units::Bytes;

    use super::*;
    use crate::{SackBlocks, Timestamps};

    fn ack(ack: u32) -> TcpHeader {
        TcpHeader { flags: ACK, ack, ..TcpHeader::default() }
    }

    fn place(filter: AckFilter, headers: &[TcpHeader]) -> Option<usize> {
        let waiting: Vec<_> =
            headers.iter().map(|header| Some(Segment { flow: 1, header: *header })).collect();
        needless(filter, waiting.iter())
    }

    fn sack(blocks: &[(u32, u32)]) -> SackBlocks {
        let mut sack = SackBlocks::default();
        blocks.iter().for_each(|(start, end)| sack.push(*start, *end));
        sack
    }

    #[test]
    fn one_redundant_acknowledgement_may_wait_unless_the_filter_is_aggressive() {
        assert_eq!(place(AckFilter::On, &[ack(10), ack(20)]), None);
        assert_eq!(place(AckFilter::On, &[ack(10), ack(20), ack(30)]), Some(0));
        assert_eq!(place(AckFilter::Aggressive, &[ack(10), ack(20)]), Some(0));
        assert_eq!(place(AckFilter::Aggressive, &[ack(10)]), None);
        let wrapped = [ack(u32::MAX - 5), ack(20)];
        assert_eq!(place(AckFilter::Aggressive, &wrapped), Some(0));
    }

    #[test]
    fn what_says_more_stays() {
        let stays =
            |earlier: TcpHeader| place(AckFilter::Aggressive, &[earlier, ack(20)]).is_none();
        assert!(!stays(ack(10)));
        assert!(stays(ack(21)), "a later acknowledgement");
        assert!(stays(ack(20)), "a duplicate");
        assert!(stays(TcpHeader { payload: Bytes(1), ..ack(10) }));
        assert!(stays(TcpHeader { flags: ACK | 8, ..ack(10) }), "PSH");
        assert!(stays(TcpHeader { flags: ACK | 0x100, ..ack(10) }), "a reserved flag");
        assert!(stays(TcpHeader { has_other_options: true, ..ack(10) }));
        let timestamps = Some(Timestamps { value: 1, echo: 0 });
        assert!(stays(TcpHeader { timestamps, ..ack(10) }), "a newer clock");
        assert!(stays(TcpHeader { sack: sack(&[(30, 40)]), ..ack(10) }));
    }

    #[test]
    fn later_selective_acknowledgements_cover_earlier_ones() {
        let pair = |earlier: &[(u32, u32)], later: &[(u32, u32)], acks: [u32; 2]| {
            let header = |blocks, number| TcpHeader { sack: sack(blocks), ..ack(number) };
            let headers = [header(earlier, acks[0]), header(later, acks[1])];
            place(AckFilter::Aggressive, &headers).is_some()
        };
        assert!(pair(&[(30, 40)], &[(30, 50)], [20, 20]));
        assert!(pair(&[(30, 40)], &[(60, 70), (30, 40)], [20, 20]));
        assert!(!pair(&[(30, 40)], &[(30, 40)], [20, 20]), "a duplicate counts losses");
        assert!(pair(&[(30, 40)], &[(30, 40)], [20, 25]));
        assert!(!pair(&[(30, 40)], &[(32, 50)], [20, 25]));
        assert!(!pair(&[(30, 40)], &[], [20, 25]));
        assert!(pair(&[], &[(30, 30)], [20, 20]), "an empty block is one");
        assert!(!pair(&[], &[], [20, 20]));
        assert!(!pair(&[(10, 15), (30, 40)], &[(10, 50)], [20, 25]), "D-SACK");
    }

    #[test]
    fn signals_of_congestion_stay() {
        let echo = |number| TcpHeader { flags: ACK | 64, ..ack(number) };
        assert_eq!(place(AckFilter::On, &[ack(1), ack(2), echo(3)]), Some(0));
        assert_eq!(place(AckFilter::On, &[ack(1), echo(2), echo(3)]), None);
        assert_eq!(place(AckFilter::On, &[ack(1), echo(2), echo(3), echo(4)]), Some(1));
        assert_eq!(place(AckFilter::Aggressive, &[ack(1), echo(2)]), None);
        assert_eq!(place(AckFilter::Aggressive, &[echo(1), echo(2)]), Some(0));
    }

    #[test]
    fn flows_that_share_a_queue_are_told_apart() {
        let segment = |flow, number| Some(Segment { flow, header: ack(number) });
        let waiting = [segment(1, 10), segment(2, 10), None, segment(2, 20), segment(1, 30)];
        assert_eq!(needless(AckFilter::On, waiting.iter()), None);
        // The last but one of the queue is of another flow.
        assert_eq!(needless(AckFilter::Aggressive, waiting.iter()), None);
        let waiting = [segment(2, 10), segment(1, 10), segment(1, 30)];
        assert_eq!(needless(AckFilter::Aggressive, waiting.iter()), Some(1));
        let syn = Some(Segment { flow: 1, header: TcpHeader { flags: ACK | SYN, ..ack(30) } });
        assert_eq!(needless(AckFilter::Aggressive, [segment(1, 10), syn].iter()), None);
    }
}
