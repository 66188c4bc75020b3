//! SFB's probabilities, its penalty box, and its moving hash.

use alloc::vec::Vec;

use units::Bytes;

use super::*;
use crate::Ecn;
use crate::disciplines::tests::every_option_has_an_effect;
use crate::history::{Fates, Probe};

fn probe(flow: u8, ecn: Ecn) -> Probe {
    Probe { id: 0, flow, len: Bytes(1000), ecn, packets: 1, wrongly_marked: false }
}

fn queue(parameters: SfbParameters) -> Sfb<Probe> {
    Sfb::new(parameters, Rng::new(1))
}

/// sch_sfb.c's own steps: 66 and 11 of 65535.
fn kernel() -> SfbParameters {
    SfbParameters {
        increment: Prob::clamped(0.001),
        decrement: Prob::clamped(1.0 / 6000.0),
        ..SfbParameters::default()
    }
}

/// From 0 to certainty in 993 packets that find the bins above target: 65535 / 66.
#[test]
fn certainty_takes_993_steps() {
    let SfbParameters { increment, decrement, .. } = kernel();
    let steps = Steps::new(1, increment, decrement);
    let mut bins = Bins::new(7);
    let hash = bins.hash(&probe(1, Ecn::NotEct));
    bins.add(hash, 1);
    let up: Vec<_> = (0..993).map(|_| bins.update(hash, &steps).probability).collect();
    assert_eq!((up[0], up[991], up[992]), (66, 65_472, CERTAIN));
    bins.take(hash, 1);
    assert_eq!(
        bins.update(hash, &steps),
        Judgement { least_waiting: 0, probability: CERTAIN - 11 }
    );
}

/// tc's defaults: 33 and 3 of 65535.
#[test]
fn steps_are_rounded_as_tc_does() {
    let mut bins = Bins::new(7);
    let hash = bins.hash(&probe(1, Ecn::NotEct));
    let SfbParameters { increment, decrement, .. } = SfbParameters::default();
    let steps = Steps::new(1, increment, decrement);
    bins.add(hash, 1);
    assert_eq!(bins.update(hash, &steps).probability, 33);
    bins.take(hash, 1);
    assert_eq!(bins.update(hash, &steps).probability, 30);
}

/// A flow is judged by its least bin: bins shared with an unresponsive flow do no harm.
#[test]
fn who_shares_not_all_bins_is_innocent() {
    let steps = Steps::new(1, Prob::ONE, Prob::ZERO);
    let mut bins = Bins::new(7);
    let bully = Hash::new(0x1234_5678).unwrap();
    // All levels but the highest.
    let neighbour = Hash::new(0x2234_5678).unwrap();
    bins.add(bully, 5);
    assert_eq!(bins.update(bully, &steps), Judgement { least_waiting: 5, probability: CERTAIN });
    assert_eq!(bins.update(neighbour, &steps), Judgement { least_waiting: 0, probability: 0 });
    let (fullest, greatest, mean) = bins.occupancy();
    assert_eq!((fullest, greatest), (5, Prob::ONE));
    assert!((mean.get() - 8.0 / 128.0).abs() < 1e-12);
}

/// Offers packets of the flow, one a millisecond, without a departure in between if `stuck`.
fn offer(sfb: &mut Sfb<Probe>, flow: u8, millis: core::ops::Range<u64>, stuck: bool) -> Fates {
    let mut outcome = Fates::default();
    for ms in millis {
        sfb.enqueue(probe(flow, Ecn::NotEct), Time::from_millis(ms), &mut outcome);
        if !stuck
            && let Dequeued::Packet { packet, .. } = sfb.dequeue(Time::from_millis(ms), &mut ())
        {
            outcome.sent.push((Time::from_millis(ms), packet));
        }
    }
    outcome
}

/// One flow alone never has more than `max` packets in the queue.
#[test]
fn a_flow_fills_its_bins_and_no_more() {
    let mut sfb = queue(SfbParameters::default());
    let outcome = offer(&mut sfb, 1, 0..200, true);
    assert_eq!(sfb.backlog().packets, 25);
    let full = outcome.dropped.iter().filter(|(.., cause)| *cause == Cause::Overflow).count();
    assert_eq!(sfb.bin_drops(), full as u64);
    // Another flow still has room.
    offer(&mut sfb, 2, 200..220, true);
    assert_eq!(sfb.backlog().packets, 45);
}

/// The limit of the whole queue is checked first; a packet that it refuses is counted in no bin.
#[test]
fn the_limit_comes_first() {
    let mut sfb = queue(SfbParameters { limit: 10, ..SfbParameters::default() });
    let outcome = offer(&mut sfb, 1, 0..30, true);
    assert_eq!((sfb.backlog().packets, outcome.dropped.len(), sfb.bin_drops()), (10, 20, 0));
    assert_eq!(sfb.occupancy().0, 10);
}

