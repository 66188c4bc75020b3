use super::*;

const LONGEST: f64 = NO_DELAY + OF_MACHINES;

/// The result for probes a tenth of a second apart; `None` is a lost one.
fn of(waits: &[Option<f64>]) -> Quiet {
    let fates = waits.iter().map(|wait| wait.map_or(Fate::Lost, Fate::Waited));
    let passages = fates.zip(0_u32..).map(|(fate, n)| Passage { at: f64::from(n) / 10.0, fate });
    Quiet::of(&passages.collect::<Vec<_>>())
}

/// Lost and delivered, by the rule: no queue caused a loss if the probes just before and just after
/// were delivered and did not wait; of several losses in a row none or one counts.
#[test]
fn a_loss_is_no_queues_if_nothing_waited_beside_it() {
    let (quiet, waited) = (Some(LONGEST), Some(LONGEST + 1e-6));
    for (waits, delivered, lost) in [
        (&[quiet, None, quiet][..], 2.0, 1.0),
        (&[waited, None, quiet], 1.0, 0.0),
        (&[quiet, None, waited], 1.0, 0.0),
        (&[None, quiet, None], 1.0, 0.0),
        (&[quiet, None, None, None, quiet], 2.0, 1.0),
        (&[quiet, None, quiet, None, quiet, waited], 3.0, 2.0),
    ] {
        assert_eq!((of(waits).delivered, of(waits).lost), (delivered, lost), "{waits:?}");
    }
}

#[test]
fn the_part_that_is_lost_is_of_those_that_nothing_waited_beside() {
    let quiet = Some(0.0);
    assert_eq!(of(&[quiet, None, quiet, quiet, Some(1.0)]).loss(), 0.25);
    assert_eq!(of(&[Some(1.0); 3]).loss(), 0.0);
}

/// Poisson: where 4.6 are expected, none is lost in one of a hundred tests; where 6.6 are, one at
/// most.
#[test]
fn a_wire_may_lose_what_chance_may_hide() {
    let seen = |lost, sent| Quiet { delivered: sent - lost, lost, lost_alone: 0.0 };
    assert!(seen(0.0, 499.0).may_lose(0.01) && !seen(0.0, 501.0).may_lose(0.01));
    assert!(seen(1.0, 699.0).may_lose(0.01) && !seen(1.0, 701.0).may_lose(0.01));
}

#[test]
fn what_part_is_lost_is_known_of_many() {
    let seen = |lost| Quiet { delivered: 1000.0 - lost, lost, lost_alone: lost };
    assert_eq!((seen(KNOWN - 1.0).known_loss(), seen(KNOWN).known_loss()), (None, Some(0.016)));
}

/// A pause is quiet when the last probe that waited in either queue has been delivered, and a burst
/// of such probes has gone through the other queue.
#[test]
fn a_pause_is_quiet_when_neither_queue_drains() {
    let pause = Window { from: 10.0, to: 12.0 };
    let waiting = |until: f64| {
        let times = (0..200).map(|n| 10.0 + f64::from(n) / 100.0);
        let passage = |at: f64| Passage { at, fate: Fate::Waited((until - at).max(0.0)) };
        times.map(passage).collect::<Vec<_>>()
    };
    let from = |up, down| drained([&waiting(up), &waiting(down)], &pause).from;
    assert_eq!(from(0.0, 10.5), 11.0, "its later half at most");
    assert!((from(11.5, 0.0) - 11.5 - LONGEST).abs() < 1e-9);
    assert_eq!(from(0.0, 15.0), 12.0, "never");
}
