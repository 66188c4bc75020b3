//! Decides whether a run can be believed.
//!
//! The wire keeps its rate when the loop is late, so lateness alone does not falsify a queue, but
//! it shows in round trips. Two things spoil a run: a wire that fell behind, since it was idle
//! while a packet waited to be read, and packets that were lost outside our queues. The limits are
//! here.

use live::{Health, PortKind};
use results::{Lateness, Soundness, Starvation, Validity};
use units::Span;

/// The most that 99 of 100 packets may be late. Modern AQMs have targets of 5 ms, against which
/// lateness must be small.
const MOST_LATENESS: Span = Span::from_millis(1);
/// The largest part of the run by which a wire may fall behind one that gets each packet as it
/// comes: goodputs are compared to one percent.
const MOST_LOST_CREDIT: f64 = 0.005;
/// The largest part of all packets that may be lost outside the queues. TCP feels every loss, but a
/// working queue drops far more than one in ten thousand.
const MOST_LOST: f64 = 1e-4;
/// The number of losses that are always allowed: in a short run one loss is more than one in ten
/// thousand.
const ALWAYS_ALLOWED: u64 = 2;

/// The packets that came to all queues together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Offered {
    pub(crate) packets: u64,
    /// The number of these packets that the queues dropped.
    pub(crate) dropped: u64,
}

/// The verdict on a run with these ports.
pub(crate) fn validity(health: &Health, ports: PortKind, offered: Offered) -> Validity {
    let causes = causes(health, offered);
    let micros = |q| health.lateness.quantile(q).map(|nanos| nanos as f64 / 1e3);
    let (cpu, elapsed) = (health.cpu.as_secs_f64(), health.elapsed.as_secs_f64());
    Validity {
        verdict: if causes.is_empty() { Soundness::Valid } else { Soundness::Starved },
        reasons: Vec::new(),
        causes,
        ports: name(ports).into(),
        lateness_us: Lateness { p50: micros(0.50), p99: micros(0.99), max: micros(1.0) },
        lost_credit_s: health.lost_credit.as_secs_f64(),
        device_drops: health.device_drops,
        no_memory: health.no_memory,
        malformed: health.malformed,
        cpu: stats::ratio(cpu, elapsed),
    }
}

/// The kind's name in documents and on the command line.
fn name(ports: PortKind) -> &'static str {
    match ports {
        PortKind::Tun => "tun",
        PortKind::Packet => "packet",
    }
}

/// The causes why a run is not sound.
fn causes(health: &Health, offered: Offered) -> Vec<Starvation> {
    let packets = offered.packets + health.device_drops + health.no_memory;
    let lateness = health.lateness.quantile(0.99).map_or(Span::ZERO, Span::from_nanos);
    let late = (lateness > MOST_LATENESS).then(|| Starvation::Late {
        p99_ms: lateness.as_millis_f64(),
        sound_ms: MOST_LATENESS.as_millis_f64(),
    });
    let part = stats::ratio(health.lost_credit.as_secs_f64(), health.elapsed.as_secs_f64());
    let behind = part
        .filter(|part| *part > MOST_LOST_CREDIT)
        .map(|part| Starvation::Behind { part, sound_part: MOST_LOST_CREDIT });
    let lost_before = matters(health.device_drops, packets).then_some(Starvation::LostBefore {
        lost: health.device_drops,
        packets,
        flood: offered.dropped > offered.packets / 2,
    });
    let no_memory = matters(health.no_memory, packets)
        .then_some(Starvation::NoMemory { lost: health.no_memory, packets });
    [late, behind, lost_before, no_memory].into_iter().flatten().collect()
}

/// True if these are too many lost packets.
fn matters(lost: u64, packets: u64) -> bool {
    lost > ALWAYS_ALLOWED && lost as f64 > packets as f64 * MOST_LOST
}

#[cfg(test)]
mod tests {
    use stats::Histogram;

    use super::*;

    fn health() -> Health {
        let mut lateness = Histogram::new();
        (1..=1000).for_each(|n| lateness.record(n * 500));
        Health {
            lateness,
            cpu: Span::from_secs(1),
            elapsed: Span::from_secs(10),
            device_drops: 2,
            malformed: 5,
            ..Health::default()
        }
    }

    fn thousand() -> Offered {
        Offered { packets: 1000, dropped: 0 }
    }

    /// A flood is not the machine's fault.
    #[test]
    fn a_flood_is_called_one() {
        let health = Health { device_drops: 500_000, ..health() };
        let offered = Offered { packets: 8000, dropped: 7000 };
        let flood = Starvation::LostBefore { lost: 500_000, packets: 508_000, flood: true };
        assert_eq!(validity(&health, PortKind::Tun, offered).causes, [flood]);
    }

    #[test]
    fn a_loop_that_kept_time_is_believed() {
        let validity = validity(&health(), PortKind::Packet, thousand());
        assert_eq!((validity.verdict, &*validity.ports), (Soundness::Valid, "packet"));
        assert_eq!(validity.causes, []);
        assert_eq!((validity.cpu, validity.malformed), (Some(0.1), 5));
        let close = |one: Option<f64>, other: f64| (one.unwrap() / other - 1.0).abs() < 0.002;
        let Lateness { p50, p99, max } = validity.lateness_us;
        assert!(close(p50, 250.0) && close(p99, 495.0) && max == Some(500.0), "{p50:?} {p99:?}");
    }

    #[test]
    fn each_failing_is_named_with_its_number() {
        type Spoil = fn(&mut Health);
        let spoilt: [(Spoil, Starvation); 3] = [
            (
                |health| health.lost_credit = Span::from_millis(80),
                Starvation::Behind { part: 0.008, sound_part: 0.005 },
            ),
            (
                |health| health.device_drops = 3,
                Starvation::LostBefore { lost: 3, packets: 1003, flood: false },
            ),
            (|health| health.no_memory = 7, Starvation::NoMemory { lost: 7, packets: 1009 }),
        ];
        for (spoil, expected) in spoilt {
            let mut health = health();
            spoil(&mut health);
            let validity = validity(&health, PortKind::Tun, thousand());
            assert_eq!((validity.verdict, validity.causes), (Soundness::Starved, vec![expected]));
        }
    }

    #[test]
    fn a_loop_that_was_late_is_not_believed() {
        let mut health = health();
        (0..20).for_each(|_| health.lateness.record(3_000_000));
        let validity = validity(&health, PortKind::Tun, thousand());
        let [Starvation::Late { p99_ms, sound_ms }] = validity.causes[..] else {
            panic!("{:?}", validity.causes);
        };
        assert!((p99_ms - 3.0).abs() < 0.01, "{p99_ms}");
        assert_eq!((validity.verdict, sound_ms), (Soundness::Starved, 1.0));
    }

    /// Three losses in a million packets do not spoil a run.
    #[test]
    fn few_losses_among_many_packets_do_not_matter() {
        let health = Health { device_drops: 3, ..health() };
        let million = Offered { packets: 1_000_000, dropped: 0 };
        assert_eq!(validity(&health, PortKind::Tun, million).verdict, Soundness::Valid);
    }

    /// Such a run delivered nothing, or ended before it began.
    #[test]
    fn a_run_without_packets_is_no_division_by_zero() {
        let validity = validity(&Health::default(), PortKind::Tun, Offered::default());
        assert_eq!((validity.verdict, validity.cpu), (Soundness::Valid, None));
        assert_eq!(validity.lateness_us, Lateness::default());
    }
}
