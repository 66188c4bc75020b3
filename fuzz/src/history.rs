//! Histories of a queue: whatever happens to it, whatever its settings, the laws hold.

use qdisc::history::{Operation, Probe, run};
use qdisc::{Environment, QdiscSpec};
use units::{Bytes, Rate, Rng};

/// A queue as tc writes it, a line feed, and what happens to it, three bytes an operation.
pub fn history(bytes: &[u8]) {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let (queue, history) = (String::from_utf8_lossy(&bytes[..end]), &bytes[end + 1..]);
    let Ok(queue) = queue.parse::<QdiscSpec>() else { return };
    let link = Environment { rate: Rate::from_mbit(10), mtu: Bytes(1514) };
    let mut discipline = queue.build::<Probe>(link, Rng::new(1));
    if let Err(law) = run(&mut discipline, &Operation::history(history)) {
        panic!("{queue}: {law}");
    }
}
