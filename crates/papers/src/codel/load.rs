//! The loads on one link: file transfers, the web, a call, and these together.

use crate::run::{File, paper_file};

const MIX: File = paper_file!("codel/mix.toml");
const MIX_AND_CALL: File = paper_file!("codel/mix-and-call.toml");
const WEB: File = paper_file!("codel/web.toml");

/// The traffic of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// The name of the load in tables.
    pub(super) name: &'static str,
    /// The number of file transfers, which never end.
    pub(super) ftps: u32,
    /// The share of the link that the web would use if nothing limited it.
    web: f64,
    /// True if there is a call, 64 kbit/s in packets of 100 bytes.
    pub(super) call: bool,
}

/// The average bytes of a web connection, from which the number of connections that use a share of
/// a link follows.
const BYTES_PER_CONNECTION: f64 = 8_600.0;
/// The most web connections a second.
const MOST_CONNECTIONS: f64 = 80.0;

impl Load {
    /// The scenario file of this load.
    pub(super) fn file(&self) -> File {
        match (self.ftps, self.call) {
            (0, _) => WEB,
            (_, false) => MIX,
            (_, true) => MIX_AND_CALL,
        }
    }

    /// The web connections a second on this link, rounded up to tenths.
    pub(super) fn connections(&self, kbit: u64) -> f64 {
        let bytes = self.web * kbit as f64 * 1000.0 / 8.0;
        (bytes / BYTES_PER_CONNECTION * 10.0).ceil().min(10.0 * MOST_CONNECTIONS) / 10.0
    }

    /// True if the load includes the web.
    pub(super) fn has_web(&self) -> bool {
        self.web > 0.0
    }

    /// The number of sources; the web counts as one.
    pub(super) fn sources(&self) -> u32 {
        self.ftps + u32::from(self.call) + u32::from(self.has_web())
    }

    /// True for several file transfers and nothing else.
    pub(super) fn ftps_alone(&self) -> bool {
        self.ftps > 1 && !self.call && !self.has_web()
    }

    /// True if a link of this rate can carry the load: a call alone is more than the slowest links
    /// carry.
    pub(super) fn fits(&self, kbit: u64) -> bool {
        !self.call || kbit >= 256
    }
}

const fn load(name: &'static str, ftps: u32, web: f64, call: bool) -> Load {
    Load { name, ftps, web, call }
}

/// The web alone.
pub(super) const WEB_ALONE: Load = load("web alone", 0, 0.8, false);

/// All loads.
pub(super) const LOADS: [Load; 9] = [
    load("1 FTP", 1, 0.0, false),
    load("4 FTPs", 4, 0.0, false),
    load("20 FTPs", 20, 0.0, false),
    load("50 FTPs", 50, 0.0, false),
    load("1 FTP, call", 1, 0.0, true),
    load("4 FTPs, some web", 4, 0.1, false),
    load("4 FTPs, some web, call", 4, 0.1, true),
    load("20 FTPs, much web, call", 20, 0.4, true),
    WEB_ALONE,
];

/// The loads with which all queues are compared.
pub(super) const FEW: [Load; 3] = [LOADS[0], LOADS[2], LOADS[6]];
