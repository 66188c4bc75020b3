//! The intervals of probes and the sizes of small packets that suit the rates of both directions.

use observation::{Heading, Load};
use units::{Bytes, Rate, Span};

use super::plan::Plan;

/// The bytes of a probe as an IP packet, of either version.
const PROBE: Bytes = Bytes(104);

/// The bytes of the packets that fill a queue, unless they are made small on purpose.
const PACKET: Bytes = Bytes(1500);

/// The shortest interval that is of use, and the longest that still shows what happens.
const DENSEST: Span = Span::from_millis(5);
const SPARSEST: Span = Span::from_millis(200);

/// The least interval before the rates of both directions are known.
pub(super) const AT_FIRST: Span = Span::from_millis(20);

/// The interval while a direction is loaded whose rate is not yet known.
const IN_DOUBT: Span = Span::from_millis(50);

/// The interval of connections that replace probes where none is answered.
const INSTEAD_OF_PROBES: Span = Span::from_millis(100);

/// Bytes of a connection beside the load, each way, as IP packets: five segments, and a message of
/// some 64 bytes.
const EXCHANGE: Bytes = Bytes(5 * 52 + 64);

/// The interval of the probes of a stream, for these rates up and down.
///
/// All streams together take a fiftieth of the slower direction; while a queue drains, a tenth,
/// because few probes would not show its slope. A queue that counts packets counts a probe as one,
/// however small, and so holds one packet of the load less. In the directions that are `loaded`
/// with packets of these sizes, probes are therefore at most one packet in ten.
pub(super) fn probe_interval(
    plan: &Plan,
    rates: [Option<Rate>; 2],
    load: Load,
    loaded: [Option<Bytes>; 2],
) -> Span {
    let streams = plan.streams.len() as u64;
    let slower = rates.iter().flatten().min();
    let part = if load == Load::Drain { 10 } else { 50 };
    let bytes = slower.map_or(Span::ZERO, |slower| PROBE * streams / *slower * part);
    let packets = rates.iter().zip(loaded).map(|(rate, packet)| match (rate, packet) {
        (Some(rate), Some(packet)) => packet * streams / *rate * 10,
        (None, Some(_)) => IN_DOUBT,
        (_, None) => Span::ZERO,
    });
    let fit = packets.fold(bytes, Span::max).max(DENSEST).min(SPARSEST);
    let is_known = rates.iter().all(Option::is_some);
    let wanted = if is_known { fit } else { fit.max(AT_FIRST) };
    plan.probe_interval.unwrap_or(wanted)
}

/// The interval of connections beside the load where no probe is answered; `slower` is the known
/// rate of the slower direction. It is at least 100 ms: a stage of five seconds then has enough for
/// a percentile.
///
/// They take a twentieth of that direction, unless the plan's interval is shorter.
pub(super) fn blind_interval(plan: &Plan, slower: Option<Rate>) -> Span {
    let fit = slower.map_or(Span::ZERO, |slower| EXCHANGE / slower * 20);
    fit.max(INSTEAD_OF_PROBES).min(plan.foreign_interval)
}

/// The size of this load's IP packets in each direction that it loads, up and down; `segment` is
/// the payload of small ones in bytes.
pub(super) fn packets(load: Load, segment: u32) -> [Option<Bytes>; 2] {
    let packet = match load {
        Load::Small(_) => Bytes((f64::from(segment) + HEADERS) as u64),
        _ => PACKET,
    };
    [Heading::Up, Heading::Down].map(|heading| load.loads(heading).then_some(packet))
}

/// Bytes of the headers of IPv4 and of TCP with time stamps.
const HEADERS: f64 = 52.0;

/// The payloads of small segments, in bytes. With headers the smallest is about a third of a large
/// one, so that a queue that counts packets holds a third of the bytes; the largest is still
/// clearly smaller.
pub(super) const SMALLEST: u32 = 468;
const LARGEST: u32 = 1000;

