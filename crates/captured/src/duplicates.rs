//! Packets that were captured twice.

/// The number of segments that are remembered, as in tcptrace.
const REMEMBERED: usize = 8;

/// Segments that have the same IPv4 identification and sequence number as one shortly before: the hardware has
/// captured them twice, or has sent them twice ("hardware dups").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Duplicates {
    /// The identification and the sequence number of each, in one number, which is compared at once.
    latest: [u64; REMEMBERED],
    next: usize,
    pub(crate) count: u64,
}

impl Duplicates {
    /// Takes a segment. Returns whether it was captured twice. Numbers of zero do not count.
    pub(crate) fn take(&mut self, identification: u16, seq: u32) -> bool {
        let segment = u64::from(identification) << 32 | u64::from(seq);
        if identification != 0 && seq != 0 && self.latest.contains(&segment) {
            self.count += 1;
            return true;
        }
        self.latest[self.next] = segment;
        self.next = (self.next + 1) % REMEMBERED;
        false
    }
}
