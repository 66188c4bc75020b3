//! The running tests.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use admission::{Admission, Places, Ticket};
use tokio::sync::watch;
use units::{Rate, Span, Time};

use super::bounds::Bounds;
use super::flow_log::FlowLog;
use super::lock;
use super::probe_log::ProbeLog;
use crate::token::hexadecimal;

/// All running tests.
pub(super) struct Tests {
    bounds: Bounds,
    running: Mutex<Places<Arc<Test>>>,
    /// Tests by their key in probes.
    named: Mutex<BTreeMap<u64, Arc<Test>>>,
}

/// A running test.
pub(super) struct Test {
    name: [u8; 16],
    pub(super) client: SocketAddr,
    pub(super) begun: Time,
    bounds: Bounds,
    pub(super) probes: Mutex<ProbeLog>,
    /// Flows whose notes are not all collected.
    flows: Mutex<Vec<Arc<FlowLog>>>,
    /// The number of flows so far.
    numbered: AtomicU32,
    /// The number of flows at present, up and down.
    active: [AtomicU32; 2],
    /// The most other tests at once since the client's last request.
    others: AtomicU32,
    /// Bytes that were received, and bytes that the client acknowledged, at the latest notes.
    pub(super) bytes: [AtomicU64; 2],
    /// The time of the last movement, in nanoseconds; 0 before the first.
    moved: AtomicU64,
    over: watch::Sender<bool>,
    displaced: watch::Sender<bool>,
}

/// The handle of a running test, which ends when the handle is dropped.
pub(super) struct Running {
    tests: Arc<Tests>,
    ticket: Ticket,
    pub(super) test: Arc<Test>,
}

/// The reasons to refuse a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// The server runs as many tests as it may run: this many.
    All(u32),
    /// The client's address has as many tests as it may have: this many.
    Address(u32),
}

/// A test's limit on all its flows, as a multiple of its limit on flows at once.
const GENERATIONS: u32 = 16;

impl Tests {
    pub(super) fn new(bounds: Bounds) -> Arc<Self> {
        let running = Mutex::new(Places::new(bounds.tests as usize));
        Arc::new(Self { bounds, running, named: Mutex::default() })
    }

    /// Begins a test with this name. If all places are taken, a network or an address that holds
    /// too many (see [`Places::enter`]) loses one: a test in which nothing has moved yet, or the
    /// latest.
    pub(super) fn begin(
        self: &Arc<Self>,
        name: [u8; 16],
        client: SocketAddr,
        begun: Time,
    ) -> Result<Running, Full> {
        let mut running = lock(&self.running);
        let share = self.bounds.tests.div_ceil(2);
        if running.of_client(client.ip()) >= share as usize {
            return Err(Full::Address(share));
        }
        let test = Arc::new(Test {
            name,
            client,
            begun,
            bounds: self.bounds,
            probes: Mutex::default(),
            flows: Mutex::default(),
            numbered: AtomicU32::new(0),
            active: Default::default(),
            others: AtomicU32::new(0),
            bytes: Default::default(),
            moved: AtomicU64::new(0),
            over: watch::Sender::new(false),
            displaced: watch::Sender::new(false),
        });
        let entry = running.enter(client.ip(), Arc::clone(&test), |test| test.has_moved());
        let ticket = match entry {
            Admission::Free(ticket) => ticket,
            Admission::InPlaceOf(ticket, lost) => {
                lost.displaced.send_replace(true);
                ticket
            }
            Admission::Full => return Err(Full::All(self.bounds.tests)),
        };
        lock(&self.named).insert(key(&name), Arc::clone(&test));
        let others = running.len() as u32 - 1;
        for test in running.iter() {
            test.others.fetch_max(others, Ordering::Relaxed);
        }
        Ok(Running { tests: Arc::clone(self), ticket, test })
    }

    /// The test with this name; `None` if it does not run.
    pub(super) fn find(&self, name: &str) -> Option<Arc<Test>> {
        let key = u64::from_str_radix(name.get(..16)?, 16).ok()?;
        self.find_key(key).filter(|test| test.name() == name)
    }

    /// The running test with this key in probes; `None` if there is none.
    pub(super) fn find_key(&self, key: u64) -> Option<Arc<Test>> {
        lock(&self.named).get(&key).cloned()
    }

    /// The number of running tests.
    fn count(&self) -> u32 {
        lock(&self.running).len() as u32
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        lock(&self.tests.running).leave(self.ticket);
        lock(&self.tests.named).remove(&key(&self.test.name));
        self.test.over.send_replace(true);
    }
}

impl Running {
    /// The most other tests at once since the last call.
    pub(super) fn others(&self) -> u32 {
        let now = self.tests.count().saturating_sub(1);
        self.test.others.swap(now, Ordering::Relaxed)
    }
}

