//! Random arrivals, through random links.

use super::*;

/// Pollaczek-Khinchine for constant service times: the mean wait is rho / (2 (1 - rho)) services.
#[test]
fn poisson_arrivals_wait_as_in_m_d_1() {
    for (rho, packets) in [(0.5, 1_000_000), (0.8, 2_000_000), (0.9, 4_000_000)] {
        let mut link = Link::new(
            Fifo::new(usize::MAX),
            Wire { capacity: Capacity::Constant(Rate::from_mbit(12)), ..Wire::default() },
            Rng::new(5),
        );
        link.queue.found_empty.reserve_exact(packets);
        let (mut rng, mut now, mut waits) = (Rng::new(6), 0.0, Waits::default());
        for number in 0..packets as u64 {
            now -= libm::log(1.0 - rng.next_f64()) * 1e6 / rho; // one service takes 1 ms = 1e6 ns
            let at = Time::from_nanos(now as u64);
            while let Some(due) = link.next_departure().filter(|due| *due < at) {
                link.serve(due, &mut waits);
            }
            while link.take_delivery(at).is_some() {}
            link.offer(Item { number, len: Bytes(1500) }, at, &mut waits);
        }
        let mean = waits.sum / waits.count / 1e6;
        let exact = rho / (2.0 * (1.0 - rho));
        assert!((mean / exact - 1.0).abs() < 0.02, "rho {rho}: {mean}, exactly {exact}");
    }
}

#[derive(Default)]
struct Waits {
    sum: f64,
    count: f64,
}

impl Signals<Item> for Waits {
    fn dropped(&mut self, packet: Item, _: Cause, _: Time) {
        panic!("{packet:?} dropped");
    }
    fn marked(&mut self, _: &Item, _: Cause, _: Time) {}

    fn store(&self) -> &() {
        &()
    }
}

impl LinkSignals<Item> for Waits {
    fn departed(&mut self, _: &Item, sojourn: Span, _: Time) {
        self.sum += sojourn.as_nanos() as f64;
        self.count += 1.0;
    }
    fn lost(&mut self, packet: Item, _: Time) {
        panic!("{packet:?} lost");
    }
}

pub(super) fn any_capacity() -> impl Strategy<Value = Capacity> {
    let rate = |bits| Rate::from_bits_per_sec(bits).unwrap();
    let constant = (100_000_u64..100_000_000).prop_map(move |bits| Capacity::Constant(rate(bits)));
    let steps = prop::collection::vec(100_000_u64..100_000_000, 1..6).prop_map(move |rates| {
        let steps = rates.iter().zip(0..).map(|(bits, n)| (Time::from_millis(n * 3), rate(*bits)));
        Capacity::Scheduled(Schedule::new(steps.collect()).unwrap())
    });
    let trace = prop::collection::vec(0_u32..12, 1..20).prop_map(|mut millis| {
        millis.sort_unstable();
        millis.push(13);
        let text: alloc::string::String = millis.iter().map(|m| format!("{m}\n")).collect();
        Capacity::Traced(Trace::parse(&text).unwrap())
    });
    prop_oneof![Just(Capacity::Unlimited), constant, steps, trace]
}

proptest! {
    /// Over any history: each packet is delivered, is dropped or is lost, exactly once; order is
    /// kept; no packet is faster than the propagation delay; and the wire carries no more than it
    /// can.
    #[test]
    fn laws(
        capacity in any_capacity(), limit in 1_usize..8, loss in 0.0..0.5, gap in 0_u64..3,
        packets in prop::collection::vec((0_u64..3_000, 40_u64..3_000), 1..200),
    ) {
        let delay = Span::from_millis(2);
        let wire = Wire { capacity, shaper: None, delay, loss: Loss::Random(Prob::clamped(loss)) };
        let mut bench = Bench::new(limit, wire);
        bench.link.queue.gap = Span::from_micros(gap * 500);
        let (mut now, mut offered) = (Time::ZERO, vec![]);
        for (micros, len) in packets {
            now += Span::from_micros(micros / 1_000 * 700);
            bench.offer(len, now);
            offered.push((now, Bytes(len)));
        }
        bench.finish();

        let delivered: Vec<u64> = bench.delivered.iter().map(|(number, _)| *number).collect();
        prop_assert!(delivered.is_sorted() && bench.delivered.is_sorted_by_key(|(_, time)| *time));
        let mut all = [&delivered[..], &bench.fates.dropped, &bench.fates.lost].concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..bench.offered).collect::<Vec<_>>());

        let mut carried = Bytes::ZERO;
        for (number, sojourn, start) in &bench.fates.departed {
            let (at, len) = offered[*number as usize];
            prop_assert_eq!(at + *sojourn, *start);
            carried += len;
        }
        for (number, time) in &bench.delivered {
            prop_assert!(*time >= offered[*number as usize].0 + delay);
        }
        // To the nanosecond after the last bit, since times are rounded down.
        let end = bench.link.busy_until() + Span::from_nanos(1);
        if let Some(capacity) = bench.link.capacity(Time::ZERO, end) {
            prop_assert!(carried <= capacity, "{carried} > {capacity}");
        }
    }
}
