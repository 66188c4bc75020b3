//! An AQM of one's own on a live line: no more than one packet in 20 ms is dropped or marked, and only
//! while packets wait longer than 10 ms.
//!
//! `sudo target/release/examples/own_aqm eth0` (`cargo build --release -p shape --example own_aqm`)

use qdisc::aqm::{Aqm, Departure, Verdict};
use qdisc::{Fifo, Limit};
use shape::{Foreign, QueueSettings, Settings, Shaper, Unable};
use units::{PerWay, Rate, Span, Time};

#[derive(Clone, Debug)]
struct Gentle;

impl Aqm for Gentle {
    /// The time of the last signal.
    type State = Time;

    fn on_dequeue(&mut self, last: &mut Time, departure: &Departure) -> Verdict {
        let is_early = departure.now.since(*last) < Span::from_millis(20);
        if is_early || departure.sojourn < Span::from_millis(10) {
            return Verdict::Pass;
        }
        *last = departure.now;
        Verdict::Signal
    }
}

fn main() {
    if let Err(error) = shape() {
        eprintln!("error: {error}");
        std::process::exit(2);
    }
}

fn shape() -> Result<(), Box<dyn std::error::Error>> {
    let interface = std::env::args().nth(1).ok_or("name an interface: own_aqm eth0")?;
    let queue = Foreign::new("gentle", |_, _| Fifo::new(Limit::packets(1000), Gentle));
    let up = QueueSettings::of(queue, Some(Rate::from_mbit(10)))?;
    let queues = PerWay { forward: Some(up), reverse: None };
    let settings = Settings { interface, queues, unable: Unable::Pass, follow: None };
    let report = Box::new(|event| eprintln!("{event:?}"));
    Ok(Shaper::new(&settings, Default::default(), report)?.run()?)
}
