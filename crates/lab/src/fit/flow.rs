//! The checks whether a kernel can run a single flow.

use scenario::{AckPolicy, Congestion, Flow, LossDetection, ReceiveWindow, Tcp, Traffic};
use units::Bytes;

use super::machine::Machine;
use crate::LabError;

/// The largest payload of a datagram in a packet of 1500 bytes, without IP's 20 and UDP's or ICMP's
/// 8 bytes.
const LARGEST_DATAGRAM: Bytes = Bytes(1500 - 28);
/// The size of the send time that a datagram carries.
pub(crate) const STAMP: Bytes = Bytes(8);
/// The sizes of a full segment, options included: from Linux's minimum to the most in 1500 bytes.
const SEGMENTS: std::ops::RangeInclusive<u64> = 88..=1460;
/// The bytes of the timestamps option in each segment (RFC 7323).
const TIMESTAMPS: u64 = 12;
/// The smallest receive window: half of Linux's `SOCK_MIN_RCVBUF`.
const SMALLEST_WINDOW: Bytes = Bytes(2304);
/// The largest receive window: a kernel cannot count a buffer of more than four times this size.
const LARGEST_WINDOW: Bytes = Bytes(256 << 20);
/// The first release in which Linux, with SACK, finds losses by time alone.
const RACK_ONLY: (u32, u32) = (6, 17);

/// Checks that the kernel can run this flow.
pub(super) fn fit(flow: &Flow, machine: &Machine) -> Result<(), LabError> {
    let checked = match flow.traffic {
        Traffic::Cbr { packet, .. } => datagram("packet", packet).and_then(|()| stamped(packet)),
        Traffic::Ping { bytes, .. } => datagram("bytes", bytes),
        Traffic::Voip { .. } => Ok(()),
        _ if flow.traffic.writing().greeting.is_some() => {
            fault("greeting", "no socket tells when its peer has it; leave it out")
        }
        _ => tcp(&flow.tcp, machine),
    };
    checked.map_err(|(key, why)| LabError::Unfit(format!("flow.{}.{key}: {why}", flow.name)))
}

