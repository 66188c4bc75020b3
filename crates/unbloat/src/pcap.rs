//! `unbloat pcap`: what happened to the connections of a capture.

mod xplot;

use std::path::Path;

use captured::{Connections, Observer};
use results::Capture;
use wire::CaptureError;

use crate::args::PcapArgs;
use crate::failure::Failure;
use crate::input::Input;
use crate::message::note;
use crate::progress::Progress;
use crate::{interrupt, output};
use xplot::Graphs;

/// Runs `unbloat pcap` with these arguments.
pub(crate) fn pcap(args: &PcapArgs) -> Result<(), Failure> {
    check(args)?;
    interrupt::watch()?;
    for file in &args.files {
        let capture = match &args.xplot {
            None => read(file, args, &mut ())?,
            Some(folder) => Graphs::create(folder)?.draw(|graphs| read(file, args, graphs))?,
        };
        if !args.quiet {
            let notes = capture.anomalies.iter().map(report::capture_anomaly);
            notes.for_each(|text| note(format_args!("note: {}: {text}", file.display())));
        }
        output::print(&text(&capture, args))?;
    }
    Ok(())
}

/// Fails if several captures would be drawn in one place.
fn check(args: &PcapArgs) -> Result<(), Failure> {
    match args.xplot {
        Some(_) if args.files.len() > 1 => {
            Err(Failure::Input("--xplot draws one capture; name one file".into()))
        }
        _ => Ok(()),
    }
}

/// Follows all connections of a file, while `observer` looks at each segment.
fn read(
    file: &Path,
    args: &PcapArgs,
    observer: &mut (impl Observer + ?Sized),
) -> Result<Capture, Failure> {
    let input = Input::open(file, "a capture is")?;
    let done = input.progress();
    let progress = Progress::of(1, args.quiet).doing("reading");
    let name = file.display();
    let unread = |error: std::io::Error| match interrupt::asked() {
        true => Failure::Interrupted("before the capture was read".into()),
        false => Failure::Run(format!("cannot read {name}: {error}")),
    };
    let source = input.unpacked().map_err(unread)?;
    let go_on = || {
        if let Some(done) = done() {
            progress.report(0, done);
        }
        !interrupt::asked()
    };
    let connections =
        Connections::observe(source, go_on, observer).map_err(|error| match error {
            CaptureError::Io { source, .. } => unread(source),
            CaptureError::Input { .. } => Failure::Input(format!("{name}: {error}")),
        })?;
    Ok(connections.document(file.to_string_lossy().into_owned()))
}

/// What is printed of a file.
fn text(capture: &Capture, args: &PcapArgs) -> String {
    match (args.json, args.long) {
        (true, _) => serde_json::to_string(capture).unwrap_or_default(),
        (_, true) => report::captured_long(&capture.connections),
        _ => report::captured_table(capture, output::style()),
    }
}
