//! Laws of CAKE over the histories of the comparison.

use alloc::vec::Vec;

use proptest::prelude::*;
use units::{Span, Time};

use super::histories::{Event, SETTINGS, cake, history};
use super::parcel::Parcel;
use super::queue::time_of;
use crate::{Dequeued, Qdisc};

/// A link that takes packets as soon as it may, and the shaper's promise: no packet goes before all
/// those before it have taken their time at the rate, whatever packet one begins to count at.
struct Link {
    rate: u64,
    busy_until: Time,
}

impl Link {
    /// Takes packets until this time.
    fn serve(
        &mut self,
        queue: &mut impl Qdisc<Parcel>,
        mut now: Time,
        end: Time,
    ) -> Result<(), TestCaseError> {
        loop {
            match queue.dequeue(now, &mut ()) {
                Dequeued::Packet { packet, .. } => {
                    prop_assert!(now >= self.busy_until, "{:?} before {:?}", now, self.busy_until);
                    self.busy_until = now + Span::from_nanos(time_of(packet.len, self.rate));
                }
                Dequeued::NotBefore(time) => {
                    prop_assert!(time > now && queue.backlog().packets > 0);
                    if time > end {
                        return Ok(());
                    }
                    now = time;
                }
                Dequeued::Empty => return Ok(()),
            }
        }
    }
}

/// The settings that shape what is sent.
fn shaping() -> Vec<&'static str> {
    let shapes = |settings: &&str| settings.contains("bandwidth") && !settings.contains("ingress");
    SETTINGS.as_flattened().iter().copied().filter(shapes).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Not so with `ingress`: what is dropped delays the first clock but not the second one, which
    /// may then be behind when an empty queue fills again, and catches up in a burst. That is so in
    /// Linux, too.
    #[test]
    fn the_rate_is_never_overshot(settings in prop::sample::select(shaping()), seed in any::<u64>()) {
        let mut queue = cake(settings, seed);
        let rate = queue.rate.expect("these settings shape");
        let (mut link, mut now) = (Link { rate, busy_until: Time::ZERO }, Time::ZERO);
        for event in history(seed) {
            let mut end = now;
            match event {
                Event::Pass(span) => end = now + span,
                Event::Arrive(packet) => queue.enqueue(packet, now, &mut ()),
                Event::Depart | Event::Change(_) => {}
            }
            link.serve(&mut queue, now, end)?;
            now = end;
        }
        link.serve(&mut queue, now, Time::MAX)?;
        prop_assert_eq!(queue.backlog().packets, 0);
    }

    #[test]
    fn memory_is_never_more_than_its_limit(
        settings in prop::sample::select(SETTINGS.as_flattened().to_vec()),
        seed in any::<u64>(),
    ) {
        let (mut queue, mut now) = (cake(settings, seed), Time::ZERO);
        for event in history(seed) {
            match event {
                Event::Pass(span) => now += span,
                Event::Arrive(packet) => {
                    queue.enqueue(packet, now, &mut ());
                    let used = queue.memory.used;
                    prop_assert!(used <= queue.memory.limit, "{}: {}", settings, used);
                }
                Event::Depart => drop(queue.dequeue(now, &mut ())),
                Event::Change(_) => {}
            }
            let is_empty = queue.backlog().packets == 0;
            prop_assert_eq!(queue.memory.used.0 == 0, is_empty, "{}", settings);
        }
    }
}
