//! CAKE in the router, a little below the line's rates: what the line carries then, how long a ping
//! takes, and what each class gets.

use results::ReproductionRow;

use super::flent::{Picture, distribution};
use super::seen::Seen;
use super::setup::{self, SHAPED};
use super::{Claim, Found, paper};
use crate::judge::{Place, differs};
use crate::tolerance::FigureKind;

/// CAKE's picture.
const PICTURE: Picture = Picture { id: "apnic-cake", of: "with CAKE" };

pub(super) fn claim() -> Claim {
    let runs = vec![
        setup::rrul(),
        setup::downloads(),
        setup::uploads(),
        setup::articles(setup::rrul()),
        setup::articles(setup::downloads()),
        setup::articles(setup::uploads()),
        setup::shaped(setup::rrul(), setup::RTT_MS, " ack-filter"),
    ];
    Claim { runs, judge }
}

fn judge(seen: &[Option<Seen>]) -> Found {
    let [line, lines_downloads, lines_uploads, cake, downloads, uploads, filtered] = seen else {
        return Found::default();
    };
    let mut found = Found::default();
    if let Some((line, cake)) = lines_downloads.as_ref().zip(downloads.as_ref()) {
        found.rows.extend(alone(&DOWNLOADS, line, cake));
    }
    if let Some((line, cake)) = lines_uploads.as_ref().zip(uploads.as_ref()) {
        found.rows.extend(alone(&UPLOADS, line, cake));
    }
    found.rows.extend(cake.iter().flat_map(together));
    found.rows.extend(filtered.as_ref().map(with_filter));
    if let Some((line, cake)) = line.as_ref().zip(cake.as_ref()) {
        found.rows.push(flat(line, cake));
        found.figures.push(distribution([("the line alone", line), ("with CAKE", cake)]));
    }
    if let Some(cake) = cake {
        found.rows.extend(priorities(cake));
        found.figures.extend(PICTURE.draw(cake));
    }
    found
}

const TABLE: &str = "CAKE at 280 and 45 Mbit/s";
const CLASSES: &str = "Priorities with CAKE, the downloads";

/// The share of CAKE's rate that is payload: CAKE counts the Ethernet header, and 1448 bytes of
/// payload are a frame of 1514.
const PAYLOAD: f64 = 1448.0 / 1514.0;

/// One way of the line, alone.
struct Way {
    row: &'static str,
    goodput: f64,
    change: f64,
    note: &'static str,
}

const DOWNLOADS: Way = Way {
    row: "four downloads alone",
    goodput: paper::CAKE.download,
    change: paper::CHANGE.download,
    note: "from 320 to 280 Mbit/s are -12.5 %, and headers are the same part of both; the text's \
           \"about 10 %\" compares 280, with headers, to 305, without",
};
const UPLOADS: Way = Way {
    row: "four uploads alone",
    goodput: paper::CAKE.upload,
    change: paper::CHANGE.upload,
    note: "from 50 to 45 Mbit/s are -10 %, the text's \"about 10 %\": 41 Mbit/s leave 1.9 to the \
           acknowledgements of a download, which run beside the uploads of an RRUL",
};

/// The rows for one way: its goodput, and how that differs from the line's.
fn alone(way: &Way, line: &Seen, cake: &Seen) -> [ReproductionRow; 3] {
    let place = Place { table: TABLE, row: way.row };
    let total = |seen: &Seen| seen.total("stream");
    let change = || Some(100.0 * (total(cake)? / total(line)? - 1.0));
    [
        place.figure("goodput", "Mbit/s", way.goodput, total(cake)).noted(
            FigureKind::Approximate,
            "1448/1514 of CAKE's rate are payload: 267.8 and 43.0 Mbit/s at most",
        ),
        place
            .figure("change of goodput", "%", way.change, change())
            .within(FigureKind::Effect, || differs(way.note)),
        place
            .figure("change of goodput, text", "%", paper::CHANGE_IN_TEXT, change())
            .within(FigureKind::Effect, || differs(way.note)),
    ]
}

/// The rows for downloads and uploads together.
fn together(seen: &Seen) -> [ReproductionRow; 2] {
    let place = Place { table: TABLE, row: "both together" };
    let [downloads, uploads] = ["download", "upload"].map(|way| seen.total(way));
    [
        place
            .figure("downloads", "Mbit/s", paper::CAKE.download, downloads)
            .within(FigureKind::Approximate, || differs("1448/1514 of 280 Mbit/s are payload")),
        place.figure("uploads", "Mbit/s", paper::CAKE.upload, uploads).noted(
            FigureKind::Approximate,
            "the downloads' acknowledgements, one for two segments, take 6 of 43 Mbit/s; a receiver \
             whose network card merges segments sends fewer",
        ),
    ]
}

/// The row for CAKE's filter of acknowledgements, which the article does not have.
fn with_filter(seen: &Seen) -> ReproductionRow {
    let place = Place { table: TABLE, row: "both together, ack-filter" };
    place.figure("uploads", "Mbit/s", None, seen.total("upload")).beyond()
}

/// The row for the flat delay.
fn flat(line: &Seen, cake: &Seen) -> ReproductionRow {
    let ratio = || Some(cake.added()? / line.added()?);
    Place { table: TABLE, row: "both together" }
        .figure("added to a ping, over the line's", "", None, ratio())
        .much_less("the article calls the delay flat: here it is what CAKE leaves of 300 ms")
}

/// The rows for what each class gets of the downloads, and how long its pings take.
///
/// `diffserv3` gives the voice tin (EF) priority up to a quarter of the rate, and the bulk tin
/// (CS1) a sixteenth; all else is for the best-effort tin, which BE and CS5 share
/// (`cake_config_diffserv3` of `sch_cake.c`).
fn priorities(seen: &Seen) -> Vec<ReproductionRow> {
    let payload = SHAPED.download * PAYLOAD;
    let shares = [
        ("be", "BE", (1.0 - 1.0 / 4.0 - 1.0 / 16.0) / 2.0, "half of what the others leave"),
        ("bk", "BK (CS1)", 1.0 / 16.0, "a sixteenth, the bulk tin's"),
        ("cs5", "CS5", (1.0 - 1.0 / 4.0 - 1.0 / 16.0) / 2.0, "half of what the others leave"),
        ("ef", "EF", 1.0 / 4.0, "a quarter, the voice tin's"),
    ];
    let mut rows = Vec::new();
    for (class, row, share, why) in shares {
        let place = Place { table: CLASSES, row };
        let goodput = seen.total(&format!("download-{class}"));
        let figure = place.figure("goodput", "Mbit/s", None, goodput);
        let note = format!("{why}: {:.1} Mbit/s of payload", share * payload);
        rows.push(figure.by_formula(FigureKind::Approximate, share * payload, &note));
    }
    for (class, row) in [("be", "BE"), ("bk", "BK (CS1)"), ("ef", "EF")] {
        let place = Place { table: CLASSES, row };
        let slow = stats::quantile(&seen.loaded(&format!("ping-{class}")), 0.95);
        rows.push(place.figure("ping, 95th percentile", "ms", None, slow).beyond());
    }
    rows
}
