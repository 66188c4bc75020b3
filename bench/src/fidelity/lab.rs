//! The simulator's deviation from the kernel of this machine: each case in the lab, where the queue
//! is the same code and TCP the kernel's, and in the simulator, where TCP is ours.

mod grid;

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use results::{Document, Soundness, Tolerance};
use serde::{Deserialize, Serialize};

use super::compare::{Comparison, head};
use super::figures::{FLOW, LINK, START_UP_S};
use crate::child;
use crate::table::{Format, Table, print_json};
use grid::Case;

/// The options of `bench fidelity --lab`.
#[derive(clap::Args)]
pub(crate) struct Settings {
    /// Compare with the kernel of this machine instead of the reference, through the lab, in real
    /// time: about half an hour.
    #[arg(long)]
    pub(crate) lab: bool,
    /// Duration of each case in the lab, in seconds.
    #[arg(long, default_value_t = 60, requires = "lab")]
    seconds: u32,
    /// Number of cases of up to 10 Mbit/s that run at once in the lab; of the faster ones half as
    /// many.
    #[arg(long, default_value_t = 4, requires = "lab")]
    parallel: usize,
    /// Earlier output of `--lab --json`, for as many seconds: the kernel's figures are the medians
    /// of these, and nothing runs in the lab.
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "lab")]
    kernel: Vec<PathBuf>,
}

/// A case with its comparison.
#[derive(Serialize)]
struct CaseResult {
    case: String,
    queue: String,
    /// The reasons why the lab did not keep time; empty if it did.
    starved: Vec<String>,
    comparisons: Vec<Comparison>,
}

/// The part of a kept outcome that is read.
#[derive(Deserialize)]
struct Kept {
    case: String,
    starved: Vec<String>,
    comparisons: Vec<KeptFigure>,
}

#[derive(Deserialize)]
struct KeptFigure {
    metric: String,
    linux: f64,
}

/// The kernel's figures in a case, over several runs.
struct Kernel {
    starved: Vec<String>,
    /// The figures of each run, by name.
    figures: Vec<Vec<(String, f64)>>,
}

/// A figure that is compared.
struct Metric {
    name: &'static str,
    decimals: usize,
    tolerance: Option<Tolerance>,
    of: fn(&Document) -> Option<f64>,
}

/// The compared figures. A figure outside its tolerance needs an explanation.
const METRICS: [Metric; 7] = [
    Metric {
        name: "goodput Mbit/s",
        decimals: 3,
        tolerance: Some(Tolerance::THROUGHPUT),
        of: goodput,
    },
    Metric { name: "sojourn p50 ms", decimals: 2, tolerance: Some(Tolerance::WAIT), of: sojourn },
    Metric { name: "drops", decimals: 0, tolerance: Some(Tolerance::EVENTS), of: drops },
    Metric {
        name: "drops, first 5 s",
        decimals: 0,
        tolerance: Some(Tolerance::EVENTS),
        of: start_up_drops,
    },
    Metric { name: "sent again", decimals: 0, tolerance: None, of: retransmissions },
    Metric { name: "RTT p50 ms", decimals: 1, tolerance: None, of: round_trip },
    Metric { name: "cwnd mean", decimals: 1, tolerance: None, of: window },
];

/// Runs the cases whose name contains `wanted`, and prints the simulator's figures beside the
/// kernel's.
pub(crate) fn run(
    settings: &Settings,
    wanted: &str,
    seeds: u64,
    format: Format,
) -> Result<(), String> {
    let (slow, fast): (Vec<Case>, Vec<Case>) = grid::cases()
        .into_iter()
        .filter(|case| case.name().contains(wanted))
        .partition(|case| case.mbit <= 10);
    let earlier = earlier(&settings.kernel)?;
    let (parallel, seconds) = (settings.parallel.max(1), settings.seconds);
    let outcome = |case: &Case| {
        let kernel = if earlier.is_empty() {
            Kernel::measured(case, seconds)
        } else {
            Kernel::remembered(case, &earlier)
        };
        outcome(case, &kernel?, seconds, seeds)
    };
    let mut outcomes = each(&slow, parallel, outcome)?;
    outcomes.extend(each(&fast, parallel.div_ceil(2), outcome)?);
    match format {
        Format::Json => print_json(&outcomes)?,
        _ => print(&outcomes, seconds, seeds, format),
    }
    Ok(())
}

