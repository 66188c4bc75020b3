//! The replay: offers each arrival to the link at its time.

use std::io::Read;

use link::{Capacity, Link, Wire};
use meter::QueueState;
use qdisc::{AnyQdisc, LinkInfo};
use results::Document;
use units::{Bytes, Rng, Time};

use crate::fates::FateRows;
use crate::headers::LatestHeaders;
use crate::outcome::{Summary, document};
use crate::packet::ReplayPacket;
use crate::recorder::{Observer, Recorder};
use crate::{Arrival, Arrivals, Framing, ReplayError, Setting};

/// The options of a replay.
#[derive(Default)]
pub struct Options<'a> {
    /// The destination of the fates, one row per packet, such as [`FateText`](crate::FateText);
    /// `None` for no table.
    pub fates: Option<Box<dyn FateRows + 'a>>,
    /// True to fill the document's timeline and distributions, from which plots are drawn. The
    /// timeline counts bytes as delivered when they leave the queue.
    pub timeline: bool,
    /// The place for the state of the queue at the end; `None` for none.
    pub queue: Option<&'a mut Option<QueueState>>,
    /// A function that is called often and returns true to go on. If it returns false, no more
    /// arrivals are read, and packets that wait are still served. `None` to read all arrivals.
    pub go_on: Option<Box<dyn FnMut() -> bool + 'a>>,
}

/// Sends all arrivals through the queue. The result is a function of the arrivals and the setting.
///
/// # Errors
/// Errors of reading the arrivals and of writing the fates. Then the table of fates is not whole.
pub fn run<R: Read>(
    arrivals: &mut Arrivals<R>,
    setting: &Setting,
    options: Options<'_>,
) -> Result<Document, ReplayError> {
    /// The number of arrivals between two calls of `go_on`.
    const ASKED_EACH: u64 = 4096;
    let Options { fates, timeline, queue, mut go_on } = options;
    let Some(first) = arrivals.read_next()? else {
        return Err(ReplayError::Input("is empty".into()));
    };
    let recorder = Recorder::new(first.time, timeline, fates).map_err(ReplayError::Write)?;
    let mut replay = Replay::new(setting, first.time, recorder);
    replay.offer(&first, arrivals.headers());
    let mut is_whole = true;
    let mut is_asked_to_end = || go_on.as_mut().is_some_and(|go_on| !go_on());
    while is_whole {
        let arrival = match arrivals.read_next() {
            Ok(Some(arrival)) => arrival,
            Ok(None) => break,
            // The end came within an arrival, which does not count.
            Err(ReplayError::Read(_)) if is_asked_to_end() => {
                is_whole = false;
                break;
            }
            Err(error) => return Err(error),
        };
        replay.offer(&arrival, arrivals.headers());
        if replay.summary.packets.is_multiple_of(ASKED_EACH) {
            replay.check()?;
            is_whole = !is_asked_to_end();
        }
    }
    replay.drain()?;
    let end = replay.link.busy_until().max(replay.summary.last);
    if let Some(fates) = replay.recorder.fates.take() {
        fates.finish().map_err(ReplayError::Write)?;
    }
    let Replay { link, recorder, mut summary } = replay;
    if let Some(queue) = queue {
        *queue = Some(recorder.queue_state(&setting.queue, &link, end));
    }
    summary.end = end;
    summary.is_whole = is_whole;
    let capacity = link.capacity(summary.first, end);
    Ok(document(setting, arrivals, &summary, recorder, capacity))
}

struct Replay<'a> {
    link: Link<ReplayPacket, AnyQdisc<ReplayPacket>>,
    recorder: Recorder<'a>,
    summary: Summary,
}

impl<'a> Replay<'a> {
    /// An idle link, whose first packet arrives at `first`.
    fn new(setting: &Setting, first: Time, recorder: Recorder<'a>) -> Self {
        let Setting { rate, framing: Framing { mtu, overhead }, .. } = *setting;
        let rng = Rng::new(setting.seed);
        let longest = Bytes(u64::from(mtu) + u64::from(overhead));
        let environment = LinkInfo::new(rate, longest);
        let queue = setting.queue.build(environment, rng.fork("queue"));
        let wire = Wire { capacity: Capacity::Constant(rate), ..Wire::default() };
        Self {
            link: Link::new(queue, wire, rng.fork("loss")),
            recorder,
            summary: Summary::new(first),
        }
    }

    /// Offers an arrival to the link. An arrival at the instant of a departure comes first.
    #[inline]
    fn offer(&mut self, arrival: &Arrival, headers: &LatestHeaders) {
        let now = arrival.time;
        while let Some(due) = self.link.next_departure().filter(|due| *due < now) {
            self.serve(due);
        }
        self.recorder.catch_up(&self.link, now);
        let packet = ReplayPacket::new(self.summary.packets, arrival);
        self.summary.offered(arrival);
        if let Some(fates) = &mut self.recorder.fates {
            fates.offered(now);
        }
        self.link.offer(packet, now, &mut Observer { recorder: &mut self.recorder, headers });
        self.settle(now);
    }

    #[inline]
    fn serve(&mut self, now: Time) {
        self.recorder.catch_up(&self.link, now);
        let headers = &LatestHeaders::NONE;
        self.link.serve(now, &mut Observer { recorder: &mut self.recorder, headers });
        self.settle(now);
    }

    #[inline]
    fn settle(&mut self, now: Time) {
        self.recorder.waits(self.link.backlog(), now);
        // There is no receiver at the far end.
        while self.link.take_delivery(Time::MAX).is_some() {}
    }

    /// Serves the packets that wait after the last arrival.
    fn drain(&mut self) -> Result<(), ReplayError> {
        while let Some(due) = self.link.next_departure() {
            self.serve(due);
        }
        self.check()
    }

    /// Checks that nothing has failed so far.
    fn check(&mut self) -> Result<(), ReplayError> {
        if self.link.busy_until() == Time::MAX {
            return Err(ReplayError::Input(
                "the link does not finish before the latest time, 18446744073 s; write a higher \
                 --rate, or times that begin earlier"
                    .into(),
            ));
        }
        let error = self.recorder.fates.as_mut().and_then(crate::fates::FateTable::take_error);
        error.map_or(Ok(()), |error| Err(ReplayError::Write(error)))
    }
}
