//! The speed and accuracy of the lab and of the shaper, beside the kernel's own forwarding and shaping.

mod case;
mod kernel;
mod shaper;

use serde::Serialize;

use crate::table::{Format, Table, decimals, print_json};
use crate::{Measurement, child, machine};
use case::Case;
pub(crate) use case::{LAB, SHAPE};
use results::Document;

/// The figures of one case, for each way to make its link.
#[derive(Serialize)]
struct Measured {
    case: &'static str,
    ways: Vec<(&'static str, Figures)>,
}

/// The figures of one run, or the medians of several.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Figures {
    /// The bulk flow's goodput.
    goodput_mbit: Option<f64>,
    /// The shaper's measured rate over the configured one, minus one; ours only.
    rate_error: Option<f64>,
    /// The median round trip of a ping beside the bulk flow, in milliseconds.
    ping_p50_ms: Option<f64>,
    ping_p99_ms: Option<f64>,
    /// The part of one processor that the loop used; ours only.
    cpu: Option<f64>,
    /// The delay of packets after their scheduled time; ours only.
    lateness_p50_us: Option<f64>,
    lateness_p99_us: Option<f64>,
}

/// Measures and prints.
pub(crate) fn run(measurement: &Measurement, cases: &[Case]) -> Result<(), String> {
    let measured: Vec<Measured> =
        cases.iter().map(|case| measure(case, measurement.repeats)).collect::<Result<_, _>>()?;
    let format = measurement.format();
    if format == Format::Json {
        return print_json(&measured);
    }
    println!(
        "Measured on {}: real TCP (CUBIC) between two namespaces, {} s a run, the median of {} \
         runs; ways take turns.\n",
        machine::processor(),
        case::SECONDS,
        measurement.repeats,
    );
    println!("{}", table(&measured).render(format));
    Ok(())
}

/// Runs one case one way and prints the document. This needs a process of its own, because entering
/// namespaces requires a single thread.
pub(crate) fn child(name: &str, way: &str) -> Result<(), String> {
    let case =
        LAB.iter().chain(&SHAPE).find(|case| case.name == name).ok_or("there is no such case")?;
    let way = case.ways.iter().find(|other| other.name() == way).ok_or("there is no such way")?;
    let document = case.run(*way)?;
    serde_json::to_writer(std::io::stdout().lock(), &document).map_err(|error| error.to_string())
}

/// The figures of one case. The ways take turns, so that a busy moment of the machine does not
/// affect one of them alone.
fn measure(case: &Case, repeats: u32) -> Result<Measured, String> {
    let mut runs: Vec<(&str, Vec<Figures>)> =
        case.ways.iter().map(|way| (way.name(), Vec::new())).collect();
    for _ in 0..repeats {
        for (way, figures) in &mut runs {
            let document = child::run(&["lab-child", case.name, way])?;
            figures.push(Figures::of(&document, case));
        }
    }
    let ways = runs.into_iter().map(|(way, figures)| (way, Figures::median(&figures))).collect();
    Ok(Measured { case: case.name, ways })
}

impl Figures {
    fn of(document: &Document, case: &Case) -> Self {
        let flow = |name: &str| document.flows.get(name);
        let ping = flow("ping").and_then(|ping| ping.rtt_ms).unwrap_or_default();
        let lateness = document.validity.as_ref().map(|validity| validity.lateness_us);
        let link = document.links.get("link").and_then(|link| link.forward.rate_mbit);
        Self {
            goodput_mbit: flow("bulk").and_then(|bulk| bulk.goodput_mbit),
            rate_error: link.zip(case.mbit).map(|(got, asked)| got / asked - 1.0),
            ping_p50_ms: ping.p50,
            ping_p99_ms: ping.p99,
            cpu: document.validity.as_ref().and_then(|validity| validity.cpu),
            lateness_p50_us: lateness.and_then(|lateness| lateness.p50),
            lateness_p99_us: lateness.and_then(|lateness| lateness.p99),
        }
    }

    fn median(figures: &[Self]) -> Self {
        let middle = |of: fn(&Self) -> Option<f64>| {
            let mut values: Vec<f64> = figures.iter().filter_map(of).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied()
        };
        Self {
            goodput_mbit: middle(|figures| figures.goodput_mbit),
            rate_error: middle(|figures| figures.rate_error),
            ping_p50_ms: middle(|figures| figures.ping_p50_ms),
            ping_p99_ms: middle(|figures| figures.ping_p99_ms),
            cpu: middle(|figures| figures.cpu),
            lateness_p50_us: middle(|figures| figures.lateness_p50_us),
            lateness_p99_us: middle(|figures| figures.lateness_p99_us),
        }
    }
}

/// A table with a row for each way; ratios are to the first way of a case, the kernel's own.
fn table(measured: &[Measured]) -> Table {
    let mut table = Table::new(
        2,
        &[
            "case",
            "links",
            "goodput Mbit/s",
            "ratio",
            "rate error %",
            "ping p50 ms",
            "p99",
            "loop's CPU %",
            "late p50 us",
            "p99",
        ],
    );
    for Measured { case, ways } in measured {
        let kernel = ways.first().and_then(|(_, figures)| figures.goodput_mbit);
        for (way, figures) in ways {
            let ratio = figures.goodput_mbit.zip(kernel).map(|(ours, kernel)| ours / kernel);
            let percent = |part: Option<f64>| part.map(|part| 100.0 * part);
            table.row(vec![
                (*case).into(),
                (*way).into(),
                decimals(figures.goodput_mbit, 1),
                decimals(ratio, 3),
                decimals(percent(figures.rate_error), 3),
                decimals(figures.ping_p50_ms, 3),
                decimals(figures.ping_p99_ms, 3),
                decimals(percent(figures.cpu), 1),
                decimals(figures.lateness_p50_us, 0),
                decimals(figures.lateness_p99_us, 0),
            ]);
        }
    }
    table
}
