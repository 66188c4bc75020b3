//! The filter of acknowledgements on the bytes of TCP headers: `cake_ack_filter`,
//! `cake_tcph_may_drop`, `cake_tcph_sack_compare`, `cake_get_tcpopt`.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use proptest::prelude::*;
use units::Bytes;

use super::super::ack_filter::{AckFilter, Segment, needless};
use crate::TcpHeader;

/// A packet in a flow's queue.
#[derive(Clone, Debug)]
pub(super) struct Queued {
    pub(super) flow: u32,
    /// The TCP header; empty for a packet that is not TCP.
    pub(super) tcp: Vec<u8>,
    pub(super) payload: u64,
}

impl Queued {
    fn is_tcp(&self) -> bool {
        !self.tcp.is_empty()
    }

    /// Length of the header, reserved bits and flags, as the header has them.
    fn word(&self) -> u16 {
        u16::from_be_bytes([self.tcp[12], self.tcp[13]])
    }

    fn ecn(&self) -> u16 {
        self.word() & 0x00c0
    }

    fn ack(&self) -> u32 {
        number(&self.tcp, 8)
    }

    /// Kind, length and content of each option up to the end or to the first that is damaged.
    fn options(&self) -> Vec<(u8, usize, &[u8])> {
        let (mut at, mut options) = (20, vec![]);
        while at < self.tcp.len() && self.tcp[at] != 0 {
            if self.tcp[at] == 1 {
                at += 1;
                continue;
            }
            let Some(len) = self.tcp.get(at + 1).map(|len| usize::from(*len)) else { break };
            if len < 2 || at + len > self.tcp.len() {
                break;
            }
            options.push((self.tcp[at], len, &self.tcp[at + 2..at + len]));
            at += len;
        }
        options
    }

    /// The first option of this kind (`cake_get_tcpopt`).
    fn option(&self, wanted: u8) -> Option<&[u8]> {
        self.options().into_iter().find(|(kind, ..)| *kind == wanted).map(|(.., content)| content)
    }

    /// The timestamps; zeros without a whole option (`cake_tcph_get_tstamp`).
    fn timestamps(&self) -> (u32, u32) {
        match self.option(8) {
            Some(content) if content.len() == 8 => (number(content, 0), number(content, 4)),
            _ => (0, 0),
        }
    }

    /// The whole blocks of the SACK option.
    fn sack(&self) -> Vec<(u32, u32)> {
        let content = self.option(5).unwrap_or_default();
        content.chunks_exact(8).map(|block| (number(block, 0), number(block, 4))).collect()
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn before(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) as i32) < 0
}

/// `cake_tcph_may_drop`: flags and options that forbid a drop.
fn may_drop(earlier: &Queued, (value, echo): (u32, u32)) -> bool {
    if earlier.word() & 0x0f3f != 0x0010 {
        return false;
    }
    earlier.options().into_iter().all(|(kind, len, content)| match kind {
        19 => true,
        5 => len % 8 == 2,
        8 => len == 10 && !before(value, number(content, 0)) && !before(echo, number(content, 4)),
        _ => false,
    })
}

/// `cake_tcph_sack_compare`: `Less` if the first header reports more, or other, data.
fn compare_sacks(one: &Queued, other: &Queued) -> Ordering {
    let (blocks, others) = (one.sack(), other.sack());
    if blocks.is_empty() || others.is_empty() {
        return blocks.is_empty().cmp(&others.is_empty());
    }
    for (start, end) in &blocks {
        if before(*start, one.ack()) {
            return Ordering::Less;
        }
        let mut found = false;
        for (other_start, other_end) in &others {
            found |= !before(*start, *other_start) && !before(*other_end, *end);
        }
        if !found {
            return Ordering::Less;
        }
    }
    let mut bytes = [0_u32; 2];
    for (sum, blocks) in bytes.iter_mut().zip([&blocks, &others]) {
        for (start, end) in blocks {
            *sum = sum.wrapping_add(end.wrapping_sub(*start));
        }
    }
    if bytes[1] > bytes[0] { Ordering::Greater } else { Ordering::Equal }
}

/// `cake_ack_filter`: the place of the packet that is dropped, now that the last one has come.
pub(super) fn dropped(queue: &[Queued], aggressive: bool) -> Option<usize> {
    let last = queue.len() - 1;
    let latest = &queue[last];
    if last == 0 || !latest.is_tcp() || latest.word() & 0x0012 != 0x0010 {
        return None;
    }
    let (mut eligible, mut signals, mut found) = (None, 0, 0);
    for (place, earlier) in queue[..last].iter().enumerate() {
        if !earlier.is_tcp() || earlier.flow != latest.flow {
            continue;
        }
        if eligible.is_some() && earlier.ecn() != signals {
            eligible = None;
            found -= 1;
        }
        if !may_drop(earlier, latest.timestamps())
            || earlier.payload > 0
            || before(latest.ack(), earlier.ack())
        {
            continue;
        }
        match compare_sacks(earlier, latest) {
            Ordering::Less => continue,
            Ordering::Equal if earlier.ack() == latest.ack() => continue,
            _ => {}
        }
        if eligible.is_none() {
            (eligible, signals) = (Some(place), earlier.ecn());
        }
        found += 1;
        if found > 1 {
            return eligible;
        }
    }
    eligible.filter(|place| aggressive && place + 1 == last && signals == latest.ecn())
}

