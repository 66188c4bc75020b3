//! The queue and the link of a replay.

use qdisc::QdiscSpec;
use units::Rate;

use crate::Framing;

/// The queue and the link that the arrivals meet.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The name of the arrivals.
    pub name: String,
    /// The queue.
    pub queue: QdiscSpec,
    /// The rate of the link behind the queue.
    pub rate: Rate,
    /// The framing of packets on the link's wire. The longest packet is that of CoDel's and PIE's
    /// guards.
    pub framing: Framing,
    /// The seed of all randomness.
    pub seed: u64,
}

/// Checks that a queue asks for no more than recorded arrivals have.
///
/// # Errors
/// What it asks for, and what to write instead.
pub fn check_queue(queue: &QdiscSpec) -> Result<(), &'static str> {
    match queue {
        QdiscSpec::Cake(cake) if cake.nat => Err(
            "`nat` needs the hosts from before address translation, which recorded arrivals do not \
             have; write `nonat`",
        ),
        QdiscSpec::Cake(cake) if cake.fwmark > 0 => {
            Err("`fwmark` needs firewall marks, which recorded arrivals do not have; leave it out")
        }
        _ => Ok(()),
    }
}

/// Checks that a link of this rate can be computed.
///
/// # Errors
/// What is wrong, and the fastest rate.
pub fn check_rate(rate: Rate) -> Result<(), String> {
    const FASTEST: Rate = Rate::from_mbit(1_000_000);
    match rate <= FASTEST {
        true => Ok(()),
        false => Err(format!("{rate} is too fast; write at most {FASTEST}")),
    }
}
