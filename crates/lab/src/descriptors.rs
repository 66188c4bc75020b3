//! The number of file descriptors that this process may have.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The limits on file descriptors, before and after raising.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptors {
    /// The limit before it was raised.
    pub(crate) before: u64,
    /// The limit from now on.
    pub(crate) now: u64,
}

impl Descriptors {
    /// Raises the limit to `enough`, or as far as is allowed; never lowers it.
    pub(crate) fn raise_to(enough: u64) -> Self {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let before = current.unwrap_or(u64::MAX);
        let wanted = maximum.unwrap_or(u64::MAX).min(enough).max(before);
        match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
            Ok(()) => Self { before, now: wanted },
            // The old limit stays.
            Err(_) => Self { before, now: before },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All tests share the limit, and some of them raise it to the maximum.
    #[test]
    fn nobody_has_fewer_for_asking() {
        let raised = Descriptors::raise_to(u64::MAX);
        assert!(raised.now >= raised.before, "{raised:?}");
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
        assert_eq!(Descriptors::raise_to(0), Descriptors { before: raised.now, ..raised });
    }
}
