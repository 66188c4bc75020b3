//! Replays whose outcome is known in closed form.

use std::fmt::Write as _;
use std::io::{self, Read};

use qdisc::QdiscSpec;
use replay::{Arrivals, Framing, Options, ReplayError, Setting};
use results::DirectionResult;
use units::Rng;

/// The results of a link at 8 Mbit/s, on which 1000 bytes take 1 ms, with these arrivals.
fn replayed(csv: &str, queue: &str) -> DirectionResult {
    let mut arrivals = Arrivals::open(csv.as_bytes(), FRAMING).unwrap();
    let document = replay::run(&mut arrivals, &setting(queue), Options::default()).unwrap();
    document.links["replay"].forward.clone()
}

const FRAMING: Framing = Framing { mtu: 1500, overhead: 0 };

fn setting(queue: &str) -> Setting {
    Setting {
        name: "test".into(),
        queue: queue.parse().unwrap(),
        rate: "8mbit".parse().unwrap(),
        framing: FRAMING,
        seed: 1,
    }
}

/// A pipe that returns these bytes, and then fails.
struct Broken<'a>(&'a [u8]);

impl Read for Broken<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(io::Error::other("interrupted"));
        }
        self.0.read(buffer)
    }
}

/// An incomplete arrival does not count: 12 bytes of 1250 would be another packet.
#[test]
fn who_asks_to_end_has_what_has_come_whole() {
    let replayed = |goes_on: bool| {
        let csv = format!("time_s,bytes\n{}9,12", "1,1250\n".repeat(9));
        let mut arrivals = Arrivals::open(Broken(csv.as_bytes()), FRAMING).unwrap();
        let options = Options { go_on: Some(Box::new(move || goes_on)), ..Options::default() };
        replay::run(&mut arrivals, &setting("pfifo limit 100"), options)
    };
    let document = replayed(false).unwrap();
    assert_eq!(document.links["replay"].forward.delivered_packets, 9);
    assert!(document.interrupted_s.is_some());
    assert!(matches!(replayed(true), Err(ReplayError::Read(_))));
}

/// The first packet goes at once, as many wait as there is room for, each 1 ms longer than the one
/// before, and the rest is dropped.
#[test]
fn a_burst_into_a_fifo() {
    for (packets, limit) in [(1, 1), (10, 20), (100, 7), (5000, 1000)] {
        let csv = format!("time_s,bytes\n{}", "12.5,1000\n".repeat(packets));
        let link = replayed(&csv, &format!("pfifo limit {limit}"));
        let waiting = limit.min(packets - 1) as u64;
        assert_eq!(link.delivered_packets, waiting + 1);
        assert_eq!(link.drops.full, packets as u64 - 1 - waiting);
        assert_eq!(link.sojourn_ms.max, Some(waiting as f64));
        assert_eq!(link.sojourn_ms.mean, Some(waiting as f64 / 2.0));
        assert_eq!(link.utilisation, Some(1.0));
        assert_eq!(link.backlog_packets.max, Some(waiting));
        // One leaves each millisecond: waiting, waiting - 1, ..., 1, 0.
        assert_eq!(link.backlog_packets.mean, Some(waiting as f64 / 2.0));
    }
}

/// M/D/1: Poisson arrivals, constant service. The mean wait is rho / (2 (1 - rho)) services
/// (Pollaczek and Khinchine).
#[test]
fn poisson_arrivals_wait_as_long_as_they_must() {
    for (load, tolerance) in [(0.3, 0.02), (0.5, 0.02), (0.7, 0.03)] {
        let mut rng = Rng::new(7);
        let mut csv = String::from("time_s,bytes\n");
        let mut nanos = 0_u64;
        for _ in 0..300_000 {
            let gap = -libm::log(1.0 - rng.next_f64()) * 1e6 / load;
            nanos += gap as u64;
            writeln!(csv, "{}.{:09},1000", nanos / 1_000_000_000, nanos % 1_000_000_000).unwrap();
        }
        let link = replayed(&csv, "pfifo limit 100000");
        let expected = load / (2.0 * (1.0 - load));
        let mean = link.sojourn_ms.mean.unwrap();
        assert!((mean / expected - 1.0).abs() < tolerance, "{mean} ms, expected {expected} ms");
        assert!((link.utilisation.unwrap() / load - 1.0).abs() < 0.01, "{:?}", link.utilisation);
        // Little's law: what waits on average is the rate of arrivals times their wait.
        let waiting = link.backlog_packets.mean.unwrap();
        assert!((waiting / (load * mean) - 1.0).abs() < 0.01, "{waiting}");
    }
}

/// An arrival at the instant of a departure comes first: the queue is still full.
#[test]
fn an_arrival_at_the_instant_of_a_departure_is_taken_first() {
    let csv = "time_s,bytes\n0,1000\n0,1000\n0.001,1000\n0.002,1000\n";
    let link = replayed(csv, "pfifo limit 1");
    assert_eq!((link.delivered_packets, link.drops.full), (3, 1));
}

/// Rates and times at which whole numbers could overflow.
#[test]
fn extremes_are_survived() {
    let framing = Framing { mtu: 1500, overhead: 0 };
    for csv in [
        "time_s,bytes\n0,16777216\n18446744073.709551615,16777216\n",
        "time_s,bytes\n18446744073.709551615,1\n18446744073.709551615,1\n",
        "time_s,bytes\n0,1\n0,16777216\n0,16777216\n",
    ] {
        for rate in ["1bit", "1000gbit"] {
            for queue in QdiscSpec::KINDS.iter().map(|kind| kind.shortest) {
                let mut arrivals = Arrivals::open(csv.as_bytes(), framing).unwrap();
                let setting = Setting {
                    name: "test".into(),
                    queue: queue.parse().unwrap(),
                    rate: rate.parse().unwrap(),
                    framing,
                    seed: 1,
                };
                let done = replay::run(&mut arrivals, &setting, Options::default());
                match done {
                    Ok(document) => {
                        let link = &document.links["replay"].forward;
                        let decided = link.delivered_packets + link.drops.total();
                        assert_eq!(decided as usize, csv.lines().count() - 1);
                    }
                    Err(error) => assert!(error.to_string().contains("latest time"), "{error}"),
                }
            }
        }
    }
}
