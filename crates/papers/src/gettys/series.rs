//! Several buffers in a row: the computer's own on Wi-Fi, the router's, the modem's. Only the
//! buffer in front of the slowest link fills, and the Wi-Fi's signal decides which link that is.

use results::ReproductionRow;
use units::Span;

use super::seen::{Look, Seen};
use super::{Claim, Found, Outcome};
use crate::judge::Place;
use crate::run::{File, paper_file};

const FILE: File = paper_file!("gettys/row.toml");
const STEP: Span = Span::from_secs(1);

/// The rate of the Wi-Fi, the row's name, and the link whose buffer is to fill.
const SIGNALS: [(&str, &str, &str); 2] =
    [("20mbit", "good signal, 20 Mbit/s", "uplink"), ("1mbit", "poor signal, 1 Mbit/s", "wifi")];
/// The links in order, and their places.
const LINKS: [(&str, &str); 3] =
    [("wifi", "computer"), ("ethernet", "router"), ("uplink", "modem")];

pub(super) fn claim() -> Claim {
    let look = |(rate, ..): &(&str, &str, &str)| Look::at(FILE, STEP).set("link.wifi.rate", rate);
    Claim { looks: SIGNALS.iter().map(look).collect(), judge }
}

fn judge(seen: &[Outcome]) -> Found {
    let runs = SIGNALS.iter().zip(seen).filter_map(|(signal, seen)| Some((signal, seen.as_ref()?)));
    let rows = runs.flat_map(|((_, row, slowest), seen)| rows(row, slowest, seen)).collect();
    Found { rows, figures: Vec::new() }
}

fn rows(row: &str, slowest: &str, seen: &Seen) -> Vec<ReproductionRow> {
    let place = Place { table: "Several buffers in a row, an uplink of 2 Mbit/s", row };
    let mut rows = Vec::new();
    for (link, device) in LINKS {
        let metric = format!("wait in the {device}");
        rows.push(place.figure(&metric, "s", None, wait(seen, link)).beyond());
    }
    let others = LINKS.iter().filter(|(link, _)| *link != slowest);
    let others = others.filter_map(|(link, _)| wait(seen, link)).reduce(f64::max);
    let share = others.zip(wait(seen, slowest)).map(|(others, most)| others / most);
    rows.push(
        place
            .figure("others over the fullest", "", None, share)
            .much_less("the queue is in front of the slowest link, in whatever device that is"),
    );
    rows
}

/// The median sojourn in front of a link, in seconds.
fn wait(seen: &Seen, link: &str) -> Option<f64> {
    Some(seen.document.links.get(link)?.forward.sojourn_ms.p50? / 1e3)
}
