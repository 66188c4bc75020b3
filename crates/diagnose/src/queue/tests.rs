use super::*;
use crate::busy::BusyRate;
use crate::quiet::Quiet;
use crate::traffic::Flux;

/// The signs of a queue of 100 packets on a line of 12 Mbit/s that drops at any delay, and is kept
/// at a fifth of the length that slow start gave it.
fn managed() -> Signs {
    let shown = |longest: f64| Shown {
        probes: 400.0,
        lost: 8.0,
        again: 0.02,
        p10: 0.2 * longest,
        median: 0.5 * longest,
        p90: 0.75 * longest,
        p95: 0.8 * longest,
        longest,
    };
    Signs {
        in_pieces: false,
        settled: shown(0.02),
        stage: shown(0.1),
        drops: Drops { times: 40.0, near: 1.0, usual: 0.05, packets: 100.0 },
        flows: 0.01,
        quiet: Quiet { delivered: 1000.0, ..Quiet::default() },
        packet: 1e-3,
        carried: 1.5e6,
        busy: BusyRate {
            flux: Flux { payload: 1.44e6, bytes: 1.5e6, packets: 1000.0 },
            variation: Some(1.0),
            sustained: Some(1.0),
            swings: 0,
            fastest: 1.5e6,
        },
        ..Signs::default()
    }
}

#[test]
fn aqm_takes_what_excludes_a_limit_and_a_wire() {
    let sure = kind(&managed(), &[], None);
    assert!(sure.kind == QueueKind::Aqm && sure.confidence > MAY_BE, "{sure:?}");
    let mut as_long = managed();
    as_long.settled.longest = as_long.stage.longest;
    assert_eq!(kind(&as_long, &[], None), UNKNOWN, "a limit whose edge super-packets move");
    let mut long = managed();
    (long.settled.p90, long.settled.longest, long.stage.longest) = (0.045, 0.048, 0.1);
    assert_eq!(kind(&long, &[], None), UNKNOWN, "longer than any target allows");
    let pieces = Signs { in_pieces: true, ..managed() };
    assert_eq!(kind(&pieces, &[], None), UNKNOWN, "super-packets take one place each");
    let mut few_probes = managed();
    few_probes.quiet.delivered = 100.0;
    assert_eq!(kind(&few_probes, &[], None), UNKNOWN, "a wire may lose as much");
}

#[test]
fn what_drops_while_nothing_waits_is_no_fifo() {
    let mut bare = managed();
    bare.settled.median = 0.0;
    bare.drops = Drops { times: 10.0, near: 10.0, usual: 0.05, packets: 30.0 };
    // Machines made packets wait now and then, those of the load too, ...
    assert_eq!(kind(&bare, &[], None), UNKNOWN);
    // ... or probes alone: with a policer nothing waits in the whole stage.
    bare.flows = 0.0;
    assert_eq!(kind(&bare, &[], None), UNKNOWN);
    bare.stage.p95 = 0.0;
    let policer = kind(&bare, &[], None);
    assert!(policer.kind == QueueKind::Policer && policer.confidence > MAY_BE, "{policer:?}");
    // Drops may hold the load's rate down now and then.
    bare.carried = 0.8 * bare.busy.fastest;
    assert_eq!(kind(&bare, &[], None), policer);
}

#[test]
fn a_rate_varies_if_it_swings_over_super_packets() {
    let mut signs = managed();
    (signs.busy.variation, signs.busy.swings) = (Some(2.0), SWINGS);
    let varies = kind(&signs, &[], None);
    assert!(varies.kind == QueueKind::VariableRate && varies.confidence > MAY_BE, "{varies:?}");
    signs.busy.swings = SWINGS - 1;
    assert_eq!(kind(&signs, &[], None), UNKNOWN);
}

fn found_beside(kind: FindingKind) -> Finding {
    Finding { kind, amount: None, confidence: 0.95 }
}

/// The load's share of a line goes up and down with others' traffic.
#[test]
fn a_rate_that_others_share_does_not_vary() {
    let mut signs = managed();
    (signs.busy.variation, signs.busy.swings) = (Some(2.0), SWINGS);
    let others = found_beside(FindingKind::OtherTraffic);
    assert_eq!(kind(&signs, &[others], None), UNKNOWN);
}

/// Where a class or a protocol goes first, a new TCP connection waits as the load does.
#[test]
fn flows_are_told_apart_only_if_new_connections_are_as_quick_as_probes() {
    let mut fair = managed();
    (fair.settled, fair.flows) = (Shown { probes: 400.0, ..Shown::default() }, 0.1);
    fair.handshakes = Some([0.0, 0.0]);
    let quick = kind(&fair, &[], None);
    assert!(quick.kind == QueueKind::FairQueueing && quick.confidence > MAY_BE, "{quick:?}");
    fair.handshakes = Some([0.1, 0.0]);
    assert_eq!(kind(&fair, &[], None), UNKNOWN);
    fair.handshakes = Some([0.0, 0.0]);
    let favoured = found_beside(FindingKind::ProbesFavoured);
    assert_eq!(kind(&fair, &[favoured], None), UNKNOWN);
}

