//! The page of a watch: served while it works, and as one file.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use metrics::WatchFigures;
use results::WatchReport;
use store::{Reader, StoreError};
use units::{Span, Time};
use watched::Drawn;
use web::{Answer, Request};

use super::keep::failure;
use super::time::{Calendar, for_people};
use crate::failure::Failure;
use crate::message::note;

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const PLAIN: &str = "text/plain; charset=utf-8";
const ELSEWHERE: &str = "The page is at /, and the figures are at /metrics.\n";

/// The time that a served page begins with; more is asked for.
const SHOWN: Span = Span::from_secs(31 * 86_400);

/// The most targets of a question for a part.
const MOST_DRAWN: usize = 32;

/// Serves the page of a store, and the figures.
///
/// # Errors
/// If the address cannot be served.
pub(super) fn serve(
    address: SocketAddr,
    folder: PathBuf,
    figures: WatchFigures,
    quiet: bool,
) -> Result<(), Failure> {
    let answer = move |it: Request<'_>| match it.path.split_once('?').unwrap_or((it.path, "")) {
        ("/", query) => Some(match page(&folder, query) {
            Ok(text) => Answer { kind: HTML, content: text.into() },
            Err(error) => Answer { kind: PLAIN, content: format!("{error}\n").into() },
        }),
        ("/data", query) => {
            part(&folder, query).map(|text| Answer { kind: JSON, content: text.into() })
        }
        ("/metrics", _) => Some(crate::figures::of_watch(&figures, it.accept)),
        _ => None,
    };
    let served = web::serve(address, ELSEWHERE, answer);
    let address = served.map_err(|error| Failure::Run(error.to_string()))?;
    if !quiet {
        note(format_args!("page: http://{address}/"));
    }
    Ok(())
}

fn page(folder: &Path, query: &str) -> Result<String, StoreError> {
    let reader = Reader::open(folder)?;
    let (first, last) = watched::range(&reader)?.unwrap_or_default();
    let from = first.max(last - SHOWN);
    let place = value(query, "target").and_then(|it| it.parse().ok());
    let drawn = place.map_or(Drawn::Worst, |it| Drawn::These(vec![it]));
    let report = watched::report(&reader, [from, last], &Calendar, &drawn, false)?;
    Ok(report::watch_page(&report, true, for_people))
}

/// The answer to a question for a part; `None` if it is none.
fn part(folder: &Path, query: &str) -> Option<String> {
    let time = |name: &str| {
        let seconds: f64 = value(query, name)?.parse().ok()?;
        (0.0..1e10).contains(&seconds).then(|| Time::ZERO + Span::from_secs_f64(seconds))
    };
    let (from, to) = (time("from")?, time("to")?);
    let places: Vec<usize> = match value(query, "targets") {
        Some(all) => all.split(',').filter_map(|it| it.parse().ok()).take(MOST_DRAWN).collect(),
        None => (0..MOST_DRAWN).collect(),
    };
    let reader = Reader::open(folder).ok()?;
    let (first, last) = watched::range(&reader).ok()??;
    let (from, to) = (from.max(first), to.min(last));
    let report = watched::part(&reader, [from, to.max(from)], &places).ok()?;
    Some(report::watch_part(&report))
}

/// The value of this name in a query.
fn value<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|it| it.strip_prefix(name)?.strip_prefix('='))
}

/// All that a store shows, with plots of these targets; without any, of those that suffered most.
///
/// # Errors
/// If the store cannot be read, if nothing was kept, or if a target is none.
pub(crate) fn whole(named: &Path, targets: &[String]) -> Result<WatchReport, Failure> {
    let folder = folder(named);
    let reader = Reader::open(folder).map_err(failure)?;
    let range = watched::range(&reader).map_err(failure)?;
    let (from, to) = range.ok_or_else(|| {
        Failure::Input(format!("{} has no probes yet: nothing was kept in it", folder.display()))
    })?;
    let known = reader.targets().map_err(failure)?;
    let place = |name: &String| {
        known.iter().position(|it| it.name == *name).ok_or_else(|| {
            let folder = folder.display();
            Failure::Input(format!("{folder} has no target {name}; its page names those it has"))
        })
    };
    let drawn = match targets {
        [] => Drawn::Worst,
        names => Drawn::These(names.iter().map(place).collect::<Result<_, _>>()?),
    };
    watched::report(&reader, [from, to], &Calendar, &drawn, true).map_err(failure)
}

/// The page of all that a store shows, as one file.
pub(crate) fn file(report: &WatchReport) -> String {
    report::watch_page(report, false, for_people)
}

/// The name of the file in the folder of a store.
const FILE: &str = "watch.sqlite";

/// The folder of a store, which may be named by the file in it.
pub(crate) fn folder(named: &Path) -> &Path {
    match named.parent() {
        Some(folder) if named.file_name().is_some_and(|it| it == FILE) && named.is_file() => {
            if folder.as_os_str().is_empty() {
                Path::new(".")
            } else {
                folder
            }
        }
        _ => named,
    }
}

/// True if this names the store of a watch.
pub(crate) fn is_store(named: &Path) -> bool {
    folder(named).join(FILE).is_file()
}
