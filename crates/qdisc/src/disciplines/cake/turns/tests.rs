use alloc::vec::Vec;

use super::super::flow_table::{FlowTable, Set};
use super::super::isolation::{Hashes, Isolation};
use super::*;

/// The table of as many bulk flows of one host.
fn one_host(flows: usize) -> FlowTable {
    let mut table = FlowTable::new(Isolation::DualSrcHost);
    for flow in 0..flows as u32 {
        let place = table.find(Hashes { flow, source: 1, destination: 1 });
        table.change_set(place, Set::Bulk);
    }
    table
}

/// Turns of old flows that have sent as many bytes as told.
fn after(sent: &[i64]) -> Turns {
    let mut turns = Turns::new(Rng::new(7));
    for (flow, sent) in sent.iter().enumerate() {
        turns.lists.move_to_end(flow, List::Old);
        turns.deficits[flow] = -sent;
    }
    turns
}

/// The number of random numbers that were drawn between two states.
fn draws(mut before: Rng, after: &Rng) -> usize {
    let next = after.clone().next_u64();
    (0..).take_while(|_| before.next_u64() != next).count()
}

#[test]
fn trials_succeed_with_their_chance() {
    let mut rng = Rng::new(3);
    for chance in [0, 1, 300, 18_900, 32_768, 65_535] {
        for trials in [1, 8, 63, 64] {
            let words = 400_000 / trials;
            let sum: u64 = (0..words).map(|_| successes(&mut rng, trials, chance)).sum();
            let (p, n) = (chance as f64 / 65_536.0, (words * trials) as f64);
            let deviation = (sum as f64 - n * p).abs() / (n * p * (1.0 - p)).sqrt().max(1.0);
            assert!(deviation < 4.0, "{chance}, {trials}: {sum} of {n}");
        }
    }
}

/// Flows get the same bytes whether their turns are done one by one or at once: each flow's sum, and
/// the spread of the sums, which is that of the random fractions.
#[test]
fn rounds_at_once_are_rounds_one_by_one() {
    let table = one_host(FLOWS);
    let shares = Shares { quantum: 300, loads: table.loads() };
    let mut turns = after(&[1514; FLOWS]);
    turns.skip_rounds(shares);
    let at_once: Vec<f64> = turns.deficits.iter().map(|deficit| *deficit as f64).collect();
    assert!(turns.deficits.iter().all(|deficit| *deficit <= 0), "no turn was missed");
    let mean = |sums: &[f64]| sums.iter().sum::<f64>() / sums.len() as f64;
    let variance = |sums: &[f64]| {
        let mean = mean(sums);
        sums.iter().map(|sum| (sum - mean) * (sum - mean)).sum::<f64>() / sums.len() as f64
    };
    let rounds = (mean(&at_once) + 1514.0) * 65_536.0 / shares.of(0) as f64;
    let one_by_one: Vec<f64> = (0..FLOWS)
        .map(|flow| {
            (0..rounds as u64).map(|_| shares.draw(flow, &mut turns.rng)).sum::<i64>() as f64
        })
        .collect();
    // A thousand sums: their variance is known to 4 or 5 %.
    let ratio = variance(&at_once) / variance(&one_by_one);
    assert!(rounds > 4000.0 && (0.8..1.25).contains(&ratio), "{rounds} rounds, {ratio}");
}

/// The longest walk: a thousand flows of a host that have all just sent super-packets, at a rate at
/// which the quantum is the smallest. One by one it would take over 200 million turns.
#[test]
fn the_longest_walk_is_bounded() {
    let table = one_host(FLOWS);
    let shares = Shares { quantum: 300, loads: table.loads() };
    for (sent, most_draws) in [(1514, 1_000_000), (65_536, 40_000_000)] {
        let mut turns = after(&[sent; FLOWS]);
        let before = turns.rng.clone();
        assert!(turns.next_old(shares).is_some());
        let draws = draws(before, &turns.rng);
        assert!(draws < most_draws, "{draws} draws after {sent} bytes");
    }
}

/// Flows that have sent nothing yet, or little, have their turns in their order.
#[test]
fn old_flows_go_round() {
    let table = one_host(3);
    let shares = Shares { quantum: 1514, loads: table.loads() };
    let mut turns = after(&[1, 1000, -5]);
    assert_eq!(turns.next_old(shares), Some(2));
    assert_eq!(turns.iter(List::Old).collect::<Vec<_>>(), [2, 0, 1]);
    assert_eq!(turns.deficit(2), 5);
    turns.charge(2, Bytes(1514));
    // A third of 1514 bytes makes up for one byte, not for a thousand.
    assert_eq!(turns.next_old(shares), Some(0));
    assert_eq!(turns.iter(List::Old).collect::<Vec<_>>(), [0, 1, 2]);
    assert!((503..=505).contains(&turns.deficit(0)), "{}", turns.deficit(0));
    turns.leave(0);
    turns.decay(2);
    turns.begin(0, shares);
    assert_eq!((turns.first(List::New), turns.first(List::Decaying)), (Some(0), Some(2)));
    turns.end(0, shares);
    assert_eq!(turns.iter(List::Old).collect::<Vec<_>>(), [1, 0]);
}
