//! Untrusted recordings of arrivals: no panic, every packet has one fate, and errors are explained.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use ::replay::{Arrivals, FateRows, FateText, Framing, Options, ReplayError, Setting};
use ::units::Rate;

/// Reads comma-separated values or a capture, and sends it through the queue that the first byte
/// selects.
pub fn arrivals(bytes: &[u8]) {
    let queues = ["pfifo limit 3", "fq_codel limit 9 quantum 300", "pie limit 99 ecn", "red auto"];
    let (pick, bytes) = bytes.split_first().unwrap_or((&0, &[]));
    let queue = queues[usize::from(*pick) % queues.len()];
    let framing = Framing { mtu: 1500, overhead: u32::from(*pick) };
    let rate = Rate::from_bits_per_sec(1 << (pick % 40)).expect("a power of two is not zero");
    let setting = Setting {
        name: "fuzz".into(),
        queue: queue.parse().expect("a queue"),
        rate,
        framing,
        seed: 1,
    };
    let mut arrivals = match Arrivals::open(bytes, framing) {
        Ok(arrivals) => arrivals,
        Err(error) => return is_explained(&error),
    };
    let output = Output::default();
    let fates: Box<dyn FateRows> = Box::new(FateText::new(output.clone()));
    let options = Options { fates: Some(fates), timeline: true, ..Options::default() };
    match ::replay::run(&mut arrivals, &setting, options) {
        Err(error) => is_explained(&error),
        Ok(document) => {
            let forward = &document.links["replay"].forward;
            let offered = &document.scenario["replay"]["arrivals"]["packets"];
            let decided = forward.delivered_packets + forward.drops.total();
            assert_eq!(offered, decided, "packets came or went");
            let rows = output.0.borrow().iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(rows as u64, decided + 1, "rows are missing");
        }
    }
}

fn is_explained(error: &ReplayError) {
    assert!(matches!(error, ReplayError::Input(_)), "{error}");
    let message = error.to_string();
    assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
}

/// The rows that were written.
#[derive(Clone, Default)]
struct Output(Rc<RefCell<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
