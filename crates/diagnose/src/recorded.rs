//! The findings of a test, new or recorded: those of its observations, with its time and place.

use observation::{Heading, Load};
use results::{Limit, Measurement, Recording};

/// The findings of a recorded test.
pub fn recorded(recording: &Recording) -> Measurement {
    let mut measurement = Measurement {
        test: recording.test.clone(),
        server: recording.server.clone(),
        address: recording.address.clone(),
        started: recording.started.clone(),
        duration_s: recording.duration_s,
        partial: recording.partial.clone(),
        partial_reason: recording.partial_reason.clone(),
        ..crate::diagnose(&recording.observations)
    };
    measurement.limits.extend(silent(recording));
    measurement.limits.extend(unmeasured(&recording.planned, &measurement));
    measurement
}

/// The limit that one of the host's addresses did not answer, as where IPv6 is broken. `None` if
/// all did.
fn silent(recording: &Recording) -> Option<Limit> {
    recording.silent.map(|address| Limit::SilentAddress { address })
}

/// The limits that loads were planned but not measured.
fn unmeasured(planned: &[Load], measurement: &Measurement) -> Vec<Limit> {
    let Measurement { download, upload, both, .. } = measurement;
    let all = [
        (Load::One(Heading::Down), download.is_none()),
        (Load::One(Heading::Up), upload.is_none()),
        (Load::Both, both.is_none()),
    ];
    let missing = all.into_iter().filter(|(load, is_none)| *is_none && planned.contains(load));
    let limit = |(load, _): (Load, bool)| Limit::NotLoaded {
        heading: if let Load::One(heading) = load { Some(heading) } else { None },
    };
    missing.map(limit).collect()
}
