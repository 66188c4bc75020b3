//! What a CAKE is set to.

use super::Cake;
use crate::explained::quantity::rate;

/// The shaper: its rate, and what it is of.
pub(super) fn shaper(cake: &Cake) -> String {
    let place = cake.parent.as_ref().map_or("root".to_owned(), |class| format!("class {class}"));
    let what = match cake.options.ingress {
        true => {
            "incoming packets (ingress: dropped packets count, because the link has carried \
             them)"
        }
        false => "outgoing packets",
    };
    let Some(bandwidth) = cake.bandwidth() else {
        return format!(
            "CAKE at the {place} does not shape (unlimited): packets wait in it only while the \
             device is busy. It cannot shorten the queue of a modem behind the device."
        );
    };
    let shapes = format!("CAKE at the {place} limits {what} to {}", rate(bandwidth as f64));
    match cake.options.autorate {
        None => shapes + ".",
        // sch_cake.c, cake_enqueue: 15/16 of the estimate.
        Some(_) => format!(
            "{shapes}, 15/16 of its estimate of the link's rate, {} (autorate-ingress).",
            rate(cake.capacity_estimate as f64)
        ),
    }
}

/// Who shares with whom, as tc-cake(8) has it.
pub(super) fn sharing(cake: &Cake) -> String {
    let options = &cake.options;
    let isolation = match options.flowmode.as_str() {
        "flowblind" => "all flows wait in one queue",
        "srchost" => "each source has a queue",
        "dsthost" => "each destination has a queue",
        "hosts" => "each pair of source and destination has a queue",
        "flows" => "each flow has a queue and an equal share",
        "dual-srchost" => "sources have equal shares, and so have the flows of each source",
        "dual-dsthost" => {
            "destinations have equal shares, and so have the flows of each \
             destination"
        }
        "triple-isolate" => {
            "sources and destinations have equal shares, and so have the flows of each"
        }
        _ => "this program does not know how queues are shared",
    };
    let nat = match (options.nat, options.flowmode.as_str()) {
        (true, _) => "; hosts behind this machine's address translation are told apart (nat)",
        (false, "flowblind" | "flows") => "",
        (false, _) => "; hosts behind this machine's address translation count as one (nonat)",
    };
    let filter = match options.ack_filter.as_str() {
        "enabled" => " It drops acknowledgements that later ones make redundant (ack-filter).",
        "aggressive" => {
            " It drops acknowledgements that later ones make redundant, and some others \
             (ack-filter-aggressive)."
        }
        _ => "",
    };
    let tins = match cake.tins.len() {
        0 | 1 => "All traffic has one class".to_owned(),
        tins => format!("Traffic has {tins} classes, called tins"),
    };
    let (diffserv, flowmode) = (&options.diffserv, &options.flowmode);
    format!("{tins} ({diffserv}); {isolation} ({flowmode}){nat}.{filter}")
}
