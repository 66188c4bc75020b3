//! How much of its rate a CAKE uses, and what waits.

use super::Cake;
use crate::explained::compared::Compared;
use crate::explained::quantity::{each_second, rate, size, span};
use crate::number::{duration, share, things};

/// The least load at which the line is called full. Below it, senders leave capacity unused: after
/// a drop, CUBIC goes on with 70 % of its window, and fills the line again within some round trips.
const FULL: f64 = 0.95;

/// The least load at which the line is called busy: more than half.
const BUSY: f64 = 0.5;

/// How full the line is: `wan is full: 9.90 of 10.0 Mbit/s leave`.
pub(super) fn headline(cake: &Compared<Cake>) -> String {
    let Cake { dev, options, .. } = &cake.now;
    let passes = if options.ingress { "come in" } else { "leave" };
    let Some(bandwidth) = cake.now.bandwidth() else {
        let sent = rate(cake.per_second(|cake| cake.bytes));
        return format!("{dev} has no rate set: {sent} {passes}");
    };
    let counted = counted(cake);
    let is_full_by_drops = is_full_by_drops(cake);
    let state = match counted / bandwidth as f64 {
        _ if is_full_by_drops => "is full",
        FULL.. => "is full",
        BUSY.. => "is busy",
        _ => "has room",
    };
    let [counted, whole] = [counted, bandwidth as f64].map(rate);
    let counted = counted.trim_end_matches(" Mbit/s");
    match is_full_by_drops {
        true => {
            format!("{dev} {state}: {counted} of {whole} pass, and dropped packets count too")
        }
        false => format!("{dev} {state}: {counted} of {whole} {passes}"),
    }
}

/// True if what left is less than the rate because what was dropped counts too (`ingress`). How long the
/// dropped packets were is not known: they are taken to be as long as those that left.
fn is_full_by_drops(cake: &Compared<Cake>) -> bool {
    let Some(bandwidth) = cake.now.bandwidth().filter(|_| cake.now.options.ingress) else {
        return false;
    };
    let (counted, full) = (counted(cake), FULL * bandwidth as f64);
    let packets = cake.per_second(|cake| cake.packets).max(1.0);
    let dropped = cake.per_second(Cake::drops) * counted / packets;
    counted < full && counted + dropped >= full
}

/// The part of the bandwidth that was used; `None` if CAKE does not shape.
pub(super) fn of(cake: &Compared<Cake>) -> Option<f64> {
    let bandwidth = cake.now.bandwidth()?;
    Some(counted(cake) / bandwidth as f64)
}

/// The bytes in a second that the shaper counted for what left, at least: `mpu`, the padding of
/// cells and what `ingress` counts of drops depend on the length of each packet (sch_cake.c,
/// `cake_calc_overhead`).
fn counted(cake: &Compared<Cake>) -> f64 {
    let Cake { options, avg_hdr_offset, .. } = &cake.now;
    let bytes = cake.per_second(|cake| cake.bytes);
    let added = match options.raw {
        true => 0.0,
        false => options.overhead as f64 - *avg_hdr_offset as f64,
    };
    let bytes = bytes + added * cake.per_second(|cake| cake.packets);
    bytes.max(0.0)
        * match options.atm.as_str() {
            "atm" => 53.0 / 48.0,
            "ptm" => 65.0 / 64.0,
            _ => 1.0,
        }
}

/// What passed, and how much of the rate that is.
pub(super) fn sentence(cake: &Compared<Cake>) -> String {
    if !cake.sent() {
        let total = things(cake.now.packets, "packet");
        return format!("No packet left in the last {}; {total} in all.", span(cake.span));
    }
    let sent = format!(
        "{} left in the last {}, as packets {}",
        rate(cake.per_second(|cake| cake.bytes)),
        span(cake.span),
        each_second(cake.per_second(|cake| cake.packets)),
    );
    let Some((load, bandwidth)) = of(cake).zip(cake.now.bandwidth()) else {
        return sent + ".";
    };
    let is_exact = cake.now.options.raw && !cake.now.options.ingress;
    let least = if is_exact { "" } else { "at least " };
    let [counted, whole] = [counted(cake), bandwidth as f64].map(rate);
    let drops = match is_full_by_drops(cake) {
        true => ", and also dropped packets (ingress), so that it is full",
        false => "",
    };
    format!("{sent}; the shaper counts {least}{counted} of {whole}, {}{drops}.", share(load))
}

/// What waits now, and how long it takes to leave.
pub(super) fn backlog(cake: &Compared<Cake>) -> String {
    let Cake { qlen, backlog, .. } = cake.now;
    if qlen == 0 {
        return "Nothing waits at this moment.".to_owned();
    }
    let waiting = format!("Waiting: {}, {}", things(qlen, "packet"), size(backlog));
    match cake.now.bandwidth() {
        Some(bandwidth) => {
            let time = duration(backlog as f64 / bandwidth as f64 * 1e3);
            let less = if is_full_by_drops(cake) { ", if none were dropped" } else { "" };
            format!("{waiting}: {time} at the rate of the shaper{less}.")
        }
        None => waiting + ".",
    }
}
