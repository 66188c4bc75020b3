//! The paper's tables, digit for digit.

/// The paper's title, as the document names it.
pub(super) const TITLE: &str =
    "Gijsbers and Akkoorath, Performance simulation of buffer bloat in routers";

/// A row of tables 1 and 2: a bulk flow of 1000 s through buffers of several sizes.
pub(super) struct Bulk {
    pub(super) buffer: u32,
    /// The goodput, payload bytes a second.
    pub(super) goodput: f64,
    /// The mean round trip in seconds.
    pub(super) rtt: f64,
    pub(super) drops: f64,
}

/// A row of table 3: a bulk flow and a light one.
pub(super) struct Pair {
    pub(super) buffer: u32,
    /// The bulk flow's goodput, payload bytes a second.
    pub(super) bulk: f64,
    /// The light flow's goodput, payload bytes a second.
    pub(super) light: f64,
    /// The light flow's change from the first row, per cent.
    pub(super) change: f64,
}

/// A row of tables 4 and 5.
pub(super) struct Row {
    /// The window in bytes, or the buffer in frames.
    pub(super) setting: u32,
    /// The throughput in IP packets, kbit/s.
    pub(super) kbit: f64,
    /// The mean round trip in seconds.
    pub(super) rtt: f64,
    pub(super) drops: f64,
    /// The mean queue in frames.
    pub(super) queue: f64,
}

const fn bulk(buffer: u32, goodput: f64, rtt: f64, drops: f64) -> Bulk {
    Bulk { buffer, goodput, rtt, drops }
}

const fn pair(buffer: u32, bulk: f64, light: f64, change: f64) -> Pair {
    Pair { buffer, bulk, light, change }
}

const fn row(setting: u32, kbit: f64, rtt: f64, drops: f64, queue: f64) -> Row {
    Row { setting, kbit, rtt, drops, queue }
}

/// Experiment 1 with a bottleneck of 0.5 Mbit/s.
pub(super) const TABLE_1: [Bulk; 4] = [
    bulk(10, 54722.0, 0.088, 31168.0),
    bulk(50, 53375.0, 0.232, 2300.0),
    bulk(100, 53282.0, 0.448, 3643.0),
    bulk(500, 53181.0, 1.95, 711.0),
];

/// Experiment 1 with a bottleneck of 0.1 Mbit/s.
pub(super) const TABLE_2: [Bulk; 4] = [
    bulk(10, 10968.0, 0.0324, 5969.0),
    bulk(50, 10953.0, 1.517, 8659.0),
    bulk(100, 10695.0, 2.304, 2406.0),
    bulk(500, 10631.0, 8.078, 0.0),
];

/// Experiment 3.
pub(super) const TABLE_3: [Pair; 6] = [
    pair(10, 34796.0, 17800.0, 0.0),
    pair(25, 36214.0, 17800.0, 0.0),
    pair(50, 35784.0, 17743.0, -0.32),
    pair(100, 35964.0, 17143.0, -3.7),
    pair(250, 43933.0, 9196.0, -48.3),
    pair(500, 47969.0, 5139.0, -71.1),
];

/// Experiment 4: windows.
pub(super) const TABLE_4: [Row; 9] = [
    row(300, 90.0, 0.028, 0.0, 0.5),
    row(1000, 135.0, 0.028, 0.0, 0.5),
    row(3000, 676.0, 0.031, 0.0, 0.5),
    row(4000, 946.0, 0.033, 0.0, 0.5),
    row(5000, 987.0, 0.043, 0.0, 1.5),
    row(7000, 987.0, 0.059, 0.0, 5.5),
    row(10000, 987.0, 0.082, 0.0, 10.5),
    row(30000, 987.0, 0.254, 0.0, 47.6),
    row(100_000, 984.0, 0.381, 31.0, 76.0),
];

/// Experiment 5: buffers.
pub(super) const TABLE_5: [Row; 8] = [
    row(1, 796.0, 0.030, 790.0, 0.5),
    row(2, 880.0, 0.033, 725.0, 1.0),
    row(3, 900.0, 0.035, 575.0, 1.5),
    row(6, 977.0, 0.045, 473.0, 3.5),
    row(12, 984.0, 0.067, 261.0, 8.0),
    row(25, 982.0, 0.113, 132.0, 18.0),
    row(50, 979.0, 0.204, 100.0, 37.0),
    row(100, 984.0, 0.381, 31.0, 76.0),
];
