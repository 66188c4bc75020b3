//! A thread that serves the sockets of many flows: it sleeps until one of them is ready or an
//! application has something to do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use live::Clock;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::thread::set_current_timer_slack;
use units::{Span, Time};

use super::outcome::FlowOutcome;
use crate::LabError;

/// The time between two ticks, which read the connections' statistics and look for the end of the
/// run.
const TICK: Span = Span::from_millis(10);
/// The most sockets that are served before the clock is read again.
const BATCH: usize = 64;
/// The most datagrams that a flow sends, or receives, before other flows get their turn.
pub(super) const BURST: usize = 64;
/// The most bytes that are read at a time.
const SCRATCH: usize = 1 << 20;

/// A flow with its application and the sockets at its ends, served by a [`Worker`].
pub(super) trait SocketFlow: Send {
    /// Registers the sockets that the flow has from the beginning.
    fn begin(&mut self, poll: &mut Poll<'_>) -> io::Result<()>;
    /// Serves an event at the socket that was registered with this number.
    fn ready(
        &mut self,
        socket: u32,
        flags: epoll::EventFlags,
        now: Time,
        poll: &mut Poll<'_>,
    ) -> io::Result<()>;
    /// Acts at the time that [`next_wake`](Self::next_wake) returned.
    fn wake(&mut self, _now: Time, _poll: &mut Poll<'_>) -> io::Result<()> {
        Ok(())
    }
    /// The time of the flow's next action of its own; `None` if there is none.
    fn next_wake(&self) -> Option<Time> {
        None
    }
    /// Called about every ten milliseconds.
    fn tick(&mut self) {}
    /// Begins the statistics.
    fn reset(&mut self);
    /// The flow's outcome from `from` until now, `to`.
    fn outcome(&self, from: Time, to: Time) -> FlowOutcome;
}

/// Registers the sockets of a flow. A closed socket is removed by the kernel.
pub(super) struct Poll<'a> {
    epoll: &'a OwnedFd,
    flow: u32,
    /// A buffer for reads, which all flows share.
    pub(super) scratch: &'a mut [u8],
}

impl Poll<'_> {
    pub(super) fn add(
        &self,
        socket: impl AsFd,
        number: u32,
        flags: epoll::EventFlags,
    ) -> io::Result<()> {
        Ok(epoll::add(self.epoll, socket, self.data(number), flags)?)
    }

    pub(super) fn modify(
        &self,
        socket: impl AsFd,
        number: u32,
        flags: epoll::EventFlags,
    ) -> io::Result<()> {
        Ok(epoll::modify(self.epoll, socket, self.data(number), flags)?)
    }

    fn data(&self, number: u32) -> epoll::EventData {
        epoll::EventData::new_u64(u64::from(self.flow) << 32 | u64::from(number))
    }
}

/// The times at which a run begins and ends.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub(super) clock: Clock,
    pub(super) warm: Time,
    pub(super) end: Time,
    pub(super) stop: Arc<AtomicBool>,
}

/// The outcomes of the flows of one thread, each with the index of its flow.
pub(super) type ThreadOutcomes = Result<Vec<(usize, FlowOutcome)>, LabError>;

/// The flows of one thread, each with its index, and the state to serve them.
pub(super) struct Worker {
    epoll: OwnedFd,
    flows: Vec<(usize, Box<dyn SocketFlow>)>,
    /// The wakes of flows. An entry counts only if `wakes` agrees.
    alarms: BinaryHeap<Reverse<(Time, usize)>>,
    /// The next wake of each flow; `None` if it needs none.
    wakes: Vec<Option<Time>>,
    scratch: Vec<u8>,
}

