//! The limits on sockets, connections and clients, which all take descriptors.

/// The most of each: sockets, connections and clients.
const MOST: u64 = 1024;

/// The descriptors for one of each: a connection takes two, a socket and a client one.
const DESCRIPTORS_EACH: u64 = 4;

/// The descriptors for clients of the peer, and for the rest of this process.
const OTHERS: u64 = 400;

/// The file descriptors that suffice for all sockets, connections and clients that a gateway ever
/// serves.
pub const ENOUGH: u64 = MOST * DESCRIPTORS_EACH + OTHERS;

/// The most sockets, connections and clients, of each kind, with this number of file descriptors.
pub fn most(descriptors: u64) -> usize {
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
