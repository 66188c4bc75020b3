//! The check values of CoDel: the control law, and two scenarios with all four variants.

use alloc::vec::Vec;

use super::{control_law, *};
use crate::disciplines::tests::every_option_has_an_effect;
use crate::history::Probe;
use crate::{Cause, Dequeued, Ecn, Fifo, Limit, Qdisc, Signals};

/// Offsets of the drops from the first, in nanoseconds.
fn offsets(mut gap: impl FnMut(u32, Time) -> Time, drops: usize) -> Vec<u64> {
    let mut due = Time::ZERO;
    (1..=drops as u32)
        .map(|count| {
            let offset = due.as_nanos();
            due = gap(count, due);
            offset
        })
        .collect()
}

/// RFC 8289 section 5.6, `control_law`: the offsets in microseconds, which are sums of
/// interval/sqrt(count).
#[test]
fn ideal_control_law_offsets() {
    let interval = Span::from_millis(100);
    let offsets = offsets(|count, due| control_law::exact(due, interval, count), 20);
    let millis: Vec<u64> = offsets.iter().map(|nanos| (nanos + 500) / 1000).collect();
    assert_eq!(
        millis[..10],
        [0, 100_000, 170_711, 228_446, 278_446, 323_167, 363_992, 401_788, 437_144, 470_477]
    );
    assert_eq!(millis[19], 737_165);
}

#[test]
fn ideal_control_law_gaps() {
    let interval = Span::from_millis(100);
    for (count, tenths_of_us) in [
        (1, 1_000_000),
        (2, 707_107),
        (3, 577_350),
        (4, 500_000),
        (5, 447_214),
        (8, 353_553),
        (9, 333_333),
        (10, 316_228),
        (16, 250_000),
        (25, 200_000),
        (100, 100_000),
        (400, 50_000),
    ] {
        let gap = control_law::exact(Time::ZERO, interval, count).as_nanos();
        assert_eq!((gap + 50) / 100, tenths_of_us, "count {count}");
    }
}

/// The offsets by Linux's 16-bit roots, computed apart from this code and without ticks; each gap
/// is at most a tick (1.024 us) shorter in the kernel, and the interval itself 0.256 us.
#[test]
fn linux_fixed_point_offsets() {
    let interval = Span::from_nanos(100_000_000 >> 10 << 10);
    let mut rec = u16::MAX;
    let offsets = offsets(
        |count, due| {
            if count > 1 {
                rec = control_law::newton_step(rec, count);
            }
            control_law::fixed_point(due, interval, rec)
        },
        10,
    );
    let ideal = [0, 99_998, 149_999, 206_248, 255_026, 299_177, 339_583, 377_100, 412_251, 445_432];
    for (gaps, (offset, ideal)) in offsets.iter().zip(ideal).enumerate() {
        let late = (offset + 500) / 1000;
        let most_early = (gaps as u64 * 1280).div_ceil(1000);
        assert!(late <= ideal && late + most_early >= ideal, "{gaps}: {late} for {ideal}");
    }
}

#[test]
fn linux_reciprocal_square_roots() {
    let mut rec = u16::MAX;
    let table: Vec<u16> = (2..=16)
        .map(|count| {
            rec = control_law::newton_step(rec, count);
            rec
        })
        .collect();
    assert_eq!(table[..9], [32769, 36864, 31968, 28935, 26481, 24588, 23037, 21746, 20647]);
    assert_eq!(table[14], 16360);
}

/// The times of drops and marks, in milliseconds.
#[derive(Default)]
struct Drops(Vec<u64>);

impl Signals<Probe> for Drops {
    fn dropped(&mut self, _: Probe, cause: Cause, now: Time) {
        assert_eq!(cause, Cause::Congestion);
        self.0.push(now.as_nanos() / 1_000_000);
    }

    fn marked(&mut self, _: &Probe, _: Cause, now: Time) {
        self.0.push(now.as_nanos() / 1_000_000);
    }

    fn store(&self) -> &() {
        &()
    }
}

