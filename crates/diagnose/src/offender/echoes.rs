//! A check whether routers' answers wait where the traffic does.
//!
//! Those answers are ICMP. Where ICMP goes first in the queue of the way back, no router sees that
//! queue, and it looks as if it were the server's own. Echoes of the server, which are ICMP too,
//! show this.

use observation::{Observations, Ping, Stage};
use stats::{ascending, quantile};

use super::Delays;

/// The fewest echoes that show something.
const FEWEST: usize = 3;

/// The part of probes' wait below which echoes bypass the queue.
const PASSES: f64 = 0.5;

/// True if echoes wait as probes do while these stages load the path; `None` if too few were
/// answered.
pub(super) fn wait(
    observations: &Observations,
    stages: &[&Stage],
    delays: &[Delays],
) -> Option<bool> {
    let round_trip = |ping: &Ping| Some(ping.returned?.since(ping.sent).as_secs_f64());
    let pings = || observations.pings.iter();
    let least = pings().filter_map(round_trip).fold(f64::INFINITY, f64::min);
    let is_loaded = |at| stages.iter().any(|stage| (stage.start..stage.end).contains(&at));
    let loaded = pings().filter(|ping| is_loaded(ping.sent));
    let echoes: Vec<f64> = loaded.filter_map(round_trip).map(|trip| trip - least).collect();
    let probes = delays.iter().filter(|delay| is_loaded(delay.at));
    let probes = probes.map(|delay| (delay.up + delay.down).as_secs_f64());
    let count = echoes.len();
    let (echo, probe) = (quantile(&ascending(echoes), 0.5)?, quantile(&ascending(probes), 0.5)?);
    (count >= FEWEST).then_some(echo >= PASSES * probe)
}
