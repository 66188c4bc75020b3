//! The statistics of the queues of a run, as tc prints them.

use ::sim::QueueState;
use report::{Page, PageTable};
use results::{Document, Soundness};
use tc::{ListedQdisc, Listing, Own, StatsTable};

use crate::args::QdiscStats;
use crate::failure::Failure;
use crate::message::note;
use crate::output;

/// The meaning of the rows of the tables of tins, which stands above the first of them.
const TINS: &str = "For experts: what tc -s qdisc show would print of this queue at the end of the \
    run. A tin is a class of traffic; it has priority while it sends less than thresh. target and \
    interval are those of COBALT. pk_delay, av_delay and sp_delay are moving averages of how long \
    packets waited: pk_delay follows long waits fast, sp_delay short waits. backlog is what still \
    waits at the end. pkts and bytes arrived, including the warm-up; drops were dropped by COBALT \
    or because the memory was full, marks were marked, and ack_drop are acknowledgements that the \
    filter dropped. way_inds, way_miss and way_cols count packets whose flow has a queue beside \
    its first choice, got an idle one, or shares one. At the end sp_flows had few packets, \
    bk_flows were full, and BLUE dropped from un_flows. max_len is the longest packet, and quantum \
    what a flow sends in a turn, in bytes.";

/// Prints the statistics of these queues.
pub(crate) fn print(queues: &[QueueState], form: QdiscStats) -> Result<(), Failure> {
    output::print(&told(queues, form))
}

/// Says on stderr what the statistics cannot: that the run is not whole, or not sound.
pub(crate) fn note_limits(document: &Document) {
    if let Some(seconds) = document.interrupted_s {
        note(format_args!("interrupted after {seconds} s; the statistics are of that time"));
    }
    let starved = document.validity.as_ref().is_some_and(|it| it.verdict == Soundness::Starved);
    if let Some(sentence) = report::validity(document).filter(|_| starved) {
        note(sentence);
    }
}

/// The page about a run, with the tins of its queues.
pub(crate) fn page(run: &[(String, Document)], queues: &[QueueState]) -> Page {
    let mut page = report::page(run);
    page.tables.extend(tins(queues));
    page
}

/// The tins of these queues as tables of a page; none of a queue that has no tins.
fn tins(queues: &[QueueState]) -> Vec<PageTable> {
    let with_tins = queues.iter().zip(listed(queues));
    let with_tins = with_tins.filter_map(|(queue, listed)| Some((queue, listed.table()?)));
    let tables = with_tins.enumerate().map(|(index, (queue, table))| {
        let StatsTable { columns, rows } = table;
        let rows = rows
            .into_iter()
            .map(|(name, values)| std::iter::once(name.to_owned()).chain(values).collect());
        PageTable {
            title: format!("Tins of cake: {}", queue.name),
            explanation: if index == 0 { TINS.to_owned() } else { String::new() },
            folded: true,
            head: std::iter::once("statistic".to_owned()).chain(columns).collect(),
            rows: rows.collect(),
            ..PageTable::default()
        }
    });
    tables.collect()
}

fn listed(queues: &[QueueState]) -> impl Iterator<Item = ListedQdisc> {
    queues.iter().enumerate().map(|(index, queue)| {
        let QueueState { name, spec, statistics, .. } = queue;
        Own { dev: name, index, spec, statistics }.listed()
    })
}

fn told(queues: &[QueueState], form: QdiscStats) -> String {
    let listing = Listing { queues: listed(queues).collect() };
    match form {
        QdiscStats::Text => listing.to_string(),
        QdiscStats::Json => listing.to_json(),
    }
}