impl Drops {
    fn by(&self, millis: u64) -> usize {
        self.0.iter().filter(|at| **at <= millis).count()
    }
}

/// 1000-byte packets arrive each millisecond while `load` says so, and are served each second
/// millisecond. Returns the drops and `count` after each service, by the time in milliseconds.
fn scenario(
    parameters: CoDelParameters,
    ecn: Ecn,
    until: u64,
    load: impl Fn(u64) -> bool,
) -> (Drops, Vec<(u64, u32)>) {
    let unlimited = Limit { packets: u64::MAX, bytes: Bytes::MAX };
    let mut queue = Fifo::new(unlimited, CoDel::new(parameters));
    let (mut drops, mut counts) = (Drops::default(), Vec::new());
    for millis in 0..=until {
        let now = Time::from_millis(millis);
        if load(millis) {
            let packet = Probe {
                id: millis,
                flow: 0,
                len: Bytes(1000),
                ecn,
                wrongly_marked: false,
                packets: 1,
            };
            queue.enqueue(packet, now, &mut drops);
        }
        if millis % 2 == 0 {
            let _: Dequeued<Probe> = queue.dequeue(now, &mut drops);
            counts.push((millis, queue.state().count()));
        }
    }
    (drops, counts)
}

fn with(variant: CoDelVariant) -> CoDelParameters {
    CoDelParameters { mtu: Bytes(1500), variant, ..CoDelParameters::default() }
}

/// Scenario A: a load of twice the rate without end. The drops of each variant were computed apart
/// from this code.
#[test]
fn scenario_a() {
    let run = |variant| scenario(with(variant), Ecn::NotEct, 10_000, |_| true).0;
    let totals = |drops: &Drops| [1000, 2000, 5000, 10_000].map(|millis| drops.by(millis));

    let rfc = run(CoDelVariant::Rfc8289);
    assert_eq!(
        rfc.0[..15],
        [110, 210, 282, 340, 390, 434, 474, 512, 548, 582, 614, 644, 672, 700, 726]
    );
    assert_eq!(totals(&rfc), [27, 104, 634, 2518]);

    let linux = run(CoDelVariant::Linux);
    assert_eq!(linux.0[..10], [112, 212, 262, 320, 368, 412, 452, 490, 526, 558]);
    // Without the kernel's ticks of 1024 ns there are 2531 drops in 10 s; cutting each gap to whole
    // ticks makes it one more (`tests/codel_oracle.rs` has both).
    assert_eq!(totals(&linux), [28, 106, 640, 2532]);

    let paper = run(CoDelVariant::Paper2012);
    assert_eq!(paper.0[..6], [210, 310, 382, 440, 490, 534]);
    assert_eq!(totals(&paper), [22, 94, 609, 2468]);

    // The draft differs from the RFC only on re-entry, and this load never lets it leave the drop
    // state.
    assert_eq!(run(CoDelVariant::Draft01).0, rfc.0);
}

/// Scenario B: the load pauses from 1 s to 2.5 s and ends at 3.5 s. The values were computed apart
/// from this code.
#[test]
fn scenario_b() {
    let load = |millis| millis < 1000 || (2500..3500).contains(&millis);
    for (variant, re_entry, count, total) in [
        (CoDelVariant::Rfc8289, 2610, 85, 280),
        (CoDelVariant::Draft01, 2610, 84, 279),
        (CoDelVariant::Paper2012, 2710, 1, 158),
    ] {
        let (drops, counts) = scenario(with(variant), Ecn::NotEct, 10_000, load);
        let first = *drops.0.iter().find(|at| **at >= 2500).unwrap();
        let entered_with = counts.iter().find(|(at, _)| *at == first).unwrap().1;
        assert_eq!((first, entered_with), (re_entry, count), "{variant:?}");
        assert_eq!(drops.0.len(), total, "{variant:?}");
    }
}

