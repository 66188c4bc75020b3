//! A scenario in real time.

use std::path::Path;
use std::process::ExitCode;

use ::lab::{QueueState, Status, StayOptions};
use results::{Document, QueueWindow};
use scenario::Scenario;

use super::live::Live;
use super::{against, machine};
use crate::args::LabArgs;
use crate::failure::Failure;
use crate::intent::{self, Outputs};
use crate::message::note;
use crate::output;
use crate::progress::Progress;
use crate::{interrupt, qdisc_stats, sim};

/// Runs the scenario, and prints the result.
pub(super) fn scenario(file: &Path, args: &LabArgs) -> Result<ExitCode, Failure> {
    let scenario = intent::scenario(file, &args.scenario)?;
    Outputs::check(&scenario, &[file], &args.record, &args.draw)?;
    ::lab::fit(&scenario).map_err(|error| machine::failure(error, None))?;
    if args.against.is_some() {
        ::sim::fit(&scenario).map_err(Failure::Input)?;
    }
    machine::isolate()?;
    // Before any output is opened.
    interrupt::watch()?;
    let outputs = Outputs::open(&scenario, &args.record, &args.draw)?;
    let mut seen = Seen::default();
    let document = run(&scenario, &outputs, args, &mut seen)?;
    let exit = machine::exit(&document, args);
    if args.volume.verbose {
        note(sim::cost("cost", &document));
    }
    match args.against {
        Some(_) => against::sim(document, &scenario, outputs, args)?,
        None => tell(document, &scenario, seen, outputs, args)?,
    }
    Ok(if interrupt::asked() { interrupt::exit() } else { exit })
}

/// What a run shows beside its document.
#[derive(Default)]
struct Seen {
    queues: Vec<QueueState>,
    /// The packets of the queue that the page shows.
    windows: Vec<QueueWindow>,
}

fn run(
    scenario: &Scenario,
    outputs: &Outputs,
    args: &LabArgs,
    Seen { queues, windows }: &mut Seen,
) -> Result<Document, Failure> {
    let mut options = machine::options(args, outputs, ::sim::timeline_step(scenario))?;
    options.queues = Some(queues);
    if outputs.drawings.wanted() && args.against.is_none() {
        options.stays = Some(StayOptions { direction: scenario.bottleneck(), windows });
    }
    let mut live = args.live.then(Live::of_scenario);
    let progress = Progress::of(1, args.volume.quiet || args.live).doing("running");
    let duration = scenario.duration.as_secs_f64();
    options.progress = Some(Box::new(move |status: &Status| {
        progress.report(0, (status.elapsed.as_secs_f64() / duration).min(1.0));
        if let Some(live) = &mut live {
            live.show(status);
        }
        !interrupt::asked()
    }));
    ::lab::run(scenario, options).map_err(|error| machine::failure(error, Some(outputs)))
}

fn tell(
    document: Document,
    scenario: &Scenario,
    Seen { queues, windows }: Seen,
    outputs: Outputs,
    args: &LabArgs,
) -> Result<(), Failure> {
    let run = [(String::new(), document)];
    if outputs.drawings.wanted() {
        let mut page = qdisc_stats::page(&run, &queues);
        page.queues = sim::scene(&run, &[windows], scenario, scenario.bottleneck());
        outputs.drawings.draw(&page)?;
    }
    outputs.telling(args.volume.quiet).commit()?;
    let [(_, document)] = run;
    if let Some(form) = args.qdisc_stats {
        if !args.volume.quiet {
            qdisc_stats::note_limits(&document);
        }
        return qdisc_stats::print(&queues, form);
    }
    if args.json {
        return output::print(&report::json(&report::told(document)));
    }
    output::print(&summary(&document, output::style()))
}

/// The tables, the verdict on them, and whether the run is valid.
pub(super) fn summary(document: &Document, style: report::Style) -> String {
    let mut text = report::table(document, style);
    for sentence in [Some(report::verdict(document)), report::validity(document)] {
        text += &sentence.map(|s| format!("\n{}\n", report::wrap(&s))).unwrap_or_default();
    }
    text
}
