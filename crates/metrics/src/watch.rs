//! The figures of a watch. Those of round trips have the names, the labels and the buckets of
//! `smokeping_prober`, so that its dashboards show them.
//!
//! Source: the documentation of smokeping_prober 0.11 (`--buckets`, and the list of its metrics).

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use observation::{ProbeOutcome, WatchedProbe};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use results::{Spike, SpikeCause, WatchedTest};

use crate::bytes_per_second;
use crate::form::Form;

/// The upper bounds of the buckets in seconds: 20, each twice the one before.
const LEAST_BUCKET_S: f64 = 5e-5;
const BUCKETS: u32 = 20;

type Labels = Vec<(&'static str, String)>;
type Counters = Family<Labels, Counter>;
type Gauges = Family<Labels, Gauge<f64, AtomicU64>>;

/// The figures of a watch, which count from its beginning. Copies are of the same figures.
#[derive(Clone)]
pub struct WatchFigures {
    registry: Arc<Mutex<Registry>>,
    requests: Counters,
    durations: Family<Labels, Histogram, fn() -> Histogram>,
    late: Counters,
    lost: Counters,
    failed: Counters,
    spikes: Counters,
    struck: Counters,
    ongoing: Gauge,
    added: Gauges,
    rates: Gauges,
}

/// A target, as figures name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigureTarget {
    /// The name as its user wrote it.
    pub host: String,
    /// The address; empty until it is known, and for a hop.
    pub address: String,
}

impl FigureTarget {
    fn labels(&self) -> Labels {
        vec![
            ("host", self.host.clone()),
            ("ip", self.address.clone()),
            ("source", String::new()),
            ("tos", "0".to_owned()),
        ]
    }
}

impl Default for WatchFigures {
    fn default() -> Self {
        Self::new()
    }
}

impl WatchFigures {
    /// Figures of which nothing has been counted yet.
    pub fn new() -> Self {
        let mut registry = Registry::default();
        let mut counters = |name: &str, meaning: &str| {
            let counters = Counters::default();
            registry.register(name, meaning, counters.clone());
            counters
        };
        let requests = counters("smokeping_requests", "Regular probes whose fate is known");
        let late = counters("unbloat_watch_late", "Probes answered after more than a second");
        let lost = counters("unbloat_watch_lost", "Probes that nobody answered within a minute");
        let failed = counters("unbloat_watch_failed", "Probes that failed at once");
        let spikes =
            counters("unbloat_watch_spikes", "Times in which answers were late or missing");
        let meaning = "Times in which answers of this target were late or missing";
        let struck = counters("unbloat_watch_target_spikes", meaning);
        // A counter that appears with its first event has no rate then.
        SpikeCause::ALL.iter().for_each(|it| _ = spikes.get_or_create(&labels_of(*it)));
        let durations = Family::new_with_constructor(histogram as fn() -> Histogram);
        let name = "smokeping_response_duration_seconds";
        registry.register(name, "Round trips of answered probes", durations.clone());
        let ongoing = Gauge::default();
        let meaning = "1 while answers are late or missing";
        registry.register("unbloat_watch_spike_ongoing", meaning, ongoing.clone());
        let (added, rates) = (Gauges::default(), Gauges::default());
        let meaning = "Delay that the load of the last test added, 95th percentile";
        registry.register("unbloat_watch_test_added_seconds", meaning, added.clone());
        let meaning = "Rate of the last test";
        registry.register("unbloat_watch_test_bytes_per_second", meaning, rates.clone());
        let registry = Arc::new(Mutex::new(registry));
        Self {
            registry,
            requests,
            durations,
            late,
            lost,
            failed,
            spikes,
            struck,
            ongoing,
            added,
            rates,
        }
    }

    /// Notes a target: its counts of spikes are 0 from now on.
    pub fn know_target(&self, host: &str) {
        let labels = |it: &SpikeCause| struck_labels(host, *it);
        SpikeCause::ALL.iter().map(labels).for_each(|it| _ = self.struck.get_or_create(&it));
    }

