//! TCP of this machine.

use results::{Fault, FaultName, Severity};
use units::{Bytes, Rate, Span};

use crate::fault::{Told, fault};
use crate::scene::Scene;

/// The first size of a buffer above which it was raised by hand: Linux begins with 16 KiB to send and
/// 128 KiB to receive (Documentation/networking/ip-sysctl.rst).
const FIRST: u64 = 1 << 20;

/// The most bytes of a buffer above which it was raised by hand: Linux has 6 MiB to receive and 4 MiB to
/// send, and 32 MiB to receive since 6.16.
const MOST: u64 = 64 << 20;

/// A long round trip.
const ROUND_TRIP: Span = Span::from_millis(300);

/// Linux paces TCP without `fq` from this version on (commit 218af599fa63, "tcp: internal implementation
/// for pacing").
const PACES: (u32, u32) = (4, 13);

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    let settings = &scene.survey.settings;
    let line = |rate: Option<Rate>| rate.map(|rate| rate * ROUND_TRIP);
    let buffers = [
        ("net.ipv4.tcp_wmem", settings.tcp_wmem, line(scene.known.up.rate)),
        ("net.ipv4.tcp_rmem", settings.tcp_rmem, line(scene.known.down.rate)),
    ];
    faults.extend(buffers.into_iter().filter_map(|(name, sizes, line)| huge(name, sizes?, line)));
    faults.extend(unpaced(scene));
}

/// Buffers that are huge for each connection from its begin, or far more than the line needs.
fn huge(name: &str, sizes: [u64; 3], needed: Option<Bytes>) -> Option<Fault> {
    let [least, first, most] = sizes;
    let is_excess = needed.is_some_and(|needed| most > MOST && most > 8 * needed.0);
    if first <= FIRST && !is_excess {
        return None;
    }
    let severity = if first > FIRST { Severity::Doubtful } else { Severity::Note };
    let mut found = fault(FaultName::HugeTcpBuffers, severity, name)
        .seen("value", format!("{least} {first} {most}"));
    if let Some(needed) = needed {
        found = found.seen("the line needs in 300 ms", needed);
    }
    let (first, most) = match name.ends_with("wmem") {
        true => (16_384, 4_194_304),
        false => (131_072, 6_291_456),
    };
    let text = "Let the kernel size the buffers: it raises them as a connection needs.";
    Some(found.cured(text, format!("sysctl -w {name}=\"4096 {first} {most}\"")))
}

/// BBR before pacing in TCP itself sends in bursts, unless `fq` paces it.
fn unpaced(scene: &Scene<'_>) -> Option<Fault> {
    let control = scene.survey.settings.congestion_control.as_deref()?;
    let version = scene.survey.kernel.version.filter(|version| *version < PACES)?;
    let wan = scene.wan?;
    let is_paced = scene.survey.of(wan).any(|queue| queue.kind == "fq");
    if control != "bbr" || is_paced || scene.survey.queues.is_none() {
        return None;
    }
    let found = fault(FaultName::UnpacedBbr, Severity::Wrong, wan)
        .seen("congestion control", control)
        .seen("kernel", format!("{}.{}", version.0, version.1));
    Some(found.cured("Pace it with fq.", format!("tc qdisc replace dev {wan} root fq")))
}
