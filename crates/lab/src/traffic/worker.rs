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

use super::FlowOutcome;
use crate::LabError;

/// How often connections are asked how they are, and whether all is to end.
const TICK: Span = Span::from_millis(10);
/// Sockets that are served before the time is looked at again.
const BATCH: usize = 64;
/// The most that is read at a time.
const SCRATCH: usize = 1 << 20;

/// One side of a flow.
pub(super) trait Party: Send {
    /// Registers the sockets that it has from the beginning.
    fn begin(&mut self, poll: &mut Poll<'_>) -> io::Result<()>;
    /// Something has happened at the socket that it registered with this number.
    fn ready(
        &mut self,
        socket: u32,
        flags: epoll::EventFlags,
        now: Time,
        poll: &mut Poll<'_>,
    ) -> io::Result<()>;
    /// The time that [`next_wake`](Self::next_wake) named has come.
    fn wake(&mut self, _now: Time, _poll: &mut Poll<'_>) -> io::Result<()> {
        Ok(())
    }
    /// When it has something to do by itself.
    fn next_wake(&self) -> Option<Time> {
        None
    }
    /// Called about every ten milliseconds.
    fn tick(&mut self) {}
    /// Statistics begin now.
    fn reset(&mut self);
    /// What it knows of what the flow got from `from` until now, `to`.
    fn outcome(&self, from: Time, to: Time) -> FlowOutcome;
}

/// Where a party registers sockets. One that is closed is forgotten by itself.
pub(super) struct Poll<'a> {
    epoll: &'a OwnedFd,
    party: u32,
    /// Room for what is read: all share it.
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
        epoll::EventData::new_u64(u64::from(self.party) << 32 | u64::from(number))
    }
}

/// When a run begins and ends.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub(super) clock: Clock,
    pub(super) warm: Time,
    pub(super) end: Time,
    pub(super) stop: Arc<AtomicBool>,
}

/// What the parties of one thread know, each with the index of its flow.
pub(super) type Ends = Result<Vec<(usize, FlowOutcome)>, LabError>;

/// Parties, each with the index of its flow, and what is needed to serve them.
pub(super) struct Worker {
    epoll: OwnedFd,
    parties: Vec<(usize, Box<dyn Party>)>,
    /// When parties are to be woken, ...
    alarms: BinaryHeap<Reverse<(Time, usize)>>,
    /// ... unless they have said otherwise since.
    wakes: Vec<Option<Time>>,
    scratch: Vec<u8>,
}

impl Worker {
    pub(super) fn new(parties: Vec<(usize, Box<dyn Party>)>) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let wakes = vec![None; parties.len()];
        let (alarms, scratch) = (BinaryHeap::new(), vec![0; SCRATCH]);
        let mut worker = Self { epoll, parties, alarms, wakes, scratch };
        for party in 0..worker.parties.len() {
            worker.with(party, |party, poll| party.begin(poll))?;
        }
        Ok(worker)
    }

    /// Serves until the end. If it fails, all is stopped.
    pub(super) fn run(mut self, times: &Times) -> Ends {
        let served = self.serve(times);
        if served.is_err() {
            times.stop.store(true, Ordering::Relaxed);
        }
        let (from, to) = served.map_err(|error| LabError::Machine(format!("traffic: {error}")))?;
        let parties = self.parties.iter();
        Ok(parties.map(|(flow, party)| (*flow, party.outcome(from, to))).collect())
    }

    /// Answers with when the statistics began, and when they ended.
    fn serve(&mut self, times: &Times) -> io::Result<(Time, Time)> {
        // One nanosecond: the kernel may wake us as late as that for its own convenience.
        set_current_timer_slack(NonZeroU64::new(1))?;
        await_zero(times);
        let mut events = Vec::with_capacity(BATCH);
        let (mut is_warm, mut tick) = (false, Time::ZERO);
        loop {
            let now = times.clock.now();
            if !is_warm && now >= times.warm {
                is_warm = true;
                self.parties.iter_mut().for_each(|(_, party)| party.reset());
            }
            let is_over = now >= times.end || times.stop.load(Ordering::Relaxed);
            if now >= tick || is_over {
                tick = now + TICK;
                self.parties.iter_mut().for_each(|(_, party)| party.tick());
            }
            if is_over {
                let to = now.min(times.end);
                // As in the simulator: if the warm-up was not over, all until then counts.
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

    /// Wakes those whose time has come.
    fn wake(&mut self, now: Time) -> io::Result<()> {
        while let Some(&Reverse((due, party))) = self.alarms.peek() {
            if due > now {
                break;
            }
            self.alarms.pop();
            if self.wakes[party] == Some(due) {
                self.wakes[party] = None;
                self.with(party, |party, poll| party.wake(now, poll))?;
            }
        }
        Ok(())
    }

    /// Waits at most so long for sockets to be ready, and serves them.
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
            let (party, socket) = ((data >> 32) as usize, data as u32);
            let now = clock.now();
            self.with(party, |party, poll| party.ready(socket, flags, now, poll))?;
        }
        Ok(())
    }

    fn with(
        &mut self,
        index: usize,
        action: impl FnOnce(&mut dyn Party, &mut Poll<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let (epoll, scratch) = (&self.epoll, &mut self.scratch[..]);
        let (_, party) = &mut self.parties[index];
        action(&mut **party, &mut Poll { epoll, party: index as u32, scratch })?;
        let due = party.next_wake();
        if due != self.wakes[index] {
            self.wakes[index] = due;
            self.alarms.extend(due.map(|due| Reverse((due, index))));
        }
        Ok(())
    }
}

/// A clock that has not started yet shows zero.
#[expect(clippy::disallowed_methods, reason = "flows begin when the clock does")]
fn await_zero(times: &Times) {
    while times.clock.now() == Time::ZERO && !times.stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_micros(100));
    }
}
