//! The cost of a measurement on this machine, and the machine's name.

use std::fs;

/// The processor seconds of this thread.
#[expect(clippy::disallowed_methods, reason = "what a run costs is what is measured")]
pub(crate) fn cpu_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The processor's clock rate while it computes, in cycles per nanosecond. It is measured by a
/// chain of multiplications, each of which takes three cycles after the one before on present
/// processors.
pub(crate) fn cycles_per_ns() -> f64 {
    const CHAIN: u64 = 100_000_000;
    let started = cpu_s();
    let last = (0..CHAIN).fold(std::hint::black_box(3_u64), |x, _| x.wrapping_mul(x));
    std::hint::black_box(last);
    3.0 * CHAIN as f64 / ((cpu_s() - started) * 1e9)
}

/// The most memory that this process has held, in 10^6 bytes; `None` if it is not known.
pub(crate) fn peak_rss_mb() -> Option<f64> {
    peak_rss_mb_of("self")
}

/// The most memory that the process with this number has held, in 10^6 bytes; `None` if it is gone.
pub(crate) fn peak_rss_mb_of(process: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kib as f64 * 1024.0 / 1e6)
}

/// The processor's name and the number of processors.
pub(crate) fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = named.map_or("an unknown processor", |(_, name)| name);
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{count} x {name}")
}
