//! A path of 2 Mbit/s with a byte FIFO that is full, and true and false statements about it.

use results::{
    Buffer, Claim, DelaySpread, LoadedDirection, Offender, QueueFinding, QueueKind, Remark,
};

use super::*;
use crate::truth::draw;
use crate::truth::path::{Limit, Path, PathDirection, Queue, Shaper};
use crate::truth::probes::{Track, Tracks};
use crate::truth::watch::Counts;

/// The size of the FIFO in bytes, and the delay when it is full.
const LIMIT: f64 = 50e3;
const FULL_MS: f64 = 200.0;

fn path() -> Path {
    let queue = Queue { mbit: 2.0, shaper: Shaper::Htb, limit: Limit::Bytes(LIMIT) };
    let up = PathDirection { node: 1, queue: Some(queue), second: None, loss: 0.0, varies_s: None };
    let down = PathDirection { node: 2, queue: None, ..up.clone() };
    Path {
        up,
        down,
        rtt_ms: 20.0,
        delay_link: 2,
        favoured: None,
        neighbour: None,
        block: None,
        server_limit: None,
        ..draw::path(1, 0)
    }
}

/// A run that is idle for two seconds, then full.
fn run() -> Run {
    let at_s: Vec<f64> = (0..1000).map(|n| f64::from(n) / 100.0).collect();
    let is_full = |at: &f64| *at >= 2.0;
    let took = |at: &f64| Some(10.0 + if is_full(at) { FULL_MS } else { 0.0 });
    let up = Track { sent_s: at_s.clone(), took_ms: at_s.iter().map(took).collect() };
    let down = Track { sent_s: at_s.clone(), took_ms: vec![Some(10.0); at_s.len()] };
    let counts = Counts {
        backlog: at_s.iter().map(|at| if is_full(at) { LIMIT as u32 } else { 0 }).collect(),
        packets: vec![33; at_s.len()],
        drops: (0..1000).collect(),
        sent: at_s.iter().map(|at| (at * 2e6 / 8.0) as u64).collect(),
        // A third of the packets are small.
        passed: at_s.iter().map(|at| ((at * 250e3) as u64, (at * 250.0) as u32)).collect(),
        at_s,
    };
    Run {
        path: path(),
        said: None,
        complaint: String::new(),
        began_s: 0.0,
        busiest: 0.2,
        tracks: Tracks { up, down, ..Tracks::default() },
        up: vec![counts],
        down: Vec::new(),
    }
}

/// The statements of a correct test.
fn said() -> LoadedDirection {
    let ms = Some(FULL_MS);
    LoadedDirection {
        window_s: [3.0, 9.0],
        added_delay_ms: DelaySpread { p50: ms, p95: ms, p99: ms, max: ms },
        rate_mbit: Some(1.98),
        queue: Some(QueueFinding { kind: QueueKind::ByteFifo, confidence: 0.9 }),
        buffer: Some(Buffer { bytes: Some(49.5e3), ..Buffer::default() }),
        offender: Some(Offender { hop: Some(1), ..Offender::default() }),
        saturated: true,
        grade: Some(results::Grade::D),
        ..LoadedDirection::default()
    }
}

fn outcomes(upload: LoadedDirection, advice: Vec<Remark>) -> Vec<(String, Judgement)> {
    let grade = upload.grade;
    let measurement = Measurement { upload: Some(upload), grade, advice, ..Measurement::default() };
    let said = serde_json::to_value(measurement).unwrap();
    let judged = judge(&Run { said: Some(said), ..run() });
    judged.into_iter().map(|judged| (judged.what, judged.outcome)).collect()
}

#[test]
fn what_is_right_is_true() {
    // It is at the edge from C to D.
    let all = outcomes(said(), Vec::new());
    assert!(all.iter().all(|(_, outcome)| *outcome == Judgement::True), "{all:?}");
    assert_eq!(all.len(), 10, "{all:?}");
}