    /// Counts a probe. Extra ones do not count: with them, shares and histograms would weigh probes and not time.
    pub fn count_probe(&self, target: &FigureTarget, probe: WatchedProbe) {
        if probe.is_extra {
            return;
        }
        let labels = target.labels();
        self.requests.get_or_create(&labels).inc();
        // All figures of a target begin at 0 together, so that a rate is known from the first one on.
        let late = self.late.get_or_create(&labels).clone();
        let lost = self.lost.get_or_create(&labels).clone();
        let failed = self.failed.get_or_create(&labels).clone();
        late.inc_by(probe.outcome.is_late().into());
        match probe.outcome {
            ProbeOutcome::Answered { round_trip, .. } => {
                self.durations.get_or_create(&labels).observe(round_trip.as_secs_f64());
            }
            ProbeOutcome::Lost => _ = lost.inc(),
            ProbeOutcome::Failed(_) => _ = failed.inc(),
        }
    }

    /// Counts a spike, once and for each target that it struck.
    pub fn count_spike(&self, spike: &Spike) {
        self.spikes.get_or_create(&labels_of(spike.cause)).inc();
        for host in &spike.targets {
            self.struck.get_or_create(&struck_labels(host, spike.cause)).inc();
        }
    }

    /// Notes whether a spike is under way.
    pub fn note_ongoing(&self, is_ongoing: bool) {
        self.ongoing.set(is_ongoing.into());
    }

    /// Notes a test.
    pub fn note_test(&self, test: &WatchedTest) {
        let directions =
            [("up", test.up_mbit, test.up_added_ms), ("down", test.down_mbit, test.down_added_ms)];
        for (name, mbit, added_ms) in directions {
            let direction = vec![("direction", name.to_owned())];
            if let Some(mbit) = mbit {
                self.rates.get_or_create(&direction).set(bytes_per_second(mbit));
            }
            if let Some(added_ms) = added_ms {
                self.added.get_or_create(&direction).set(added_ms / 1e3);
            }
        }
    }