/// A packet that has waited `sojourn` milliseconds leaves nine behind.
fn departure(sojourn: u64, millis: u64) -> Departure {
    let backlog = crate::Backlog { packets: 9, bytes: Bytes(9000) };
    let (len, ecn_capable, now) = (Bytes(1000), false, Time::from_millis(millis));
    let sojourn = Span::from_millis(sojourn);
    Departure { len, packets: 1, ecn_capable, sojourn, backlog, shared: backlog, now }
}

/// RFC 8289 section 5.5: `drop_next` advances only if the packet behind the dropped one is above
/// target too; re-entry counts from it.
#[test]
fn drop_next_stays_where_the_drop_state_ends() {
    for (sojourn, drop_next) in [(4, 1_200_000), (6, 1_270_711)] {
        let (mut codel, mut q) = (CoDel::new(with(CoDelVariant::Rfc8289)), CoDelState::default());
        let mut judge = |sojourn, at| codel.on_dequeue(&mut q, &departure(sojourn, at));
        let verdicts = [(6, 1000), (6, 1100), (6, 1100), (6, 1200)].map(|(s, at)| judge(s, at));
        assert_eq!(verdicts, [Verdict::Pass, Verdict::Signal, Verdict::Pass, Verdict::Signal]);
        assert_eq!(judge(sojourn, 1200), Verdict::Pass);
        assert_eq!((q.drop_next().as_nanos() + 500) / 1000, drop_next);
    }
}

/// The 2012 paper (appendix, `dodeque`) spares packets while less than a full packet is left; RFC
/// 8289 section 5.6 also while a full one is.
#[test]
fn a_full_packet_that_is_left_is_spared_but_by_the_paper() {
    for (variant, spared) in [(CoDelVariant::Rfc8289, true), (CoDelVariant::Paper2012, false)] {
        for (left, spared) in [(1513, true), (1514, spared), (1515, false)] {
            let mtu = Bytes(1514);
            let mut codel = CoDel::new(CoDelParameters { mtu, ..with(variant) });
            let mut q = CoDelState::default();
            let shared = crate::Backlog { packets: 1, bytes: Bytes(left) };
            let verdicts = [1000, 1101, 1202, 1303]
                .map(|at| codel.on_dequeue(&mut q, &Departure { shared, ..departure(50, at) }));
            let drops = verdicts.contains(&Verdict::Signal);
            assert_eq!(drops, !spared, "{variant:?} leaves {left} bytes");
        }
    }
}

/// RFC 8289 section 5.6: an empty queue is not above the target; the interval begins anew.
#[test]
fn an_empty_queue_ends_the_interval() {
    let (mut codel, mut q) = (CoDel::new(with(CoDelVariant::Rfc8289)), CoDelState::default());
    assert_eq!(codel.on_dequeue(&mut q, &departure(50, 1000)), Verdict::Pass);
    codel.on_empty(&mut q, Time::from_millis(1050));
    let mut judge = |millis| codel.on_dequeue(&mut q, &departure(50, millis));
    assert_eq!([1101, 1200].map(&mut judge), [Verdict::Pass, Verdict::Pass]);
    assert_eq!(judge(1201), Verdict::Signal);
}

/// RFC 8289: a wait below target at any departure leaves the drop state.
#[test]
fn a_short_wait_leaves_the_drop_state() {
    let (mut codel, mut q) = (CoDel::new(with(CoDelVariant::Rfc8289)), CoDelState::default());
    let mut judge = |sojourn, millis| {
        let verdict = codel.on_dequeue(&mut q, &departure(sojourn, millis));
        (verdict, q.is_dropping())
    };
    assert_eq!(judge(6, 1000), (Verdict::Pass, false));
    assert_eq!(judge(6, 1100), (Verdict::Signal, true));
    assert_eq!(judge(6, 1100), (Verdict::Pass, true));
    assert_eq!(judge(6, 1199), (Verdict::Pass, true));
    assert_eq!(judge(4, 1199), (Verdict::Pass, false));
}

