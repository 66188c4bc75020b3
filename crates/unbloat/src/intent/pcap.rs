//! `--pcap`: where packets are captured, and into which file.

use std::path::Path;

use scenario::Scenario;
use sim::PcapOptions;
use units::Bytes;

use super::Place;
use crate::args::WatchArgs;
use crate::failure::Failure;
use crate::staged::{self, Staged};

/// A capture to be written.
pub(crate) struct Pcap {
    pub(crate) file: Staged,
    /// The direction before whose queue the capture stands.
    place: Place,
    /// The most bytes that are kept of a packet; 0 for all.
    snap: u32,
}

impl Pcap {
    /// Can what `--pcap` asks for be written, as far as its name tells?
    pub(super) fn check(scenario: &Scenario, args: &WatchArgs) -> Result<(), Failure> {
        let Some(path) = args.pcap.as_deref() else { return Ok(()) };
        check_name(path)?;
        place(scenario, args)?;
        args.pcap_snap.map_or(Ok(0), snap).map(|_| ())
    }

    /// Begins to write what `--pcap` asks for, if it does.
    pub(super) fn open(scenario: &Scenario, args: &WatchArgs) -> Result<Option<Self>, Failure> {
        let Some(path) = args.pcap.as_deref() else { return Ok(None) };
        let place = place(scenario, args)?;
        let snap = args.pcap_snap.map_or(Ok(0), snap)?;
        Ok(Some(Self { file: Staged::create(path)?, place, snap }))
    }

    /// What the simulator has to know.
    pub(crate) fn options(&self) -> Result<PcapOptions, Failure> {
        let Place { link, forward } = self.place;
        Ok(PcapOptions { writer: self.file.writer()?, link, forward, snap: self.snap })
    }

    /// What the lab has to know.
    #[cfg(target_os = "linux")]
    pub(crate) fn lab_options(&self) -> Result<lab::PcapOptions, Failure> {
        let Place { link, forward } = self.place;
        Ok(lab::PcapOptions { writer: self.file.writer()?, link, forward, snap: self.snap })
    }
}

/// Where the capture stands.
fn place(scenario: &Scenario, args: &WatchArgs) -> Result<Place, Failure> {
    match &args.pcap_link {
        Some(name) => Place::named("--pcap-link", name, scenario),
        None => Ok(Place::bottleneck(scenario)),
    }
}

/// A name that promises what the file is; a pipe may be called as it likes.
fn check_name(path: &Path) -> Result<(), Failure> {
    if path.extension().is_some_and(|ending| ending == "pcapng") || staged::is_device(path) {
        return Ok(());
    }
    let file = path.display();
    Err(Failure::Input(format!(
        "--pcap {file}: the name must end in .pcapng, the format that is written; .pcap is another"
    )))
}

/// Not so little that no header is left, nor more than other programs read.
fn snap(size: Bytes) -> Result<u32, Failure> {
    const LEAST: Bytes = Bytes(34);
    /// The largest packet of libpcap.
    const MOST: Bytes = Bytes(256 << 10);
    if (LEAST..=MOST).contains(&size) {
        return Ok(size.0 as u32);
    }
    Err(Failure::Input(format!(
        "--pcap-snap {size}: write {LEAST} to {MOST}; 108B holds all headers, and without the option \
         packets are kept whole"
    )))
}
