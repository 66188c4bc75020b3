//! `unbloat replay`: sends recorded arrivals through a queue.

use std::io;

use replay::{Arrivals, FateRows, FateText, Framing, Options, QueueState, ReplayError, Setting};
use report::Style;
use results::Document;

use crate::args::ReplayArgs;
use crate::cost::Stopwatch;
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::files;
use crate::input::{Input, named};
use crate::interrupt;
use crate::message::note;
use crate::output;
use crate::progress::Progress;
use crate::qdisc_stats;
use crate::sim;
use crate::staged::Staged;

/// Runs `unbloat replay` with these arguments.
pub(crate) fn replay(args: &ReplayArgs) -> Result<(), Failure> {
    let input = Input::open(&args.file, "arrivals are")?;
    let written = [
        ("--out", args.out.as_deref()),
        ("--report", args.draw.report.as_deref()),
        ("--plot", args.draw.plot.plot.as_deref()),
    ];
    files::all_differ(&[&args.file], &written)?;
    // Before any output is opened.
    interrupt::watch()?;
    let out = args.out.as_deref().map(Staged::create).transpose()?;
    let drawings = Drawings::create(args.draw.report.as_deref(), &args.draw.plot, report::FIGURES)?;
    let timeline = args.json || drawings.wanted();
    let mut queue = None;
    let run = [(String::new(), send(args, input, timeline, out.as_ref(), &mut queue)?)];
    if drawings.wanted() {
        drawings.draw(&qdisc_stats::page(&run, queue.as_slice()))?;
    }
    out.map_or(Ok(()), Staged::commit)?;
    drawings.telling(args.volume.quiet).commit()?;
    let [(_, document)] = run;
    tell(args, document, queue)
}

fn tell(args: &ReplayArgs, document: Document, queue: Option<QueueState>) -> Result<(), Failure> {
    if args.volume.verbose {
        note(sim::cost("cost", &document));
    }
    if let Some(form) = args.qdisc_stats {
        if !args.volume.quiet {
            qdisc_stats::note_limits(&document);
        }
        return qdisc_stats::print(queue.as_slice(), form);
    }
    if args.json {
        return output::print(&report::json(&report::told(document)));
    }
    match args.out {
        Some(_) => output::print(&summary(&document, output::style())),
        None if args.volume.quiet => Ok(()),
        None => {
            note(summary(&document, Style::Plain).trim_end());
            Ok(())
        }
    }
}

/// Sends the arrivals through the queue.
fn send(
    args: &ReplayArgs,
    input: Input,
    timeline: bool,
    out: Option<&Staged>,
    queue: &mut Option<QueueState>,
) -> Result<Document, Failure> {
    let watch = Stopwatch::start();
    let done = input.progress();
    let failed = |error| match error {
        ReplayError::Read(_) if interrupt::asked() => {
            Failure::Interrupted("before anything had arrived".into())
        }
        error => failure(error, args),
    };
    let framing = Framing { mtu: args.mtu, overhead: args.overhead };
    let source = input.unpacked().map_err(|error| failed(ReplayError::Read(error)))?;
    let mut arrivals = Arrivals::open(source, framing).map_err(failed)?;
    if let Some(lacking) = arrivals.lacking(&args.queue) {
        return Err(Failure::Input(format!("{}: {lacking}", args.file.display())));
    }
    let setting = Setting {
        name: named(&args.file).into_owned(),
        queue: args.queue.clone(),
        rate: args.rate,
        framing,
        seed: args.seed,
    };
    let progress = Progress::of(1, args.volume.quiet).doing("replaying");
    let go_on = || {
        if let Some(done) = done() {
            progress.report(0, done);
        }
        !interrupt::asked()
    };
    let options = Options {
        fates: fates(args, out)?,
        timeline,
        queue: Some(queue),
        go_on: Some(Box::new(go_on)),
    };
    let mut document = replay::run(&mut arrivals, &setting, options).map_err(failed)?;
    drop(progress);
    if !args.volume.quiet {
        let anomalies = arrivals.anomalies();
        let notes = anomalies.iter().map(report::capture_anomaly);
        notes.for_each(|text| note(format_args!("note: {text}")));
    }
    document.cost = watch.stop(document.cost);
    Ok(document)
}

/// The writer of the fates: the named file, else stdout, else `None` when stdout is for the
/// document or the statistics.
fn fates(args: &ReplayArgs, out: Option<&Staged>) -> Result<Option<Box<dyn FateRows>>, Failure> {
    match out {
        Some(out) => Ok(Some(Box::new(FateText::new(out.writer()?)))),
        None if args.json || args.qdisc_stats.is_some() => Ok(None),
        None => Ok(Some(Box::new(FateText::new(io::stdout().lock())))),
    }
}

fn failure(error: ReplayError, args: &ReplayArgs) -> Failure {
    let file = named(&args.file);
    match error {
        ReplayError::Input(message) => Failure::Input(format!("{file}: {message}")),
        ReplayError::Read(error) => Failure::Run(format!("cannot read {file}: {error}")),
        ReplayError::Write(error) => match &args.out {
            Some(out) => Failure::writing(out.display(), &error),
            None if error.kind() == io::ErrorKind::BrokenPipe => Failure::Closed,
            None => Failure::writing("the fates", &error),
        },
    }
}

/// The table, a sentence on the arrivals, and the verdict.
fn summary(document: &Document, style: Style) -> String {
    let table = report::table(document, style);
    let verdict = report::wrap(&report::verdict(document));
    format!("{table}\n{}\n{verdict}", arrived(document))
}

fn arrived(document: &Document) -> String {
    let arrivals = &document.scenario["replay"]["arrivals"];
    let (packets, bytes) = (&arrivals["packets"], &arrivals["bytes"]);
    let over = arrivals["last_s"].as_f64().zip(arrivals["first_s"].as_f64());
    let over = over.map_or(0.0, |(last, first)| last - first);
    let rate = arrivals["offered_mbit"].as_f64();
    let rate = rate.map(|rate| format!(" ({rate:.3} Mbit/s)")).unwrap_or_default();
    let packets = if *packets == 1 { "1 packet".into() } else { format!("{packets} packets") };
    report::wrap(&format!("{packets} of {bytes} bytes in all arrived over {over} s{rate}."))
}
