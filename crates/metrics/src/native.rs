//! Native histograms: buckets that grow by a fixed factor, of which only those in use are sent. Their form
//! is Prometheus's protocol buffers; the text format has none.
//!
//! Specification: Prometheus, "Native Histograms", and "Content negotiation" of its exposition formats.

use prometheus_client::metrics::histogram::NativeHistogramConfig;

/// The media type of figures with native histograms.
pub const NATIVE_MEDIA_TYPE: &str =
    "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited";

/// The factor from a bucket to the next is at most this: a percentile is right within 10 %.
const FACTOR: f64 = 1.1;
/// The most buckets of a target: from 50 us to a minute there are 160.
const MOST_BUCKETS: usize = 200;

/// The native buckets of a histogram of round trips.
pub(crate) fn buckets() -> NativeHistogramConfig {
    NativeHistogramConfig::with_bucket_factor(FACTOR).max_buckets(MOST_BUCKETS)
}

/// True if a client that takes these media types likes native histograms best. Prometheus asks so once it
/// is told to scrape them.
///
/// Specification: RFC 9110 sections 12.4.2 and 12.5.1.
pub fn prefers_native(accept: &str) -> bool {
    let weights = |is_one: fn(&str, &str) -> bool| {
        let entries = accept.split(',').map(|it| it.split_once(';').unwrap_or((it, "")));
        let wanted = entries.filter(move |(kind, rest)| is_one(kind.trim(), rest));
        wanted.map(|(_, rest)| weight(rest)).fold(0.0, f64::max)
    };
    let native = weights(|kind, rest| kind == "application/vnd.google.protobuf" && is_native(rest));
    let text = weights(|kind, _| matches!(kind, "application/openmetrics-text" | "text/plain"));
    native > 0.0 && native >= text
}

/// True if the parameters of a media type are those of [`NATIVE_MEDIA_TYPE`].
fn is_native(parameters: &str) -> bool {
    let has = |wanted: &str| parameters.split(';').any(|it| it.trim() == wanted);
    has("proto=io.prometheus.client.MetricFamily") && has("encoding=delimited")
}

/// The weight `q` among the parameters of a media type; 1 if there is none.
fn weight(parameters: &str) -> f64 {
    let written = parameters.split(';').find_map(|it| it.trim().strip_prefix("q="));
    written.map_or(1.0, |it| it.parse().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Prometheus 2.42 sends with `--enable-feature=native-histograms`, and without.
    const WITH: &str = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;\
                        encoding=delimited,application/openmetrics-text;version=1.0.0;q=0.8,\
                        application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;\
                        q=0.5,*/*;q=0.1";
    const WITHOUT: &str = "application/openmetrics-text;version=1.0.0,\
                           application/openmetrics-text;version=0.0.1;q=0.75,\
                           text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

    #[test]
    fn who_likes_native_histograms_best_gets_them() {
        assert!(prefers_native(WITH));
        let later = format!("{NATIVE_MEDIA_TYPE};q=0.3, text/plain;q=0.5");
        let other = NATIVE_MEDIA_TYPE.replace("delimited", "text");
        for accept in [WITHOUT, "", "*/*", &later, &other, ";,q=;;", "text/plain;q=x"] {
            assert!(!prefers_native(accept), "{accept}");
        }
    }
}
