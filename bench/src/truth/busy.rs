//! How busy this machine is, as the kernel counts it.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::probes::pause;

/// Between samples.
const EACH: Duration = Duration::from_millis(250);

/// The busiest processor, 0 to 1, in nine of ten samples until this is done.
pub(crate) fn busiest(done: &AtomicBool) -> f64 {
    let mut samples = Vec::new();
    let mut before = ticks();
    while !done.load(Ordering::Relaxed) {
        pause(EACH);
        let now = ticks();
        let parts = before.iter().zip(&now).map(|((busy, all), (more, total))| {
            results::ratio(more - busy, total - all).unwrap_or_default()
        });
        samples.push(parts.fold(0.0, f64::max));
        before = now;
    }
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() * 9 / 10).copied().unwrap_or_default()
}

/// Of each processor the ticks in which it worked, and all (proc_stat(5)).
fn ticks() -> Vec<(f64, f64)> {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let lines = text.lines().filter(|line| line.starts_with("cpu") && !line.starts_with("cpu "));
    let of = |line: &str| {
        let ticks: Vec<f64> =
            line.split_whitespace().skip(1).filter_map(|tick| tick.parse().ok()).collect();
        let all: f64 = ticks.iter().take(8).sum();
        // Idle, and waiting for a disk.
        let idle: f64 = ticks.iter().skip(3).take(2).sum();
        (all - idle, all)
    };
    lines.map(of).collect()
}
