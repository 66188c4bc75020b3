//! Figures for Prometheus: the text of a registry.
//!
//! Specification: OpenMetrics 1.0.

mod autorate;
#[cfg(feature = "native")]
mod native;
mod shaping;
mod watch;

pub use autorate::autorate;
#[cfg(feature = "native")]
pub use native::{NATIVE_MEDIA_TYPE, prefers_native};
pub use shaping::shaping;
pub use watch::{FigureTarget, WatchFigures};

/// The media type of the text.
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

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
