//! Figures for Prometheus: the text of a registry, served over HTTP.
//!
//! Specification: OpenMetrics 1.0 (the text), RFC 9112 (HTTP/1.1).

mod autorate;
mod places;
mod server;
mod shaping;

pub use autorate::autorate;
pub use server::{MetricsError, serve};
pub use shaping::shaping;
