//! Histories of a queue: the laws hold for all events and settings.

use qdisc::history::{Operation, Probe, run};
use qdisc::{LinkInfo, QdiscSpec};
use units::{Bytes, Rate, Rng};

/// Runs the history of a queue: a queue in tc's words or the number of an example, a line feed, and
/// its events, three bytes for each operation.
pub fn history(bytes: &[u8]) {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let (queue, history) = (String::from_utf8_lossy(&bytes[..end]), &bytes[end + 1..]);
    let numbered = queue.parse().ok().and_then(|number: usize| {
        let examples: Vec<_> = QdiscSpec::examples().collect();
        examples.get(number % examples.len()).copied()
    });
    let Ok(queue) = numbered.unwrap_or(&queue).parse::<QdiscSpec>() else { return };
    let link = LinkInfo::new(Rate::from_mbit(10), Bytes(1514));
    let mut discipline = queue.build::<Probe>(link, Rng::new(1));
    if let Err(law) = run(&mut discipline, &Operation::history(history)) {
        panic!("{queue}: {law}");
    }
}
