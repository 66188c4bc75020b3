//! Recorded packets: their connections, and their way through another queue.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ::replay::{Arrivals, FateRows, Framing, Options, ReplayError, Setting};
use captured::{Connections, Recorder};
use packed::Readable;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use qdisc::{QdiscSpec, SpecError};
use report::Style;
use results::{Capture, Document};
use units::{Rate, UnitError};

use crate::columns::Fates;
use crate::errors::file_error;
use crate::raised::Raised;
use crate::run::Run;
use crate::shown::Shown;

/// The number of connections whose plots a page has, as in the program.
const DRAWN: usize = 10;

/// The connections of a capture.
#[pyfunction]
pub(crate) fn capture(py: Python<'_>, path: PathBuf) -> PyResult<Shown> {
    let raised = Raised::default();
    let read = py.detach(|| {
        let capture = followed(&path, &raised, &mut ())?;
        // The first time tells whose plots are drawn.
        let mut recorder = Recorder::new(&capture, &report::captured_worst(&capture, DRAWN));
        followed(&path, &raised, &mut recorder)?;
        Ok::<_, PyErr>((report::captured_page(&capture, &recorder.series()), capture))
    });
    if let Some(raised) = raised.take() {
        return Err(raised);
    }
    let (page, capture) = read?;
    // In one line, as the program prints it.
    let json = serde_json::to_string(&capture).unwrap_or_default() + "\n";
    Ok(Shown::new(json, report::captured_table(&capture, Style::Plain), page))
}

/// Follows all connections of a file, while `observer` looks at each segment.
fn followed(
    path: &Path,
    raised: &Raised,
    observer: &mut (impl captured::Observer + ?Sized),
) -> PyResult<Capture> {
    let mut whole = Readable::new(opened(path)?);
    let go_on = || raised.goes_on();
    let connections = Connections::default().followed(&mut whole, go_on, observer);
    let named = |error| PyValueError::new_err(format!("{}: {error}", path.display()));
    Ok(connections.map_err(named)?.document(path.to_string_lossy().into_owned()))
}

/// The settings of a replay, as the package passes them.
#[derive(FromPyObject)]
pub(crate) struct Replayed {
    queue: String,
    rate: String,
    overhead: u32,
    mtu: u32,
    seed: u64,
    packets: bool,
}

/// Recorded arrivals through a queue.
#[pyfunction]
pub(crate) fn replay(py: Python<'_>, path: PathBuf, settings: Replayed) -> PyResult<Run> {
    let Replayed { queue, rate, overhead, mtu, seed, packets } = settings;
    let setting = Setting {
        name: path.to_string_lossy().into_owned(),
        queue: checked_queue(&queue)?,
        rate: checked_rate(&rate)?,
        framing: Framing { mtu, overhead },
        seed,
    };
    let raised = Raised::default();
    let mut fates = packets.then(Fates::default);
    let sent = py.detach(|| sent(&path, &setting, &raised, fates.as_mut()));
    if let Some(raised) = raised.take() {
        return Err(raised);
    }
    Run::replayed(py, report::told(sent?), fates.map(Fates::finish).transpose()?)
}

fn sent(
    path: &Path,
    setting: &Setting,
    raised: &Raised,
    fates: Option<&mut Fates>,
) -> PyResult<Document> {
    let failed = |error| match error {
        ReplayError::Read(error) | ReplayError::Write(error) => file_error(path, &error),
        ReplayError::Input(why) => PyValueError::new_err(format!("{}: {why}", path.display())),
    };
    let mut arrivals = Arrivals::open(opened(path)?, setting.framing).map_err(failed)?;
    if let Some(lacking) = arrivals.lacking(&setting.queue) {
        return Err(failed(ReplayError::Input(lacking.into())));
    }
    let go_on = || raised.goes_on();
    let fates = fates.map(|fates| Box::new(fates) as Box<dyn FateRows + '_>);
    let go_on: Option<Box<dyn FnMut() -> bool>> = Some(Box::new(go_on));
    let options = Options { timeline: true, fates, go_on, ..Options::default() };
    ::replay::run(&mut arrivals, setting, options).map_err(failed)
}

/// The file without what packs it.
fn opened(path: &Path) -> PyResult<Box<dyn Read>> {
    let opened = File::open(path).and_then(packed::unpacked);
    opened.map_err(|error| file_error(path, &error))
}

fn checked_queue(text: &str) -> PyResult<QdiscSpec> {
    let wrong = |why: &str| PyValueError::new_err(format!("queue {text:?}: {why}"));
    let queue = text.parse().map_err(|error: SpecError| wrong(&error.message))?;
    ::replay::check_queue(&queue).map_err(wrong)?;
    Ok(queue)
}

fn checked_rate(text: &str) -> PyResult<Rate> {
    let wrong = |why: String| PyValueError::new_err(format!("rate {text:?}: {why}"));
    let rate = text.parse().map_err(|error: UnitError| wrong(error.to_string()))?;
    ::replay::check_rate(rate).map_err(wrong)?;
    Ok(rate)
}
