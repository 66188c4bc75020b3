//! From the times of probes to round trips a minute.
//!
//! Specification: draft-ietf-ippm-responsiveness-09, "Aggregating the Measurements", "For the
//! TLS-Enabled Case".

use units::Span;

use results::trimmed_mean;

/// The times of one probe on a connection of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// The handshake of TCP.
    pub(crate) tcp: Span,
    /// The handshake of TLS, divided by its round trips.
    pub(crate) tls: Span,
    /// From the request to the end of its answer.
    pub(crate) http: Span,
}

/// Trimmed means in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Means {
    /// `TM(tcp_f)`.
    pub(crate) tcp: Option<f64>,
    /// `TM(tls_f)`.
    pub(crate) tls: Option<f64>,
    /// `TM(http_f)`.
    pub(crate) http: Option<f64>,
    /// `TM(http_l)`.
    pub(crate) loaded: Option<f64>,
}

impl Means {
    /// Of the probes, foreign and self.
    pub(crate) fn of(foreign: &[Foreign], loaded: &[Span], kept_percent: usize) -> Self {
        let mean = |part: fn(&Foreign) -> Span| {
            let times: Vec<_> = foreign.iter().map(|probe| part(probe).as_millis_f64()).collect();
            trimmed_mean(&times, kept_percent)
        };
        let times: Vec<_> = loaded.iter().map(|time| time.as_millis_f64()).collect();
        Self {
            tcp: mean(|probe| probe.tcp),
            tls: mean(|probe| probe.tls),
            http: mean(|probe| probe.http),
            loaded: trimmed_mean(&times, kept_percent),
        }
    }

    /// `Foreign_Responsiveness`.
    pub(crate) fn foreign_rpm(&self) -> Option<f64> {
        per_minute((self.tcp? + self.tls? + self.http?) / 3.0)
    }

    /// `Loaded_Responsiveness`.
    pub(crate) fn loaded_rpm(&self) -> Option<f64> {
        per_minute(self.loaded?)
    }

    /// `Responsiveness`: the mean of two rates, not the rate of the mean.
    pub(crate) fn rpm(&self) -> Option<f64> {
        Some(f64::midpoint(self.foreign_rpm()?, self.loaded_rpm()?))
    }
}

/// A clock that is too coarse to see a round trip says nothing of how many there are in a minute.
fn per_minute(millis: f64) -> Option<f64> {
    (millis > 0.0).then(|| 60_000.0 / millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(tcp: f64, tls: f64, http: f64, loaded: f64) -> Means {
        Means { tcp: Some(tcp), tls: Some(tls), http: Some(http), loaded: Some(loaded) }
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

    #[test]
    fn nothing_is_never_infinite() {
        assert_eq!(Means::of(&[], &[], 95).rpm(), None);
        assert_eq!(means(0.0, 0.0, 0.0, 0.0).rpm(), None);
        let half = Means::of(&[], &[Span::from_millis(100)], 95);
        assert_eq!((half.loaded_rpm(), half.rpm()), (Some(600.0), None));
    }
}
