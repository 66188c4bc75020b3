//! Smoke plots of pings, as SmokePing draws them: rounds of pings, the median of each as a line,
//! and shades around it that are darker where more pings of the round lie between their edges.

use report::{Curve, Mark};

use super::pings::Ping;

/// The pings in a round, SmokePing's default; SmokePing makes a round every five minutes.
pub(super) const ROUND: usize = 20;

/// A round of pings.
#[derive(Debug, PartialEq)]
struct Round {
    /// The time of the round's first ping and of the next round's, in seconds.
    span: [f64; 2],
    /// The round trips in seconds, ascending, with the lost pings on both sides, so that the shades
    /// stay around the median.
    sorted: Vec<Option<f64>>,
    lost: usize,
    median: Option<f64>,
}

impl Round {
    /// The round of these pings. As in SmokePing, the median is the middle of the answered pings,
    /// the later one of two. Half of the lost pings stand before all others and the rest after
    /// them.
    fn of(pings: &[Ping], interval: f64) -> Self {
        let mut back: Vec<f64> = pings.iter().filter_map(|ping| ping.rtt).collect();
        back.sort_unstable_by(f64::total_cmp);
        let lost = pings.len() - back.len();
        let median = back.get(back.len() / 2).copied();
        let mut sorted = vec![None; lost / 2];
        sorted.extend(back.into_iter().map(Some));
        sorted.resize(pings.len(), None);
        let from = pings.first().map_or(0.0, |ping| ping.sent);
        Self { span: [from, from + interval * pings.len() as f64], sorted, lost, median }
    }
}

/// The curves of pings sent at this interval, in seconds against seconds.
pub(super) fn smoke(pings: &[Ping], interval: f64) -> Vec<Curve> {
    // The last pings of a run may not be back when it ends.
    let rounds: Vec<Round> =
        pings.chunks_exact(ROUND).map(|pings| Round::of(pings, interval)).collect();
    let mut curves: Vec<Curve> = (0..ROUND / 2).map(|shade| band(&rounds, shade)).collect();
    curves.push(median(&rounds));
    curves.extend(losses(&rounds));
    curves
}

/// The start and end of each round.
fn ends(rounds: &[Round]) -> Vec<f64> {
    rounds.iter().flat_map(|round| round.span).collect()
}

/// Each round's value twice, for its start and end.
fn level(rounds: &[Round], value: impl Fn(&Round) -> Option<f64>) -> Vec<Option<f64>> {
    rounds.iter().flat_map(|round| [value(round); 2]).collect()
}

/// The band from the ping at this distance from the beginning to the one at the same distance from
/// the end.
fn band(rounds: &[Round], shade: usize) -> Curve {
    Curve {
        name: "smoke: the pings of a round".into(),
        mark: Mark::Band,
        x: ends(rounds),
        y: level(rounds, |round| *round.sorted.iter().rev().nth(shade)?),
        low: level(rounds, |round| *round.sorted.get(shade)?),
        ..Curve::default()
    }
}

fn median(rounds: &[Round]) -> Curve {
    Curve {
        name: "median of a round".into(),
        mark: Mark::Line,
        x: ends(rounds),
        y: level(rounds, |round| round.median),
        ..Curve::default()
    }
}

/// A point for each round that lost pings. `None` if no round did.
fn losses(rounds: &[Round]) -> Option<Curve> {
    let losing = || rounds.iter().filter(|round| round.lost > 0);
    losing().next()?;
    Some(Curve {
        name: "rounds with lost pings".into(),
        mark: Mark::Points,
        x: losing().map(|round| (round.span[0] + round.span[1]) / 2.0).collect(),
        y: losing().map(|round| Some(round.median.unwrap_or_default())).collect(),
        ..Curve::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pings(rtts: impl IntoIterator<Item = Option<f64>>) -> Vec<Ping> {
        let ping = |(index, rtt)| Ping { sent: f64::from(index), rtt };
        (0_u32..).zip(rtts).map(ping).collect()
    }

    /// SmokePing's rule: the median is number int(n / 2), and int(loss / 2) of the lost are in front.
    #[test]
    fn a_round_is_sorted_as_smokeping_does() {
        let round = Round::of(&pings([Some(3.0), None, Some(1.0), Some(2.0), None, None]), 1.0);
        assert_eq!(round.sorted, [None, Some(1.0), Some(2.0), Some(3.0), None, None]);
        assert_eq!((round.lost, round.median, round.span), (3, Some(2.0), [0.0, 6.0]));
        let round = Round::of(&pings([None, None]), 1.0);
        assert_eq!((round.sorted, round.median), (vec![None, None], None));
    }

    #[test]
    fn shades_lie_within_each_other() {
        let values = (0..2 * ROUND as u32).map(|index| Some(f64::from(index % 7)));
        let curves = smoke(&pings(values), 1.0);
        assert_eq!(curves.len(), ROUND / 2 + 1);
        for pair in curves[..ROUND / 2].windows(2) {
            for (outer, inner) in pair[0].y.iter().zip(&pair[1].y) {
                assert!(outer >= inner);
            }
            for (outer, inner) in pair[0].low.iter().zip(&pair[1].low) {
                assert!(outer <= inner);
            }
        }
        assert_eq!(curves[0].x, [0.0, 20.0, 20.0, 40.0]);
        let mut lossy = pings((0..ROUND).map(|_| Some(1.0)));
        lossy[3].rtt = None;
        assert_eq!(smoke(&lossy, 1.0).last().unwrap().x, [10.0]);
    }
}
