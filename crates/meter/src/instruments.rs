//! Counts and records everything that is measured at links, under any clock.

mod direction_counts;
mod document;
mod tap;

use std::io;

use link::Looks;
use qdisc::{AnyQdisc, Headers, QdiscSpec};
use results::QueueWindow;
use tables::FateSink;
use units::{Bytes, DirectionId, Span, Time, Way};

use direction_counts::DirectionCounts;
pub use document::{FlowReport, Run};
pub use tap::Tap;

use crate::hop_table::HopTable;
use crate::others::{Others, WaitSample};
use crate::timeline::TimelineRecorder;
use crate::{
    Counters, FateRecorder, FlowRecorder, Gauges, LinkState, Network, QueueState, SeriesOptions,
    SeriesRecorder, StayRecorder, Tag, TimelineOptions,
};

/// The statistics that are counted, and the data that is recorded beside them.
pub struct InstrumentOptions {
    /// The links and the flows.
    pub network: Network,
    /// The time at which the run begins.
    pub start: Time,
    /// The time after `start` that is left out of the statistics.
    pub warmup: Span,
    /// The destination of the fate of each packet on each link; `None` for none.
    pub fates: Option<Box<dyn FateSink + Send>>,
    /// The table of quantities over time; `None` for no table.
    pub series: Option<SeriesOptions>,
    /// The timeline of the result document, which then has distributions of delays too; `None` for
    /// neither.
    pub timeline: Option<TimelineOptions>,
}

/// The instruments of a run.
///
/// The driver reports the events at a direction to its [`tap`](Self::tap), calls
/// [`tick`](Self::tick) at the time that [`due`](Self::due) tells, and gets the result
/// [`document`](Self::document) at the end.
pub struct Instruments {
    network: Network,
    start: Time,
    /// The time at which the statistics begin; [`Time::MAX`] once they have begun.
    warm: Time,
    /// The time since which the statistics count.
    from: Time,
    /// The time of the next tick.
    due: Time,
    directions: Vec<DirectionCounts>,
    hops: HopTable,
    others: Others,
    timeline: Option<TimelineRecorder>,
    fates: Option<FateRecorder>,
    series: Option<SeriesRecorder>,
    stays: Option<StayRecorder>,
}

impl Instruments {
    /// The instruments of links that are idle.
    ///
    /// # Errors
    /// Any error of writing the beginning of the series.
    pub fn new(options: InstrumentOptions) -> io::Result<Self> {
        let InstrumentOptions { network, start, warmup, fates, series, timeline } = options;
        let flows = || network.flows.iter().map(|flow| flow.name.clone()).collect::<Vec<_>>();
        let fates = fates.map(|sink| FateRecorder::new(sink, network.links.clone(), flows()));
        let series = series.map(|options| {
            SeriesRecorder::new(options, &network.direction_names(), &flows(), start)
        });
        let (hops, rows) = HopTable::new(&network);
        let counts = |row| DirectionCounts::new(row, start);
        let mut this = Self {
            start,
            warm: if warmup.is_zero() { Time::MAX } else { start + warmup },
            from: start,
            due: start,
            others: Others::new(rows.len(), start),
            directions: rows.into_iter().map(counts).collect(),
            hops,
            timeline: timeline.map(|options| TimelineRecorder::new(&network, start, options)),
            fates,
            series: series.transpose()?,
            stays: None,
            network,
        };
        this.due = this.next_due();
        Ok(this)
    }

