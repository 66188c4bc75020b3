//! What all tasks of a watch share.

use std::cell::Cell;
use std::rc::Rc;

use kernel::Clock;
use observation::{ProbeOutcome, WatchedProbe};
use tokio::sync::{mpsc, watch};
use tokio::time::{Duration, sleep};
use units::{Span, Time};

use crate::news::News;

/// The time after the last heartbeat from which on this machine may have stood still.
const STANDSTILL: Span = Span::from_secs(1);
/// The sleep of the machine that counts as one.
pub(crate) const NAP: Span = Span::from_millis(100);

/// What a task reports.
#[derive(Debug)]
pub(crate) enum Report {
    /// News for those who keep and show it.
    News(News),
    /// The answer to a probe to the target of this index is late, and may still come.
    Awaited(usize, Sent),
    /// What passed the interface.
    Load(spikes::Load),
    /// Whether the interface is Wi-Fi.
    Wireless(bool),
    /// Whether the interface of this index has a carrier from this time on.
    Carrier { at: Time, has_carrier: bool, interface: u32 },
    /// The link is another one from this time on, or has another rate or queue.
    OtherLink(Time),
    /// What is wrong with the target of this index, before its probe is told.
    Detail(usize, String),
    /// A test of the path begins.
    TestBegin,
    /// A test has ended, whose load is felt until this time; `None` if it has loaded nothing.
    TestEnd(Option<Time>),
}

/// A probe that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    /// True if it is not one of the regular ones.
    pub(crate) is_extra: bool,
}

impl Sent {
    /// The probe with its outcome.
    pub(crate) fn with(self, outcome: ProbeOutcome) -> WatchedProbe {
        WatchedProbe { sent: self.at, is_extra: self.is_extra, outcome }
    }
}

/// What all tasks share. They run in one thread.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) clock: Clock,
    pub(crate) seed: u64,
    /// True while probes are to be sent faster.
    pub(crate) fast: watch::Receiver<bool>,
    reports: mpsc::UnboundedSender<Report>,
    pulse: Rc<Pulse>,
}

/// The signs that this machine runs.
#[derive(Default)]
struct Pulse {
    last: Cell<Time>,
    asleep: Cell<Span>,
    /// The number of times at which observation was broken off.
    breaks: Cell<u64>,
}

impl Context {
    pub(crate) fn new(
        clock: Clock,
        seed: u64,
        fast: watch::Receiver<bool>,
        reports: mpsc::UnboundedSender<Report>,
    ) -> Self {
        let pulse = Pulse::default();
        pulse.last.set(clock.now());
        pulse.asleep.set(kernel::asleep());
        Self { clock, seed, fast, reports, pulse: Rc::new(pulse) }
    }

    pub(crate) fn report(&self, report: Report) {
        // Nobody listens once the watch ends, and so do the tasks.
        let _ = self.reports.send(report);
    }

    /// Reports a probe of which nothing more will come.
    pub(crate) fn tell(&self, index: usize, sent: Sent, outcome: ProbeOutcome) {
        self.report(Report::News(News::Probe(index, sent.with(outcome))));
    }

    /// Notes that this machine runs. `asleep` is the time for which it has slept in all.
    pub(crate) fn beat(&self, now: Time, asleep: Span) {
        self.pulse.last.set(now);
        self.pulse.asleep.set(asleep);
    }

    /// Breaks all observation off: what is under way says nothing of the path.
    pub(crate) fn break_off(&self) {
        self.pulse.breaks.set(self.pulse.breaks.get() + 1);
    }

    /// The number of times at which observation was broken off: a probe says nothing of the path if the
    /// number is another one than at its sending.
    pub(crate) fn breaks(&self) -> u64 {
        self.pulse.breaks.get()
    }

    /// True if this machine has run all the time until now. If not, times that the kernel has not taken
    /// are not those of the path.
    pub(crate) fn runs(&self, now: Time) -> bool {
        now.since(self.pulse.last.get()) < STANDSTILL && !self.has_slept()
    }

    /// True if this machine has slept since the last heartbeat.
    pub(crate) fn has_slept(&self) -> bool {
        kernel::asleep().saturating_sub(self.pulse.asleep.get()) >= NAP
    }

    /// Waits until a time.
    pub(crate) async fn until(&self, time: Time) {
        sleep(Duration::from_nanos(time.since(self.clock.now()).as_nanos())).await;
    }
}