/// Sequence numbers that lie close together, also across the end of their space.
fn sequence() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0_u32..6, 1 => (u32::MAX - 2)..=u32::MAX].prop_map(|it| it.wrapping_mul(100))
}

fn option(kind: u8, words: Vec<u32>, cut: usize) -> Vec<u8> {
    let mut content: Vec<u8> = words.into_iter().flat_map(u32::to_be_bytes).collect();
    content.truncate(content.len().saturating_sub(cut));
    [vec![kind, content.len() as u8 + 2], content].concat()
}

/// The options of a header, each at most once as RFC 9293 has it; now and then one is damaged.
fn options() -> impl Strategy<Value = Vec<u8>> {
    let none = || Just(vec![]);
    let cut = || prop_oneof![20 => Just(0_usize), 1 => 1_usize..12];
    let timestamps = (prop::collection::vec(0_u32..3, 2), cut())
        .prop_map(|(words, cut)| [vec![1, 1], option(8, words, cut)].concat());
    let sack = (prop::collection::vec(sequence(), 0..7), 0_usize..2, cut()).prop_map(
        |(mut words, odd, cut)| {
            // Whole blocks, but for one header in some.
            words.truncate(words.len() / 2 * 2 + odd * usize::from(cut > 0));
            option(5, words, cut)
        },
    );
    let other = prop_oneof![
        Just(option(19, vec![0; 4], 0)),
        Just(option(34, vec![7], 0)),
        Just(vec![0, 34, 2]),
        Just(vec![34, 0]),
        Just(vec![34, 99]),
    ];
    (
        prop_oneof![1 => none(), 2 => timestamps],
        prop_oneof![3 => none(), 2 => sack],
        prop_oneof![20 => none(), 1 => other],
    )
        .prop_map(|(timestamps, sack, other)| {
            let mut bytes = [timestamps, sack, other].concat();
            // A header is whole words of at most 60 bytes.
            bytes.resize(bytes.len().next_multiple_of(4), 1);
            bytes.truncate(40);
            bytes
        })
}

fn packet() -> impl Strategy<Value = Queued> {
    let flags = prop_oneof![
        12 => Just(0x10_u16),
        3 => Just(0x50),
        1 => Just(0x90),
        1 => prop::sample::select(vec![0x18, 0x11, 0x12, 0x110, 0x00, 0x30, 0xd0]),
    ];
    let payload = prop_oneof![9 => Just(0_u64), 1 => Just(100)];
    let flow = prop_oneof![5 => Just(1_u32), 1 => Just(2)];
    let is_tcp = prop::bool::weighted(0.95);
    (flow, flags, sequence(), options(), payload, is_tcp).prop_map(
        |(flow, flags, ack, options, payload, is_tcp)| {
            let mut tcp = vec![0; 20];
            tcp[8..12].copy_from_slice(&ack.to_be_bytes());
            let words = (5 + options.len() / 4) as u16;
            tcp[12..14].copy_from_slice(&(words << 12 | flags).to_be_bytes());
            tcp.extend(options);
            Queued { flow, tcp: if is_tcp { tcp } else { vec![] }, payload }
        },
    )
}

fn segment(packet: &Queued) -> Option<Segment> {
    let header = TcpHeader::parse(&packet.tcp, Bytes(packet.payload))?;
    Some(Segment { flow: packet.flow, header })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Packets come one after the other; each time the same one is dropped, and the rest waits on.
    #[test]
    fn the_same_acknowledgements_go(packets in prop::collection::vec(packet(), 1..40)) {
        for (filter, aggressive) in [(AckFilter::On, false), (AckFilter::Aggressive, true)] {
            let mut queue: Vec<Queued> = vec![];
            for packet in packets.iter().cloned() {
                queue.push(packet);
                let segments: Vec<_> = queue.iter().map(segment).collect();
                let gone = dropped(&queue, aggressive);
                prop_assert_eq!(needless(filter, segments.iter()), gone, "{:?}", queue);
                gone.map(|place| queue.remove(place));
            }
        }
    }
}

/// The comparison above is meaningful: packets are dropped, and packets stay, for every reason.
#[test]
fn queues_have_packets_that_go_and_packets_that_stay() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let packets: Vec<Queued> =
        (0..4000).map(|_| packet().new_tree(&mut runner).unwrap().current()).collect();
    let pairs = || packets.windows(2).filter(|pair| pair.iter().all(Queued::is_tcp));
    let count = |reason: &dyn Fn(&Queued, &Queued) -> bool| {
        pairs().filter(|pair| reason(&pair[0], &pair[1])).count()
    };
    assert!(count(&|one, other| may_drop(one, other.timestamps())) > 300);
    assert!(count(&|one, other| !may_drop(one, other.timestamps())) > 300);
    for order in [Ordering::Less, Ordering::Equal, Ordering::Greater] {
        assert!(count(&|one, other| compare_sacks(one, other) == order) > 300, "{order:?}");
    }
    let covered = |one: &Queued, other: &Queued| {
        !one.sack().is_empty() && compare_sacks(one, other) != Ordering::Less
    };
    assert!(count(&covered) > 10, "{}", count(&covered));
    assert!(packets.windows(2).filter(|pair| dropped(pair, true) == Some(0)).count() > 100);
    assert!(packets.windows(6).filter(|six| dropped(six, false).is_some()).count() > 100);
}
