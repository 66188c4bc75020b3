//! The way to the server, as in the document.

use observation::{Heading, HopProbe, Load, Observations};
use results::{Hop, HopSeries};
use stats::{ascending, quantile};
use units::Time;

use crate::offender::{OnPath, ProbedPath};

/// Each hop up to the server; empty if none was probed.
pub(crate) fn hops(observations: &Observations) -> Vec<Hop> {
    let Some(path) = ProbedPath::new(&observations.hops) else { return Vec::new() };
    let hop = |(hop, it): (u8, &OnPath<'_>)| Hop {
        hop,
        address: it.address,
        is_server: path.is_server_found() && hop == path.server(),
        sent: count(it.probes.iter()),
        answered: count(it.probes.iter().filter(|probe| probe.answer.is_some())),
        min_ms: it.round_trips().map(|(_, seconds)| seconds * 1e3).min_by(f64::total_cmp),
        download_ms: median_while(observations, it, Heading::Down),
        upload_ms: median_while(observations, it, Heading::Up),
    };
    path.hops().map(hop).collect()
}

/// The hops' round trips over time, in seconds since `beginning`.
pub(crate) fn hop_series(observations: &Observations, beginning: Time) -> Vec<HopSeries> {
    let Some(path) = ProbedPath::new(&observations.hops) else { return Vec::new() };
    let at = |probe: &&HopProbe| probe.sent.since(beginning).as_secs_f64();
    let round_trip = |probe: &&HopProbe| Some(probe.answer?.at.since(probe.sent).as_millis_f64());
    let series = |(hop, it): (u8, &OnPath<'_>)| HopSeries {
        hop,
        at_s: it.probes.iter().map(at).collect(),
        round_trip_ms: it.probes.iter().map(round_trip).collect(),
    };
    path.hops().map(series).collect()
}

fn count(probes: impl Iterator) -> u32 {
    u32::try_from(probes.count()).unwrap_or(u32::MAX)
}

/// The median round trip while one direction alone was loaded, in milliseconds.
fn median_while(observations: &Observations, hop: &OnPath<'_>, heading: Heading) -> Option<f64> {
    let stages = observations.stages.iter().filter(|it| it.load == Load::One(heading));
    let within = |at: Time| stages.clone().any(|stage| stage.start <= at && at < stage.end);
    let times = hop.round_trips().filter(|it| within(it.0)).map(|it| it.1 * 1e3);
    quantile(&ascending(times), 0.5)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use observation::{Ended, HopAnswer, Stage};

    use super::*;

    /// A probe sent at this second and answered after `millis`; never, if that is 0.
    fn probe(hop: u8, secs: u64, from: IpAddr, millis: u64) -> HopProbe {
        let sent = Time::from_secs(secs);
        let at = sent + units::Span::from_millis(millis);
        let answer = HopAnswer { from, at, is_server: hop >= 2 };
        HopProbe { hop, sent, answer: (millis > 0).then_some(answer) }
    }

    #[test]
    fn each_hop_up_to_the_server_is_told() {
        let [router, other, server] = [1, 2, 3].map(|n| IpAddr::from([192, 0, 2, n]));
        let observations = Observations {
            stages: vec![Stage {
                load: Load::One(Heading::Up),
                start: Time::from_secs(1),
                end: Time::from_secs(9),
                ended: Ended::Planned,
            }],
            hops: vec![
                probe(1, 0, router, 2),
                probe(2, 0, server, 9),
                // Beyond the server, as the first probes were.
                probe(3, 0, server, 9),
                probe(1, 1, other, 3),
                probe(1, 2, router, 40),
                probe(1, 3, router, 0),
                probe(2, 3, server, 50),
                // Sent as the stage ends, so no part of it.
                probe(2, 9, server, 10),
            ],
            ..Observations::default()
        };
        let expected = Hop {
            hop: 1,
            address: Some(router),
            is_server: false,
            sent: 4,
            answered: 3,
            min_ms: Some(2.0),
            download_ms: None,
            upload_ms: Some(3.0),
        };
        let found = hops(&observations);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], expected);
        assert!(found[1].is_server && found[1].upload_ms == Some(50.0), "{found:?}");
        let series = hop_series(&observations, Time::ZERO);
        assert_eq!(series[0].at_s, [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(series[0].round_trip_ms, [Some(2.0), Some(3.0), Some(40.0), None]);
        assert_eq!((series.len(), series[1].hop), (2, 2));
        let none = Observations::default();
        assert!(hops(&none).is_empty() && hop_series(&none, Time::ZERO).is_empty());
    }
}
