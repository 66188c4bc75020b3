//! One of the many runs over one link.

use super::experiment::Experiment;
use super::load::{FEW, LOADS, Load};
use super::queues::{CODEL, OTHERS, PAPERS, Path, Queue, RED};

/// One run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) kbit: u64,
    pub(super) rtt_ms: u64,
    pub(super) mtu: u64,
    pub(super) load: Load,
    /// `cubic` or `reno`.
    pub(super) congestion: &'static str,
    pub(super) queue: Queue,
}

/// IP and TCP headers, with timestamps.
const HEADERS: u64 = 52;

impl Point {
    /// What is to be run.
    pub(super) fn experiment(&self) -> Experiment {
        let Self { kbit, rtt_ms, mtu, load, .. } = *self;
        let path = Path { kbit, rtt_ms, mtu, buffer: None };
        // As in the authors' scripts.
        let window = format!("{}B", 16 * path.product());
        let mut run = Experiment::of(load.file())
            .set("link.bottleneck.rate", format!("{kbit}kbit"))
            .set("link.bottleneck.delay", format!("{}us", rtt_ms * 500))
            .set("link.bottleneck.queue", (self.queue.on)(path));
        if load.ftps > 0 {
            run = run
                .set("flow.ftp.count", load.ftps)
                .set("flow.ftp.congestion", self.congestion)
                .set("flow.ftp.mss", mtu - HEADERS)
                .set("flow.ftp.receive_window", &window);
        }
        if load.ftps > 0 && self.congestion == "cubic" {
            run = run.set("flow.ftp.hystart", false).set("flow.ftp.beta", 0.8);
        }
        if load.has_web() {
            run = run
                .set("flow.web.connections_per_second", load.connections(kbit))
                .set("flow.web.mss", mtu - HEADERS)
                .set("flow.web.receive_window", &window);
        }
        run
    }
}

/// Figure 5: larger bandwidths, kbit/s, ...
pub(super) const LARGER: [u64; 4] = [3_000, 10_000, 45_000, 100_000];
/// ... and round trips, which are those of figures 8 and 9 too.
pub(super) const RTTS: [u64; 5] = [10, 30, 100, 200, 500];
/// Figure 6: smaller bandwidths, ...
pub(super) const SMALLER: [u64; 4] = [128, 256, 512, 1_500];
/// ... and round trips.
pub(super) const SMALLER_RTTS: [u64; 2] = [30, 100];
/// Where all queues are compared.
pub(super) const FEW_RTTS: [u64; 3] = [10, 100, 500];

/// All that these lists have together, with CUBIC.
pub(super) fn product(
    rates: &[u64],
    rtts: &[u64],
    mtu: u64,
    loads: &[Load],
    queues: &[Queue],
) -> Vec<Point> {
    let mut points = Vec::new();
    for &kbit in rates {
        for &rtt_ms in rtts {
            for &load in loads.iter().filter(|load| load.fits(kbit)) {
                for &queue in queues {
                    points.push(Point { kbit, rtt_ms, mtu, load, congestion: "cubic", queue });
                }
            }
        }
    }
    points
}

/// Figures 5, 8 and 9: the article's queues, and the others where all are compared.
pub(super) fn larger() -> Vec<Point> {
    let mut points = product(&LARGER, &RTTS, 1500, &LOADS, &PAPERS);
    points.extend(product(&LARGER, &FEW_RTTS, 1500, &FEW, &OTHERS));
    points
}

/// Figure 6: two sizes of packets.
pub(super) fn smaller() -> Vec<Point> {
    let mut points = product(&SMALLER, &SMALLER_RTTS, 1500, &LOADS, &PAPERS);
    points.extend(product(&SMALLER, &SMALLER_RTTS, 500, &LOADS, &[CODEL, RED]));
    points.extend(product(&SMALLER, &SMALLER_RTTS, 1500, &FEW, &OTHERS));
    points
}
