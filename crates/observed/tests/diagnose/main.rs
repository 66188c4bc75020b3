//! The diagnosis against the simulator, where the truth is known.
//!
//! `cargo test -p observed --test diagnose -- --ignored --nocapture` prints the whole table.

mod judge;

use judge::{Judged, Queue, path};
use observation::Heading;
use observed::{Measured, Path};
use results::Measurement;

const RED: &str = "red limit 300kB min 30kB max 90kB avpkt 1000 burst 50 probability 0.1";

const QUEUES: [Queue; 12] = [
    Queue::Bytes(0.03),
    Queue::Bytes(0.2),
    Queue::Bytes(1.0),
    Queue::Packets(0.1),
    Queue::Packets(0.5),
    Queue::Aqm("codel"),
    Queue::Aqm("pie"),
    Queue::Aqm(RED),
    Queue::Fair("fq_codel"),
    Queue::Fair("fq_cobalt"),
    Queue::Policer,
    Queue::Varying(0.3),
];

/// Rates in Mbit/s, and round trips in seconds.
const LINKS: [(f64, f64); 7] =
    [(1.0, 0.1), (2.0, 0.02), (5.0, 0.2), (10.0, 0.001), (20.0, 0.04), (50.0, 0.01), (100.0, 0.02)];

/// The judgement of both directions of a path, loaded alone or together.
fn judged(
    found: &Measurement,
    measured: &Measured,
    queues: [(Queue, f64); 2],
    together: bool,
) -> Vec<Judged> {
    let [up, down] = &measured.waits;
    let both = found.both.clone().unwrap_or_default();
    let (upload, download) = match together {
        false => {
            (found.upload.clone().unwrap_or_default(), found.download.clone().unwrap_or_default())
        }
        true => (both.upload, both.download),
    };
    vec![
        Judged::new(Heading::Up, queues[0], upload, [up, down]),
        Judged::new(Heading::Down, queues[1], download, [down, up]),
    ]
}

fn diagnosed(path: &Path, queues: [(Queue, f64); 2]) -> Vec<Judged> {
    let measured = path.measure();
    let found = diagnose::diagnose(&measured.observations);
    judged(&found, &measured, queues, false)
}

#[test]
fn kinds_delays_and_buffers_are_right() {
    let fast = [(10.0, 0.001), (20.0, 0.04)];
    let slow = (2.0, 0.02);
    let all = QUEUES.into_iter().filter(|queue| !matches!(queue, Queue::Bytes(1.0)));
    let cases = all.flat_map(|queue| fast.map(|link| (queue, link)));
    let cases = cases.chain([
        (Queue::Bytes(0.2), slow),
        (Queue::Bytes(1.0), slow),
        (Queue::Fair("fq_codel"), slow),
    ]);
    let (mut right, mut count, mut all) = (0, 0, 0);
    for (queue, (mbit, round_trip)) in cases {
        for judged in diagnosed(&path(queue, mbit, round_trip), [(queue, mbit); 2]) {
            println!("{judged}");
            assert!(judged.delays_are_right(), "{judged}");
            assert!(judged.phantom < 2.0, "{judged}");
            // A buffer of which a packet is more than 2 % is only known to a packet.
            let packet = 1500.0 / (mbit * 1e6 / 8.0 * 0.2);
            if let (Queue::Bytes(0.2..), Some(off)) = (queue, judged.buffer_off()) {
                assert!(off.abs() < packet.max(0.02), "{judged}");
            }
            all += 1;
            right += u32::from(judged.kind_is_said() && judged.kind_is_right());
            count += u32::from(judged.kind_is_said());
        }
    }
    assert!(f64::from(count) >= 0.8 * f64::from(all), "{count} of {all} kinds are said");
    assert!(f64::from(right) >= 0.95 * f64::from(count), "{right} of {count} kinds");
}

/// A path with buffers of 256 KiB, 2 Mbit/s up and 20 Mbit/s down, and almost no distance.
fn home(ahead: fn(f64) -> f64) -> (Path, [(Queue, f64); 2]) {
    let (up, down) = (Queue::Bytes(1.048_576), Queue::Bytes(0.104_857_6));
    let path =
        Path { up: up.way(2.0), down: down.way(20.0), round_trip: 0.0002, ahead, ..Path::new(1) };
    (path, [(up, 2.0), (down, 20.0)])
}

#[test]
fn clocks_change_nothing() {
    let faults: [fn(f64) -> f64; 4] = [
        |_| 0.0,
        |at| 100e-6 * at,
        |at| if at > 4.0 { 0.25 } else { 0.0 },
        |at| if at > 22.0 { -1.5 } else { 0.0 } - 50e-6 * at,
    ];
    for ahead in faults {
        let (path, queues) = home(ahead);
        for judged in diagnosed(&path, queues) {
            println!("{judged}");
            assert!(judged.kind_is_right() && judged.delays_are_right(), "{judged}");
            assert!(judged.rate_is_right(), "{judged}");
            assert!(judged.phantom < 2.0, "{judged}");
            assert!(judged.buffer_off().is_some_and(|off| off.abs() < 0.02), "{judged}");
        }
    }
}

#[test]
fn both_directions_at_once_are_told_apart() {
    let (path, queues) = home(|_| 0.0);
    let measured = path.measure();
    let found = diagnose::diagnose(&measured.observations);
    // The few long waits of the faster direction may leave the percentiles uncertain.
    for judged in judged(&found, &measured, queues, true) {
        println!("{judged}");
        assert!(judged.stated_delays_are_right(), "{judged}");
    }
}

#[test]
#[ignore = "a table of minutes, for those who work on the diagnosis"]
fn matrix() {
    let (mut right, mut delays, mut count) = (0, 0, 0);
    for (mbit, round_trip) in LINKS {
        for queue in QUEUES {
            for judged in diagnosed(&path(queue, mbit, round_trip), [(queue, mbit); 2]) {
                println!("{:4.0} ms  {judged}", round_trip * 1e3);
                right += u32::from(judged.kind_is_right());
                delays += u32::from(judged.delays_are_right());
                count += 1;
            }
        }
    }
    println!("of {count}: {right} kinds right, {delays} delays within 2 % or 2 ms");
}
