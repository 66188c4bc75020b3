//! The version of this program, with what it was built from.

/// The number of the version.
#[cfg(feature = "setup")]
pub(crate) const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// The day of the commit, as in 2026-11-28; empty if it is not known.
#[cfg(feature = "setup")]
pub(crate) const DATE: &str = env!("UNBLOAT_DATE");

/// One line: version, commit and date, as far as they are known.
pub(crate) const SHORT: &str = concat!(env!("CARGO_PKG_VERSION"), env!("UNBLOAT_COMMIT_SHORT"));

/// A line for each fact.
pub(crate) const LONG: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit    ",
    env!("UNBLOAT_COMMIT"),
    "\nbuild     ",
    env!("UNBLOAT_BUILD"),
    "\nfeatures  ",
    env!("UNBLOAT_FEATURES"),
    "\ntarget    ",
    env!("UNBLOAT_TARGET"),
);
