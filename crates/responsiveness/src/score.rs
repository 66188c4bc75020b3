//! The conversion of probes' times to round trips a minute.

use units::Span;

use stats::trimmed_mean;

/// The times of one probe on a connection of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// The handshake of TCP.
    pub(crate) tcp: Span,
    /// The handshake of TLS, divided by its round trips.
    pub(crate) tls: Span,
    /// The time from the request to the end of its answer.
    pub(crate) http: Span,
}

/// Trimmed means in milliseconds; `None` without samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Means {
    /// `TM(tcp_f)`: of the handshakes of TCP.
    pub(crate) tcp: Option<f64>,
    /// `TM(tls_f)`: of the handshakes of TLS.
    pub(crate) tls: Option<f64>,
    /// `TM(http_f)`: of requests on new connections.
    pub(crate) http: Option<f64>,
    /// `TM(http_l)`: of requests on load-generating connections.
    pub(crate) loaded: Option<f64>,
    /// The standard errors of the times of new connections and of loaded ones, as parts of their
    /// means; `None` if there are fewer than two of a kind.
    pub(crate) errors: Option<[f64; 2]>,
}

impl Means {
    /// The trimmed means of the probes on new connections and on loaded ones.
    pub(crate) fn of(foreign: &[Foreign], loaded: &[Span], kept_percent: usize) -> Self {
        let mean = |part: fn(&Foreign) -> Span| {
            let times: Vec<_> = foreign.iter().map(|probe| part(probe).as_millis_f64()).collect();
            trimmed_mean(&times, kept_percent)
        };
        let wholes = foreign.iter().map(|probe| probe.tcp + probe.tls + probe.http);
        let wholes: Vec<_> = wholes.map(Span::as_millis_f64).collect();
        let times: Vec<_> = loaded.iter().map(|time| time.as_millis_f64()).collect();
        Self {
            tcp: mean(|probe| probe.tcp),
            tls: mean(|probe| probe.tls),
            http: mean(|probe| probe.http),
            loaded: trimmed_mean(&times, kept_percent),
            errors: relative_error(&wholes, kept_percent)
                .zip(relative_error(&times, kept_percent))
                .map(Into::into),
        }
    }

    /// `Foreign_Responsiveness`, in round trips a minute; `None` without samples.
    pub(crate) fn foreign_rpm(&self) -> Option<f64> {
        per_minute((self.tcp? + self.tls? + self.http?) / 3.0)
    }

    /// `Loaded_Responsiveness`, in round trips a minute; `None` without samples.
    pub(crate) fn loaded_rpm(&self) -> Option<f64> {
        per_minute(self.loaded?)
    }

    /// `Responsiveness`, in round trips a minute: the mean of two rates, not the rate of the mean.
    /// `None` if either is missing.
    pub(crate) fn rpm(&self) -> Option<f64> {
        Some(f64::midpoint(self.foreign_rpm()?, self.loaded_rpm()?))
    }

    /// The standard error of `Responsiveness`, in round trips a minute. A rate that is the inverse
    /// of a mean has that mean's relative error, and the errors of two independent values add as
    /// squares (JCGM 100:2008, section 5.1.2). `None` if it is not known.
    pub(crate) fn rpm_error(&self) -> Option<f64> {
        let [foreign, loaded] = self.errors?;
        Some((self.foreign_rpm()? * foreign).hypot(self.loaded_rpm()? * loaded) / 2.0)
    }
}

/// The standard error of a trimmed mean, as a part of the mean: the spread of means of this many
/// independent probes. `None` with fewer than two.
fn relative_error(samples: &[f64], kept_percent: usize) -> Option<f64> {
    let mut kept = samples.to_vec();
    kept.sort_unstable_by(f64::total_cmp);
    kept.truncate((kept.len() * kept_percent.min(100)).div_ceil(100));
    let mean = trimmed_mean(samples, kept_percent).filter(|mean| *mean > 0.0)?;
    let count = kept.len() as f64;
    let squares: f64 = kept.iter().map(|sample| (sample - mean) * (sample - mean)).sum();
    (kept.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt() / mean)
}

/// The round trips a minute of this time; `None` for a time of zero, from a clock too coarse to see
/// a round trip.
fn per_minute(millis: f64) -> Option<f64> {
    (millis > 0.0).then(|| 60_000.0 / millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(tcp: f64, tls: f64, http: f64, loaded: f64) -> Means {
        let [tcp, tls, http, loaded] = [tcp, tls, http, loaded].map(Some);
        Means { tcp, tls, http, loaded, errors: None }
    }

    /// The draft's bounds: 200 ms are 300, 60 ms are 1000, 10 ms are 6000 round trips a minute.
    #[test]
    fn equal_delays_give_the_rates_that_the_draft_names() {
        for (millis, rpm) in [(200.0, 300.0), (60.0, 1000.0), (10.0, 6000.0)] {
            assert_eq!(means(millis, millis, millis, millis).rpm(), Some(rpm));
        }
    }

    #[test]
    fn it_is_a_mean_of_rates() {
        let uneven = means(1.0, 1.0, 1.0, 1000.0);
        assert_eq!(uneven.foreign_rpm(), Some(60_000.0));
        assert_eq!(uneven.loaded_rpm(), Some(60.0));
        assert_eq!(uneven.rpm(), Some(30_030.0));
    }

    #[test]
    fn each_part_of_a_foreign_probe_weighs_the_same() {
        assert_eq!(means(10.0, 20.0, 60.0, 30.0).foreign_rpm(), Some(2000.0));
    }

    /// Delays of 90 and 110 ms in turn: a standard deviation of 10 ms, 10 % of the mean.
    #[test]
    fn the_error_falls_with_the_root_of_the_number_of_probes() {
        let error = |count: usize| {
            let millis = (0..count).map(|n| if n % 2 == 0 { 90 } else { 110 });
            let times: Vec<_> = millis.map(Span::from_millis).collect();
            let foreign: Vec<_> =
                times.iter().map(|time| Foreign { tcp: *time, tls: *time, http: *time }).collect();
            let means = Means::of(&foreign, &times, 100);
            assert!(count == 1 || means.rpm() == Some(600.0));
            means.rpm_error().map(|error| error / 600.0)
        };
        assert_eq!(error(1), None);
        for count in [4, 100, 10_000] {
            let expected = 0.1 / (count as f64 - 1.0).sqrt() / 2.0_f64.sqrt();
            assert!((error(count).unwrap() / expected - 1.0).abs() < 1e-6, "{count} probes");
        }
    }

    #[test]
    fn nothing_is_never_infinite() {
        assert_eq!(Means::of(&[], &[], 95).rpm(), None);
        assert_eq!(means(0.0, 0.0, 0.0, 0.0).rpm(), None);
        let half = Means::of(&[], &[Span::from_millis(100)], 95);
        assert_eq!((half.loaded_rpm(), half.rpm()), (Some(600.0), None));
    }
}
