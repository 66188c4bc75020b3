//! A store with many targets, as a watch of so many days leaves it: a home of a few, or the lines of a provider.
//!
//! `cargo run -p watched --example many -- FOLDER TARGETS DAYS SECONDS`: each target is probed once in so many
//! seconds. Each 40th has a full line in the evening, each 97th is out for hours, each 61st loses some probes.

use std::path::Path;

use observation::{Heading, ProbeOutcome, WatchedProbe, WatchedSecond};
use results::{Spike, SpikeCause, WatchChange, WatchEvent, WatchEventKind};
use store::{Store, StoreError, TargetId};
use units::{Bytes, Rng, Span, Time};

const END: u64 = 1_790_000_000 / 86_400 * 86_400;
const DAY: u64 = 86_400;

/// The outcome of a probe of a target in a second.
fn outcome(target: u64, second: u64, is_loaded: bool, rng: &mut Rng) -> ProbeOutcome {
    let hour = second % DAY / 3600;
    let is_out = target % 97 == 5 && second / 3600 % 120 < 3;
    let is_dropped = rng.below(if target % 61 == 7 { 25 } else { 20_000 }) == 0;
    if is_out || is_dropped {
        return ProbeOutcome::Lost;
    }
    let base = 6000 + target * 7919 % 40_000;
    let noise = (0..4).map(|_| rng.below(500)).sum::<u64>() / 2 + 3000 / (1 + rng.below(300));
    let evening = if target % 40 == 3 && hour >= 19 { 20_000 + rng.below(180_000) } else { 0 };
    let load = if is_loaded { rng.below(90_000) } else { 0 };
    let round_trip = Span::from_micros(base + noise + evening + load);
    ProbeOutcome::Answered { round_trip, up: None, kept: None }
}

fn spike(targets: u64, start: u64, rng: &mut Rng) -> WatchEvent {
    let own = rng.below(2) == 0;
    let (struck, cause) =
        if own { (targets.min(3), SpikeCause::OwnUpload) } else { (1, SpikeCause::Target) };
    let first = rng.below(targets);
    let added = 40.0 + rng.below(300) as f64;
    let what = WatchEventKind::Spike(Spike {
        targets: (0..struck).map(|it| name((first + it) % targets)).collect(),
        probed: targets as u32,
        direction: own.then_some(Heading::Up),
        usual_ms: Some(12.0),
        added_p95_ms: Some(added),
        added_most_ms: Some(added * 1.4),
        sent: 60,
        cause,
        confidence: 0.9,
        ..Spike::default()
    });
    WatchEvent { start_s: start as f64, duration_s: 4.0 + rng.below(60) as f64, what }
}

fn name(target: u64) -> String {
    format!("10.{}.{}.{}", target / 62_500, target / 250 % 250, 1 + target % 250)
}

fn second(at: u64, is_loaded: bool, rng: &mut Rng) -> WatchedSecond {
    let load = if is_loaded { 2_000_000 } else { 5000 };
    WatchedSecond {
        at: Time::from_secs(at),
        up: Some(Bytes(rng.below(load / 5))),
        down: Some(Bytes(load / 2 + rng.below(load))),
        lateness: Span::from_micros(rng.below(200)),
        busy: Some(rng.below(40) as u8),
        signal: None,
        retries: None,
    }
}

fn fill(folder: &Path, targets: u64, days: u64, every: u64) -> Result<(), StoreError> {
    let mut store = Store::open(folder)?;
    let hops = ["hop 1", "this machine"].map(String::from);
    let names = (0..targets).map(name).chain(hops);
    let ids = names.map(|it| store.target(&it)).collect::<Result<Vec<TargetId>, _>>()?;
    let mut rng = Rng::new(1).fork("many");
    let begin = END - days * DAY;
    for (index, at) in (begin..END).step_by(every as usize).enumerate() {
        let is_loaded = at % 7200 < 900;
        for (target, id) in ids.iter().enumerate() {
            let outcome = outcome(target as u64, at, is_loaded && targets < 100, &mut rng);
            store.keep(*id, WatchedProbe { sent: Time::from_secs(at), is_extra: false, outcome });
        }
        store.keep_second(second(at, is_loaded, &mut rng));
        if rng.below(DAY / every / 30 + 1) == 0 {
            store.keep_event(&spike(targets, at, &mut rng));
        }
        // More than an hour of a target at once is given up.
        if index % 50 == 0 {
            store.commit()?;
        }
    }
    let text = "CAKE at 18 Mbit/s".into();
    let what = WatchEventKind::Change(WatchChange::Mark { text });
    store.keep_event(&WatchEvent { start_s: (END - DAY / 2) as f64, duration_s: 0.0, what });
    store.commit()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("a folder, please")?;
    let mut number = |default: u64| arguments.next().map_or(Ok(default), |it| it.parse());
    let (targets, days, every) = (number(1000)?, number(1)?, number(60)?);
    Ok(fill(Path::new(&folder), targets.max(1), days, every.max(1))?)
}