    /// The tap of a direction. The events there are reported to it.
    #[inline]
    pub fn tap(&mut self, direction: DirectionId) -> Tap<'_> {
        Tap {
            direction,
            counts: &mut self.directions[direction.index()],
            hops: &mut self.hops,
            timeline: self.timeline.as_mut().map(|timeline| timeline.direction(direction)),
            fates: self.fates.as_mut(),
            stays: self.stays.as_mut().filter(|stays| stays.direction() == direction),
        }
    }

    /// Records the packets of a queue from now on. The driver reports the dropped ones to
    /// [`Tap::stay_ends`], too.
    pub fn record_stays(&mut self, recorder: StayRecorder) {
        self.stays = Some(recorder);
    }

    /// The packets of the recorded queue so far; none without a recorder. Nothing is recorded afterwards.
    pub fn take_stays(&mut self) -> Vec<QueueWindow> {
        self.stays.take().map(StayRecorder::finish).unwrap_or_default()
    }

    /// Counts a packet that is offered to the queue of a direction.
    #[inline]
    pub fn offered(&mut self, direction: DirectionId, tag: &Tag) {
        self.hops.offered(self.directions[direction.index()].row, tag);
    }

    /// Counts packets that have reached the far end of a direction, and their lengths with framing.
    #[inline]
    pub fn delivered(&mut self, direction: DirectionId, packets: u64, bytes: Bytes) {
        self.directions[direction.index()].meter.delivered(packets, bytes);
    }

    /// The recorder for the windows and round trips of this flow; `None` if they are not recorded.
    #[inline]
    pub fn flow(&mut self, flow: usize) -> Option<&mut FlowRecorder> {
        self.timeline.as_mut()?.flow(flow)
    }

    /// Gives a flow that is not of the network a name in the table of fates. Returns its number; 0
    /// without such a table.
    pub fn name_flow(&mut self, name: String) -> u32 {
        self.fates.as_mut().map_or(0, |fates| fates.add_flow(name))
    }

    /// The time of the next [`tick`](Self::tick), always later than that of the last one.
    #[inline]
    pub const fn due(&self) -> Time {
        self.due
    }

    /// The next time at which a [`tick`](Self::tick) reads or resets counts, or looks at backlogs. The
    /// other ticks only look at the waits of new flows, and at which links are busy.
    pub fn counts_due(&self) -> Time {
        self.warm.min(self.step_ends()).min(self.next_row())
    }

    /// The time at which the current step of the timeline ends; [`Time::MAX`] without a timeline.
    pub fn step_ends(&self) -> Time {
        self.timeline.as_ref().map_or(Time::MAX, TimelineRecorder::step_ends)
    }

    /// The times at which a [`tick`](Self::tick) looks at the waits of new flows, from the next on. They begin
    /// anew at another origin with the statistics, and after a time without events.
    pub const fn looks(&self) -> &Looks {
        self.others.looks()
    }

    /// Does what is due now: begins the statistics, samples how long others would wait, ends a step
    /// of the timeline, writes a row of the series. Returns true if the statistics begin with this
    /// tick.
    ///
    /// `links` are the states of all directions now. `quiet_until` returns the time before which
    /// nothing happens at them, or `now` if that is not known. `gauges` are those of a flow.
    pub fn tick(
        &mut self,
        now: Time,
        quiet_until: impl FnOnce() -> Time,
        links: &[LinkState],
        gauges: impl Fn(usize) -> Gauges,
    ) -> bool {
        let begins = now >= self.warm;
        if begins {
            self.begin_statistics();
        }
        let (is_sample_due, is_row_due) =
            (now >= self.others.looks().due(), now >= self.next_row());
        if is_sample_due {
            self.sample_others(links, quiet_until);
        }
        if let Some(timeline) = self.timeline.as_mut().filter(|it| now >= it.step_ends()) {
            timeline.advance(now, self.directions.iter().map(DirectionCounts::counters), |flow| {
                gauges(flow).delivered
            });
        }
        if let Some(series) = self.series.as_mut().filter(|_| is_row_due) {
            let directions = links.iter().map(|state| state.backlog);
            let counters = self.directions.iter().map(DirectionCounts::counters);
            series.row(now, directions.zip(counters), (0..self.network.flows.len()).map(gauges));
        }
        self.due = self.next_due();
        begins
    }

    /// The time since which the statistics count.
    pub const fn from(&self) -> Time {
        self.from
    }

    /// The counters of each direction since the beginning of the run.
    pub fn counters(&self) -> impl Iterator<Item = Counters> {
        self.directions.iter().map(DirectionCounts::counters)
    }

    /// The state of a direction's queue now, whose settings are those of `spec`.
    pub fn queue_state<P: Headers>(
        &self,
        direction: DirectionId,
        spec: &QdiscSpec,
        queue: &AnyQdisc<P>,
        now: Time,
    ) -> QueueState {
        let link = &self.network.links[direction.link()];
        let name = match direction.way() {
            Way::Forward => link.clone(),
            way => format!("{link}.{}", way.name()),
        };
        let counters = self.directions[direction.index()].counters();
        QueueState::of(name, spec, queue, counters, now)
    }

    /// Writes the rest of the tables.
    ///
    /// # Errors
    /// The first error of writing; the table ends there.
    pub fn finish_tables(&mut self) -> io::Result<()> {
        self.fates.take().map_or(Ok(()), FateRecorder::finish)?;
        self.series.take().map_or(Ok(()), SeriesRecorder::finish)
    }

    #[cold]
    fn begin_statistics(&mut self) {
        self.from = std::mem::replace(&mut self.warm, Time::MAX);
        self.directions.iter_mut().for_each(|counts| counts.meter.reset(self.from));
        self.hops.reset();
        self.others.restart(self.from);
    }

    /// Samples how long others would wait, and skips the samples of a time without events.
    fn sample_others(&mut self, links: &[LinkState], quiet_until: impl FnOnce() -> Time) {
        let sample =
            |state: &LinkState| WaitSample { wait: state.new_flow_wait, is_busy: state.is_busy };
        self.others.add_samples(links.iter().map(sample));
        if !links.iter().any(|state| state.is_busy) {
            self.others.skip_until(quiet_until());
        }
    }

    fn next_row(&self) -> Time {
        self.series.as_ref().map_or(Time::MAX, SeriesRecorder::due)
    }

    fn next_due(&self) -> Time {
        self.others.looks().due().min(self.counts_due())
    }
}

#[cfg(test)]
mod tests;