/// A ratio between both expected ones means that the queue was not full, and shows nothing.
#[test]
fn small_packets_that_do_not_fill_a_queue_leave_its_kind_open() {
    let smaller = |measured| Smaller { measured, by_packets: 0.4, by_bytes: 1.0 };
    let [bytes, packets, ..] = with_smaller(smaller(0.6));
    assert!((bytes - packets).abs() < 0.1, "{bytes} {packets}");
    let [bytes, packets, ..] = with_smaller(smaller(0.42));
    assert!(packets > bytes + 3.0, "{bytes} {packets}");
    let [bytes, packets, ..] = with_smaller(smaller(0.97));
    assert!(bytes > packets + 3.0, "{bytes} {packets}");
}

#[test]
fn a_full_queue_of_bytes_has_no_room_for_some_probes() {
    let full = Shown { probes: 140.0, lost: 8.0, again: 0.0035, ..Shown::default() };
    let [rarely, alike, ..] = who_is_lost(&full, false);
    assert!(alike > rarely, "{rarely} {alike}");
    let [rarely, alike, ..] = who_is_lost(&full, true);
    assert!(rarely > alike, "{rarely} {alike}");
}

#[test]
fn a_wire_that_loses_as_little_as_a_policer_is_not_excluded_by_few_probes() {
    let quiet = Quiet { delivered: 600.0, ..Quiet::default() };
    assert!(quiet.may_lose(0.006) && !quiet.may_lose(0.02));
    let lossy = Quiet { lost: 2.0, ..quiet };
    assert!(lossy.may_lose(0.01));
}

/// A wire loses packets at any delay, and of any size: neither is a sign of the queue.
#[test]
fn beside_a_wire_that_loses_losses_tell_nothing_of_the_queue() {
    let wire = found_beside(FindingKind::RandomLoss);
    // A hard edge, and drops at all delays.
    let mut edged = managed();
    (edged.settled, edged.stage.p90) = (Shown { p90: 0.1, ..edged.stage }, 0.1);
    let beside = kind(&edged, &[wire], None);
    assert_eq!((beside.kind, beside.confidence), (QueueKind::Fifo, MAY_BE));
    assert_eq!(kind(&edged, &[], None), UNKNOWN);
    // A tail, and segments are dropped while no probe is.
    let mut tailed = managed();
    (tailed.stage.lost, tailed.drops) = (0.0, Drops::default());
    tailed.settled = Shown { p90: 0.089, ..tailed.stage };
    assert_eq!(kind(&tailed, &[wire], None), UNKNOWN);
    assert_eq!(kind(&tailed, &[], None).kind, QueueKind::Fifo);
}

#[test]
fn a_threshold_that_is_just_passed_is_as_likely_not() {
    let confidences = [0.0, 1.0, 4.0 / 3.0, 5.0 / 3.0, 9.0].map(sure);
    // 1 / (1 + exp(-odds)) for odds of 0, 1 and 2, and at most 0.99.
    let expected = [0.5, 0.5, 0.731_059, 0.880_797, 0.99];
    let is_near = |(found, expected): (&f64, f64)| (found - expected).abs() < 1e-6;
    assert!(confidences.iter().zip(expected).all(is_near), "{confidences:?}");
}

/// The wait that a machine and the packet on the wire add is no standing queue.
#[test]
fn a_load_that_drops_is_bare_while_half_of_its_time_no_packet_waits() {
    let mut bare = managed();
    // A packet takes 1 ms: half of one, and 0.3 ms of the machine's.
    for (noise, median, is_so) in
        [(0.0, 0.75e-3, true), (0.0, 0.85e-3, false), (2e-3, 2.75e-3, true)]
    {
        (bare.noise, bare.settled.median) = (noise, median);
        assert_eq!(is_bare(&bare), is_so, "{noise} {median}");
    }
}

#[test]
fn a_limit_makes_an_edge_and_management_a_tail() {
    let of = |p90: f64, drops: bool| {
        let mut signs = managed();
        signs.settled = Shown { p90, longest: 0.1, ..Shown::default() };
        signs.settled.again = if drops { 0.02 } else { 0.0 };
        signs
    };
    let [bytes, packets, managed, fair] = edge(&of(0.1, true));
    assert!(bytes > 1.0 && bytes == packets && managed == 0.0 && fair == 0.0, "{bytes}");
    assert!(edge(&of(0.08, true))[0] < -1.0, "a fifth of it is a tail");
    assert_eq!(edge(&of(0.08, false))[0], 0.0, "it was full in slow start alone");
    let mut never = of(0.08, false);
    (never.stage.again, never.stage.lost) = (0.0, 0.0);
    assert!(edge(&never)[0] > 1.0, "what is managed does not let it get so long");
}
