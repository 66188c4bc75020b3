//! One of the many runs over one link.

use super::experiment::Experiment;
use super::load::{FEW, LOADS, Load};
use super::queues::{CODEL, OTHERS, PAPERS, Path, Queue, RED};

/// One of the many runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) kbit: u64,
    pub(super) rtt_ms: u64,
    pub(super) mtu: u64,
    pub(super) load: Load,
    /// The congestion control: `cubic` or `reno`.
    pub(super) congestion: &'static str,
    pub(super) queue: Queue,
}

/// The bytes of IP and TCP headers, with timestamps.
const HEADERS: u64 = 52;

impl Point {
    /// The experiment of this run.
    pub(super) fn experiment(&self) -> Experiment {
        let Self { kbit, rtt_ms, mtu, load, .. } = *self;
        let path = Path { kbit, rtt_ms, mtu, buffer: None };
        // The receive window, as in the authors' scripts.
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

/// The rates of figure 5, the larger bandwidths, in kbit/s.
pub(super) const LARGER: [u64; 4] = [3_000, 10_000, 45_000, 100_000];
/// The round trips of figures 5, 8 and 9, in ms.
pub(super) const RTTS: [u64; 5] = [10, 30, 100, 200, 500];
/// The rates of figure 6, the smaller bandwidths, in kbit/s.
pub(super) const SMALLER: [u64; 4] = [128, 256, 512, 1_500];
/// The round trips of figure 6, in ms.
pub(super) const SMALLER_RTTS: [u64; 2] = [30, 100];
/// The round trips at which all queues are compared, in ms.
pub(super) const FEW_RTTS: [u64; 3] = [10, 100, 500];

/// All combinations of these lists, with CUBIC.
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

/// The runs of figures 5, 8 and 9: the article's queues, and at fewer points the others.
pub(super) fn larger() -> Vec<Point> {
    let mut points = product(&LARGER, &RTTS, 1500, &LOADS, &PAPERS);
    points.extend(product(&LARGER, &FEW_RTTS, 1500, &FEW, &OTHERS));
    points
}

/// The runs of figure 6, with two sizes of packets.
pub(super) fn smaller() -> Vec<Point> {
    let mut points = product(&SMALLER, &SMALLER_RTTS, 1500, &LOADS, &PAPERS);
    points.extend(product(&SMALLER, &SMALLER_RTTS, 500, &LOADS, &[CODEL, RED]));
    points.extend(product(&SMALLER, &SMALLER_RTTS, 1500, &FEW, &OTHERS));
    points
}
