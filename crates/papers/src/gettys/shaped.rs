//! Figure 6: the same upload with a shaper in front of the modem, a little slower than the uplink,
//! so that packets wait in a well-managed queue.
//!
//! Gettys had the queues of his home router of 2011 behind the shaper; here it is FQ-CoDel.

use report::{Axis, Figure, Mark};
use results::ReproductionRow;

use super::draw::curve;
use super::pings::Ping;
use super::seen::{Look, Seen};
use super::smoke::{ROUND, smoke};
use super::upload::{FILE, INTERVAL, SETTLED, STEP, round_trips};
use super::{Claim, Found, Outcome, all, paper};
use crate::judge::{Place, differs};
use crate::tolerance::FigureKind;

pub(super) fn claim() -> Claim {
    let before = Look::at(FILE, STEP).closely();
    let after = Look::at(FILE, STEP)
        .set("link.router.rate", "1.9mbit")
        .set("link.router.shaper", "true")
        .set("link.router.queue", "fq_codel")
        .closely();
    Claim { looks: vec![before, after], judge }
}

fn judge(seen: &[Outcome]) -> Found {
    let Some(seen) = all(seen) else { return Found::default() };
    let [before, after] = seen[..] else { return Found::default() };
    Found { rows: rows(before, after), figures: vec![draw_both(before, after), draw_smoke(after)] }
}

fn rows(before: &Seen, after: &Seen) -> Vec<ReproductionRow> {
    let loaded = |seen: &Seen| round_trips(&seen.pings, SETTLED, f64::INFINITY);
    let (before, after) = (loaded(before), loaded(after));
    let varies = |rtts: &[f64]| Some(rtts.last()? - rtts.first()?);
    // The delay above an idle line's round trip.
    let added = before.last().map(|longest| longest - paper::IDLE_RTT);
    let orders = added.zip(varies(&after)).map(|(before, after)| libm::log10(before / after));
    let place = Place { table: "Figure 6, shaped", row: "1.9 Mbit/s, FQ-CoDel" };
    let own = "a ping waits for what the modem is sending and for the shaper's turn, a packet each; \
               his router of 2011 had no FQ-CoDel";
    vec![
        place
            .figure("pings vary by", "s", paper::SHAPED_VARIATION, varies(&after))
            .below("he says less than that; it is a bound"),
        place
            .figure("longest ping", "s", paper::SHAPED_RTT, after.last().copied())
            .within(FigureKind::About, || differs(own)),
        place
            .figure("median ping", "s", paper::SHAPED_RTT, stats::median(&after))
            .below("he says less than that; it is a bound"),
        place
            .figure("orders of magnitude won", "", paper::ORDERS, orders)
            .within(FigureKind::About, || differs(own)),
    ]
}

fn draw_both(before: &Seen, after: &Seen) -> Figure {
    let pings = |seen: &Seen| {
        let pings = seen.pings.iter().map(|ping| (ping.sent, ping.rtt.map(|rtt| rtt * 1e3)));
        pings.collect::<Vec<_>>()
    };
    Figure {
        id: "gettys-6-both".into(),
        title: "Figure 6: the same upload, and a shaper with a good queue".into(),
        explanation:
            "A ping beside the same upload, over the modem alone and behind a shaper that is 5 % \
                      slower than the modem, with FQ-CoDel. The scale is logarithmic: two orders \
                      of magnitude lie between the curves."
                .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::log("Round trip of a ping", "ms"),
        curves: vec![
            curve("modem alone", Mark::Line, pings(before)),
            curve("shaper and FQ-CoDel", Mark::Line, pings(after)),
        ],
    }
}

fn draw_smoke(after: &Seen) -> Figure {
    Figure {
        id: "gettys-6-smoke".into(),
        title: "Figure 6: the smoke of the ping behind the shaper".into(),
        explanation: format!(
            "As figure 2, rounds of {ROUND} pings in {} s. Note the scale: it is in milliseconds.",
            ROUND as f64 * INTERVAL
        ),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Round trip of a ping", "ms"),
        curves: smoke(&in_millis(after), INTERVAL),
    }
}

fn in_millis(seen: &Seen) -> Vec<Ping> {
    let millis = |ping: &Ping| Ping { rtt: ping.rtt.map(|rtt| rtt * 1e3), ..*ping };
    seen.pings.iter().map(millis).collect()
}
