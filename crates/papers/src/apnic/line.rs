//! The line without CAKE: what it carries, how long a ping takes, and why the uploads collapse
//! while the downloads run.

use results::ReproductionRow;

use super::flent::Picture;
use super::seen::Seen;
use super::{Claim, Found, paper, setup};
use crate::judge::{Place, differs};
use crate::run::Run;
use crate::tolerance::FigureKind;

/// The line's picture.
const PICTURE: Picture = Picture { id: "apnic-line", of: "the line alone" };

/// A remedy for the collapse of the uploads: its name, and the run with it.
type Remedy = (&'static str, fn() -> Run);

/// Each remedy takes away one of the causes.
const REMEDIES: [Remedy; 7] = [
    ("no queue for the downloads: CAKE there", || {
        let cake = "cake bandwidth 280mbit rtt 70ms dual-dsthost nat";
        setup::rrul().set("link.router.reverse.queue", cake)
    }),
    ("uploads are paced", || setup::with_uploads(setup::rrul(), "pacing", "true")),
    ("uplink's buffer: fq_codel", || with_buffer("fq_codel")),
    ("uplink's buffer: 50 ms", || with_buffer("bfifo limit 312500B")),
    ("uplink's buffer: 200 ms", || with_buffer("bfifo limit 1250kB")),
    ("uplink's buffer: 400 ms", || with_buffer("bfifo limit 2500kB")),
    ("uploads alone, a path of 330 ms", || setup::far(setup::uploads(), 330)),
];

fn with_buffer(queue: &str) -> Run {
    setup::rrul().set("link.line.queue", queue)
}

pub(super) fn claim() -> Claim {
    let mut runs = vec![setup::rrul(), setup::downloads(), setup::uploads()];
    runs.extend(REMEDIES.iter().map(|(_, run)| run()));
    Claim { runs, judge }
}

fn judge(seen: &[Option<Seen>]) -> Found {
    let [both, downloads, uploads, remedied @ ..] = seen else { return Found::default() };
    let mut found = Found::default();
    found.rows.extend(downloads.as_ref().map(downloads_alone));
    found.rows.extend(uploads.as_ref().map(uploads_alone));
    if let Some(both) = both {
        found.rows.extend(together(both));
        found.figures.extend(PICTURE.draw(both));
    }
    for ((name, _), seen) in REMEDIES.iter().zip(remedied) {
        found.rows.extend(seen.iter().flat_map(|seen| remedy(name, seen)));
    }
    found
}

const TABLE: &str = "The line alone";
const CAUSES: &str = "Why the uploads collapse";

fn downloads_alone(seen: &Seen) -> ReproductionRow {
    let place = Place { table: TABLE, row: "four downloads alone" };
    place.figure("goodput", "Mbit/s", paper::LINE.download, seen.total("stream")).noted(
        FigureKind::ClosedForm,
        "1448/1518 of the line's rate are payload; 320 Mbit/s, a round number, is our choice",
    )
}

fn uploads_alone(seen: &Seen) -> ReproductionRow {
    let place = Place { table: TABLE, row: "four uploads alone" };
    place.figure("goodput", "Mbit/s", paper::LINE.upload, seen.total("stream")).noted(
        FigureKind::ClosedForm,
        "1448/1518 of the line's rate are payload; 50 Mbit/s, a round number, is our choice",
    )
}

/// The note on single uploads.
const SHARES: &str = "5 to 10 while the downloads run, alone it is 12: four share 24, and which of \
                      them loses at a peak is chance";

/// The rows for downloads and uploads together, which is what Flent's RRUL is.
fn together(seen: &Seen) -> Vec<ReproductionRow> {
    let place = Place { table: TABLE, row: "both together" };
    let [downloads, uploads] = ["download", "upload"].map(|way| seen.streams(way));
    let [least, largest] = paper::UPLOAD;
    let loaded = stats::median(&seen.loaded("ping"));
    let mut rows = vec![
        place
            .figure("slowest download", "Mbit/s", paper::DOWNLOAD, downloads.first().copied())
            .within(FigureKind::About, || differs("losses do not hit all streams alike")),
        place
            .figure("fastest download", "Mbit/s", paper::DOWNLOAD, downloads.last().copied())
            .within(FigureKind::About, || differs("losses do not hit all streams alike")),
        place.figure("slowest upload", "Mbit/s", least, uploads.first().copied()).above(SHARES),
        place.figure("fastest upload", "Mbit/s", largest, uploads.last().copied()).below(SHARES),
        place.figure("median ping", "ms", paper::LOADED_MS, loaded).noted(
            FigureKind::About,
            "four receive windows of 3 MiB, which is what Linux lets a stream have, at 305 Mbit/s: \
             330 ms, in any buffer that is larger",
        ),
    ];
    rows.push(place.figure("ping without load", "ms", None, seen.idle()).beyond());
    rows.push(place.figure("downloads", "Mbit/s", None, seen.total("download")).beyond());
    rows.push(place.figure("uploads", "Mbit/s", None, seen.total("upload")).beyond());
    rows
}

fn remedy(name: &str, seen: &Seen) -> [ReproductionRow; 2] {
    let place = Place { table: CAUSES, row: name };
    let uploads = seen.total("upload").or_else(|| seen.total("stream"));
    let ping = stats::median(&seen.loaded("ping"));
    [
        place.figure("uploads", "Mbit/s", None, uploads).beyond(),
        place.figure("median ping", "ms", None, ping).beyond(),
    ]
}
