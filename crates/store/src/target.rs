//! Targets by number.

use units::Time;

/// The number of a target in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetId(pub(crate) i64);

/// A target of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its number.
    pub id: TargetId,
    /// Its name, as its user wrote it.
    pub name: String,
    /// The sending of its first probe; `None` if there was none.
    pub first: Option<Time>,
    /// The sending of its last probe; `None` if there was none.
    pub last: Option<Time>,
}