impl Worker {
    pub(super) fn new(flows: Vec<(usize, Box<dyn SocketFlow>)>) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let wakes = vec![None; flows.len()];
        let (alarms, scratch) = (BinaryHeap::new(), vec![0; SCRATCH]);
        let mut worker = Self { epoll, flows, alarms, wakes, scratch };
        for index in 0..worker.flows.len() {
            worker.with(index, |flow, poll| flow.begin(poll))?;
        }
        Ok(worker)
    }

    /// Serves the flows until the end. On failure it stops the run.
    pub(super) fn run(mut self, times: &Times) -> ThreadOutcomes {
        let served = self.serve(times);
        if served.is_err() {
            times.stop.store(true, Ordering::Relaxed);
        }
        let (from, to) = served.map_err(|error| LabError::Machine(format!("traffic: {error}")))?;
        let flows = self.flows.iter();
        Ok(flows.map(|(number, flow)| (*number, flow.outcome(from, to))).collect())
    }

    /// Serves until the end. Returns the times at which the statistics began and ended.
    fn serve(&mut self, times: &Times) -> io::Result<(Time, Time)> {
        // By default the kernel may wake a thread later than asked for; this allows it one
        // nanosecond.
        set_current_timer_slack(NonZeroU64::new(1))?;
        await_zero(times);
        let mut events = Vec::with_capacity(BATCH);
        let (mut is_warm, mut tick) = (false, Time::ZERO);
        loop {
            let now = times.clock.now();
            if !is_warm && now >= times.warm {
                is_warm = true;
                self.flows.iter_mut().for_each(|(_, flow)| flow.reset());
            }
            let is_over = now >= times.end || times.stop.load(Ordering::Relaxed);
            if now >= tick || is_over {
                tick = now + TICK;
                self.flows.iter_mut().for_each(|(_, flow)| flow.tick());
            }
            if is_over {
                let to = now.min(times.end);
                // As in the simulator: if the warm-up was not over, everything counts.
                return Ok((if is_warm { times.warm } else { Time::ZERO }, to));
            }
            self.wake(now)?;
            let warm = Some(times.warm).filter(|_| !is_warm);
            let alarm = self.alarms.peek().map(|Reverse((due, _))| *due);
            let due = Time::earliest(Time::earliest(alarm, warm), Some(tick.min(times.end)));
            let span = due.map_or(TICK, |due| due.since(times.clock.now()));
            self.wait(&mut events, span, times.clock)?;
        }
    }

    /// Wakes the flows whose time has come.
    fn wake(&mut self, now: Time) -> io::Result<()> {
        while let Some(&Reverse((due, index))) = self.alarms.peek() {
            if due > now {
                break;
            }
            self.alarms.pop();
            if self.wakes[index] == Some(due) {
                self.wakes[index] = None;
                self.with(index, |flow, poll| flow.wake(now, poll))?;
            }
        }
        Ok(())
    }

    /// Waits for at most `span` until sockets are ready, and serves them.
    fn wait(&mut self, events: &mut Vec<epoll::Event>, span: Span, clock: Clock) -> io::Result<()> {
        let nanos = span.min(TICK).as_nanos();
        let timeout = Timespec { tv_sec: 0, tv_nsec: nanos as _ };
        events.clear();
        match epoll::wait(&self.epoll, spare_capacity(events), Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in events {
            let (data, flags) = (event.data.u64(), event.flags);
            let (index, socket) = ((data >> 32) as usize, data as u32);
            let now = clock.now();
            self.with(index, |flow, poll| flow.ready(socket, flags, now, poll))?;
        }
        Ok(())
    }

    fn with(
        &mut self,
        index: usize,
        action: impl FnOnce(&mut dyn SocketFlow, &mut Poll<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let (epoll, scratch) = (&self.epoll, &mut self.scratch[..]);
        let (_, flow) = &mut self.flows[index];
        action(&mut **flow, &mut Poll { epoll, flow: index as u32, scratch })?;
        let due = flow.next_wake();
        if due != self.wakes[index] {
            self.wakes[index] = due;
            self.alarms.extend(due.map(|due| Reverse((due, index))));
        }
        Ok(())
    }
}

/// Waits until the clock starts: before that it shows zero.
#[expect(clippy::disallowed_methods, reason = "flows begin when the clock does")]
fn await_zero(times: &Times) {
    while times.clock.now() == Time::ZERO && !times.stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_micros(100));
    }
}
