//! A bounded set of recently used keys.

use std::hash::Hash;

use indexmap::IndexMap;

/// A bounded set that knows its least recently used member. Each operation takes constant time.
#[derive(Debug)]
pub(crate) struct Recent<K> {
    most: usize,
    places: IndexMap<K, usize>,
    /// The members in order of use; the oldest follows the newest.
    ring: Vec<Place<K>>,
    newest: usize,
}

#[derive(Debug)]
struct Place<K> {
    key: K,
    older: usize,
    newer: usize,
}

impl<K: Hash + Eq + Copy> Recent<K> {
    /// A set of at most `most` members, and room for at least one.
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), places: IndexMap::new(), ring: Vec::new(), newest: 0 }
    }

    /// Marks `key` as just used. Returns true if it is a member.
    pub(crate) fn touch(&mut self, key: K) -> bool {
        let Some(place) = self.places.get(&key).copied() else { return false };
        if place != self.newest {
            let Place { older, newer, .. } = self.ring[place];
            self.ring[older].newer = newer;
            self.ring[newer].older = older;
            self.put_last(place);
        }
        true
    }

    /// The member that the next new one replaces; `None` while there is room.
    pub(crate) fn next_to_go(&self) -> Option<K> {
        let oldest = self.ring.get(self.newest)?.newer;
        (self.ring.len() >= self.most).then(|| self.ring[oldest].key)
    }

    /// Inserts `key`, which must not be a member, in place of [`next_to_go`](Self::next_to_go).
    pub(crate) fn insert(&mut self, key: K) {
        if let Some(old) = self.next_to_go() {
            self.places.swap_remove(&old);
            // The place after the newest is that of the oldest.
            self.newest = self.ring[self.newest].newer;
            self.ring[self.newest].key = key;
        } else {
            let place = self.ring.len();
            self.ring.push(Place { key, older: place, newer: place });
            self.put_last(place);
        }
        self.places.insert(key, self.newest);
    }

    /// Links a place that is not in the ring between the newest and the oldest.
    fn put_last(&mut self, place: usize) {
        let (newest, oldest) = (self.newest, self.ring[self.newest].newer);
        (self.ring[place].older, self.ring[place].newer) = (newest, oldest);
        (self.ring[newest].newer, self.ring[oldest].older) = (place, place);
        self.newest = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes_first() {
        let mut recent = Recent::new(2);
        assert!(!recent.touch(1));
        recent.insert(1);
        assert_eq!(recent.next_to_go(), None);
        recent.insert(2);
        assert!(recent.touch(1));
        assert_eq!(recent.next_to_go(), Some(2));
        recent.insert(3);
        assert!(recent.touch(1) && !recent.touch(2));
        assert_eq!(recent.next_to_go(), Some(3));
    }

    #[test]
    fn the_order_is_that_of_a_list_that_is_searched() {
        let (mut recent, mut list) = (Recent::new(5), Vec::new());
        let mut random = 1u32;
        for _ in 0..10_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = random >> 29;
            let known = list.iter().position(|other| *other == key);
            assert_eq!(recent.touch(key), known.is_some());
            if let Some(place) = known {
                list.remove(place);
            } else {
                let full = (list.len() == 5).then(|| list.remove(0));
                assert_eq!(recent.next_to_go(), full);
                recent.insert(key);
            }
            list.push(key);
        }
    }

    #[test]
    fn one_place_is_enough() {
        let mut recent = Recent::new(0);
        recent.insert(1);
        assert_eq!((recent.touch(1), recent.next_to_go()), (true, Some(1)));
        recent.insert(2);
        assert_eq!((recent.touch(1), recent.touch(2)), (false, true));
    }
}
