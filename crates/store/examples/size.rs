//! How large a store gets, and what it costs: a month of ten targets at 1 Hz, with two hops and the seconds.
//!
//! `cargo run --release -p store --example size -- FOLDER [DAYS]`

#![expect(clippy::disallowed_methods, reason = "an example that measures time")]

use std::fs;
use std::path::Path;
use std::time::Instant;

use observation::{ProbeOutcome, WatchedProbe, WatchedSecond};
use store::{Level, Reader, Store, StoreError, TargetId};
use units::{Bytes, Rng, Span, Time};

const START: u64 = 1_790_000_000 / 86_400 * 86_400;

/// A line with a load each evening: round trips in microseconds.
fn round_trip(second: u64, base: u64, rng: &mut Rng) -> Option<u64> {
    if rng.below(2000) == 0 {
        return None;
    }
    // Noise whose middle half is half a millisecond wide, with a long tail.
    let noise =
        [0; 4].map(|_| rng.below(500)).iter().sum::<u64>() / 2 + 3000 / (1 + rng.below(300));
    let hour = second % 86_400 / 3600;
    let evening = if (19..23).contains(&hour) { rng.below(8000) } else { 0 };
    let spike = if second % 3600 < 8 { rng.below(300_000) } else { 0 };
    Some(base + noise + evening + spike)
}

fn probe(second: u64, target: u64, rng: &mut Rng) -> WatchedProbe {
    // Sent on a schedule, and up to a tenth of a millisecond late.
    let sent =
        Time::from_secs(START + second) + Span::from_micros(target * 83_000 + rng.below(100));
    let outcome = match round_trip(second, 8000 + target * 3000, rng) {
        None => ProbeOutcome::Lost,
        Some(micros) => ProbeOutcome::Answered {
            round_trip: Span::from_micros(micros),
            // Three of the targets are servers that tell; the clock drifts by 10 us a second.
            up: target
                .is_multiple_of(4)
                .then(|| (micros / 2 + rng.below(200) + second * 10) as i64 * 1000),
            kept: None,
        },
    };
    WatchedProbe { sent, is_extra: false, outcome }
}

fn second(index: u64, rng: &mut Rng) -> WatchedSecond {
    let load = if index % 86_400 / 3600 >= 19 { 2_000_000 } else { 5000 };
    WatchedSecond {
        at: Time::from_secs(START + index + 1),
        up: Some(Bytes(rng.below(load / 10 + 1))),
        down: Some(Bytes(rng.below(load + 1))),
        lateness: Span::from_micros(rng.below(200)),
        busy: Some(rng.below(40) as u8),
        signal: Some(-60 - rng.below(6) as i8),
        retries: Some(rng.below(20) as u32),
    }
}

/// Fills a store, a commit a minute; prints its size and the time of a commit.
fn fill(folder: &Path, targets: u64, minutes: u64) -> Result<Vec<TargetId>, StoreError> {
    let mut store = Store::open(folder)?;
    let names = (0..targets).map(|index| format!("target {index}"));
    let ids = names.map(|name| store.target(&name)).collect::<Result<Vec<_>, _>>()?;
    let mut rng = Rng::new(1).fork("size");
    let mut times = Vec::new();
    for minute in 0..minutes {
        for at in minute * 60..minute * 60 + 60 {
            for (index, id) in ids.iter().enumerate() {
                store.keep(*id, probe(at, index as u64, &mut rng));
            }
            store.keep_second(second(at, &mut rng));
        }
        let before = Instant::now();
        store.commit()?;
        times.push(before.elapsed());
    }
    times.sort();
    let (median, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    println!(
        "{targets} targets: a commit took {median:.1?} (median), {p99:.1?} (p99), {:.1?} (longest)",
        times[times.len() - 1]
    );
    Ok(ids)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("a folder, please")?;
    let days: u64 = arguments.next().unwrap_or_else(|| "30".into()).parse()?;
    let (month, many) = (Path::new(&folder).join("month"), Path::new(&folder).join("many"));
    let ids = fill(&month, 12, days * 1440)?;
    let size = fs::metadata(month.join("watch.sqlite"))?.len();
    println!("{days} days of 12 targets and the seconds: {:.1} MB", size as f64 / 1e6);
    let reader = Reader::open(&month)?;
    for level in [Level::Minute, Level::Hour] {
        let before = Instant::now();
        let all = reader.summaries(ids[0], Time::ZERO, Time::MAX, level)?.len();
        println!("{all} of {level:?} read in {:.1?}", before.elapsed());
    }
    let before = Instant::now();
    let day = Time::from_secs(START + 86_400);
    let all = reader.probes(ids[0], Time::ZERO, day)?.len();
    println!("{all} probes read in {:.1?}", before.elapsed());
    fill(&many, 1000, 15)?;
    let status = fs::read_to_string("/proc/self/status")?;
    status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    Ok(())
}
