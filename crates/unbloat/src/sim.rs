//! `unbloat sim`: simulates a scenario and prints the result.

use report::{QueueScene, wrap};
use results::{ComparedRun, Document, QueueWindow};
use scenario::Scenario;
use sim::{Error, Options, QueueState, SeriesOptions, StayOptions};
use tables::FateWriter;
use units::DirectionId;

use crate::args::{RecordArgs, SimArgs};
use crate::cost::Stopwatch;
use crate::failure::Failure;
use crate::intent::{self, Comparison, Outputs, Pcap, SeriesOutput};
use crate::interrupt;
use crate::message::note;
use crate::output;
use crate::pool;
use crate::progress::Progress;
use crate::qdisc_stats;

/// Runs `unbloat sim` with these arguments.
pub(crate) fn sim(args: &SimArgs) -> Result<(), Failure> {
    let Some(file) = args.file.as_deref() else {
        return output::print(&report::json(&scenario::schema()));
    };
    of_one_run(args)?;
    let scenario = intent::scenario(file, &args.scenario)?;
    ::sim::fit(&scenario).map_err(Failure::Input)?;
    // Before any output is opened.
    interrupt::watch()?;
    if !args.compare.is_empty() {
        return several(Comparison::of(&scenario, file, args)?, &scenario, args);
    }
    Outputs::check(&scenario, &[file], &args.record, &args.draw)?;
    let outputs = Outputs::open(&scenario, &args.record, &args.draw)?;
    one(&scenario, outputs, args)
}

/// Refuses the outputs that describe one run beside the several runs of a comparison.
fn of_one_run(args: &SimArgs) -> Result<(), Failure> {
    let RecordArgs { series, packets, pcap, .. } = &args.record;
    let outputs = [
        ("--series", series.is_some()),
        ("--packets", packets.is_some()),
        ("--pcap", pcap.is_some()),
        ("--qdisc-stats", args.qdisc_stats.is_some()),
    ];
    match outputs.into_iter().find(|(_, is_wanted)| *is_wanted && !args.compare.is_empty()) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::Input(format!(
            "{option} describes one run, and --compare makes one for each queue; run each queue by \
             itself, with --set link.LINK.queue=QUEUE in place of --compare"
        ))),
    }
}

fn one(scenario: &Scenario, outputs: Outputs, args: &SimArgs) -> Result<(), Failure> {
    let (mut queues, mut windows) = (Vec::new(), Vec::new());
    let document = simulate(scenario, &outputs, args, &mut queues, &mut windows)?;
    let run = [(String::new(), document)];
    if outputs.drawings.wanted() {
        let mut page = qdisc_stats::page(&run, &queues);
        page.queues = scene(&run, &[windows], scenario, scenario.bottleneck());
        outputs.drawings.draw(&page)?;
    }
    outputs.telling(args.volume.quiet).commit()?;
    let [(_, document)] = &run;
    if args.volume.verbose {
        note(cost("cost", document));
    }
    if let Some(form) = args.qdisc_stats {
        if !args.volume.quiet {
            qdisc_stats::note_limits(document);
        }
        return qdisc_stats::print(&queues, form);
    }
    if args.json {
        return output::print(&report::json(document));
    }
    let (table, verdict) = (report::table(document, output::style()), report::verdict(document));
    output::print(&format!("{table}\n{}", report::wrap(&verdict)))
}

fn simulate(
    scenario: &Scenario,
    outputs: &Outputs,
    args: &SimArgs,
    queues: &mut Vec<QueueState>,
    windows: &mut Vec<QueueWindow>,
) -> Result<Document, Failure> {
    let progress = Progress::of(1, args.volume.quiet);
    let go_on = pool::going_on(&progress, 0);
    let mut options =
        Options { progress: Some(Box::new(go_on)), queues: Some(queues), ..Options::default() };
    if args.json || outputs.drawings.wanted() {
        options.timeline = Some(sim::timeline_step(scenario));
    }
    if outputs.drawings.wanted() {
        options.stays = Some(StayOptions { direction: scenario.bottleneck(), windows });
    }
    if let Some(SeriesOutput { file, format, step }) = &outputs.series {
        options.series = Some(SeriesOptions::to_writer(file.writer()?, *format, *step));
    }
    if let Some(packets) = &outputs.packets {
        let table = FateWriter::new(packets.writer()?);
        let table = table.map_err(|error| Failure::writing(outputs.names(), &error))?;
        options.packets = Some(Box::new(table));
    }
    options.pcap = outputs.pcap.as_ref().map(Pcap::options).transpose()?;
    run(scenario, options).map_err(|error| match error {
        Error::Write(error) => Failure::writing(outputs.names(), &error),
        error => Failure::Run(error.to_string()),
    })
}

