//! What the rates of both directions ask of probes and of small packets.

use units::{Bytes, Rate, Span};

use super::plan::Plan;

/// The bytes of a probe as an IP packet, whichever version.
const PROBE: Bytes = Bytes(104);

/// As often as is of use, and as seldom as still shows what happens.
const DENSEST: Span = Span::from_millis(5);
const SPARSEST: Span = Span::from_millis(50);

/// Before both directions are known.
pub(super) const AT_FIRST: Span = Span::from_millis(20);

/// How far apart the probes of a stream are to be, if these are the rates up and down: together they
/// take a fiftieth of the slower direction.
pub(super) fn probe_interval(plan: &Plan, rates: [Option<Rate>; 2]) -> Option<Span> {
    let slower = rates.iter().flatten().min()?;
    let all = PROBE * plan.streams.len() as u64;
    let fit = (all / *slower * 50).max(DENSEST).min(SPARSEST);
    let is_known = rates.iter().all(Option::is_some);
    let wanted = if is_known { fit } else { fit.max(AT_FIRST) };
    Some(plan.probe_interval.unwrap_or(wanted))
}

/// Payloads of small segments. With headers the smallest is about a third of a large one, so that a
/// queue that counts packets holds a third of the bytes; the largest still is clearly smaller.
pub(super) const SMALLEST: u32 = 468;
const LARGEST: u32 = 1000;

/// The payload of a small segment, if a direction carries so much of large ones and the opposite
/// direction so much. RFC 9293 section 3.8.6.3: one segment in two is acknowledged; that shall take no
/// more than half of the opposite direction.
pub(super) fn small_segment(rate: Option<Rate>, opposite: Option<Rate>) -> Option<u32> {
    /// Of IPv4 and TCP with time stamps; an acknowledgement is nothing else, and has a frame.
    const HEADERS: f64 = 52.0;
    const ACKNOWLEDGEMENT: f64 = 66.0;
    let (Some(rate), Some(opposite)) = (rate, opposite) else { return Some(SMALLEST) };
    let ratio = rate.as_mbit_f64() / opposite.as_mbit_f64();
    let least = (ACKNOWLEDGEMENT * ratio - HEADERS).ceil() as u32;
    (least <= LARGEST).then_some(least.max(SMALLEST))
}

#[cfg(test)]
mod tests {
    use super::super::plan::Directions;
    use super::*;

    #[test]
    fn probes_take_a_fiftieth_of_the_slower_direction() {
        let plan = Plan::test(Directions::Both, Span::from_secs(20));
        let interval = |up, down| probe_interval(&plan, [up, down].map(Rate::from_bits_per_sec));
        assert_eq!(interval(2_000_000, 20_000_000), Some(Span::from_micros(20_800)));
        assert_eq!(interval(64_000, 20_000_000), Some(SPARSEST));
        assert_eq!(interval(1_000_000_000, 1_000_000_000), Some(DENSEST));
        assert_eq!(interval(0, 1_000_000_000), Some(AT_FIRST));
        assert_eq!(interval(0, 0), None);
        let rrul = Plan::rrul(Span::from_secs(60));
        let three = probe_interval(&rrul, [Some(Rate::from_mbit(10)); 2]);
        assert_eq!(three, Some(Span::from_nanos(12_480_000)));
    }

    #[test]
    fn acknowledgements_do_not_fill_the_opposite_direction() {
        let [slow, fast] = [2, 20].map(|mbit| Some(Rate::from_mbit(mbit)));
        assert_eq!(small_segment(slow, fast), Some(SMALLEST));
        assert_eq!(small_segment(fast, slow), Some(608));
        assert_eq!(small_segment(Some(Rate::from_mbit(100)), slow), None);
        assert_eq!(small_segment(slow, None), Some(SMALLEST));
    }
}
