//! Goodput in intervals as long as Flent's, because Flent draws raw values as they are.

use results::FlowSeries;

/// Least length of an interval, as a part of the step: clocks do not tick exactly.
const NEARLY: f64 = 0.99;

/// The flow with intervals of `step_s` seconds or somewhat more. Each has its mean goodput, and the
/// sender's state at its end.
pub(super) fn coarse(flow: &FlowSeries, step_s: f64) -> FlowSeries {
    let mut result = FlowSeries::new(flow.heading, flow.class.as_str());
    let at_index = |list: &[Option<f64>], index: usize| list.get(index).copied().flatten();
    let usual =
        flow.at_s.get(1).zip(flow.at_s.first()).map_or(0.0, |(second, first)| second - first);
    let mut from = flow.at_s.first().map_or(0.0, |first| first - usual);
    let (mut last, mut megabits, mut known) = (from, 0.0, false);
    for (index, at) in flow.at_s.iter().enumerate() {
        if let Some(rate) = at_index(&flow.goodput_mbit, index) {
            megabits += rate * (at - last);
            known = true;
        }
        last = *at;
        if at - from >= NEARLY * step_s {
            result.at_s.push(*at);
            let rate = stats::ratio(megabits, at - from).filter(|_| known);
            result.goodput_mbit.push(rate);
            result.srtt_ms.push(at_index(&flow.srtt_ms, index));
            result.cwnd.push(at_index(&flow.cwnd, index));
            (from, megabits, known) = (*at, 0.0, false);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use observation::Heading;

    use super::*;

    #[test]
    fn short_intervals_become_one() {
        let at_s: Vec<f64> = (1..=9).map(|n| 5.0 + f64::from(n) * 0.05).collect();
        let goodput_mbit = (1..=9).map(|n| (n != 3).then_some(f64::from(n % 2) * 8.0)).collect();
        let ramp: Vec<Option<f64>> = (1..=9).map(|n| Some(f64::from(n))).collect();
        let flow = FlowSeries {
            at_s,
            goodput_mbit,
            srtt_ms: ramp.clone(),
            cwnd: ramp,
            ..FlowSeries::new(Heading::Up, "BE")
        };
        let coarse = coarse(&flow, 0.2);
        assert_eq!(coarse.srtt_ms, [Some(4.0), Some(8.0)]);
        let rates: Vec<f64> = coarse.goodput_mbit.iter().flatten().copied().collect();
        assert!((rates[0] - 2.0).abs() < 1e-9 && (rates[1] - 4.0).abs() < 1e-9, "{rates:?}");
        assert!((coarse.at_s[1] - 5.4).abs() < 1e-9, "{:?}", coarse.at_s);
    }

    #[test]
    fn long_intervals_stay() {
        let flow = FlowSeries {
            at_s: vec![0.2, 0.4, 0.6],
            goodput_mbit: vec![Some(1.0), None, Some(3.0)],
            ..FlowSeries::new(Heading::Up, "BE")
        };
        let coarse = coarse(&flow, 0.2);
        assert_eq!(coarse.at_s, flow.at_s);
        assert_eq!(
            coarse.goodput_mbit.iter().map(Option::is_some).collect::<Vec<_>>(),
            [true, false, true]
        );
    }
}
