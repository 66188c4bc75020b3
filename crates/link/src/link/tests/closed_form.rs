//! A link in closed form does what the same link does when it is driven packet by packet.

use super::random::any_capacity;
use super::*;
use crate::Looks;

type TestLink = Link<Item, AnyQdisc<Item>>;

/// All that can be seen of a link.
#[derive(Debug, Default, PartialEq)]
struct History {
    fates: Fates,
    deliveries: Vec<(Time, u64)>,
    /// The backlog, the wait of others, and whether the link was busy, before each packet.
    looks: Vec<(Backlog, Span, bool)>,
}

impl History {
    fn look(&mut self, link: &TestLink, now: Time) {
        self.looks.push((link.backlog(), link.new_flow_wait(now), link.is_busy(now)));
    }

    /// Notes what has left the link by now, and by just before now.
    fn catch_up(&mut self, link: &mut TestLink, departed: &mut VecDeque<u64>, now: Time) {
        while let Some(due) = link.next_departure().filter(|due| *due < now) {
            link.serve(due, &mut self.fates);
        }
        while let Some(Departure { time, sojourn, .. }) = link.take_departure(now) {
            let number = departed.pop_front().expect("a packet waited");
            self.fates.departed.push((number, sojourn, time));
        }
        while let Some((time, packet)) = link.take_timed_delivery(now) {
            self.deliveries.push((time, packet.number));
        }
    }
}

fn link(queue: &str, wire: &Wire) -> TestLink {
    let spec: QdiscSpec = queue.parse().unwrap();
    let info = LinkInfo::new(Rate::from_mbit(12), Bytes(1500));
    Link::new(spec.build(info, Rng::new(1)), wire.clone(), Rng::new(2))
}

/// The history of a link to which packets come, each so many microseconds after the one before. With
/// `closed`, the link is in closed form until that many packets have come.
fn history(queue: &str, wire: &Wire, packets: &[(u64, u64)], closed: Option<usize>) -> History {
    let (mut link, mut history) = (link(queue, wire), History::default());
    let (mut now, mut waiting) = (Time::ZERO, VecDeque::new());
    if closed.is_some() {
        link.close_form();
        assert!(link.is_closed_form());
    }
    for (number, (micros, len)) in (0..).zip(packets) {
        now += Span::from_micros(*micros);
        history.catch_up(&mut link, &mut waiting, now);
        if closed == Some(number as usize) {
            link.open_form(&mut history.fates);
        }
        history.look(&link, now);
        let packet = Item { number, len: Bytes(*len) };
        if !link.is_closed_form() {
            link.offer(packet, now, &mut history.fates);
            continue;
        }
        match link.foresee(&packet, now) {
            Foreseen::Passes(delivery) => {
                history.fates.departed.push((number, Span::ZERO, now));
                link.carry(packet, delivery);
            }
            Foreseen::Waits(delivery) => {
                waiting.push_back(number);
                link.carry(packet, delivery);
            }
            Foreseen::Overflows => history.fates.dropped.push(number),
        }
    }
    history.catch_up(&mut link, &mut waiting, now + Span::from_secs(1000));
    history
}

fn any_packets() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((0_u64..900, 40_u64..1_500), 1..200)
}

fn any_queue() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "pfifo limit 3",
        "pfifo limit 40",
        "bfifo limit 4kb",
        "bfifo limit 900b",
    ])
}

proptest! {
    #[test]
    fn as_if_offered(
        rate in prop::option::of(100_000_u64..100_000_000), queue in any_queue(), packets in any_packets(),
        opens in 0_usize..300,
    ) {
        let capacity = rate.map_or(Capacity::Unlimited, |bits| {
            Capacity::Constant(Rate::from_bits_per_sec(bits).unwrap())
        });
        let wire = Wire { capacity, delay: Span::from_millis(1), ..Wire::default() };
        prop_assert_eq!(
            history(queue, &wire, &packets, None),
            history(queue, &wire, &packets, Some(opens))
        );
    }

    /// What was so at a look can be told after packets that come later were taken.
    #[test]
    fn ahead_of_looks(packets in any_packets(), step in 100_u64..20_000, origin in 0_u64..90_000) {
        let rate = Capacity::Constant(Rate::from_mbit(12));
        let wire = Wire { capacity: rate, delay: Span::from_millis(1), ..Wire::default() };
        let mut looks = Looks::new(Time::ZERO + Span::from_micros(origin), Span::from_micros(step));
        let (mut in_order, mut ahead) = (link("pfifo limit 9", &wire), link("pfifo limit 9", &wire));
        ahead.close_form();
        ahead.set_looks(looks);
        let (mut now, mut seen) = (Time::ZERO, vec![]);
        for (number, (micros, len)) in (0..).zip(&packets) {
            now += Span::from_micros(*micros);
            let serve = |link: &mut TestLink, until| {
                while let Some(due) = link.next_departure().filter(|due| *due < until) {
                    link.serve(due, &mut ());
                }
            };
            while looks.due() <= now {
                serve(&mut in_order, looks.due());
                seen.push((looks.due(), in_order.look(looks.due())));
                looks.advance();
            }
            serve(&mut in_order, now);
            let packet = Item { number, len: Bytes(*len) };
            in_order.offer(packet, now, &mut Fates::default());
            while ahead.take_departure(now).is_some() {}
            if let Foreseen::Passes(at) | Foreseen::Waits(at) = ahead.foresee(&packet, now) {
                ahead.carry(packet, at);
            }
        }
        while ahead.take_departure(Time::MAX).is_some() {}
        while ahead.take_delivery(Time::MAX).is_some() {}
        for (look, was) in seen {
            prop_assert_eq!(was, ahead.look(look), "at {:?}", look);
            prop_assert_eq!(ahead.next_event(look), Some(look), "a packet came later");
        }
        // No packet has come since the next look.
        let free_at = ahead.busy_until();
        let is_busy = free_at > looks.due();
        prop_assert_eq!(ahead.look(looks.due()), Look { new_flow_wait: free_at.since(looks.due()), is_busy });
        prop_assert_eq!(ahead.next_event(looks.due()), None);
    }

    #[test]
    fn only_a_fifo_before_a_plain_wire_has_a_closed_form(
        capacity in any_capacity(), shaped in any::<bool>(), lossy in any::<bool>(),
        queue in prop::sample::select(vec!["pfifo", "bfifo", "pfifo_head_drop", "codel", "red limit 20kb avpkt 1000"]),
    ) {
        let is_plain = matches!(capacity, Capacity::Constant(_) | Capacity::Unlimited);
        let loss = if lossy { Loss::Random(Prob::clamped(0.2)) } else { Loss::None };
        let shaper = (shaped && matches!(capacity, Capacity::Constant(_))).then_some(Bytes(3000));
        let is_shaped = shaper.is_some();
        let mut link = link(queue, &Wire { capacity, shaper, delay: Span::ZERO, loss });
        link.close_form();
        let is_fifo = matches!(queue, "pfifo" | "bfifo");
        prop_assert_eq!(link.is_closed_form(), is_fifo && is_plain && !is_shaped && !lossy);
    }
}
