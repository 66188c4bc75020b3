//! The sizes of responses: runs of `304 Not Modified` and runs of downloads alternate.

use units::Rng;

use super::draws::{uniform, weibull};
use super::{between, logistic};

/// The sizes of responses without a download: a part of them, and the bytes below which that part
/// lies.
const NOT_MODIFIED: [(f64, f64); 18] = [
    (0.0, 4.6),
    (0.01, 22.7),
    (0.02, 40.8),
    (0.04, 61.4),
    (0.1, 75.0),
    (0.12, 87.0),
    (0.15, 101.0),
    (0.2, 112.5),
    (0.25, 119.0),
    (0.35, 128.0),
    (0.5, 141.0),
    (0.65, 155.4),
    (0.7, 170.0),
    (0.75, 196.0),
    (0.8, 211.1),
    (0.9, 249.0),
    (0.95, 266.7),
    (1.0, 272.2),
];
/// The sizes of downloads: a part of 2^-x lies above 2^y bytes.
const DOWNLOAD: [(f64, f64); 15] = [
    (0.0, 8.105),
    (0.37, 9.289),
    (0.74, 10.41),
    (1.1, 11.413),
    (1.47, 12.251),
    (1.84, 12.9),
    (2.21, 13.344),
    (2.57, 13.644),
    (3.12, 14.098),
    (3.67, 14.693),
    (4.04, 15.004),
    (4.41, 15.16),
    (5.14, 15.378),
    (5.69, 15.739),
    (6.61, 16.481),
];
/// The index of the Pareto distribution of the tail of downloads.
const TAIL: f64 = 1.231;
/// Scales of the lengths of runs: of responses without a download, and of those with one.
const RUNS: [f64; 2] = [0.775, 3.11];

/// The sizes of responses, one for each connection.
#[derive(Debug)]
pub(super) struct Responses {
    rng: Rng,
    /// Shapes of the lengths of runs.
    shapes: [f64; 2],
    downloads: bool,
    /// The number of responses left in this run.
    left: u64,
}

impl Responses {
    pub(super) fn new(rate: f64, rng: Rng) -> Self {
        let shapes = [logistic(0.718, 0.357, rate), logistic(1.293, 0.316, rate)];
        // The first run is one of downloads.
        Self { rng, shapes, downloads: false, left: 0 }
    }

    /// The next size in bytes, at least 1.
    pub(super) fn size(&mut self) -> u64 {
        if self.left == 0 {
            self.downloads = !self.downloads;
            let state = usize::from(self.downloads);
            let length = weibull(&mut self.rng, self.shapes[state], RUNS[state]);
            self.left = (length.ceil() as u64).max(1);
        }
        self.left -= 1;
        bytes(self.downloads, uniform(&mut self.rng))
    }
}

/// The size in bytes above which this part, more than zero, of all downloads or of the other
/// responses lies.
pub(super) fn bytes(is_download: bool, above: f64) -> u64 {
    let size = if is_download {
        libm::exp2(between(&DOWNLOAD, 1.0 / TAIL, -libm::log2(above)))
    } else {
        between(&NOT_MODIFIED, 0.0, 1.0 - above)
    };
    size as u64
}
