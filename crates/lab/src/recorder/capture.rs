//! Writes the packets that pass one end of a link, as they would be on a wire: super-packets are
//! cut, and all checksums are complete.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use live::PacketSlices;
use scenario::Scenario;
use units::{DirectionId, Span, Time};
use wire::PacketDirection;

use super::background::Background;
use crate::PcapOptions;
use crate::plan::Plan;

const ETHERNET_HEADER: usize = 14;

/// A capture of the packets of kernels.
pub(super) struct Capture {
    file: meter::Capture<Background>,
    /// The time from 1970 until the run's clock showed zero; `None` before the first packet.
    start: Option<Span>,
    /// Buffers for building packets and frames.
    packet: Vec<u8>,
    frame: Vec<u8>,
}

impl Capture {
    /// Begins the file.
    pub(super) fn new(options: PcapOptions, scenario: &Scenario, plan: &Plan) -> io::Result<Self> {
        let PcapOptions { writer, direction, snap } = options;
        let options = meter::CaptureOptions { writer: Background::new(writer)?, direction, snap };
        let nodes: Vec<_> = plan.nodes.iter().map(|node| (node.v4, node.name.as_str())).collect();
        let file = meter::Capture::new(options, scenario, &nodes)?;
        Ok(Self { file, start: None, packet: Vec::new(), frame: Vec::new() })
    }

    /// Captures a packet that has left the stack at the beginning of a direction.
    pub(super) fn entered(&mut self, direction: DirectionId, packet: &PacketSlices<'_>, now: Time) {
        if let Some(way) = self.file.of_offered(direction) {
            self.write(packet, way, now);
        }
    }

    /// Captures a packet that goes into the stack at the end of a direction.
    pub(super) fn delivered(
        &mut self,
        direction: DirectionId,
        packet: &PacketSlices<'_>,
        now: Time,
    ) {
        if let Some(way) = self.file.of_delivered(direction) {
            self.write(packet, way, now);
        }
    }

    /// Waits until everything is written.
    pub(super) fn finish(self) -> io::Result<()> {
        self.file.finish()?.finish()
    }

    fn write(&mut self, cut: &PacketSlices<'_>, direction: PacketDirection, now: Time) {
        let time = now + *self.start.get_or_insert_with(|| wall_clock().saturating_sub(run(now)));
        let Self { file, packet, frame, .. } = self;
        let ethernet = file.ethernet(direction);
        cut.each_packet(packet, &mut |ip| {
            frame.clear();
            frame.reserve(ETHERNET_HEADER + ip.len());
            frame.extend([ethernet.destination.0, ethernet.source.0].as_flattened());
            frame.extend(ether_type(ip));
            frame.extend(ip);
            file.frame(time, direction, frame);
        });
    }
}

/// The Ethernet type of an IP packet (RFC 894 and RFC 2464).
fn ether_type(ip: &[u8]) -> [u8; 2] {
    if ip.first().is_some_and(|byte| byte >> 4 == 6) { [0x86, 0xdd] } else { [0x08, 0x00] }
}

/// The time since the run began.
fn run(now: Time) -> Span {
    now.since(Time::ZERO)
}

/// The time since 1970 began.
#[expect(clippy::disallowed_methods, reason = "a capture says when it was taken")]
fn wall_clock() -> Span {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Span::from_nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}