/// The key of the flow that is at fault, and the reason.
type Fault = (&'static str, String);

fn datagram(key: &'static str, payload: Bytes) -> Result<(), Fault> {
    let why = || {
        format!("{payload} do not fit into a packet of 1500 bytes; at most {LARGEST_DATAGRAM} do")
    };
    if payload > LARGEST_DATAGRAM { Err((key, why())) } else { Ok(()) }
}

fn stamped(packet: Bytes) -> Result<(), Fault> {
    let why = || {
        format!(
            "a packet carries the time at which it was sent, which takes {STAMP}; \
         write {STAMP} or more"
        )
    };
    if packet < STAMP { Err(("packet", why())) } else { Ok(()) }
}

fn tcp(tcp: &Tcp, machine: &Machine) -> Result<(), Fault> {
    congestion(tcp, machine)?;
    segment(tcp)?;
    window(tcp.receive_window)?;
    if tcp.initial_ssthresh.is_some() {
        return fault("initial_ssthresh", "Linux has none for a single connection; leave it out");
    }
    if tcp.acks == AckPolicy::OncePerWindow {
        return fault("delayed_ack", "no kernel acknowledges per window; write true or false");
    }
    if tcp.abe {
        return fault("abe", "Linux reacts to a mark as to a loss; leave it out");
    }
    if tcp.tick.is_some() {
        return fault("tick", "this machine's Linux has its own; leave it out");
    }
    if !tcp.offload {
        return fault("offload", "Linux always sends super-packets; leave it out");
    }
    if tcp.loss_detection == LossDetection::Scoreboard && machine.release >= RACK_ONLY {
        let why = "with SACK, Linux since 6.17 finds losses by time alone; leave it out, or \
                   write `sack = false`";
        return fault("rack", why);
    }
    let min_rto = tcp.rto_floor.span();
    if !min_rto.as_nanos().is_multiple_of(1_000_000) {
        let why = format!("{min_rto} are not whole milliseconds, which Linux counts in");
        return Err(("min_rto", why));
    }
    Ok(())
}

fn fault(key: &'static str, why: &str) -> Result<(), Fault> {
    Err((key, why.to_owned()))
}

fn congestion(tcp: &Tcp, machine: &Machine) -> Result<(), Fault> {
    if matches!(tcp.congestion, Congestion::Ledbat { .. }) {
        let why = "Linux has no LEDBAT; write \"cubic\" or \"reno\", or simulate it: `unbloat sim`";
        return Err(("congestion", why.into()));
    }
    let name = kernel_name(tcp.congestion);
    if !machine.congestion.iter().any(|known| known == name) {
        let known = machine.congestion.join(", ");
        let why = format!(
            "this kernel has no `{name}`, but {known}; as root, `modprobe tcp_{name}` may add it"
        );
        return Err(("congestion", why));
    }
    match tcp.congestion {
        Congestion::Cubic { hystart, beta } => cubic(hystart, beta, machine),
        _ => Ok(()),
    }
}

/// Checks that the flow's CUBIC is this machine's. HyStart is on by default, in the simulator and
/// in the kernel; the kernel's can be changed.
fn cubic(hystart: bool, beta: f64, machine: &Machine) -> Result<(), Fault> {
    if machine.hystart.unwrap_or(true) != hystart {
        let is = if hystart { "has none" } else { "has it" };
        let value = u8::from(hystart);
        let why = format!(
            "this machine's CUBIC {is}, for all connections; write `hystart = {}`, or as root \
             `echo {value} > /sys/module/tcp_cubic/parameters/hystart`",
            !hystart
        );
        return Err(("hystart", why));
    }
    let wanted = (beta * 1024.0).round() as u32;
    let has = machine.beta.unwrap_or(717);
    if has == wanted {
        return Ok(());
    }
    let part = (f64::from(has) / 1024.0 * 1000.0).round() / 1000.0;
    let why = format!(
        "this machine's CUBIC has {part}, {has} of 1024, for all connections; leave it out, or as \
         root `echo {wanted} > /sys/module/tcp_cubic/parameters/beta`"
    );
    Err(("beta", why))
}

/// The kernel's name of a congestion control.
pub(crate) fn kernel_name(congestion: Congestion) -> &'static str {
    match congestion {
        Congestion::Cubic { .. } => "cubic",
        Congestion::Reno => "reno",
        Congestion::Bbr => "bbr",
        // Always refused: a kernel module of this name need not be the LEDBAT of RFC 6817.
        Congestion::Ledbat { .. } => "ledbat",
    }
}

/// The segment size as Linux counts it: with the timestamps option.
pub(crate) fn max_segment(tcp: &Tcp) -> Bytes {
    Bytes(u64::from(tcp.mss) + if tcp.timestamps { TIMESTAMPS } else { 0 })
}

fn segment(tcp: &Tcp) -> Result<(), Fault> {
    let (least, most) = (*SEGMENTS.start(), *SEGMENTS.end());
    if SEGMENTS.contains(&max_segment(tcp).0) {
        return Ok(());
    }
    let mss = Bytes(tcp.mss.into());
    let options = max_segment(tcp) - mss;
    let why = format!(
        "{mss}; on a device with an MTU of 1500, Linux has {} to {}",
        Bytes(least) - options,
        Bytes(most) - options
    );
    Err(("mss", why))
}

fn window(window: ReceiveWindow) -> Result<(), Fault> {
    let (ReceiveWindow::Fixed(bytes) | ReceiveWindow::Auto { max: bytes }) = window;
    if (SMALLEST_WINDOW..=LARGEST_WINDOW).contains(&bytes) {
        return Ok(());
    }
    let why = format!("{bytes}; Linux has windows from {SMALLEST_WINDOW} to {LARGEST_WINDOW}");
    Err(("receive_window", why))
}
