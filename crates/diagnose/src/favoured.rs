//! Probes that bypass the queue in which TCP waits.
//!
//! The handshake of a new connection beside the load is as small as a probe, and belongs to no flow
//! with packets in the queue: where each flow has a queue of its own, it is as quick as probes are.
//! If it waits and probes do not, the queue does not separate flows but protocols: UDP, ICMP or a
//! class of service goes first.

use observation::Heading;
use results::{Finding, FindingKind};
use units::Span;

use crate::noise::NO_DELAY;
use crate::signs::Signs;
use crate::spread::Weighted;
use crate::view::View;
use crate::window::Window;

/// The fewest handshakes that show something.
const FEWEST: usize = 3;

/// The median wait of handshakes beside the load, in seconds beyond the least round trip, and that
/// of probes over both ways; `None` if there were too few handshakes.
pub(crate) fn handshakes(view: &View<'_>, window: &Window) -> Option<[f64; 2]> {
    let of_window = view.seen.foreign.iter().filter(|one| {
        let at = view.clock.ours(one.at);
        (window.from..window.to).contains(&at)
    });
    let connects: Vec<f64> = of_window.map(|one| one.connect).map(Span::as_secs_f64).collect();
    if connects.len() < FEWEST {
        return None;
    }
    let median = Weighted::evenly(connects).quantile(0.5)? - view.least_round_trip();
    let way = |heading| window.spread(view.passages.heading(heading)).quantile(0.5);
    Some([median.max(0.0), way(Heading::Up)? + way(Heading::Down)?])
}

/// A finding if handshakes wait clearly longer than twice the probes' wait; `None` otherwise.
pub(crate) fn favoured(handshakes: Option<[f64; 2]>, signs: &Signs) -> Option<Finding> {
    let [connect, probe] = handshakes?;
    // Twice a packet on the wire, which delays a handshake each way.
    let bound = 2.0 * probe + 2.0 * signs.packet + signs.noise + 2.0 * NO_DELAY;
    let is_clear = connect > bound && signs.flows > bound;
    let beyond = stats::ratio(connect, bound).unwrap_or(0.0);
    is_clear.then(|| Finding {
        kind: FindingKind::ProbesFavoured,
        amount: stats::finite((connect - probe) * 1e3),
        confidence: crate::queue::sure(beyond),
    })
}
