//! Diagnosis of a measurement: observations in, findings out. Pure: no clock, no socket, no file.
//!
//! ```text
//! Observations ── clock: whose time is what ── passage: what probes waited, each way
//!      │                                           │
//!      └── flow, traffic: what was carried ── window: when the load had settled
//!                                                  │
//!                       direction: rate, delays, loss, buffer, kind of queue
//!                                                  │
//!                        located: the hop that holds it ── offender: by answers of routers
//!                                                  │
//!                       conclusions: grade, lag, effects, responsiveness
//! ```

mod both;
mod buffer;
mod busy;
mod by_chance;
mod call;
mod captured;
pub mod certainty;
mod clock;
mod conclusions;
mod direction;
mod drops;
mod effects;
mod favoured;
mod findings;
mod flow;
pub mod grade;
mod handshakes;
mod held;
mod hops;
mod lag;
mod limit;
mod located;
pub mod machine;
mod noise;
mod offender;
mod others;
mod pages;
mod passage;
mod processors;
mod queue;
mod quiet;
mod rate;
mod recorded;
mod responsiveness;
mod series;
mod server_rate;
mod signs;
mod spread;
mod tail;
mod traffic;
mod view;
mod window;

use observation::Observations;
use results::Measurement;

pub use captured::{
    BRIEF, beside, captured, disowned, either_way, held_back, is_changing, is_greedy, shared,
};
pub use recorded::recorded;
use view::View;

/// Judges the observations. The caller fills in the test's own facts: its server, its times, and
/// the reason if it is incomplete.
pub fn diagnose(observations: &Observations) -> Measurement {
    let view = View::new(observations);
    let mut measurement = direction::measurement(&view);
    server_rate::apply(&view, &mut measurement);
    others::acknowledge(&mut measurement);
    measurement.limits = limit::limits(&view, &measurement);
    located::locate(&view, &mut measurement);
    conclusions::conclude(observations, &mut measurement);
    measurement
}

#[cfg(test)]
mod tests {
    use observation::{Ended, ForeignProbe, Heading, Load, LoadFlow, Receipt, SenderSample, Stage};
    use results::Limit;
    use units::{Bytes, Span, Time};

    use super::*;

    /// The findings of a download that brought this many bytes, and ended like this.
    fn brought(bytes: u64, ended: Ended) -> Measurement {
        diagnose(&seen(bytes, ended))
    }

    fn seen(bytes: u64, ended: Ended) -> Observations {
        let at = |millis| Time::from_millis(millis);
        let receipts = [(100, 0), (1_000, bytes / 2), (4_000, bytes)];
        let received = receipts.map(|(at, bytes)| Receipt {
            at: Time::from_millis(at),
            bytes: Bytes(bytes),
            segments: None,
        });
        let round_trip = Some(Span::from_millis(20));
        let sender = (1..40).map(|at| SenderSample {
            at: Time::from_millis(at * 100),
            srtt: round_trip,
            min_rtt: round_trip,
            ..SenderSample::default()
        });
        let flow = LoadFlow {
            heading: Heading::Down,
            dscp: 0,
            congestion: "cubic".into(),
            start: at(50),
            stop: at(4_000),
            received: received.into(),
            sender: sender.collect(),
        };
        let stage = Stage { load: Load::One(Heading::Down), start: at(0), end: at(4_000), ended };
        let few = Span::from_millis(20);
        let foreign = (1..39).map(|at| ForeignProbe {
            at: Time::from_millis(at * 100),
            connect: few,
            exchange: few,
        });
        Observations {
            stages: vec![stage],
            flows: vec![flow],
            foreign: foreign.collect(),
            ..Observations::default()
        }
    }

    /// A greeting came, but no large packet: what load would do to calls, games and pages is not
    /// known.
    #[test]
    fn where_no_large_packet_came_nothing_is_said_of_load() {
        let found = brought(2_800, Ended::LargeLost);
        assert_eq!((&found.download, &found.effects, found.lag_ms), (&None, &None, None));
        assert_eq!(found.responsiveness_rpm, None);
        let limits = found.limits;
        assert!(limits.contains(&Limit::LargeLost) && !limits.contains(&Limit::Lost), "{limits:?}");
        assert!(brought(2_000_000, Ended::Planned).download.is_some());
    }

    /// A queue that drops has been full, and a full queue grows no more.
    #[test]
    fn a_queue_that_drops_is_not_said_to_be_growing() {
        let grows = |again: u64| {
            let mut seen = seen(2_000_000, Ended::StillGrowing);
            for (index, sample) in seen.flows[0].sender.iter_mut().enumerate() {
                sample.sent = 10_000 * index as u64;
                sample.retransmitted = again * index as u64;
            }
            diagnose(&seen).limits.contains(&Limit::StillGrowing { heading: Heading::Down })
        };
        assert!(grows(0) && grows(4) && !grows(6), "5 of 10000 are the bound");
    }

    #[test]
    fn a_machine_that_stood_still_was_not_told_to_stop() {
        let first = |ended| brought(2_000_000, ended).limits.remove(0);
        assert_eq!(first(Ended::StoodStill), Limit::StoodStill);
        assert_eq!(first(Ended::Interrupted), Limit::Interrupted);
    }
}
