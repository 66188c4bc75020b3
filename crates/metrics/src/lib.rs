//! Figures for Prometheus: a registry as a document, in the form that a client asks for.

mod autorate;
mod form;
#[cfg(feature = "native")]
mod native;
mod shaping;
mod watch;

pub use autorate::autorate;
pub use form::Form;
pub use shaping::shaping;
pub use watch::{FigureTarget, WatchFigures};

/// A rate in Mbit/s in Prometheus's base unit ("Metric and label naming").
fn bytes_per_second(mbit: f64) -> f64 {
    mbit * 1e6 / 8.0
}
