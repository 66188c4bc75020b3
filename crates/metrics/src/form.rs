//! The forms of figures, and the one that a client asks for.
//!
//! Specification: Prometheus, "Exposition formats" and "Scrape protocol content negotiation"; OpenMetrics 1.0;
//! RFC 9110 sections 12.4.2 and 12.5.1.

use prometheus_client::encoding::{prometheus_text, text};
use prometheus_client::registry::Registry;

/// The form in which figures are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The text format of Prometheus, version 0.0.4: for all who ask for nothing else.
    Text,
    /// The text of OpenMetrics.
    OpenMetrics,
    /// Protocol buffers of Prometheus: the only form that has native histograms.
    #[cfg(feature = "native")]
    Native,
}

impl Form {
    /// The form that a client likes best, from the media types that it accepts.
    pub fn wanted(accept: &str) -> Self {
        let open = weight_of(accept, |kind, _| kind == "application/openmetrics-text");
        let plain = weight_of(accept, |kind, _| kind == "text/plain");
        #[cfg(feature = "native")]
        {
            let native = weight_of(accept, |kind, rest| {
                kind == "application/vnd.google.protobuf" && is_native(rest)
            });
            if native > 0.0 && native >= open.max(plain) {
                return Self::Native;
            }
        }
        if open > 0.0 && open >= plain { Self::OpenMetrics } else { Self::Text }
    }

    /// The media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Text => prometheus_text::CONTENT_TYPE,
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            #[cfg(feature = "native")]
            Self::Native => {
                "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; \
                 encoding=delimited"
            }
        }
    }

    /// A document without figures.
    pub fn empty(self) -> Vec<u8> {
        self.encode(&Registry::default())
    }

    pub(crate) fn encode(self, registry: &Registry) -> Vec<u8> {
        let mut text = String::new();
        let written = match self {
            Self::Text => prometheus_text::encode(&mut text, registry),
            Self::OpenMetrics => text::encode(&mut text, registry),
            #[cfg(feature = "native")]
            Self::Native => {
                use prometheus_client::encoding::prometheus_protobuf::encode_to_vec;
                return encode_to_vec(registry).expect("memory takes any figures");
            }
        };
        written.expect("a string takes any text");
        text.into_bytes()
    }
}

/// The greatest weight of the media types for which this is true of their name and their parameters; 0 if there
/// is none.
fn weight_of(accept: &str, is_one: impl Fn(&str, &str) -> bool) -> f64 {
    let entries = accept.split(',').map(|it| it.split_once(';').unwrap_or((it, "")));
    let wanted = entries.filter(|(kind, rest)| is_one(kind.trim(), rest));
    wanted.map(|(_, rest)| weight(rest)).fold(0.0, f64::max)
}

/// True if the parameters of a media type are those of [`Form::Native`].
#[cfg(feature = "native")]
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

    /// What Prometheus 2.42 sends.
    const PROMETHEUS: &str = "application/openmetrics-text;version=1.0.0,\
                              application/openmetrics-text;version=0.0.1;q=0.75,\
                              text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

    #[test]
    fn open_metrics_is_for_those_who_ask_for_it() {
        assert_eq!(Form::wanted(PROMETHEUS), Form::OpenMetrics);
        assert_eq!(Form::wanted("application/openmetrics-text"), Form::OpenMetrics);
        let least = "application/openmetrics-text;q=0, text/plain";
        let less = "text/plain;version=0.0.4;q=0.9, application/openmetrics-text;q=0.5";
        for accept in [
            "",
            "*/*",
            "text/plain;version=0.0.4",
            "text/html",
            ";,q=;;",
            "text/plain;q=x",
            least,
            less,
        ] {
            assert_eq!(Form::wanted(accept), Form::Text, "{accept}");
        }
    }

    /// What Prometheus 2.42 sends with `--enable-feature=native-histograms`.
    #[cfg(feature = "native")]
    #[test]
    fn who_likes_native_histograms_best_gets_them() {
        let native = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;\
                      encoding=delimited";
        assert_eq!(Form::wanted(&format!("{native},{PROMETHEUS}")), Form::Native);
        let later = format!("{native};q=0.3, text/plain;q=0.5");
        assert_eq!(Form::wanted(&later), Form::Text);
        let other = format!("{},{PROMETHEUS}", native.replace("delimited", "text"));
        assert_eq!(Form::wanted(&other), Form::OpenMetrics);
    }

    #[test]
    fn a_document_without_figures_is_valid() {
        assert_eq!(Form::OpenMetrics.empty(), b"# EOF\n");
        assert_eq!(Form::Text.empty(), b"");
    }
}
