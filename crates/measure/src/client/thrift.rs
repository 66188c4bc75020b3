//! What the rates of both directions ask of probes and of small packets.

use results::observation::{Heading, Load};
use units::{Bytes, Rate, Span};

use super::plan::Plan;

/// The bytes of a probe as an IP packet, whichever version.
const PROBE: Bytes = Bytes(104);

/// And those of the packets that fill a queue, unless they are made small on purpose.
const PACKET: Bytes = Bytes(1500);

/// As often as is of use, and as seldom as still shows what happens.
const DENSEST: Span = Span::from_millis(5);
const SPARSEST: Span = Span::from_millis(200);

/// Before both directions are known.
pub(super) const AT_FIRST: Span = Span::from_millis(20);

/// While a direction is loaded of which it is not yet known what it carries.
const IN_DOUBT: Span = Span::from_millis(50);

/// What stands for probes where none is answered.
const INSTEAD_OF_PROBES: Span = Span::from_millis(100);

/// Bytes of a connection beside the load, each way, as IP packets: five segments, and a message of some 64 bytes.
const EXCHANGE: Bytes = Bytes(5 * 52 + 64);

/// How far apart the probes of a stream are to be, if these are the rates up and down.
///
/// Together they take a fiftieth of the slower direction; while a queue drains, whose slope few of them would
/// show, a tenth. A queue that counts packets counts a probe
/// as one, however small, and what it holds of them it does not hold of the load: so in those
/// directions that are `loaded` in packets of this size they are at most one packet in ten.
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

/// How far apart connections beside the load are begun where no probe is answered, and `slower` is what the slower
/// direction is known to carry: ten a second, of which a stage of five seconds shows enough for a percentile.
///
/// They take a twentieth of that direction, unless those of any test already take more.
pub(super) fn blind_interval(plan: &Plan, slower: Option<Rate>) -> Span {
    let fit = slower.map_or(Span::ZERO, |slower| EXCHANGE / slower * 20);
    fit.max(INSTEAD_OF_PROBES).min(plan.foreign_interval)
}

/// The size of IP packets of this load in each direction that it loads, up and down; `segment` is the
/// payload of small ones.
pub(super) fn packets(load: Load, segment: u32) -> [Option<Bytes>; 2] {
    let packet = match load {
        Load::Small(_) => Bytes((f64::from(segment) + HEADERS) as u64),
        _ => PACKET,
    };
    [Heading::Up, Heading::Down].map(|heading| load.loads(heading).then_some(packet))
}

/// Bytes of the headers of IPv4 and of TCP with time stamps.
const HEADERS: f64 = 52.0;

/// Payloads of small segments. With headers the smallest is about a third of a large one, so that a
/// queue that counts packets holds a third of the bytes; the largest still is clearly smaller.
pub(super) const SMALLEST: u32 = 468;
const LARGEST: u32 = 1000;

/// The payload of a small segment, if a direction carries so much of large ones and the opposite
/// direction so much. One segment in two is acknowledged, but each while some are missing (RFC 5681
/// section 4.2): even that shall take no more than three quarters of the opposite direction.
pub(super) fn small_segment(rate: Option<Rate>, opposite: Option<Rate>) -> Option<u32> {
    /// Nothing but headers, and a frame.
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
        // Nobody knows yet.
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