fn several(comparison: Comparison, scenario: &Scenario, args: &SimArgs) -> Result<(), Failure> {
    let Comparison { place: replaced, runs, drawings } = comparison;
    let place = scenario.direction_name(replaced);
    if args.volume.verbose {
        note(format_args!("comparing queues on {place}"));
    }
    let over_time = args.json || drawings.wanted();
    let watched = drawings.wanted().then_some(replaced);
    let Outcomes { documents, windows, not_run } =
        run_all(&runs, over_time, watched, args.volume.quiet)?;
    if args.volume.verbose {
        documents.iter().for_each(|(queue, document)| note(cost(queue, document)));
    }
    if drawings.wanted() {
        let mut page = report::page(&documents);
        page.queues = scene(&documents, &windows, scenario, replaced);
        let left_out = not_run.iter().map(|queue| format!("Interrupted, and not run: {queue}."));
        page.notes.extend(left_out);
        drawings.draw(&page)?;
    }
    drawings.telling(args.volume.quiet).commit()?;
    if args.json {
        let runs = documents.into_iter().map(|(queue, result)| ComparedRun { queue, result });
        let runs = runs.collect();
        let comparison = results::Comparison { link: place, runs, not_run, ..Default::default() };
        return output::print(&report::json(&comparison));
    }
    let table = report::comparison(&documents, &not_run);
    let whole = documents.iter().all(|(_, document)| document.interrupted_s.is_none());
    let only = match whole {
        true => format!("\n{}\n", wrap(&format!("Only the queue of {place} differs."))),
        false => String::new(),
    };
    output::print(&(table + &only))
}

/// Simulates, and measures the cost.
pub(crate) fn run(scenario: &Scenario, options: Options<'_>) -> Result<Document, Error> {
    let watch = Stopwatch::start();
    let mut document = sim::run(scenario, options)?;
    document.cost = watch.stop(document.cost);
    Ok(document)
}

/// The results of several runs.
#[derive(Default)]
struct Outcomes {
    documents: Vec<(String, Document)>,
    /// Of each run the packets of the watched queue; none if no queue is watched.
    windows: Vec<Vec<QueueWindow>>,
    /// The queues of the runs that an interrupt left out.
    not_run: Vec<String>,
}

/// Simulates all of these scenarios, and keeps the packets of one queue where it is `watched`. An interrupt
/// leaves out those that have not begun.
fn run_all(
    runs: &[(String, Scenario)],
    over_time: bool,
    watched: Option<DirectionId>,
    quiet: bool,
) -> Result<Outcomes, Failure> {
    let results = pool::each(runs, quiet, |(_, scenario), go_on| {
        let timeline = over_time.then(|| sim::timeline_step(scenario));
        let mut windows = Vec::new();
        let stays = watched.map(|direction| StayOptions { direction, windows: &mut windows });
        let progress: Option<Box<dyn FnMut(f64) -> bool>> = Some(Box::new(go_on));
        let document = run(scenario, Options { timeline, stays, progress, ..Options::default() });
        document.map(|document| (document, windows))
    });
    let mut outcomes = Outcomes::default();
    for ((queue, _), result) in runs.iter().zip(results) {
        match result {
            Some(Ok((document, windows))) => {
                outcomes.documents.push((queue.clone(), document));
                outcomes.windows.push(windows);
            }
            Some(Err(error)) => return Err(Failure::Run(format!("queue `{queue}`: {error}"))),
            None => outcomes.not_run.push(queue.clone()),
        }
    }
    Ok(outcomes)
}

/// The scene in which the queue of this direction can be watched; `None` if there is nothing to see.
pub(crate) fn scene(
    runs: &[(String, Document)],
    windows: &[Vec<QueueWindow>],
    scenario: &Scenario,
    direction: DirectionId,
) -> Option<QueueScene> {
    let link = &scenario.links[direction.link()];
    report::queue_scene(runs, windows, &link.name, direction.way())
}

/// A line on the cost of a run.
pub(crate) fn cost(what: &str, document: &Document) -> String {
    let results::Cost { events, packets, cpu_s, peak_rss_mb, .. } = document.cost;
    let or_dash = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.2}"));
    let (cpu, memory) = (or_dash(cpu_s), or_dash(peak_rss_mb));
    format!("{what}: {events} events, {packets} packets, {cpu} s of processor time, {memory} MB")
}
