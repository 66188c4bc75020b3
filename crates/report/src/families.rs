//! The goodput of each flow, and of all members of a `count` together.

use results::{Document, FlowResult};

use crate::flows::family;

/// A flow, or all members of a `count`.
pub(crate) struct Family {
    /// The name, with the number of members if there are several: `torrent (40 flows)`.
    pub(crate) name: String,
    /// Number of flows.
    pub(crate) members: usize,
    /// The sum of the members' goodputs.
    pub(crate) goodput_mbit: f64,
}

/// The families of a result that have a goodput, in the order of their first flows.
pub(crate) fn families(document: &Document) -> Vec<Family> {
    let flows: Vec<(&str, &FlowResult)> =
        document.flows.iter().map(|(name, flow)| (name.as_str(), flow)).collect();
    let kin = flows.chunk_by(|(a, _), (b, _)| family(a).is_some() && family(a) == family(b));
    let of = |members: &[(&str, &FlowResult)]| {
        let goodputs = members.iter().filter_map(|(_, flow)| flow.goodput_mbit);
        let goodput_mbit = goodputs.reduce(|a, b| a + b).filter(|sum| sum.is_finite())?;
        Some(Family { name: name(members)?, members: members.len(), goodput_mbit })
    };
    kin.filter_map(of).collect()
}

/// The name of a family; `None` without members.
fn name(members: &[(&str, &FlowResult)]) -> Option<String> {
    let (first, _) = members.first()?;
    Some(match family(first) {
        Some(family) if members.len() > 1 => format!("{family} ({} flows)", members.len()),
        _ => (*first).to_owned(),
    })
}
