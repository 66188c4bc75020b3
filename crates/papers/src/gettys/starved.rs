//! Other traffic on a line whose buffer is full: queries of DNS and DHCP, and a short transfer.
//!
//! The article names these as traffic that suffers. A query is one packet and its answer another,
//! so a ping stands for it; the limits are those of a resolver and of RFC 2131.

use results::ReproductionRow;
use units::Span;

use super::seen::{Look, Seen};
use super::{Claim, Found, Outcome};
use crate::judge::Place;
use crate::run::{File, paper_file};

const FILE: File = paper_file!("gettys/starved.toml");
const STEP: Span = Span::from_secs(1);

/// The seconds after which a DHCP client asks again (RFC 2131, section 4.1).
const DHCP: f64 = 4.0;
/// The seconds after which a resolver asks again (`timeout` of resolv.conf(5)).
const DNS: f64 = 5.0;

/// A buffer of 8 s at 1 Mbit/s, which the article's authors saw in a home router.
const DEEP: &str = "pfifo limit 667";

pub(super) fn claim() -> Claim {
    let look = || Look::at(FILE, STEP);
    let deep = look().set("link.line.queue", DEEP);
    Claim { looks: vec![look(), deep, look().set("link.line.queue", "fq_codel")], judge }
}

fn judge(seen: &[Outcome]) -> Found {
    let [full, deep, fair] = seen else { return Found::default() };
    let mut rows = Vec::new();
    if let Some((full, fair)) = full.as_ref().zip(fair.as_ref()) {
        rows.extend(starved(full, fair));
    }
    rows.extend(deep.iter().flat_map(asked_again));
    for (seen, name) in [(full, FULL), (deep, EIGHT), (fair, "FQ-CoDel")] {
        rows.extend(seen.iter().flat_map(|seen| beyond(name, seen)));
    }
    Found { rows, figures: Vec::new() }
}

const TABLE: &str = "Small things behind four uploads, 1 Mbit/s";
const FULL: &str = "256 packets, 3 s";
const EIGHT: &str = "667 packets, 8 s";

fn starved(full: &Seen, fair: &Seen) -> [ReproductionRow; 2] {
    let place = Place { table: TABLE, row: FULL };
    let over = |of: fn(&Seen) -> Option<f64>| Some(of(full)? / of(fair)?);
    [
        place
            .figure("query, over FQ-CoDel's", "", None, over(query))
            .much_more("medians; that DNS and DHCP suffer is noted from the article, not quoted"),
        place.figure("30 kB, over FQ-CoDel's", "", None, over(transfer)).much_more(
            "medians over an hour. A short transfer starves: it waits a full buffer each round \
             trip, and loses",
        ),
    ]
}

fn asked_again(seen: &Seen) -> [ReproductionRow; 2] {
    let place = Place { table: TABLE, row: EIGHT };
    [
        place.figure("query", "s", DHCP, query(seen)).above(
            "a DHCP client asks again after 4 s (RFC 2131, section 4.1), before the answer is there",
        ),
        place.figure("query", "s", DNS, query(seen)).above(
            "a resolver asks again after 5 s (resolv.conf(5)), before the answer is there: DNS fails",
        ),
    ]
}

/// The median round trip of one packet and its answer, seconds.
fn query(seen: &Seen) -> Option<f64> {
    Some(seen.document.flows.get("query")?.rtt_ms?.p50? / 1e3)
}

/// The median time of the short transfer, seconds.
fn transfer(seen: &Seen) -> Option<f64> {
    seen.document.flows.get("short")?.completion_s?.p50
}

fn lost(seen: &Seen) -> Option<f64> {
    let query = seen.document.flows.get("query")?;
    Some(query.lost_packets? as f64 / query.sent_packets? as f64 * 100.0)
}

fn beyond(name: &str, seen: &Seen) -> [ReproductionRow; 3] {
    let place = Place { table: TABLE, row: name };
    [
        place.figure("query", "s", None, query(seen)).beyond(),
        place.figure("queries lost", "%", None, lost(seen)).beyond(),
        place.figure("30 kB", "s", None, transfer(seen)).beyond(),
    ]
}
