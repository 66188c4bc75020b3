//! Lists of queues, threaded through one array, so that moving a queue allocates nothing.

use alloc::boxed::Box;

/// The end of a list. Queues have lower numbers: there are at most 65536.
const NOBODY: u32 = u32::MAX;
/// The next queue of a queue that is on no list.
const UNLISTED: u32 = u32::MAX - 1;

/// The next queue on the same list, for each queue. A queue is on at most one list.
#[derive(Clone, Debug)]
pub(super) struct Links(Box<[u32]>);

impl Links {
    pub(super) fn new(queues: u32) -> Self {
        Self((0..queues).map(|_| UNLISTED).collect())
    }

    /// True if the queue is on a list.
    pub(super) fn contains(&self, index: u32) -> bool {
        self.0[index as usize] != UNLISTED
    }
}

/// A first-in first-out list of queues.
#[derive(Clone, Debug)]
pub(super) struct List {
    first: u32,
    last: u32,
    len: u32,
}

impl Default for List {
    fn default() -> Self {
        Self { first: NOBODY, last: NOBODY, len: 0 }
    }
}

impl List {
    /// Appends a queue that is on no list.
    pub(super) fn push(&mut self, index: u32, links: &mut Links) {
        links.0[index as usize] = NOBODY;
        if self.is_empty() {
            self.first = index;
        } else {
            links.0[self.last as usize] = index;
        }
        self.last = index;
        self.len += 1;
    }

    /// Removes the first queue; `None` if the list is empty.
    pub(super) fn pop(&mut self, links: &mut Links) -> Option<u32> {
        let index = self.first()?;
        self.first = core::mem::replace(&mut links.0[index as usize], UNLISTED);
        self.len -= 1;
        Some(index)
    }

    pub(super) fn first(&self) -> Option<u32> {
        (!self.is_empty()).then_some(self.first)
    }

    /// The queues in their order.
    pub(super) fn iter(&self, links: &Links) -> impl Iterator<Item = u32> {
        let known = |index: u32| (index < UNLISTED).then_some(index);
        core::iter::successors(self.first(), move |index| known(links.0[*index as usize]))
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) const fn len(&self) -> u32 {
        self.len
    }
}
