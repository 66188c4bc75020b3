//! Words of CAKE that belong to the other direction: `tc qdisc replace` keeps all that is not named
//! (sch_cake.c, cake_change: only attributes that are there are set).

use observation::Heading;
use results::{Fault, FaultName, Severity};

use crate::fault::{Told, fault};
use crate::scene::{Scene, Shaped};

/// The ratio of the rates below which acknowledgements do not crowd the upload. A full packet needs
/// 40 to 52 bytes of acknowledgement for every second one, so it takes a ratio of about 60 to fill an
/// upload; a quarter of the download is far from that.
const CROWDED: u64 = 4;

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    faults.extend(scene.shapers().filter(Shaped::is_cake).filter_map(|it| kept(scene, it)));
}

fn kept(scene: &Scene<'_>, shaped: Shaped<'_>) -> Option<Fault> {
    let queue = shaped.queue;
    let flows = queue.option("flowmode");
    let filters = !["", "disabled"].contains(&queue.option("ack-filter"));
    let wrong = match shaped.heading {
        Heading::Up => [
            queue.is_on("ingress").then_some(("ingress", "egress")),
            (flows == "dual-dsthost").then_some((flows, "dual-srchost")),
            (filters && is_even(scene)).then_some(("ack-filter", "no-ack-filter")),
        ],
        Heading::Down => [
            filters.then_some(("ack-filter", "no-ack-filter")),
            (flows == "dual-srchost").then_some((flows, "dual-dsthost")),
            None,
        ],
    };
    let (seen, right): (Vec<_>, Vec<_>) = wrong.into_iter().flatten().unzip();
    if seen.is_empty() {
        return None;
    }
    let found = fault(FaultName::KeptKeywords, Severity::Doubtful, &queue.device)
        .seen("direction", shaped.heading.in_words())
        .seen("words", seen.join(" "));
    let text = "Name every option, or delete the queue and add it again: tc qdisc replace keeps \
                the options of the earlier queue.";
    Some(found.cured(text, shaped.change(&right.join(" "))))
}

/// True if the upload is known to be at least a quarter of the download.
fn is_even(scene: &Scene<'_>) -> bool {
    let rates = scene.known.up.rate.zip(scene.known.down.rate);
    rates.is_some_and(|(up, down)| up.bits_per_sec() >= down.bits_per_sec() / CROWDED)
}
