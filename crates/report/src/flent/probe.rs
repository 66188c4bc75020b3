//! The conversion of Flent's samples to probes.

use super::file::{FlentSample, LostDirection};
use crate::foreign::Fate;

/// A probe, as one of Flent's samples has it.
pub(super) struct FlentProbe {
    /// Unix time of sending, in seconds.
    pub(super) sent: f64,
    pub(super) up: Option<f64>,
    pub(super) down: Option<f64>,
    pub(super) round_trip: Option<f64>,
    pub(super) fate: Fate,
}

impl FlentProbe {
    /// The probe of a sample; `None` if the sample has no time, or has no value and is not lost.
    /// `per_second` is true if its value is transactions a second.
    pub(super) fn of(sample: &FlentSample, per_second: bool) -> Option<Self> {
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
            // The value is a mean of netperf's over an interval, and not that of one packet.
            Some(_) if per_second => (t, stats::ratio(1000.0, val).filter(|ms| *ms < 1e6)?),
            Some(_) => (t, val),
            None => (t - val / 1e3, val),
        };
        let (up, down) = (sample.owd_up, sample.owd_down);
        Some(Self { sent, up, down, round_trip: Some(round_trip), fate: Fate::Answered })
    }
}