/// The payload of a small segment in bytes, for these rates of large segments in a direction and in
/// the opposite one; `None` if none is small enough. One segment in two is acknowledged, but every
/// one while some are missing (RFC 5681 section 4.2): even then acknowledgements may take no more
/// than three quarters of the opposite direction.
pub(super) fn small_segment(rate: Option<Rate>, opposite: Option<Rate>) -> Option<u32> {
    /// The bytes of headers alone, and of a frame.
    const ACKNOWLEDGEMENT: f64 = 66.0;
    let (Some(rate), Some(opposite)) = (rate, opposite) else { return Some(SMALLEST) };
    let ratio = rate.as_mbit_f64() / opposite.as_mbit_f64();
    let least = (ACKNOWLEDGEMENT * ratio / 0.75 - HEADERS).ceil() as u32;
    (least <= LARGEST).then_some(least.max(SMALLEST))
}

#[cfg(test)]
mod tests {
    use super::super::plan::Directions;
    use super::*;

    const IDLE: [Option<Bytes>; 2] = [None; 2];

    #[test]
    fn probes_take_a_fiftieth_of_the_slower_direction() {
        let plan = Plan::test(Directions::Both, Span::from_secs(20));
        let interval = |up, down| {
            let rates = [up, down].map(Rate::from_bits_per_sec);
            probe_interval(&plan, rates, Load::Idle, IDLE)
        };
        assert_eq!(interval(2_000_000, 20_000_000), Span::from_micros(20_800));
        assert_eq!(interval(64_000, 20_000_000), SPARSEST);
        assert_eq!(interval(1_000_000_000, 1_000_000_000), DENSEST);
        assert_eq!(interval(0, 1_000_000_000), AT_FIRST);
        assert_eq!(interval(0, 0), AT_FIRST);
        let rrul = Plan { probe_interval: None, ..Plan::rrul(Span::from_secs(60)) };
        let three = probe_interval(&rrul, [Some(Rate::from_mbit(10)); 2], Load::Idle, IDLE);
        assert_eq!(three, Span::from_nanos(12_480_000));
    }

    #[test]
    fn connections_stand_for_probes_as_often_as_the_line_bears() {
        let plan = Plan::test(Directions::Both, Span::from_secs(20));
        let interval =
            |kilobits: u64| blind_interval(&plan, Rate::from_bits_per_sec(kilobits * 1_000));
        assert_eq!(interval(0), Span::from_millis(100));
        assert_eq!(interval(1_000), Span::from_millis(100));
        assert_eq!(interval(324), Span::from_millis(160));
        assert_eq!(interval(64), plan.foreign_interval);
    }

    #[test]
    fn probes_are_few_among_the_packets_of_the_load() {
        let plan = Plan::test(Directions::Both, Span::from_secs(20));
        let interval = |up, down, load| {
            let rates = [up, down].map(|mbit: u64| Rate::from_bits_per_sec(mbit * 1_000_000));
            probe_interval(&plan, rates, load, packets(load, SMALLEST))
        };
        let (up, down) = (Heading::Up, Heading::Down);
        assert_eq!(interval(2, 20, Load::One(up)), Span::from_millis(60));
        assert_eq!(interval(1, 20, Load::One(up)), Span::from_millis(120));
        // The download is not slow, and small packets are many.
        assert_eq!(interval(2, 20, Load::One(down)), Span::from_micros(20_800));
        assert_eq!(interval(2, 20, Load::Small(up)), Span::from_micros(20_800));
        assert_eq!(interval(2, 20, Load::Both), Span::from_millis(60));
        assert_eq!(interval(1, 20, Load::Drain), Span::from_micros(8_320));
        // The rates are not yet known.
        assert_eq!(interval(0, 20, Load::One(up)), IN_DOUBT);
        assert_eq!(interval(0, 0, Load::One(down)), IN_DOUBT);
    }

    #[test]
    fn acknowledgements_do_not_fill_the_opposite_direction() {
        let [slow, fast] = [2, 20].map(|mbit| Some(Rate::from_mbit(mbit)));
        assert_eq!(small_segment(slow, fast), Some(SMALLEST));
        assert_eq!(small_segment(fast, slow), Some(828));
        assert_eq!(small_segment(Some(Rate::from_mbit(100)), slow), None);
        assert_eq!(small_segment(slow, None), Some(SMALLEST));
    }
}
