//! The places of the queues: adds the way to the server, and the offender of each direction.

use observation::{Heading, Probe};
use results::{Buffer, Evidence, LoadedDirection, Measurement, NetworkPart, Offender};
use units::Span;

use crate::handshakes;
use crate::hops::{hop_series, hops};
use crate::offender::{Delays, offender};
use crate::view::View;

/// Fills in the hops, and the offender of each direction that was loaded alone. If none was, the
/// offender is not known.
pub(crate) fn locate(view: &View<'_>, measurement: &mut Measurement) {
    measurement.hops = hops(view.seen);
    if let Some(series) = &mut measurement.series {
        series.hops = hop_series(view.seen, view.beginning);
    }
    let delays = if view.is_by_handshakes { handshakes::delays(view.seen) } else { delays(view) };
    let loaded =
        [(Heading::Up, &mut measurement.upload), (Heading::Down, &mut measurement.download)];
    for (heading, direction) in loaded {
        if let Some(direction) = direction {
            direction.offender = of_the_line(direction, offender(view.seen, &delays, heading));
            keep_to_what_was_held(direction);
        }
    }
    if let (None, None, Some(both)) =
        (&measurement.download, &measurement.upload, &mut measurement.both)
    {
        let unknown = Offender { seen: Some(Evidence::BothLoaded), ..Offender::default() };
        both.download.offender = Some(unknown.clone());
        both.upload.offender = Some(unknown);
    }
    let worse = measurement.worse();
    measurement.offender = worse.and_then(|(_, direction)| direction.offender.clone());
}

/// The offender that was found; `None` unless the line was the limit. Where an end or a machine was
/// the limit, packets wait in no queue of the path.
fn of_the_line(direction: &LoadedDirection, found: Option<Offender>) -> Option<Offender> {
    let is_elsewhere = direction.findings.iter().any(|finding| finding.kind.forbids_kind());
    let unknown = || Offender { seen: Some(Evidence::NotTheLine), ..Offender::default() };
    if is_elsewhere { found.map(|_| unknown()) } else { found }
}

/// Marks the size of a queue in this machine as a lower bound: the system limits the bytes that it
/// puts there (TCP small queues of Linux), so that the queue was never full.
fn keep_to_what_was_held(direction: &mut LoadedDirection) {
    let place = direction.offender.as_ref().map(|offender| offender.place);
    if place == Some(NetworkPart::OwnHost) {
        direction.buffer = direction.buffer.map(|buffer| Buffer { at_least: true, ..buffer });
    }
}

/// The delays of the probes that represent the path, of those that came back.
fn delays(view: &View<'_>) -> Vec<Delays> {
    let streams = &view.seen.probes;
    let stream = streams.iter().find(|stream| stream.dscp == 0).or(streams.first());
    let mut waits = view.clock.waits();
    let delay = |probe: &Probe| {
        let (at, [up, down]) = (probe.sent, waits(probe));
        Some(Delays { at, up: Span::from_secs_f64(up?), down: Span::from_secs_f64(down?) })
    };
    stream.into_iter().flat_map(|stream| &stream.probes).filter_map(delay).collect()
}

#[cfg(test)]
mod tests {
    use results::{Finding, FindingKind};

    use super::*;

    #[test]
    fn what_waits_in_a_machine_waits_at_no_hop() {
        let found = || Some(Offender { hop: Some(2), confidence: 0.95, ..Offender::default() });
        let hop = |kind: Option<FindingKind>| {
            let finding = |kind| Finding { kind, amount: None, confidence: 0.95 };
            let findings = kind.map(finding).into_iter().collect();
            let direction = LoadedDirection { findings, ..LoadedDirection::default() };
            of_the_line(&direction, found()).and_then(|offender| offender.hop)
        };
        assert_eq!(hop(None), Some(2));
        assert_eq!(hop(Some(FindingKind::OtherTraffic)), Some(2));
        for kind in [FindingKind::MachineLimits, FindingKind::EndLimits, FindingKind::ServerRate] {
            assert_eq!(hop(Some(kind)), None, "{kind:?}");
        }
    }
}