/// Runs one case in the lab and prints the document, in a process of its own.
pub(crate) fn child(name: &str, seconds: u32) -> Result<(), String> {
    let cases = grid::cases();
    let case = cases.iter().find(|case| case.name() == name).ok_or("there is no such case")?;
    let scenario = case.scenario(seconds, 1)?;
    lab::isolate().map_err(|error| error.to_string())?;
    let timeline = Some(sim::timeline_step(&scenario));
    let options = lab::Options { timeline, ..lab::Options::default() };
    let document = lab::run(&scenario, options).map_err(|error| error.to_string())?;
    serde_json::to_writer(std::io::stdout().lock(), &document).map_err(|error| error.to_string())
}

fn earlier(files: &[PathBuf]) -> Result<Vec<Vec<Kept>>, String> {
    let read = |file: &PathBuf| {
        let text = fs::read_to_string(file).map_err(|error| error.to_string());
        let outcomes =
            text.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
        outcomes.map_err(|error| format!("{}: {error}", file.display()))
    };
    files.iter().map(read).collect()
}

impl Kernel {
    /// Runs the case in the lab.
    fn measured(case: &Case, seconds: u32) -> Result<Self, String> {
        let real = child::run(&["fidelity-child", &case.name(), &seconds.to_string()])?;
        let figure = |metric: &Metric| Some((metric.name.to_owned(), (metric.of)(&real)?));
        let figures = vec![METRICS.iter().filter_map(figure).collect()];
        let validity = report::told(real).validity.unwrap_or_default();
        let is_starved = validity.verdict == Soundness::Starved;
        Ok(Self { starved: if is_starved { validity.reasons } else { Vec::new() }, figures })
    }

    /// The figures of earlier runs. Starved runs do not count, unless all were starved.
    fn remembered(case: &Case, earlier: &[Vec<Kept>]) -> Result<Self, String> {
        let name = case.name();
        let runs = earlier.iter().flatten().filter(|outcome| outcome.case == name);
        let (sound, starved): (Vec<&Kept>, Vec<&Kept>) =
            runs.partition(|outcome| outcome.starved.is_empty());
        let counted = if sound.is_empty() { &starved } else { &sound };
        let first = counted.first().ok_or_else(|| format!("no earlier run has {name}"))?;
        let figures = |outcome: &&Kept| {
            let figure = |one: &KeptFigure| (one.metric.clone(), one.linux);
            outcome.comparisons.iter().map(figure).collect()
        };
        Ok(Self { starved: first.starved.clone(), figures: counted.iter().map(figures).collect() })
    }

    fn all(&self, metric: &str) -> Vec<f64> {
        let runs = self.figures.iter().flatten();
        runs.filter(|(name, _)| name == metric).map(|(_, value)| *value).collect()
    }
}

fn outcome(case: &Case, kernel: &Kernel, seconds: u32, seeds: u64) -> Result<CaseResult, String> {
    let simulated = |seed| {
        let scenario = case.scenario(seconds, seed)?;
        let timeline = Some(sim::timeline_step(&scenario));
        let options = sim::Options { timeline, ..sim::Options::default() };
        sim::run(&scenario, options).map_err(|error| error.to_string())
    };
    let simulated: Vec<Document> = (1..=seeds).map(simulated).collect::<Result<_, String>>()?;
    let compare = |metric: &Metric| {
        let ours: Vec<f64> = simulated.iter().filter_map(metric.of).collect();
        let linux = kernel.all(metric.name);
        Comparison::of(metric.name.into(), &linux, &ours, metric.tolerance, metric.decimals)
    };
    Ok(CaseResult {
        case: case.name(),
        queue: case.queue(),
        starved: kernel.starved.clone(),
        comparisons: METRICS.iter().filter_map(compare).collect(),
    })
}

