//! Flent's names of tests and series.

use observation::Heading;
use results::{FlowSeries, ProbeSeries};

/// A test of Flent's, which determines the series that its plots show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// Four flows up and four down, one of each class.
    Rrul,
    /// Four flows up and four down, all best effort.
    RrulBe,
    /// Any number of flows up.
    TcpNup,
    /// Any number of flows down.
    TcpNdown,
    /// Any number of flows up and down, which is the nearest test for all others.
    RrulBeNflows,
}

impl Test {
    /// The test as which a measurement is drawn, by the name of its test.
    pub(super) fn nearest(name: &str) -> Self {
        let all = [Self::Rrul, Self::RrulBe, Self::TcpNup, Self::TcpNdown];
        all.into_iter().find(|test| test.name() == name).unwrap_or(Self::RrulBeNflows)
    }

    /// Flent's name of the test.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rrul => "rrul",
            Self::RrulBe => "rrul_be",
            Self::TcpNup => "tcp_nup",
            Self::TcpNdown => "tcp_ndown",
            Self::RrulBeNflows => "rrul_be_nflows",
        }
    }

    /// The name of a flow that is the `nth` of its direction and class, from 1.
    pub(super) fn flow(self, flow: &FlowSeries, nth: usize) -> String {
        let (load, class) = (flow.heading.in_words(), &flow.class);
        match self {
            Self::Rrul | Self::RrulBe if nth == 1 => format!("TCP {load} {class}"),
            Self::Rrul | Self::RrulBe => format!("TCP {load} {class}{nth}"),
            Self::TcpNup | Self::TcpNdown => format!("TCP {load}::{nth}"),
            Self::RrulBeNflows => format!("TCP {load} {class}::{nth}"),
        }
    }

    /// The name of a stream of probes that is the `nth` of its class, from 1. `pinged` is true if
    /// one of the streams is ICMP.
    pub(super) fn probes(self, probes: &ProbeSeries, nth: usize, pinged: bool) -> String {
        let class = &probes.class;
        match self {
            _ if class == "ICMP" => "Ping (ms) ICMP".into(),
            // The only name that the plots of these tests know.
            Self::TcpNup | Self::TcpNdown if !pinged && class == "BE" && nth == 1 => {
                "Ping (ms) ICMP".into()
            }
            Self::RrulBe => format!("Ping (ms) UDP {class}{nth}"),
            _ if nth == 1 => format!("Ping (ms) UDP {class}"),
            _ => format!("Ping (ms) UDP {class}{nth}"),
        }
    }

    /// True if the test is RRUL, which can have a call and pages beside the load.
    pub(super) fn is_rrul(self) -> bool {
        matches!(self, Self::Rrul | Self::RrulBe)
    }

    /// True if the test numbers the flows of a direction regardless of their class.
    pub(super) fn counts_all(self) -> bool {
        matches!(self, Self::TcpNup | Self::TcpNdown)
    }
}

/// The kind of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SeriesKind {
    /// Goodput of a flow.
    Flow {
        /// The direction of its data.
        heading: Heading,
        class: String,
    },
    /// Round trips.
    Probes {
        /// The class of the probes, or `ICMP`.
        class: String,
    },
    /// A series that is computed from others.
    Computed,
    /// Another series.
    Other,
}

impl SeriesKind {
    /// The kind of the series with this name.
    pub(super) fn of(name: &str) -> Self {
        let computed = [" avg", " sum", " fairness", "TCP totals"];
        if computed.iter().any(|end| name.ends_with(end)) || name.contains("::tcp_") {
            return Self::Computed;
        }
        for (start, heading) in [("TCP upload", Heading::Up), ("TCP download", Heading::Down)] {
            if let Some(rest) = name.strip_prefix(start) {
                return Self::Flow { heading, class: class(rest) };
            }
        }
        match name.strip_prefix("Ping (ms)") {
            Some(rest) => {
                let rest = rest.trim_start_matches([':', ' ']);
                Self::Probes { class: class(rest.strip_prefix("UDP").unwrap_or(rest)) }
            }
            None => Self::Other,
        }
    }
}

