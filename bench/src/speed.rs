//! How fast the simulator and its queues are.

mod queues;
mod scenarios;

use serde::Serialize;

use crate::machine;
use crate::table::Format;
use queues::QueueCost;
use scenarios::ScenarioCost;

pub(crate) use scenarios::child;

/// What `bench` can be told.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How often each scenario is run; the fastest counts, since all that disturbs only slows.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// Write one JSON document.
    #[arg(long)]
    json: bool,
    /// Write the tables of docs/performance.md.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

#[derive(Serialize)]
struct Speed {
    processor: String,
    repeats: u32,
    scenarios: Vec<ScenarioCost>,
    queues: Vec<QueueCost>,
}

/// Measures and prints.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let speed = Speed {
        processor: machine::processor(),
        repeats: arguments.repeats,
        scenarios: scenarios::measure(arguments.repeats)?,
        queues: queues::measure(),
    };
    if arguments.json {
        let json = serde_json::to_string_pretty(&speed).map_err(|error| error.to_string())?;
        println!("{json}");
        return Ok(());
    }
    let format = if arguments.markdown { Format::Markdown } else { Format::Text };
    println!(
        "Measured on {}: processor time of the one thread that computes, the best of {} runs, each \
         in a process of its own.\nRatios within a table count; absolute times are those of this \
         machine at this moment.\n",
        speed.processor, speed.repeats
    );
    println!("{}", scenarios::table(&speed.scenarios).render(format));
    println!("{}\n", scenarios::flatness(&speed.scenarios));
    println!("{}", queues::table(&speed.queues).render(format));
    println!("{}", queues::LEGEND);
    Ok(())
}
