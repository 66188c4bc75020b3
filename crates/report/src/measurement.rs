//! The report of a measurement: sentences first, then tables, then plots.

mod advice;
mod beside;
mod card;
mod certainty;
mod directions;
mod evidence;
#[cfg(test)]
pub(crate) mod example;
mod figures;
mod findings;
mod incomplete;
mod limits;
mod page;
mod path;
mod queue;
mod remarks;
mod table;
mod text;
mod told;
mod verdict;
mod words;

pub use advice::measurement_advice;
pub(crate) use card::{card, wait};
pub use figures::MEASUREMENT_FIGURES;
pub(crate) use figures::{over_time, probes};
pub(crate) use findings::sentence as finding_sentence;
pub(crate) use limits::LIMITS;
pub use limits::measurement_limits;
pub use page::measurement_page;
pub(crate) use queue::kind_sentence;
pub use table::measurement_table;
pub use text::measurement_text;
pub use verdict::measurement_verdict;
pub use words::queue_kind;
pub(crate) use words::{BROKEN_CALL, SURE, rate as rate_in_words};

#[cfg(test)]
mod tests;
