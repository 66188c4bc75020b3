//! A probe, as a sample of Flent's tells of it.

use super::file::{LostDirection, Sample};
use crate::foreign::Fate;

/// One probe.
pub(super) struct Probe {
    /// Unix time.
    pub(super) sent: f64,
    pub(super) up: Option<f64>,
    pub(super) down: Option<f64>,
    pub(super) round_trip: Option<f64>,
    pub(super) fate: Fate,
}

impl Probe {
    /// What a sample says of one; `per_second` if it counts transactions.
    pub(super) fn of(sample: &Sample, per_second: bool) -> Option<Self> {
        let t = sample.t?;
        if sample.lost {
            let fate = match sample.lost_dir {
                Some(LostDirection::Up) => Fate::LostUp,
                Some(LostDirection::Down) => Fate::LostDown,
                Some(LostDirection::Unknown) | None => Fate::Lost,
            };
            return Some(Self { sent: t, up: None, down: None, round_trip: None, fate });
        }
        let val = sample.val?;
        let (sent, round_trip) = match sample.dur {
            // A mean over a time, netperf's: of no one packet.
            Some(_) if per_second => (t, results::ratio(1000.0, val).filter(|ms| *ms < 1e6)?),
            Some(_) => (t, val),
            None => (t - val / 1e3, val),
        };
        let (up, down) = (sample.owd_up, sample.owd_down);
        Some(Self { sent, up, down, round_trip: Some(round_trip), fate: Fate::Arrived })
    }
}
