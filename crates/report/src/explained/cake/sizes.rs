//! Bytes: what CAKE counts of a packet, what its packets take in memory, and how long they are.

use super::Cake;
use crate::explained::quantity::size;
use crate::number::{count, duration};

/// The most bytes before a packet's network header. Ethernet with two VLAN tags and PPPoE has 30.
const LINK_HEADER: u64 = 64;

/// How CAKE counts packets against its rate.
pub(super) fn framing(cake: &Cake) -> String {
    let options = &cake.options;
    if options.raw {
        return "Packets count with the headers that the kernel gives them (raw): what the link \
                adds must fit into the rest of the link's rate."
            .to_owned();
    }
    let cells = match options.atm.as_str() {
        "atm" => ", in ATM cells",
        "ptm" => ", and PTM's 65 for 64",
        _ => "",
    };
    let least = match options.mpu {
        0 => String::new(),
        mpu => format!(", at least {mpu}"),
    };
    let rule = format!(
        "Packets count with {} bytes each for the link (overhead){least}{cells}",
        options.overhead
    );
    // Before the first packet, the longest is 0.
    if cake.max_network_size == 0 {
        return rule + ".";
    }
    let [shortest, longest] = [cake.min_network_size, cake.max_network_size].map(count);
    let [least, most] = [cake.min_adj_size, cake.max_adj_size].map(count);
    format!("{rule}: those of {shortest} to {longest} bytes as {least} to {most}.")
}

/// The memory that packets have taken. `memory_used` is the most so far (sch_cake.c,
/// `cake_dump_stats`).
pub(super) fn memory(cake: &Cake) -> String {
    let [used, limit] = [cake.memory_used, cake.memory_limit].map(size);
    match cake.memory_used > cake.memory_limit {
        true => format!(
            "Packets have filled the {limit} of memory, and some were dropped because it was full: \
             a sender does not slow down, or the memory is too small for this rate."
        ),
        false => format!("Packets have taken at most {used} of {limit} of memory."),
    }
}

/// Packets that came as one (GSO, GRO); `None` if there were none.
pub(super) fn lumps(cake: &Cake) -> Option<String> {
    let longest = cake.tins.iter().map(|tin| tin.max_pkt_len).max()?;
    let is_lump = cake.max_network_size > 0 && longest > cake.max_network_size + LINK_HEADER;
    is_lump.then(|| {
        let came = format!("Packets come in super-packets of up to {} (GSO, GRO)", size(longest));
        let hold = |rate| duration(longest as f64 / rate as f64 * 1e3);
        match (cake.options.split_gso, cake.bandwidth()) {
            (true, _) => came + ", which CAKE splits again (split-gso).",
            (false, Some(rate)) => format!(
                "{came}, and CAKE does not split them (no-split-gso): other packets wait {} for \
                 each.",
                hold(rate)
            ),
            (false, None) => came + ", and CAKE does not split them (no-split-gso).",
        }
    })
}