/// The class in the part of a name after the kind of the series: `BE` in ` BE2`, `BE::2`, `::2` and
/// the empty text.
fn class(rest: &str) -> String {
    let rest = rest.trim_start();
    let label = rest.split("::").next().unwrap_or_default().trim();
    let letters = label.trim_end_matches(|c: char| c.is_ascii_digit());
    match letters {
        "" => "BE".into(),
        "BE" | "BK" | "EF" | "ICMP" => letters.into(),
        _ => label.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names from the tests of Flent 2.3.0.
    #[test]
    fn series_are_named_as_flent_names_them() {
        for (test, heading, class, nth, name) in [
            (Test::Rrul, Heading::Up, "CS5", 1, "TCP upload CS5"),
            (Test::RrulBe, Heading::Down, "BE", 1, "TCP download BE"),
            (Test::RrulBe, Heading::Down, "BE", 4, "TCP download BE4"),
            (Test::TcpNup, Heading::Up, "BE", 3, "TCP upload::3"),
            (Test::TcpNdown, Heading::Down, "BE", 3, "TCP download::3"),
            (Test::RrulBeNflows, Heading::Up, "BE", 2, "TCP upload BE::2"),
        ] {
            assert_eq!(test.flow(&FlowSeries::new(heading, class), nth), name);
        }
        for (test, class, nth, pinged, name) in [
            (Test::Rrul, "EF", 1, true, "Ping (ms) UDP EF"),
            (Test::RrulBe, "BE", 2, true, "Ping (ms) UDP BE2"),
            (Test::RrulBe, "ICMP", 1, true, "Ping (ms) ICMP"),
            (Test::TcpNup, "BE", 1, false, "Ping (ms) ICMP"),
            (Test::TcpNup, "BE", 1, true, "Ping (ms) UDP BE"),
            (Test::RrulBeNflows, "BE", 1, false, "Ping (ms) UDP BE"),
        ] {
            let probes = ProbeSeries { class: class.into(), ..ProbeSeries::default() };
            assert_eq!(test.probes(&probes, nth, pinged), name);
        }
    }

    #[test]
    fn names_are_read() {
        for (name, heading, wanted) in [
            ("TCP upload BE", Heading::Up, "BE"),
            ("TCP upload BE4", Heading::Up, "BE"),
            ("TCP download CS5", Heading::Down, "CS5"),
            ("TCP download::12", Heading::Down, "BE"),
            ("TCP upload BK::3", Heading::Up, "BK"),
            ("TCP upload", Heading::Up, "BE"),
            ("TCP upload 1 - bbr", Heading::Up, "1 - bbr"),
        ] {
            assert_eq!(
                SeriesKind::of(name),
                SeriesKind::Flow { heading, class: wanted.into() },
                "{name}"
            );
        }
        for (name, wanted) in [
            ("Ping (ms) ICMP", "ICMP"),
            ("Ping (ms) UDP", "BE"),
            ("Ping (ms) UDP BE1", "BE"),
            ("Ping (ms) UDP EF", "EF"),
            ("Ping (ms)::ICMP", "ICMP"),
            ("Ping (ms) ICMP ::1 (extra)", "ICMP"),
        ] {
            assert_eq!(SeriesKind::of(name), SeriesKind::Probes { class: wanted.into() }, "{name}");
        }
        for name in ["TCP totals", "TCP upload sum", "Ping (ms) avg", "TCP upload BE::tcp_rtt"] {
            assert_eq!(SeriesKind::of(name), SeriesKind::Computed, "{name}");
        }
        assert_eq!(SeriesKind::of("qdisc_stats_dropped"), SeriesKind::Other);
    }
}
