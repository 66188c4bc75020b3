//! Whose data fills the queue that a connection's packets wait in.
//!
//! The rules were chosen on simulated lines with seeds from 1 on; `./x bench captures` judges them on
//! others.

use observation::CapturedFlow;
use results::{Grade, QueueOwner};
use units::Span;

/// The added delay that acknowledgements and losses alone may seem to make.
const NOISE: Span = Span::from_millis(10);

/// The correlation from which round trips grow with the data in flight, and the one up to which they
/// do not.
const TOGETHER: f64 = 0.7;
const APART: f64 = 0.3;

/// The part of the data that is sent by acknowledgements, from which the sender would send more if it
/// could.
const GREEDY: f64 = 0.25;

/// Whose queue it is, which adds this much delay at the 95th percentile of time.
///
/// A greedy sender that waits longer without more data in flight has a smaller share of the line than before. That
/// is so in one queue that others fill, and in a queue of its own among others.
pub(super) fn whose(seen: &CapturedFlow, p95: Span) -> QueueOwner {
    let is_greedy = is_greedy(seen.by_acknowledgements);
    match seen.correlation.filter(|_| seen.is_ahead) {
        // Nobody would notice it.
        _ if Grade::of(p95.as_millis_f64()) == Grade::APlus => QueueOwner::None,
        Some(TOGETHER..) if is_greedy => QueueOwner::Own,
        Some(..APART) if p95 >= NOISE && !is_greedy && !is_way_back_busy(seen) => QueueOwner::Other,
        _ => QueueOwner::Unknown,
    }
}

/// True if acknowledgements waited notably: they come in bursts, and so tell little of the rate at which data arrives,
/// and of how much of it is in flight.
pub(super) fn is_way_back_busy(seen: &CapturedFlow) -> bool {
    Grade::of(seen.way_back.as_millis_f64()) > Grade::APlus
}

/// True for a sender of which this part of the data is sent by acknowledgements: it would send more if it could.
/// A sender of which that is not known may be one.
pub fn is_greedy(by_acknowledgements: Option<f64>) -> bool {
    by_acknowledgements.is_none_or(|part| part >= GREEDY)
}