/// Does the work of all cases, `parallel` at once, and prints the progress. The answers are in the
/// order of the cases.
fn each<T: Send>(
    cases: &[Case],
    parallel: usize,
    work: impl Fn(&Case) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<T, String>)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..parallel {
            scope.spawn(|| {
                while let Some((index, case)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    cases.get(index).map(|case| (index, case))
                } {
                    let answer = work(case);
                    eprintln!("{}", case.name());
                    done.lock().unwrap_or_else(|poison| poison.into_inner()).push((index, answer));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|poison| poison.into_inner());
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, answer)| answer).collect()
}

fn print(outcomes: &[CaseResult], seconds: u32, seeds: u64, format: Format) {
    println!(
        "The simulator beside the kernel of this machine ({}), {seconds} s a case; ours is the \
         median of {seeds} seeds,\nin brackets their range. `inside` is within {} in goodput, \
         {} ms in the median sojourn,\n{} in drops.\n",
        kernel(),
        Tolerance::THROUGHPUT,
        Tolerance::WAIT,
        Tolerance::EVENTS
    );
    let mut table = head(&["case"]);
    for CaseResult { case, comparisons, .. } in outcomes {
        comparisons.iter().for_each(|comparison| comparison.row(&mut table, &[case]));
    }
    println!("{}", table.render(format));
    println!("Outside:\n\n{}", outside(outcomes).render(format));
    for CaseResult { case, starved, .. } in outcomes.iter().filter(|one| !one.starved.is_empty()) {
        println!("{case}: starved: {}", starved.join("; "));
    }
    let judged = outcomes.iter().flat_map(|outcome| &outcome.comparisons);
    let judged: Vec<bool> = judged.filter_map(|comparison| comparison.inside).collect();
    let inside = judged.iter().filter(|inside| **inside).count();
    println!("\n{inside} of {} figures that have a tolerance are inside it.", judged.len());
}

fn outside(outcomes: &[CaseResult]) -> Table {
    let mut table = head(&["case"]);
    for CaseResult { case, comparisons, .. } in outcomes {
        let outside = comparisons.iter().filter(|comparison| comparison.inside == Some(false));
        outside.for_each(|comparison| comparison.row(&mut table, &[case]));
    }
    table
}

fn kernel() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("Linux {}", release.trim())
}

fn forward(document: &Document) -> Option<&results::DirectionResult> {
    document.links.get(LINK).map(|link| &link.forward)
}

fn goodput(document: &Document) -> Option<f64> {
    bulk(document).map(|(_, flow)| flow.goodput_mbit).sum()
}

fn sojourn(document: &Document) -> Option<f64> {
    forward(document)?.sojourn_ms.p50
}

fn drops(document: &Document) -> Option<f64> {
    forward(document).map(|link| link.drops.total() as f64)
}

/// The drops in the steps of the first seconds, before the statistics begin.
fn start_up_drops(document: &Document) -> Option<f64> {
    let timeline = document.timeline.as_ref()?;
    let steps = (START_UP_S / timeline.step_s) as usize;
    let drops = &timeline.links.get(LINK)?.forward.drops;
    Some(drops.iter().take(steps).sum::<u64>() as f64)
}

fn retransmissions(document: &Document) -> Option<f64> {
    let sum: Option<u64> = bulk(document).map(|(_, flow)| flow.retransmitted_packets).sum();
    sum.map(|sum| sum as f64)
}

/// The median round trip of the first flow.
fn round_trip(document: &Document) -> Option<f64> {
    bulk(document).next()?.1.rtt_ms?.p50
}

/// The mean window of the first flow: the average, over all steps after the warm-up, of the middle
/// between lowest and highest.
fn window(document: &Document) -> Option<f64> {
    let timeline = document.timeline.as_ref()?;
    let (name, _) = bulk(document).next()?;
    let window = &timeline.flows.get(name)?.cwnd_segments;
    let warm = (grid::WARMUP_S / timeline.step_s) as usize;
    let steps = window.low.iter().zip(&window.high).skip(warm);
    let middles: Vec<f64> =
        steps.filter_map(|(low, high)| Some(low.as_ref()? / 2.0 + high.as_ref()? / 2.0)).collect();
    stats::ratio(middles.iter().sum(), middles.len() as f64)
}

fn bulk(document: &Document) -> impl Iterator<Item = (&String, &results::FlowResult)> {
    document.flows.iter().filter(|(name, _)| name.starts_with(FLOW))
}