/// Offers packets of flow 1, one a millisecond, and keeps 22 of them in the queue, with none of any
/// other flow.
fn press(sfb: &mut Sfb<Probe>, millis: core::ops::Range<u64>) {
    for ms in millis {
        let is_short = sfb.backlog().packets < 22;
        offer(sfb, 1, ms..ms + 1, is_short);
    }
}

/// A flow that keeps its bins full nevertheless gets the penalty rate; a flow beside it does not
/// suffer.
#[test]
fn a_bully_is_put_in_the_box() {
    let increment = Prob::clamped(0.01);
    let mut sfb = queue(SfbParameters { increment, max: 1000, ..SfbParameters::default() });
    let mut ms = 0;
    while sfb.occupancy().1 < Prob::ONE {
        press(&mut sfb, ms..ms + 1);
        ms += 1;
    }
    // Twenty packets to the target; from there on each raises the probability by a hundredth.
    assert!((120..125).contains(&ms), "{ms}");
    // One second in the penalty box: the burst, and 10 packets a second; none is dropped early.
    let before = sfb.penalty_drops();
    let outcome = offer(&mut sfb, 1, ms..ms + 1000, true);
    let refused = sfb.penalty_drops() - before;
    assert!((1000 - 30..=1000 - 28).contains(&refused), "{refused}");
    assert_eq!(outcome.dropped.len() as u64, refused);
    assert!(offer(&mut sfb, 2, ms + 1000..ms + 1015, true).dropped.is_empty());
}

/// Marks stand for drops up to one half, and then give way to them.
#[test]
fn marks_turn_into_drops() {
    let mut sfb = queue(SfbParameters::default());
    let mut tally = |probability: f64| {
        let probability = (probability * f64::from(CERTAIN)) as u16;
        let mut counts = [0_u32; 2];
        for _ in 0..40_000 {
            match sfb.lottery(probability) {
                Verdict::Signal => counts[0] += 1,
                Verdict::Drop => counts[1] += 1,
                Verdict::Pass | Verdict::Mark => {}
            }
        }
        counts.map(|count| f64::from(count) / 40_000.0)
    };
    for (probability, marked, dropped) in [
        (0.0, 0.0, 0.0),
        (0.25, 0.25, 0.0),
        (0.5, 0.5, 0.0),
        (0.75, 0.25, 0.5),
        (0.999, 0.001, 0.998),
    ] {
        let [marks, drops] = tally(probability);
        // Five standard deviations at most.
        assert!(
            (marks - marked).abs() < 0.0125 && (drops - dropped).abs() < 0.0125,
            "{marks} {drops}"
        );
    }
}

/// Flows are hashed anew at each `rehash`, and what waits meanwhile is still counted rightly.
#[test]
fn the_hash_moves() {
    let rehash = Span::from_secs(10);
    let parameters = SfbParameters { rehash, warm_up: Span::ZERO, ..SfbParameters::default() };
    let mut sfb = queue(parameters);
    offer(&mut sfb, 1, 0..10, true);
    let places = |sfb: &Sfb<Probe>| [0, 1].map(|set| sfb.sets[set].hash(&probe(1, Ecn::NotEct)));
    let before = places(&sfb);
    // The packet at 10 s still uses the old hash, the next one the new hash.
    offer(&mut sfb, 1, 10_000..10_001, true);
    assert_eq!((sfb.in_use, sfb.occupancy().0), (0, 11));
    offer(&mut sfb, 1, 10_001..10_002, true);
    assert_eq!((sfb.in_use, sfb.occupancy().0), (1, 1));
    let after = places(&sfb);
    assert!(after[0] != before[0] && after[1] == before[1]);
    while let Dequeued::Packet { .. } = sfb.dequeue(Time::from_secs(11), &mut ()) {}
    assert!(sfb.sets.iter().all(|set| set.occupancy().0 == 0));
}

/// An unresponsive flow is still known after the hash has moved, if there was time to warm up.
#[test]
fn bullies_are_known_to_the_next_bins() {
    let known = |warm_up| {
        let rehash = Span::from_secs(10);
        let increment = Prob::clamped(0.1);
        let mut sfb = queue(SfbParameters { rehash, warm_up, increment, ..kernel() });
        sfb.penalty = PenaltyBox::new(1000, 1000);
        press(&mut sfb, 0..10_002);
        assert_eq!(sfb.in_use, 1);
        sfb.occupancy().1
    };
    assert_eq!(known(Span::ZERO), Prob::ZERO);
    assert_eq!(known(Span::from_secs(5)), Prob::ONE);
}

#[test]
fn options() {
    every_option_has_an_effect::<SfbSpec>(&[
        ("sfb", &["limit 20", "max 5", "target 3", "increment 0.05", "noecn"]),
        ("sfb increment 0.05", &["decrement 0.01"]),
        ("sfb rehash 4s db 100ms increment 0.05", &["rehash 2s", "db 2s"]),
        ("sfb increment 0.5", &["penalty_rate 1pps", "penalty_burst 2p"]),
    ]);
}
