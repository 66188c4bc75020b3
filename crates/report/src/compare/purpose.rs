//! The purpose of a scenario: whose delay its runs are compared by.

use results::{Completion, Document, FlowKind, FlowResult};

use crate::scene::Run;

/// A purpose of a scenario, which follows from the figures that all runs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Calls: the opinion score of the worst.
    Call,
    /// Pages: their 95th percentile.
    Page,
    /// Answers: the 95th percentile of the ping's round trips.
    Ping,
    /// Packets of a constant rate, as a game sends them: the 95th percentile of their one-way delay.
    Stream,
    /// The delay of traffic other than the load.
    Others,
    /// The delay of packets in the queue.
    Queue,
}

impl Purpose {
    /// All purposes. The first one for which all runs have a figure is the scenario's.
    const ALL: [Self; 6] =
        [Self::Call, Self::Page, Self::Ping, Self::Stream, Self::Others, Self::Queue];

    /// The run's figure: milliseconds at the 95th percentile; for a call the score. `None` if the
    /// run has none.
    fn figure(self, run: &Run<'_>, stream: Option<&Stream<'_>>) -> Option<f64> {
        match self {
            Self::Call => opinion(run.document),
            Self::Page => page(run.document, |completion| completion.p95),
            Self::Ping => ping(run.document)?.rtt_ms?.p95,
            Self::Stream => stream?.delay_ms(run),
            Self::Others => run.place?.direction.others_wait_ms.p95,
            Self::Queue => run.place?.direction.sojourn_ms.p95,
        }
    }

    /// The figures of all runs; `None` unless all have one.
    pub(crate) fn figures(self, runs: &[Run<'_>]) -> Option<Vec<f64>> {
        let stream = Stream::of(runs);
        runs.iter().map(|run| self.figure(run, stream.as_ref())).collect()
    }

    /// The purpose by which the runs are compared; `None` if they share no figure.
    pub(crate) fn of(runs: &[Run<'_>]) -> Option<Self> {
        Self::all(runs).next()
    }

    /// The purposes for which all runs have a figure. A stream counts where neither a call nor a ping
    /// does; queues count where nothing else does.
    pub(crate) fn all<'a>(runs: &'a [Run<'a>]) -> impl Iterator<Item = Self> + 'a {
        let mut last = None;
        Self::ALL.into_iter().filter(move |purpose| {
            let is_needed = match purpose {
                Self::Call | Self::Page | Self::Ping => true,
                Self::Stream => matches!(last, None | Some(Self::Page)),
                Self::Others | Self::Queue => last.is_none(),
            };
            let counts = is_needed && purpose.figures(runs).is_some();
            last = if counts { Some(*purpose) } else { last };
            counts
        })
    }
}

/// The packets of a constant rate that wait longest in any of the runs.
pub(super) struct Stream<'a> {
    /// Name of the flow.
    pub(super) name: &'a str,
}

impl<'a> Stream<'a> {
    /// The stream; `None` if no run has one.
    pub(super) fn of(runs: &[Run<'a>]) -> Option<Self> {
        let flows = runs.iter().flat_map(|run| &run.document.flows);
        let streams = flows.filter(|(_, flow)| flow.kind == FlowKind::Cbr);
        let delays = streams.filter_map(|(name, flow)| Some((name, flow.delay_ms?.p95?)));
        let (name, _) = delays.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        Some(Self { name })
    }

    /// The 95th percentile of the delay of its packets, in milliseconds.
    pub(super) fn delay_ms(&self, run: &Run<'_>) -> Option<f64> {
        run.document.flows.get(self.name)?.delay_ms?.p95
    }
}

/// The first ping of the run; `None` if there is none.
pub(super) fn ping(document: &Document) -> Option<&FlowResult> {
    document.flows.values().find(|flow| flow.kind == FlowKind::Ping)
}

/// The goodput of the flows whose data crosses the direction that matters, in Mbit/s; `None` if it is
/// not known.
pub(crate) fn goodput(run: &Run<'_>) -> Option<f64> {
    run.place?.direction.goodput_mbit
}

/// The lowest opinion score of all calls; `None` if there is none.
pub(super) fn opinion(document: &Document) -> Option<f64> {
    document.flows.values().filter_map(|flow| flow.mos).min_by(f64::total_cmp)
}

/// The time to load pages: the largest of a percentile over all flows that load pages, in
/// milliseconds.
pub(super) fn page(document: &Document, percentile: fn(&Completion) -> Option<f64>) -> Option<f64> {
    let pages = document.flows.values().filter(|flow| flow.kind == FlowKind::Page);
    let seconds = pages.filter_map(|flow| percentile(&flow.completion_s?));
    Some(seconds.max_by(f64::total_cmp)? * 1e3)
}
