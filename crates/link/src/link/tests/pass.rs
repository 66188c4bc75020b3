//! Packets that are sent at once are sent as if they had been offered.

use super::random::any_capacity;
use super::*;

/// The deliveries of packets, by their times, and the queue's backlog after each. `sends` puts a packet
/// on the link.
fn history(
    queue: &str,
    wire: &Wire,
    packets: &[(u64, u64)],
    mut sends: impl FnMut(&mut Link<FlowItem, AnyQdisc<FlowItem>>, FlowItem, Time),
) -> (Vec<(Time, Bytes)>, Vec<Backlog>) {
    let spec: QdiscSpec = queue.parse().unwrap();
    let info = LinkInfo::new(Rate::from_mbit(12), Bytes(1500));
    let mut link: Link<FlowItem, _> =
        Link::new(spec.build(info, Rng::new(1)), wire.clone(), Rng::new(2));
    let (mut now, mut deliveries, mut backlogs) = (Time::ZERO, vec![], vec![]);
    for (micros, len) in packets {
        now += Span::from_micros(*micros);
        while let Some(due) = link.next_departure().filter(|due| *due < now) {
            link.serve(due, &mut ());
        }
        while let Some((time, packet)) = link.take_timed_delivery(now) {
            deliveries.push((time, packet.0));
        }
        sends(&mut link, FlowItem(Bytes(*len)), now);
        backlogs.push(link.backlog());
    }
    (deliveries, backlogs)
}

proptest! {
    #[test]
    fn as_if_offered(
        capacity in any_capacity(), shaped in any::<bool>(), lossy in any::<bool>(),
        queue in prop::sample::select(vec!["pfifo limit 3", "bfifo limit 4kb", "codel", "red limit 20kb avpkt 1000"]),
        packets in prop::collection::vec((0_u64..900, 40_u64..1_500), 1..200),
    ) {
        let loss = if lossy { Loss::Random(Prob::clamped(0.2)) } else { Loss::None };
        let shaper = (shaped && matches!(capacity, Capacity::Constant(_))).then_some(Bytes(3000));
        let wire = Wire { capacity, shaper, delay: Span::from_millis(1), loss };
        let offered = history(queue, &wire, &packets, |link, packet, now| {
            link.offer(packet, now, &mut ());
        });
        let passed = history(queue, &wire, &packets, |link, packet, now| {
            if let Err(packet) = link.pass(packet, now) {
                link.offer(packet, now, &mut ());
            }
        });
        prop_assert_eq!(offered, passed);
    }
}

#[test]
fn only_what_can_wait_for_nothing_passes() {
    let passes = |wire: Wire, queue: &str| {
        let spec: QdiscSpec = queue.parse().unwrap();
        let info = LinkInfo::new(Rate::from_mbit(12), Bytes(1500));
        let mut link = Link::new(spec.build(info, Rng::new(1)), wire, Rng::new(2));
        let mut passes = || link.pass(FlowItem(Bytes(1500)), Time::ZERO).is_ok();
        [passes(), passes()]
    };
    let constant = Wire { capacity: Capacity::Constant(Rate::from_mbit(12)), ..Wire::default() };
    assert_eq!(passes(constant.clone(), "pfifo"), [true, false], "the wire is busy then");
    assert_eq!(passes(Wire::default(), "pfifo"), [true, true]);
    assert_eq!(passes(constant.clone(), "codel"), [false, false], "CoDel must see each packet");
    let lossy = Wire { loss: Loss::Random(Prob::clamped(0.5)), ..constant };
    assert_eq!(passes(lossy, "pfifo"), [false, false]);
}

#[test]
fn only_some_wires_may_deliver_at_a_departure() {
    let may = |wire: Wire, queue: &str| {
        let spec: QdiscSpec = queue.parse().unwrap();
        let info = LinkInfo::new(Rate::from_mbit(12), Bytes(1500));
        let link: Link<FlowItem, _> = Link::new(spec.build(info, Rng::new(1)), wire, Rng::new(2));
        link.may_deliver_at_departure()
    };
    let constant = Wire { capacity: Capacity::Constant(Rate::from_mbit(12)), ..Wire::default() };
    assert!(!may(constant.clone(), "pfifo"));
    let shaped = Wire { shaper: Some(Bytes(3000)), ..constant };
    assert!(may(shaped.clone(), "pfifo"));
    assert!(!may(Wire { delay: Span::from_nanos(1), ..shaped }, "pfifo"));
    assert!(!may(Wire::default(), "fq_codel"), "no packet waits");
    assert!(may(Wire::default(), "cake bandwidth 1mbit"), "CAKE holds packets back");
    let trace = Capacity::Traced(Trace::parse("1\n").unwrap());
    assert!(may(Wire { capacity: trace, ..Wire::default() }, "pfifo"));
}
