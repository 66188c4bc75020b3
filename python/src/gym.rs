//! The episodes of environments for agents that learn: runs with a part that an agent sets between two
//! steps, and the numbers that it sees.
//!
//! Nothing of a step is in Python, so that steps of several episodes run at the same time.

mod aqm;
mod autorate;
mod congestion;
mod episode;
mod threads;

pub(crate) use episode::{Episode, step_episodes};
pub(crate) use threads::Threads;

/// A delay as a number from 0 to 1: the logarithm of its milliseconds, up to a second.
fn delay_scale(seconds: f64) -> f64 {
    (libm::log10(1.0 + 1000.0 * seconds.max(0.0)) / libm::log10(1001.0)).min(1.0)
}
