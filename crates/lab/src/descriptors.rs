//! How many descriptors this process may have.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How many descriptors there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptors {
    /// Before they were raised.
    pub(crate) before: u64,
    /// From now on.
    pub(crate) now: u64,
}

impl Descriptors {
    /// Takes what is enough, or as many as we may have, and never fewer than before.
    pub(crate) fn raise_to(enough: u64) -> Self {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let before = current.unwrap_or(u64::MAX);
        let wanted = maximum.unwrap_or(u64::MAX).min(enough).max(before);
        match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
            Ok(()) => Self { before, now: wanted },
            // Then we have what we had.
            Err(_) => Self { before, now: before },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limit is that of all tests, some of which raise it to what there is.
    #[test]
    fn nobody_has_fewer_for_asking() {
        let raised = Descriptors::raise_to(u64::MAX);
        assert!(raised.now >= raised.before, "{raised:?}");
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
        assert_eq!(Descriptors::raise_to(0), Descriptors { before: raised.now, ..raised });
    }
}
