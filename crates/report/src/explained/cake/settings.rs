//! What a CAKE is set to.

use super::Cake;
use crate::explained::quantity::rate;

/// The shaper: its rate, and what it is of.
pub(super) fn shaper(cake: &Cake) -> String {
    let place = cake.parent.as_ref().map_or("root".to_owned(), |class| format!("class {class}"));
    let what = match cake.options.ingress {
        true => "what comes in (ingress: what it drops counts, because the link has carried it)",
        false => "what leaves",
    };
    let Some(bandwidth) = cake.bandwidth() else {
        return format!(
            "CAKE at the {place} does not shape (unlimited): packets wait in it only while the \
             device takes no more, and not in the modem behind it."
        );
    };
    let shapes = format!("CAKE at the {place} holds {what} to {}", rate(bandwidth as f64));
    match cake.options.autorate {
        None => shapes + ".",
        // sch_cake.c, cake_enqueue: 15/16 of the estimate.
        Some(_) => format!(
            "{shapes}, 15/16 of the {} that it takes the link to have (autorate-ingress).",
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
        "flows" => "each flow has a queue, and gets as much as any other",
        "dual-srchost" => "sources get as much as each other, and so do the flows of each",
        "dual-dsthost" => "destinations get as much as each other, and so do the flows of each",
        "triple-isolate" => {
            "sources and destinations get as much as each other, and so do the flows of each"
        }
        _ => "queues are shared in a way that is not known here",
    };
    let nat = match (options.nat, options.flowmode.as_str()) {
        (true, _) => "; hosts that this machine hides behind its address are told apart (nat)",
        (false, "flowblind" | "flows") => "",
        (false, _) => "; hosts that this machine hides behind its address count as one (nonat)",
    };
    let filter = match options.ack_filter.as_str() {
        "enabled" => " It drops acknowledgements that later ones make needless (ack-filter).",
        "aggressive" => {
            " It drops acknowledgements that later ones make needless, and more than it must \
             (ack-filter-aggressive)."
        }
        _ => "",
    };
    let tins = match cake.tins.len() {
        0 | 1 => "All traffic is of one class".to_owned(),
        tins => format!("Traffic is of {tins} classes, its tins"),
    };
    let (diffserv, flowmode) = (&options.diffserv, &options.flowmode);
    format!("{tins} ({diffserv}); {isolation} ({flowmode}){nat}.{filter}")
}
