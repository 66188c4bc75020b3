//! From a test's observations to its findings: the same for a new test and for a kept one.

use observation::{Heading, Load};
use results::{Claim, Measurement, Recording, Remark};

/// The findings of a recorded test, with verdict and advice.
pub(crate) fn measurement(recording: &Recording) -> Measurement {
    let mut measurement = Measurement {
        test: recording.test.clone(),
        server: recording.server.clone(),
        address: recording.address.clone(),
        started: recording.started.clone(),
        duration_s: recording.duration_s,
        partial: recording.partial.clone(),
        ..diagnose::diagnose(&recording.observations)
    };
    measurement.limits.extend(silent(recording));
    measurement.limits.extend(unmeasured(&recording.planned, &measurement));
    measurement.verdict = report::measurement_verdict(&measurement);
    measurement.advice = report::measurement_advice(&measurement);
    measurement
}

/// A remark that one of the host's addresses did not answer, as where IPv6 is broken. `None` if all
/// did.
fn silent(recording: &Recording) -> Option<Remark> {
    let silent = recording.silent?;
    let address = &recording.address;
    let version = if silent.is_ipv6() { 6 } else { 4 };
    let text = format!(
        "{silent} did not answer in time, so all this is about {address}. If IPv{version} is broken on \
         the way, other programs wait for it too; -{version} tests it alone."
    );
    Some(Remark::new(Claim::SilentAddress, text))
}

/// Remarks on the loads that were planned but not measured.
fn unmeasured(planned: &[Load], measurement: &Measurement) -> Vec<Remark> {
    let Measurement { download, upload, both, .. } = measurement;
    let all = [
        (Load::One(Heading::Down), download.is_none(), "the download"),
        (Load::One(Heading::Up), upload.is_none(), "the upload"),
        (Load::Both, both.is_none(), "both directions at once"),
    ];
    let missing = all.into_iter().filter(|(load, is_none, _)| *is_none && planned.contains(load));
    let remark = |(load, _, name): (Load, bool, &str)| Remark {
        heading: if let Load::One(heading) = load { Some(heading) } else { None },
        ..Remark::new(
            Claim::NotLoaded,
            format!("Nothing is known of {name}: not loaded for long enough."),
        )
    };
    missing.map(remark).collect()
}