    /// The figures as a document. Native histograms are in [`Form::Native`] alone.
    pub fn document(&self, form: Form) -> Vec<u8> {
        form.encode(&self.registry.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The classic buckets of smokeping_prober.
fn classic_buckets() -> impl Iterator<Item = f64> {
    (0..BUCKETS).map(|n| LEAST_BUCKET_S * f64::from(1_u32 << n))
}

/// A histogram with classic and native buckets.
#[cfg(feature = "native")]
fn histogram() -> Histogram {
    Histogram::new_classic_and_native(classic_buckets(), crate::native::buckets())
}

#[cfg(not(feature = "native"))]
fn histogram() -> Histogram {
    Histogram::new(classic_buckets())
}

fn labels_of(it: SpikeCause) -> Labels {
    vec![("cause", cause(it).to_owned())]
}

fn struck_labels(host: &str, it: SpikeCause) -> Labels {
    vec![("host", host.to_owned()), ("cause", cause(it).to_owned())]
}

/// The name of a cause, as documents have it.
const fn cause(cause: SpikeCause) -> &'static str {
    match cause {
        SpikeCause::OwnUpload => "own_upload",
        SpikeCause::OwnDownload => "own_download",
        SpikeCause::OwnMachine => "own_machine",
        SpikeCause::Wireless => "wireless",
        SpikeCause::Router => "router",
        SpikeCause::Line => "line",
        SpikeCause::Target => "target",
        SpikeCause::Slots => "slots",
        SpikeCause::Unknown => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use results::Grade;
    use units::{Span, Time};

    use super::*;

    fn probe(outcome: ProbeOutcome) -> WatchedProbe {
        WatchedProbe { sent: Time::ZERO, is_extra: false, outcome }
    }

    fn answered(millis: u64) -> WatchedProbe {
        probe(ProbeOutcome::Answered {
            round_trip: Span::from_millis(millis),
            up: None,
            kept: None,
        })
    }

    fn text(figures: &WatchFigures) -> String {
        String::from_utf8(figures.document(Form::Text)).unwrap()
    }

    #[test]
    fn round_trips_are_named_and_counted_as_smokeping_prober_does() {
        let figures = WatchFigures::new();
        let target = FigureTarget { host: "example.net".into(), address: "192.0.2.1".into() };
        for it in [answered(20), answered(1300), probe(ProbeOutcome::Lost)] {
            figures.count_probe(&target, it);
        }
        figures.count_probe(&target, WatchedProbe { is_extra: true, ..answered(300) });
        let text = text(&figures);
        let labels = r#"host="example.net",ip="192.0.2.1",source="",tos="0""#;
        for line in [
            format!("smokeping_requests_total{{{labels}}} 3"),
            format!("smokeping_response_duration_seconds_count{{{labels}}} 2"),
            format!("unbloat_watch_late_total{{{labels}}} 1"),
            format!("unbloat_watch_lost_total{{{labels}}} 1"),
            format!("unbloat_watch_failed_total{{{labels}}} 0"),
        ] {
            assert!(text.lines().any(|it| it == line), "{line}\nis not in\n{text}");
        }
        let bound = |it: &str| it.split("le=\"").nth(1)?.split('"').next()?.parse::<f64>().ok();
        let bounds: Vec<f64> = text.lines().filter_map(bound).collect();
        assert_eq!(bounds.len(), 21);
        assert_eq!((bounds[0], bounds[19]), (5e-5, 26.2144));
    }

    #[cfg(feature = "native")]
    #[test]
    fn native_buckets_hold_each_round_trip_within_a_tenth() {
        use prometheus_client::encoding::prometheus_protobuf::encode;

        let figures = WatchFigures::new();
        let target = FigureTarget { host: "example.net".into(), address: "192.0.2.1".into() };
        for millis in [20, 20, 300] {
            figures.count_probe(&target, answered(millis));
        }
        let families = encode(&figures.registry.lock().unwrap()).unwrap();
        let is_it = |name: &str| name == "smokeping_response_duration_seconds";
        let family = families.iter().find(|it| is_it(&it.name)).unwrap();
        let histogram = family.metric[0].histogram.as_ref().unwrap();
        // Schema 3: the bounds are powers of 2^(1/8), and the bucket of index i ends at its i-th power.
        assert_eq!((histogram.sample_count, histogram.schema), (3, 3));
        let mut index = 0;
        let mut ends = Vec::new();
        for span in &histogram.positive_span {
            index += span.offset;
            ends.extend((0..span.length).map(|n| libm::exp2(f64::from(index + n as i32) / 8.0)));
            index += span.length as i32;
        }
        assert_eq!(histogram.positive_delta, [2, -1]);
        for (end, round_trip) in ends.into_iter().zip([0.02, 0.3]) {
            assert!((1.0..1.1).contains(&(end / round_trip)), "{round_trip} s: up to {end} s");
        }
        // Classic buckets are there beside them.
        assert_eq!(histogram.bucket.len(), 21);
    }

    #[test]
    fn spikes_count_from_zero_by_cause_and_target() {
        let figures = WatchFigures::new();
        ["a", "b"].iter().for_each(|it| figures.know_target(it));
        let before = text(&figures);
        assert_eq!(before.matches("unbloat_watch_spikes_total{cause=").count(), 9, "{before}");
        assert_eq!(before.matches("unbloat_watch_target_spikes_total{host=").count(), 18);
        assert!(before.contains("unbloat_watch_spikes_total{cause=\"line\"} 0\n"), "{before}");
        let targets = vec!["a".to_owned()];
        figures.count_spike(&Spike { targets, cause: SpikeCause::Line, ..Spike::default() });
        let after = text(&figures);
        for line in [
            r#"unbloat_watch_spikes_total{cause="line"} 1"#,
            r#"unbloat_watch_target_spikes_total{host="a",cause="line"} 1"#,
            r#"unbloat_watch_target_spikes_total{host="b",cause="line"} 0"#,
        ] {
            assert!(after.lines().any(|it| it == line), "{line}\nis not in\n{after}");
        }
    }

    #[test]
    fn spikes_and_tests_are_figures() {
        let figures = WatchFigures::new();
        figures.note_ongoing(true);
        let test = WatchedTest {
            server: "vps".into(),
            on_spike: false,
            down: Some(Grade::C),
            up: None,
            down_mbit: Some(50.0),
            up_mbit: None,
            down_added_ms: Some(90.0),
            up_added_ms: None,
            failure: None,
        };
        figures.note_test(&test);
        figures.note_test(&WatchedTest { down: Some(Grade::A), down_added_ms: Some(9.0), ..test });
        let text = text(&figures);
        for line in [
            "unbloat_watch_spike_ongoing 1",
            r#"unbloat_watch_test_bytes_per_second{direction="down"} 6250000.0"#,
            r#"unbloat_watch_test_added_seconds{direction="down"} 0.009"#,
        ] {
            assert!(text.lines().any(|it| it == line), "{line}\nis not in\n{text}");
        }
    }
}
