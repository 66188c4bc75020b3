//! How many descriptors we may have, and how many of what takes some.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Doors, connections, and clients with datagrams: so many of each at most.
const MOST: u64 = 1024;

/// A connection takes two descriptors, the others one.
const DESCRIPTORS_EACH: u64 = 4;

/// For clients of the peer, and the rest of us.
const OTHERS: u64 = 400;

/// As many descriptors as we may have; when this is dropped, as many as before.
#[derive(Debug)]
pub(super) struct Limit {
    before: Rlimit,
    raised: u64,
}

impl Limit {
    pub(super) fn raise() -> Self {
        let before = getrlimit(Resource::Nofile);
        let enough = MOST * DESCRIPTORS_EACH + OTHERS;
        let current = before.current.unwrap_or(u64::MAX);
        let wanted = before.maximum.unwrap_or(u64::MAX).min(enough).max(current);
        let raised = Rlimit { current: Some(wanted), maximum: before.maximum };
        match setrlimit(Resource::Nofile, raised) {
            Ok(()) => Self { before, raised: wanted },
            Err(_) => Self { before, raised: current },
        }
    }

    /// What it was before.
    pub(super) fn soft(&self) -> u64 {
        self.before.current.unwrap_or(u64::MAX)
    }

    /// So many of each there may be.
    pub(super) fn most(&self) -> usize {
        most(self.raised)
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        // Down is always allowed.
        let _ = setrlimit(Resource::Nofile, self.before);
    }
}

fn most(descriptors: u64) -> usize {
    (descriptors.saturating_sub(OTHERS) / DESCRIPTORS_EACH).clamp(16, MOST) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_limit_is_shared_out() {
        assert_eq!(most(u64::MAX), 1024);
        assert_eq!(most(4496), 1024);
        assert_eq!(most(1024), 156);
        assert_eq!(most(64), 16);
    }
}