#[test]
fn what_is_wrong_is_false_and_what_is_missing_withheld() {
    let outcome = |upload, what: &str| {
        let all = outcomes(upload, Vec::new());
        all.into_iter().find(|(name, _)| name == what).map(|(_, outcome)| outcome)
    };
    let late = DelaySpread { p50: Some(210.0), ..said().added_delay_ms };
    let late = LoadedDirection { added_delay_ms: late, ..said() };
    assert_eq!(outcome(late, "delay p50"), Some(Judgement::False));
    let kind = |kind| {
        let queue = Some(QueueFinding { kind, confidence: 0.5 });
        outcome(LoadedDirection { queue, ..said() }, "kind")
    };
    assert_eq!(kind(QueueKind::Aqm), Some(Judgement::False));
    assert_eq!(kind(QueueKind::Fifo), Some(Judgement::True));
    assert_eq!(kind(QueueKind::Unknown), Some(Judgement::Withheld));
    let hop = |hop, last_hop| {
        let offender = Some(Offender { hop, last_hop, ..Offender::default() });
        outcome(LoadedDirection { offender, ..said() }, "hop")
    };
    assert_eq!(hop(Some(2), None), Some(Judgement::False));
    assert_eq!(hop(Some(0), Some(2)), Some(Judgement::Withheld));
    assert_eq!(hop(None, None), Some(Judgement::Withheld));
    let size = |bytes, at_least| {
        let buffer = Some(Buffer { bytes: Some(bytes), at_least, ..Buffer::default() });
        outcome(LoadedDirection { buffer, ..said() }, "buffer")
    };
    assert_eq!(size(30e3, false), Some(Judgement::False));
    assert_eq!(size(30e3, true), Some(Judgement::True));
    assert_eq!(size(60e3, true), Some(Judgement::False));
    let empty = LoadedDirection { saturated: false, grade: None, ..said() };
    assert_eq!(outcome(empty.clone(), "saturated"), Some(Judgement::False));
    assert_eq!(outcome(empty, "grade"), Some(Judgement::Withheld));
}

/// 20 super-packets of 2.5 segments each are 50 packets of the mean size.
#[test]
fn a_queue_of_packets_may_be_told_by_places_or_by_segments() {
    let size = |packets| {
        let mut run = run();
        run.path.up.queue.as_mut().unwrap().limit = Limit::Packets(20.0);
        let buffer = Some(Buffer { packets: Some(packets), ..Buffer::default() });
        let measurement = Measurement {
            upload: Some(LoadedDirection { buffer, ..said() }),
            ..Measurement::default()
        };
        run.said = Some(serde_json::to_value(measurement).unwrap());
        let found = judge(&run).into_iter().find(|judged| judged.what == "buffer");
        found.map(|judged| judged.outcome)
    };
    assert_eq!((size(20.0), size(50.0)), (Some(Judgement::True), Some(Judgement::True)));
    assert_eq!((size(3.0), size(65.0)), (Some(Judgement::False), Some(Judgement::False)));
}

#[test]
fn advice_that_does_damage_is_harmful() {
    let shape = |mbit| {
        let remark = Remark { rate_mbit: Some(mbit), ..remark(Claim::Shape) };
        outcomes(said(), vec![remark]).pop().map(|(_, outcome)| outcome)
    };
    assert_eq!(shape(1.88), Some(Judgement::True));
    assert_eq!(shape(2.5), Some(Judgement::False));
    assert_eq!(shape(0.9), Some(Judgement::Harmful));
    let other = |claim| outcomes(said(), vec![remark(claim)]).pop().map(|(_, outcome)| outcome);
    assert_eq!(other(Claim::Cured), Some(Judgement::Harmful));
    assert_eq!(other(Claim::TestByCable), Some(Judgement::True));
    assert_eq!(other(Claim::Other), Some(Judgement::Unknown));
}

#[test]
fn what_is_absurd_is_not_true() {
    let outcome = |remark: Remark| outcomes(said(), vec![remark]).pop().map(|(_, outcome)| outcome);
    let rate = |claim, mbit| outcome(Remark { rate_mbit: Some(mbit), ..remark(claim) });
    assert_eq!(rate(Claim::OtherTraffic, 1e6), Some(Judgement::False));
    assert_eq!(rate(Claim::Reached, 1e6), Some(Judgement::False));
    assert_eq!(rate(Claim::ServerRate, 1.0), Some(Judgement::False));
    let part = |claim, part, text: &str| {
        outcome(Remark { part: Some(part), ..Remark::of(claim, Heading::Up, text) })
    };
    assert_eq!(part(Claim::RandomLoss, 0.9, ""), Some(Judgement::False));
    assert_eq!(part(Claim::Loss, 0.9, ""), Some(Judgement::False));
    let bytes = |bytes| outcome(Remark { bytes: Some(bytes), ..remark(Claim::BufferAtLeast) });
    assert_eq!(bytes(1.0), Some(Judgement::Withheld));
    assert_eq!(bytes(60e3), Some(Judgement::False));
    for claim in [Claim::MachineLimit, Claim::EndLimit, Claim::HeldBack, Claim::ProbesFavoured] {
        assert_eq!(outcome(remark(claim)), Some(Judgement::False), "{claim:?}");
    }
    // The figures are right, and the sentence states others.
    let adds = |text| {
        let remark = Remark::of(Claim::AddedDelay, Heading::Up, text);
        outcome(Remark { delay_ms: Some(FULL_MS), ..remark })
    };
    assert_eq!(adds("Uploading adds up to 200 ms of delay."), Some(Judgement::True));
    assert_eq!(adds("Uploading adds up to 2 ms of delay."), Some(Judgement::False));
}

fn remark(claim: Claim) -> Remark {
    Remark::of(claim, Heading::Up, "")
}
