//! The statistics of the queues of a run, as tc prints them.

use ::sim::QueueState;
use results::{Document, Soundness};
use tc::{Listing, Own};

use crate::args::QdiscStats;
use crate::failure::Failure;
use crate::message::note;
use crate::output;

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

fn told(queues: &[QueueState], form: QdiscStats) -> String {
    let queues = queues.iter().enumerate().map(|(index, queue)| {
        let QueueState { name, spec, statistics, .. } = queue;
        Own { dev: name, index, spec, statistics }.listed()
    });
    let listing = Listing { queues: queues.collect() };
    match form {
        QdiscStats::Text => listing.to_string(),
        QdiscStats::Json => listing.to_json(),
    }
}