impl Test {
    /// The test's name, as the protocol has it.
    pub(super) fn name(&self) -> String {
        hexadecimal(&self.name)
    }

    /// Notes a movement: of a flow, of a probe, or of a connection beside them.
    pub(super) fn note_movement(&self, now: Time) {
        self.moved.fetch_max(now.as_nanos(), Ordering::Relaxed);
    }

    fn has_moved(&self) -> bool {
        self.moved.load(Ordering::Relaxed) > 0
    }

    /// Waits until another test takes this test's place.
    pub(super) async fn displaced(&self) {
        // `self` owns the sender, so the wait cannot fail.
        let _ = self.displaced.subscribe().wait_for(|displaced| *displaced).await;
    }

    /// Waits until nothing has moved for the longest idle time.
    pub(super) async fn stood_still(&self, now: impl Fn() -> Time) {
        let idle = Span::from_nanos(u64::try_from(self.bounds.idle.as_nanos()).unwrap_or(u64::MAX));
        loop {
            let moved = Time::from_nanos(self.moved.load(Ordering::Relaxed)).max(self.begun);
            let left = idle.saturating_sub(now().since(moved));
            if left == Span::ZERO {
                return;
            }
            tokio::time::sleep(Duration::from_nanos(left.as_nanos())).await;
        }
    }

    /// Waits until the test is over.
    pub(super) async fn over(&self) {
        // `self` owns the sender, so the wait cannot fail.
        let _ = self.over.subscribe().wait_for(|over| *over).await;
    }

    /// Begins a flow; `None` if the test has as many as it may have.
    pub(super) fn join(self: &Arc<Self>, heading: usize) -> Option<Member> {
        let most = self.bounds.flows.saturating_mul(GENERATIONS);
        let mut flows = lock(&self.flows);
        let number = self.numbered.load(Ordering::Relaxed);
        if number >= most {
            return None;
        }
        let guest = self.take_part(heading)?;
        self.numbered.store(number + 1, Ordering::Relaxed);
        let log = Arc::new(FlowLog::new(number));
        flows.push(Arc::clone(&log));
        Some(Member { guest, log })
    }

    /// Begins a transfer of which nothing is noted; `None` if the test has as many flows as it may
    /// have.
    pub(super) fn visit(self: &Arc<Self>, heading: usize) -> Option<Guest> {
        let _flows = lock(&self.flows);
        self.take_part(heading)
    }

    /// Takes a place among the test's flows; `None` if there is none. The caller holds the lock of
    /// the flows, so that no two take the last place.
    fn take_part(self: &Arc<Self>, heading: usize) -> Option<Guest> {
        let active: u32 = self.active.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        if active >= self.bounds.flows {
            return None;
        }
        self.active[heading].fetch_add(1, Ordering::Relaxed);
        Some(Guest { test: Arc::clone(self), heading })
    }

    /// The flows with notes, in the order in which they began. A flow that has ended is returned
    /// once more.
    pub(super) fn flows(&self) -> Vec<Arc<FlowLog>> {
        let mut flows = lock(&self.flows);
        let all = flows.clone();
        // A running flow holds its log too, besides `flows` and `all`.
        flows.retain(|log| Arc::strong_count(log) > 2);
        all
    }
}

/// A place among the test's flows, which is free again when the guest is dropped.
pub(super) struct Guest {
    pub(super) test: Arc<Test>,
    heading: usize,
}

/// A flow's place in its test, and its log.
pub(super) struct Member {
    pub(super) guest: Guest,
    pub(super) log: Arc<FlowLog>,
}

impl Guest {
    /// The share of the test's rate in this direction that each flow has; `None` without a limit.
    pub(super) fn share(&self) -> Option<Rate> {
        let flows = self.test.active[self.heading].load(Ordering::Relaxed).max(1);
        let share = self.test.bounds.rate?.bits_per_sec() / u64::from(flows);
        Rate::from_bits_per_sec(share.max(1))
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.test.active[self.heading].fetch_sub(1, Ordering::Relaxed);
    }
}

impl Member {
    /// Notes the bytes of this flow that have got through in all.
    pub(super) fn count(&self, bytes: u64, now: Time) {
        let before = self.log.bytes.fetch_max(bytes, Ordering::Relaxed);
        let more = bytes.saturating_sub(before);
        let Guest { test, heading } = &self.guest;
        if more > 0 {
            test.note_movement(now);
        }
        test.bytes[*heading].fetch_add(more, Ordering::Relaxed);
    }
}

/// A test's key in probes: the first 8 bytes of its name.
fn key(name: &[u8; 16]) -> u64 {
    (u128::from_be_bytes(*name) >> 64) as u64
}
