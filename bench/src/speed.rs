//! The speed of the simulator and its queues.

mod flows;
mod isolation;
mod queues;
mod scenarios;

use serde::Serialize;
use sim::Options;

use crate::table::{Format, print_json};
use crate::{Measurement, child, machine};
use flows::CrowdCost;
use isolation::IsolationCost;
use queues::QueueCost;

pub(crate) use scenarios::{DUMBBELLS, Dumbbell, FILES, ScenarioCost};

#[derive(Serialize)]
struct Speed {
    processor: String,
    repeats: u32,
    scenarios: Vec<ScenarioCost>,
    flows: Vec<CrowdCost>,
    queues: Vec<QueueCost>,
    isolation: Vec<IsolationCost>,
}

/// The costs of queues without a simulation.
#[derive(Serialize)]
struct QueueCosts {
    processor: String,
    queues: Vec<QueueCost>,
    isolation: Vec<IsolationCost>,
}

/// Measures and prints.
pub(crate) fn run(measurement: &Measurement) -> Result<(), String> {
    let speed = Speed {
        processor: machine::processor(),
        repeats: measurement.repeats,
        scenarios: scenarios::measure(measurement.repeats)?,
        flows: flows::measure(measurement.repeats)?,
        queues: queues::measure(),
        isolation: isolation::measure(),
    };
    let format = measurement.format();
    if format == Format::Json {
        return print_json(&speed);
    }
    println!("{}", measurement.circumstances(&speed.processor));
    println!("{}", scenarios::table(&speed.scenarios).render(format));
    println!("{}", scenarios::verdict(&speed.scenarios));
    println!("{}\n", scenarios::flatness(&speed.scenarios));
    println!("{}", flows::table(&speed.flows).render(format));
    println!("{}\n", flows::verdict(&speed.flows));
    print_queues(&speed.queues, &speed.isolation, format);
    Ok(())
}

/// Measures the queues alone, and prints.
pub(crate) fn run_queues(measurement: &Measurement) -> Result<(), String> {
    let costs = QueueCosts {
        processor: machine::processor(),
        queues: queues::measure(),
        isolation: isolation::measure(),
    };
    let format = measurement.format();
    if format == Format::Json {
        return print_json(&costs);
    }
    println!("{}", measurement.circumstances(&costs.processor));
    print_queues(&costs.queues, &costs.isolation, format);
    Ok(())
}

fn print_queues(queues: &[QueueCost], isolation: &[IsolationCost], format: Format) {
    println!("{}", queues::table(queues).render(format));
    println!("{}\n", queues::LEGEND);
    println!("{}", isolation::table(isolation).render(format));
    println!("{}", isolation::LEGEND);
}

/// Runs the scenario of this name, or only this many seconds of it, and prints its result document.
pub(crate) fn child(name: &str, seconds: Option<u32>, untimed: bool) -> Result<(), String> {
    let dumbbell = scenarios::DUMBBELLS.iter().find(|dumbbell| dumbbell.name == name);
    let scenario = dumbbell.map(|dumbbell| dumbbell.scenario(seconds));
    let scenario = scenario.or_else(|| flows::scenario(name));
    let scenario = scenario.ok_or_else(|| format!("there is no scenario {name}"))??;
    let started = (!untimed).then(machine::cpu_s);
    let document = sim::run(&scenario, Options::default()).map_err(|error| error.to_string())?;
    child::print(document, started)
}
