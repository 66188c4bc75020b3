//! `unbloat pcap`: what happened to the connections of a capture.

#[cfg(target_os = "linux")]
mod kept;
#[cfg(target_os = "linux")]
mod live;
mod xplot;

use std::path::{Path, PathBuf};

use captured::{Connections, Observer, Recorder};
use packed::Readable;
use results::{Capture, CaptureAnomaly};
use wire::CaptureError;

use crate::args::PcapArgs;
use crate::drawings::Drawings;
use crate::failure::{Failure, STDIN};
use crate::input::{Input, named};
use crate::message::note;
use crate::progress::Progress;
use crate::{files, interrupt, output, staged};
use xplot::Graphs;

/// Runs `unbloat pcap` with these arguments.
pub(crate) fn pcap(args: &PcapArgs) -> Result<(), Failure> {
    check(args)?;
    interrupt::watch()?;
    #[cfg(target_os = "linux")]
    if let Some(device) = &args.interface {
        return live::live(device, args);
    }
    let mut drawings = Some(Drawings::create(args.draw.report.as_deref(), &args.draw.plot, &[])?);
    let mut damage = None;
    for file in &args.files {
        let read = match &args.xplot {
            None => read(file, args, &mut ())?,
            Some(folder) => Graphs::create(folder)?.draw(|graphs| read(file, args, graphs))?,
        };
        let capture = read.capture;
        if let Some(drawings) = drawings.take().filter(Drawings::wanted) {
            draw(file, args, &capture, drawings)?;
        }
        let name = named(file);
        let told = |it: &CaptureAnomaly| format!("{name}: {}", report::capture_anomaly(it));
        let (fatal, notes): (Vec<_>, Vec<_>) =
            capture.anomalies.iter().partition(|it| matches!(it, CaptureAnomaly::Damaged { .. }));
        damage = damage.or(fatal.first().map(|it| Failure::Run(told(it))));
        if !args.quiet {
            notes.into_iter().for_each(|it| note(format_args!("note: {}", told(it))));
            if read.is_cut {
                note(format_args!(
                    "note: {name}: the packed file ends too early; it is read up to there"
                ));
            }
        }
        output::print(&text(&capture, args))?;
    }
    damage.map_or(Ok(()), Err)
}

/// A capture that was read.
struct CaptureRead {
    capture: Capture,
    /// True if a packed file ended too early, between two records.
    is_cut: bool,
}

/// Fails if several captures would be drawn in one place, if a capture would be overwritten, or if one that is read
/// twice cannot be.
fn check(args: &PcapArgs) -> Result<(), Failure> {
    let drawn = args.draw.files();
    let option = drawn.iter().find(|(_, file)| file.is_some()).map(|(option, _)| *option);
    if let Some(option) = option.or(args.xplot.as_ref().map(|_| "--xplot"))
        && args.files.len() > 1
    {
        return Err(Failure::Input(format!("{option} draws one capture; name one file")));
    }
    let read: Vec<&Path> = args.files.iter().map(PathBuf::as_path).collect();
    files::all_differ(&read, &drawn)?;
    match option.filter(|_| read.iter().any(|file| staged::is_device(file))) {
        Some(option) => {
            let file = read[0].display();
            Err(Failure::Input(format!(
                "{option} reads a capture twice, and {file} is no file: write the capture to a \
                 file first"
            )))
        }
        None => Ok(()),
    }
}

/// Draws the page and the picture of a capture, which is read once more: the first time tells whose plots are drawn.
fn draw(
    file: &Path,
    args: &PcapArgs,
    capture: &Capture,
    drawings: Drawings,
) -> Result<(), Failure> {
    let mut recorder = Recorder::new(capture, &report::captured_worst(capture, args.top));
    read(file, args, &mut recorder)?;
    drawings.write(|| report::captured_page(capture, &recorder.series()))
}

/// Follows all connections of a file, while `observer` looks at each segment.
fn read(
    file: &Path,
    args: &PcapArgs,
    observer: &mut (impl Observer + ?Sized),
) -> Result<CaptureRead, Failure> {
    let input = Input::open(file, "a capture is")?;
    let done = input.progress();
    let progress = Progress::of(1, args.quiet).doing("reading");
    let name = named(file);
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
    let mut whole = Readable::new(source);
    let connections = connections(args).followed(&mut whole, go_on, observer);
    let connections = connections.map_err(|error| match error {
        CaptureError::Io { source, .. } => unread(source),
        CaptureError::Input { .. } if whole.is_cut => Failure::Input(format!(
            "{name}: the packed file ends too early: no packet of it can be read"
        )),
        CaptureError::Input { .. } => Failure::Input(format!("{name}: {error}")),
    })?;
    // Commands take the name that the document has.
    let name = if file == Path::new(STDIN) { "-".into() } else { file.to_string_lossy() };
    let capture = connections.document(name.into_owned());
    let is_told = capture.anomalies.iter().any(|it| matches!(it, CaptureAnomaly::CutOff { .. }));
    Ok(CaptureRead { capture, is_cut: whole.is_cut && !is_told })
}

/// No connections yet. Those of `--long` are counted as tcptrace counts them.
fn connections(args: &PcapArgs) -> Connections {
    if args.long { Connections::with_copies() } else { Connections::default() }
}

/// What is printed of a file.
fn text(capture: &Capture, args: &PcapArgs) -> String {
    match (args.json, args.long) {
        (true, _) => serde_json::to_string(capture).unwrap_or_default(),
        (_, true) => report::captured_long(&capture.connections),
        _ => report::captured_table(capture, output::style()),
    }
}
