//! `--pcap`: where packets are captured, and into which file.

use std::path::Path;

use scenario::Scenario;
use sim::PcapOptions;
use units::{Bytes, DirectionId};

use super::named_direction;
use crate::args::RecordArgs;
use crate::failure::Failure;
use crate::staged::{self, Staged};

/// A capture to be written.
pub(crate) struct Pcap {
    pub(crate) file: Staged,
    /// The direction whose queue's input is captured.
    place: DirectionId,
    /// The most bytes that are kept of a packet; 0 keeps all.
    snap: u32,
}

impl Pcap {
    /// Fails if the capture cannot be written, as far as its name and options tell.
    pub(super) fn check(scenario: &Scenario, args: &RecordArgs) -> Result<(), Failure> {
        let Some(path) = args.pcap.as_deref() else { return Ok(()) };
        check_name(path)?;
        place(scenario, args)?;
        args.pcap_snap.map_or(Ok(0), snap).map(|_| ())
    }

    /// Begins to write the capture. `None` if `--pcap` was not given.
    pub(super) fn open(scenario: &Scenario, args: &RecordArgs) -> Result<Option<Self>, Failure> {
        let Some(path) = args.pcap.as_deref() else { return Ok(None) };
        let place = place(scenario, args)?;
        let snap = args.pcap_snap.map_or(Ok(0), snap)?;
        Ok(Some(Self { file: Staged::create(path)?, place, snap }))
    }

    /// The capture's options for the simulator.
    pub(crate) fn options(&self) -> Result<PcapOptions, Failure> {
        Ok(PcapOptions { writer: self.file.writer()?, direction: self.place, snap: self.snap })
    }

    /// The capture's options for the lab.
    #[cfg(target_os = "linux")]
    pub(crate) fn lab_options(&self) -> Result<lab::PcapOptions, Failure> {
        Ok(lab::PcapOptions { writer: self.file.writer()?, direction: self.place, snap: self.snap })
    }
}

/// The direction that is captured: that of `--pcap-link`, else the bottleneck.
fn place(scenario: &Scenario, args: &RecordArgs) -> Result<DirectionId, Failure> {
    match &args.pcap_link {
        Some(name) => named_direction("--pcap-link", name, scenario),
        None => Ok(scenario.bottleneck()),
    }
}

/// Fails unless the name ends in `.pcapng`. A pipe or device may have any name.
fn check_name(path: &Path) -> Result<(), Failure> {
    if path.extension().is_some_and(|ending| ending == "pcapng") || staged::is_device(path) {
        return Ok(());
    }
    let file = path.display();
    Err(Failure::Input(format!(
        "--pcap {file}: the name must end in .pcapng, the format that is written; .pcap is another"
    )))
}

/// The size as a number of bytes. Fails if it is too small for any header, or larger than other
/// programs read.
fn snap(size: Bytes) -> Result<u32, Failure> {
    const LEAST: Bytes = Bytes(34);
    /// The largest packet that libpcap accepts.
    const MOST: Bytes = Bytes(256 << 10);
    if (LEAST..=MOST).contains(&size) {
        return Ok(size.0 as u32);
    }
    Err(Failure::Input(format!(
        "--pcap-snap {size}: write {LEAST} to {MOST}; 108B holds all headers, and without the option \
         packets are kept whole"
    )))
}
