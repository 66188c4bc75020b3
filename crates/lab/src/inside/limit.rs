//! How many doors, connections and clients there may be: each takes descriptors.

/// So many of each at most.
const MOST: u64 = 1024;

/// A connection takes two descriptors, the others one.
const DESCRIPTORS_EACH: u64 = 4;

/// For clients of the peer, and the rest of us.
const OTHERS: u64 = 400;

/// Descriptors for the most that there may be.
pub(super) const ENOUGH: u64 = MOST * DESCRIPTORS_EACH + OTHERS;

/// With so many descriptors there may be so many of each.
pub(super) fn most(descriptors: u64) -> usize {
    (descriptors.saturating_sub(OTHERS) / DESCRIPTORS_EACH).clamp(16, MOST) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_limit_is_shared_out() {
        assert_eq!(most(u64::MAX), 1024);
        assert_eq!(most(ENOUGH), 1024);
        assert_eq!(most(1024), 156);
        assert_eq!(most(64), 16);
    }
}
