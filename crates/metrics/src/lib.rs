//! Figures for Prometheus: the text of a registry, served over HTTP.
//!
//! Specification: OpenMetrics 1.0 (the text), RFC 9112 (HTTP/1.1).

mod autorate;
mod places;
mod server;
mod shaping;
mod watch;

pub use autorate::autorate;
pub use server::{MetricsError, serve};
pub use shaping::shaping;
pub use watch::{FigureTarget, WatchFigures};

/// The text of a registry without figures.
pub const EMPTY: &str = "# EOF\n";

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;

    #[test]
    fn a_registry_without_figures_is_empty() {
        let mut text = String::new();
        encode(&mut text, &Registry::default()).unwrap();
        assert_eq!(text, super::EMPTY);
    }
}
