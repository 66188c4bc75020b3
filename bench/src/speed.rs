//! How fast the simulator and its queues are.

mod queues;
mod scenarios;

use serde::Serialize;

use crate::table::Format;
use crate::{Measurement, machine};
use queues::QueueCost;
use scenarios::ScenarioCost;

pub(crate) use scenarios::child;

#[derive(Serialize)]
struct Speed {
    processor: String,
    repeats: u32,
    scenarios: Vec<ScenarioCost>,
    queues: Vec<QueueCost>,
}

/// Measures and prints.
pub(crate) fn run(measurement: &Measurement) -> Result<(), String> {
    let speed = Speed {
        processor: machine::processor(),
        repeats: measurement.repeats,
        scenarios: scenarios::measure(measurement.repeats)?,
        queues: queues::measure(),
    };
    let format = measurement.format();
    if format == Format::Json {
        return measurement.print_json(&speed);
    }
    println!("{}", measurement.circumstances(&speed.processor));
    println!("{}", scenarios::table(&speed.scenarios).render(format));
    println!("{}\n", scenarios::flatness(&speed.scenarios));
    println!("{}", queues::table(&speed.queues).render(format));
    println!("{}", queues::LEGEND);
    Ok(())
}
