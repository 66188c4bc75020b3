//! The order in which segments were last sent: a doubly linked list through the ring.
//!
//! A cursor remembers how far along the list RACK has come, so that each segment is passed once
//! for each time that it was sent.

use super::ring::{Id, Mark, Record, Ring};

/// Both ends of the list and the cursor.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// The oldest and the newest transmission; `None` if the list is empty.
    ends: Option<(Id, Id)>,
    /// The last segment that RACK has reached, as it has all before it in the list; `None` if it
    /// has reached none.
    reached: Option<Id>,
    /// The number of transmissions so far; it wraps.
    transmissions: u32,
}

impl Order {
    /// The number of the latest transmission.
    pub(super) const fn transmissions(&self) -> u32 {
        self.transmissions
    }

    pub(super) fn oldest(&self) -> Option<Id> {
        self.ends.map(|(oldest, _)| oldest)
    }

    /// Appends `record`, which is sent for the first time, and which the ring will take next.
    #[inline]
    pub(super) fn transmit_first(&mut self, ring: &mut Ring, record: &mut Record) {
        record.older = self.link(ring, ring.end());
        record.set(Mark::LISTED);
        record.transmission = self.count();
    }

    /// Appends `id`, which is not in the list, because the segment is sent again.
    pub(super) fn transmit(&mut self, ring: &mut Ring, id: Id) {
        self.append(ring, id);
        ring.get_mut(id).transmission = self.count();
    }

    fn append(&mut self, ring: &mut Ring, id: Id) {
        let older = self.link(ring, id);
        let record = ring.get_mut(id);
        record.older = older;
        record.set(Mark::LISTED);
    }

    /// Makes `id` the newest of the list, and returns the one before it; `id` if there is none.
    #[inline]
    fn link(&mut self, ring: &mut Ring, id: Id) -> Id {
        let Some((oldest, newest)) = self.ends else {
            self.ends = Some((id, id));
            return id;
        };
        ring.get_mut(newest).next = id;
        self.ends = Some((oldest, id));
        newest
    }

    /// Counts a transmission, and returns its number.
    fn count(&mut self) -> u32 {
        self.transmissions = self.transmissions.wrapping_add(1);
        self.transmissions
    }

    /// Takes `id` out of the list, if it is in the list.
    pub(super) fn remove(&mut self, ring: &mut Ring, id: Id) {
        let record = ring.get_mut(id);
        if record.is(Mark::LISTED) {
            let (older, newer) = (record.older, record.next);
            record.clear(Mark::LISTED);
            // A selectively acknowledged segment is in the list too if it was sent again after
            // that.
            record.next = id.wrapping_add(1);
            self.unlink(ring, id, (older, newer));
        }
    }

    /// Takes the segment `id` with the state `record` out of the list, if it is in the list,
    /// because it leaves the ring.
    #[inline]
    pub(super) fn forget(&mut self, ring: &mut Ring, id: Id, record: &Record) {
        if record.is(Mark::LISTED) {
            self.unlink(ring, id, (record.older, record.next));
        }
    }

    /// Takes the listed `id` out of the list, where it lies between `older` and `newer`.
    #[inline]
    fn unlink(&mut self, ring: &mut Ring, id: Id, (older, newer): (Id, Id)) {
        // The list holds a segment, so that it has ends.
        let Some((oldest, newest)) = self.ends else { return };
        if self.reached == Some(id) {
            self.reached = (id != oldest).then_some(older);
        }
        if oldest == newest {
            self.ends = None;
            return;
        }
        if id == oldest {
            self.ends = Some((newer, newest));
        } else if id == newest {
            self.ends = Some((oldest, older));
        } else {
            ring.get_mut(older).next = newer;
            ring.get_mut(newer).older = older;
        }
    }

    /// Moves the cursor over segments for which `overtaken` holds, and returns its position; `None`
    /// if it has passed no segment.
    pub(super) fn reach(
        &mut self,
        ring: &mut Ring,
        overtaken: impl Fn(&Record) -> bool,
    ) -> Option<Id> {
        let (oldest, newest) = self.ends?;
        loop {
            ring.step();
            let next = match self.reached {
                Some(id) if id == newest => break,
                Some(id) => ring.get(id).next,
                None => oldest,
            };
            if !overtaken(ring.get(next)) {
                break;
            }
            self.reached = Some(next);
        }
        self.reached
    }

    /// Builds the list anew from `ids`, oldest transmission first.
    pub(super) fn rebuild(&mut self, ring: &mut Ring, ids: &[Id]) {
        (self.ends, self.reached) = (None, None);
        for &id in ids {
            self.append(ring, id);
        }
    }
}

#[cfg(test)]
impl Order {
    /// Checks the links of the list both ways; returns its length.
    pub(super) fn check(&self, ring: &Ring) -> u32 {
        let Some((oldest, newest)) = self.ends else {
            assert_eq!(self.reached, None);
            return 0;
        };
        let (mut id, mut count, mut passed) = (oldest, 1, self.reached == Some(oldest));
        while id != newest {
            let next = ring.get(id).next;
            assert_eq!(ring.get(next).older, id);
            assert!(ring.get(id).sent <= ring.get(next).sent, "in order of transmission");
            let ahead = ring.get(next).transmission.wrapping_sub(ring.get(id).transmission);
            assert!(ahead > 0 && ahead < u32::MAX / 2);
            id = next;
            count += 1;
            passed |= self.reached == Some(id);
        }
        assert!(passed || self.reached.is_none());
        count
    }
}
