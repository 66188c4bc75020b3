//! Second copies of packets: where a capture holds what passes a router, a bridge or a mirrored port, it has each packet
//! once for each place that it passes.
//!
//! The packets that one end sends count at one place: the one that they pass first. A packet at another place is a copy
//! if nothing in it is new, and if most packets at that place were none. So the order of the copies, or how far apart they
//! are, does not matter, nor that a queue of the router cuts super-packets. Where a connection takes several paths, each
//! of its places has packets that are new, and none is left out.

use units::{Span, Time};

use crate::waits::Waits;

/// The other places that are remembered: a packet of a container passes three more on its way out of the machine.
const OTHERS: usize = 3;

/// The packets by which a place shows what it is: few, so that what it is may change, as with a route.
const MOST: i8 = 8;

/// The places at which the packets of one end are seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    /// The number of the place at which packets count; `None` before the first packet.
    first: Option<u64>,
    others: [Other; OTHERS],
    /// The index of the place that is forgotten next.
    next: usize,
    /// The identification of the latest packet that counts; `None` for one without.
    latest: Option<u16>,
    /// The copies.
    pub(crate) count: u64,
}

/// A place at which packets do not count if they are copies.
#[derive(Clone, Debug, Default)]
struct Other {
    point: u64,
    /// The copies here less the packets that were new, within [`MOST`].
    balance: i8,
    /// The time from the first place to this one; `None` before the first copy of data.
    waits: Option<Box<Waits>>,
}

impl Copies {
    /// True if a packet was seen where the packets of this end count. The first packet is.
    #[inline]
    pub(crate) fn is_first(&mut self, point: u64) -> bool {
        *self.first.get_or_insert(point) == point
    }

    /// Notes the identification of a packet that counts.
    #[inline]
    pub(crate) fn note(&mut self, identification: Option<u16>) {
        self.latest = identification.filter(|it| *it != 0);
    }

    /// True if the host that gives its packets one identification after the other has sent this one later.
    pub(crate) fn is_later(&self, identification: Option<u16>) -> bool {
        let identification = identification.filter(|it| *it != 0);
        let step = identification.zip(self.latest).map(|(new, latest)| new.wrapping_sub(latest));
        step.is_some_and(|step| step.cast_signed() > 0)
    }

    /// Takes a packet that was seen at another place. `is_new` tells that something in it had not been seen before, `sent`
    /// when its data had been. Returns whether it is a copy.
    #[cold]
    pub(crate) fn take(&mut self, point: u64, is_new: bool, sent: Option<Time>, now: Time) -> bool {
        let place = self.others.iter().position(|other| other.point == point);
        let place = place.unwrap_or_else(|| self.forget(point));
        let other = &mut self.others[place];
        if is_new {
            other.balance -= 1;
            if other.balance < -MOST {
                // What comes here comes here first.
                let (point_before, waits) = (self.first.unwrap_or(point), other.waits.take());
                *other = Other { point: point_before, balance: 0, waits };
                self.first = Some(point);
            }
            return false;
        }
        other.balance = (other.balance + 1).min(MOST);
        let is_copy = other.balance > 0;
        if is_copy {
            self.count += 1;
            if let Some(sent) = sent {
                other.waits.get_or_insert_default().record(now, now.since(sent));
            }
        }
        is_copy
    }

    /// The time from the first place to the last one; `None` if there are no copies of data.
    pub(crate) fn waits(&self) -> Option<&Waits> {
        let waits = self.others.iter().filter_map(|other| other.waits.as_deref());
        waits.max_by_key(|waits| waits.quantile(0.95).unwrap_or(Span::ZERO))
    }

    /// Forgets a place for this one. Returns its index.
    fn forget(&mut self, point: u64) -> usize {
        let place = self.next;
        self.next = (place + 1) % OTHERS;
        self.others[place] = Other { point, ..Other::default() };
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(30);

    /// Takes packets at places 1 and 2, the second one new or not, and tells which are copies.
    fn copies(copies: &mut Copies, packets: &[(u64, bool)]) -> Vec<bool> {
        let mut take = |&(point, is_new): &(u64, bool)| {
            !copies.is_first(point) && copies.take(point, is_new, None, NOW)
        };
        packets.iter().map(&mut take).collect()
    }

    #[test]
    fn what_passes_a_second_place_is_a_copy() {
        let mut of = Copies::default();
        let packets = [(1, true), (2, false), (1, true), (1, false), (2, false), (2, false)];
        let expected = [false, true, false, false, true, true];
        assert_eq!(copies(&mut of, &packets), expected, "a packet that was sent again counts");
        assert_eq!(of.count, 3);
        // What the first place has missed counts, and changes nothing.
        assert_eq!(copies(&mut of, &[(2, true), (2, false)]), [false, true]);
    }

    #[test]
    fn a_connection_on_two_paths_has_no_copies() {
        let mut of = Copies::default();
        let packets: Vec<_> = (0..100).map(|number| (number % 2, true)).collect();
        assert!(!copies(&mut of, &packets).contains(&true));
        // Sent again on either path.
        assert_eq!(copies(&mut of, &[(0, false), (1, false)]), [false, false]);
    }

    /// A capture that begins while packets wait sees the place behind the queue first.
    #[test]
    fn the_place_in_front_of_a_queue_is_the_first_one_soon() {
        let mut of = Copies::default();
        copies(&mut of, &[(2, true); 3]);
        copies(&mut of, &[(1, true); 20]);
        let packets: Vec<_> = (0..40).map(|number| (1 + number % 2, number % 2 == 0)).collect();
        let found = copies(&mut of, &packets);
        assert_eq!(found.iter().filter(|is_copy| **is_copy).count(), 20, "all at the second place");
    }

    #[test]
    fn the_time_between_both_places_is_a_wait() {
        let mut of = Copies::default();
        assert!(of.is_first(1) && of.waits().is_none());
        for (point, sent) in [(2, 29), (3, 10), (2, 28), (3, 12)] {
            assert!(of.take(point, false, Some(Time::from_millis(sent)), NOW));
        }
        let most = of.waits().and_then(|waits| waits.quantile(1.0)).unwrap();
        assert_eq!(most.as_millis_f64().round(), 20.0, "to the farthest one");
    }

    /// What comes to the second place first from now on, as by another route, does not change what was measured.
    #[test]
    fn a_wait_that_was_seen_stays() {
        let mut of = Copies::default();
        assert!(of.is_first(1));
        assert!(of.take(2, false, Some(Time::from_millis(10)), NOW));
        for _ in 0..20 {
            of.take(2, true, None, NOW);
        }
        assert!(of.is_first(2));
        let most = of.waits().and_then(|waits| waits.quantile(1.0)).unwrap();
        assert_eq!(most.as_millis_f64().round(), 20.0);
    }

    /// RFC 6864 lets a host give numbers as it likes; most count on, from zero again at the end.
    #[test]
    fn a_later_identification_is_that_of_another_packet() {
        let mut of = Copies::default();
        of.note(Some(65_535));
        assert!(of.is_later(Some(3)) && !of.is_later(Some(65_535)) && !of.is_later(Some(65_000)));
        assert!(!of.is_later(None) && !of.is_later(Some(0)));
    }
}
