//! Histories of a queue: the laws hold for all events and settings.

use qdisc::history::{Operation, Probe, run, run_changing};
use qdisc::{AnyQdisc, LinkInfo, QdiscSpec};
use units::{Bytes, Rate, Rng};

/// Runs the history of a queue: a queue in tc's words or the number of an example, a line feed, and
/// its events, three bytes for each operation. Several queues of a kind with semicolons between
/// them are settings to which the first one changes, at equal distances.
pub fn history(bytes: &[u8]) {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let (queues, history) = (String::from_utf8_lossy(&bytes[..end]), &bytes[end + 1..]);
    let Some(specs) = queues.split(';').map(spec).collect::<Option<Vec<_>>>() else { return };
    let build = |spec: &QdiscSpec| -> AnyQdisc<Probe> {
        spec.build(LinkInfo::new(Rate::from_mbit(10), Bytes(1514)), Rng::new(1))
    };
    let operations = Operation::history(history);
    let mut queue = build(&specs[0]);
    let result = if specs.len() == 1 {
        run(&mut queue, &operations)
    } else if specs.iter().all(|spec| spec.kind() == specs[0].kind()) {
        let mut parts = operations.chunks(operations.len() / specs.len() + 1);
        let first = parts.next().unwrap_or_default();
        run_changing(&mut queue, first, specs[1..].iter().map(build).zip(parts))
    } else {
        return;
    };
    if let Err(law) = result {
        panic!("{queues}: {law}");
    }
}

/// The queue that these words or this number mean; `None` if there is no such queue.
fn spec(text: &str) -> Option<QdiscSpec> {
    let numbered = text.parse().ok().and_then(|number: usize| {
        let examples: Vec<_> = QdiscSpec::examples().collect();
        examples.get(number % examples.len()).copied()
    });
    numbered.unwrap_or(text).parse().ok()
}
