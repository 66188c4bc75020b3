//! The path as its hops' probes show it.

use std::collections::BTreeMap;
use std::net::IpAddr;

use observation::HopProbe;

/// The probes of each hop, from the nearest to the server.
#[derive(Clone, Debug)]
pub(crate) struct ProbedPath<'a> {
    hops: Vec<ProbedHop<'a>>,
    is_server_found: bool,
}

/// The probes of a hop.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProbedHop<'a> {
    pub(crate) probes: Vec<&'a HopProbe>,
    /// The address that answered most often; `None` if none did.
    pub(crate) address: Option<IpAddr>,
}

impl<'a> ProbedPath<'a> {
    /// The path of these probes; `None` if no hop was probed. If the server never answered, it
    /// counts as being at the farthest probed hop.
    pub(crate) fn new(probes: &'a [HopProbe]) -> Option<Self> {
        let of_server = |probe: &&HopProbe| probe.answer.is_some_and(|answer| answer.is_server);
        let server = probes.iter().filter(of_server).map(|probe| probe.hop).min();
        let farthest = probes.iter().map(|probe| probe.hop).max()?;
        let mut hops = vec![ProbedHop::default(); usize::from(server.unwrap_or(farthest))];
        for probe in probes {
            let index = usize::from(probe.hop).checked_sub(1);
            if let Some(hop) = index.and_then(|index| hops.get_mut(index)) {
                hop.probes.push(probe);
            }
        }
        for hop in &mut hops {
            hop.address = most_frequent(&hop.probes);
        }
        (!hops.is_empty()).then_some(Self { hops, is_server_found: server.is_some() })
    }

    /// The server's hop.
    pub(crate) fn server(&self) -> u8 {
        // There are no more hops than a time to live can count.
        self.hops.len() as u8
    }

    /// True if the server has answered.
    pub(crate) fn is_server_found(&self) -> bool {
        self.is_server_found
    }

    /// All hops with their numbers, the server last.
    pub(crate) fn hops(&self) -> impl Iterator<Item = (u8, &ProbedHop<'a>)> {
        (1..).zip(&self.hops)
    }

    /// The hops before the server.
    pub(crate) fn routers(&self) -> impl Iterator<Item = (u8, &ProbedHop<'a>)> {
        self.hops().take(self.hops.len() - 1)
    }

    /// The address that answers at a hop; `None` if none does.
    pub(crate) fn address(&self, hop: u8) -> Option<IpAddr> {
        self.hops.get(usize::from(hop).checked_sub(1)?)?.address
    }
}

impl ProbedHop<'_> {
    /// The times of sending, and the round trips in seconds, of probes that were answered.
    pub(crate) fn round_trips(&self) -> impl Iterator<Item = (units::Time, f64)> {
        self.probes.iter().filter_map(|probe| {
            let answer = probe.answer?;
            Some((probe.sent, answer.at.since(probe.sent).as_secs_f64()))
        })
    }
}

fn most_frequent(probes: &[&HopProbe]) -> Option<IpAddr> {
    let mut counts = BTreeMap::<IpAddr, u32>::new();
    for answer in probes.iter().filter_map(|probe| probe.answer) {
        *counts.entry(answer.from).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(address, _)| address)
}