/// With ECN and only ECN-capable packets nothing is dropped, while `count` and `drop_next` advance
/// on marks; the drop law's gaps are those of the ideal one, rounded up to the service times.
#[test]
fn ecn_marks_in_place_of_dropping() {
    for variant in [CoDelVariant::Rfc8289, CoDelVariant::Linux] {
        let ecn = CoDelParameters { ecn: true, ..with(variant) };
        let unlimited = Limit { packets: u64::MAX, bytes: Bytes::MAX };
        let mut queue = Fifo::new(unlimited, CoDel::new(ecn));
        let mut outcome = crate::history::Fates::default();
        for millis in 0..1000 {
            let now = Time::from_millis(millis);
            let packet = Probe {
                id: millis,
                flow: 0,
                len: Bytes(1000),
                ecn: Ecn::Ect0,
                wrongly_marked: false,
                packets: 1,
            };
            queue.enqueue(packet, now, &mut outcome);
            if millis % 2 == 0 {
                let _: Dequeued<Probe> = queue.dequeue(now, &mut outcome);
            }
        }
        assert!(outcome.dropped.is_empty());
        assert_eq!(queue.state().count() as usize, outcome.marked.len());
        let times: Vec<u64> =
            outcome.marked.iter().map(|(at, ..)| at.as_nanos() / 1_000_000).collect();
        match variant {
            CoDelVariant::Linux => assert_eq!(times[..4], [112, 212, 262, 320]),
            _ => assert_eq!(times[..4], [110, 210, 282, 340]),
        }
    }
}

/// `ce_threshold` marks packets that waited longer, and does nothing else to them.
#[test]
fn ce_threshold_marks_long_waits() {
    let (threshold, mut outcome) = (Span::from_millis(1), crate::history::Fates::default());
    let parameters =
        CoDelParameters { ce_threshold: Some(threshold), ..CoDelParameters::default() };
    let mut queue = Fifo::new(Limit::packets(10), CoDel::new(parameters));
    for (id, ecn) in [(0, Ecn::Ect0), (1, Ecn::Ect0), (2, Ecn::NotEct)] {
        queue.enqueue(
            Probe { id, flow: 0, len: Bytes(9), ecn, wrongly_marked: false, packets: 1 },
            Time::ZERO,
            &mut (),
        );
    }
    let at = [1_000_000, 1_000_001, 2_000_000];
    let sent = at.map(|nanos| queue.dequeue(Time::from_nanos(nanos), &mut outcome));
    let marked: Vec<_> = outcome.marked.iter().map(|(_, p, cause)| (p.id, *cause)).collect();
    assert_eq!(marked, [(1, Cause::Threshold)]);
    assert!(sent.iter().all(|sent| matches!(sent, Dequeued::Packet { .. })));
}

/// Linux's fq_codel tells CoDel of the packets it dropped at the limit.
#[test]
fn overflow_counts_where_linux_counts_it() {
    for (count_overflow, count) in [(false, 0), (true, 64)] {
        let parameters = CoDelParameters { count_overflow, ..CoDelParameters::default() };
        let (mut codel, mut q) = (CoDel::new(parameters), CoDelState::default());
        codel.on_overflow(&mut q, 64, Time::from_millis(1));
        assert_eq!(q.count(), count);
        // No drop state has ever been left, so the first one starts afresh.
        let verdicts = [12, 112].map(|at| codel.on_dequeue(&mut q, &departure(6, at)));
        assert_eq!((verdicts, q.count()), ([Verdict::Pass, Verdict::Signal], 1));
    }
}

#[test]
fn a_state_is_small() {
    assert!(size_of::<CoDelState>() <= 40, "{}", size_of::<CoDelState>());
}

#[test]
fn options() {
    every_option_has_an_effect::<CoDelSpec>(&[
        ("codel", &["target 20ms", "interval 20ms", "limit 20"]),
        ("codel", &["ecn", "ce_threshold 1ms", "mtu 8kb"]),
        ("codel", &["variant linux", "variant paper2012", "variant draft01"]),
    ]);
}
