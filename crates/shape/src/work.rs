//! The work beside the packets: promises to the kernel, figures, requests, and the interface itself.

use std::fmt;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use kernel::{Conntrack, Netlink};
use live::{Adjustment, Clock, Health, LinkView};
use results::{Shaping, ShapingSchema, ShapingState, Version};
use units::{PerWay, Rate, Span, Time, Way};

use crate::control::Control;
use crate::direction::Direction;
use crate::error::TryTo;
use crate::hooks::Hooks;
use crate::neighbours::neighbours;
use crate::pace::{Pace, Paced, heading};
use crate::starvation::{Second, Starvation};
use crate::translation::Translation;
use crate::{Event, Factory, Interface, ShapeError, Unable};

/// The time between two ticks.
const TICK: Span = Span::from_millis(25);
/// The time for which a tick promises that this process takes packets. A loop that is later than that
/// delays packets by more than most queues do.
const PROMISE: Span = Span::from_millis(125);
/// The longest time in which the queues are emptied at the end.
const EMPTYING: Span = Span::from_millis(800);
/// The time between two looks at the figures.
const LOOK: Span = Span::from_secs(1);

/// The latest state of a shaper; `None` in the first second.
pub type Latest = Arc<Mutex<Option<Shaping>>>;

/// The reason why the loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Somebody asked for it.
    Stopped,
    /// The interface is not there any more.
    InterfaceGone,
}

/// The parts of the machine that a shaper reaches beside its packets.
pub(crate) struct Reach {
    pub(crate) netlink: Netlink,
    pub(crate) hooks: Hooks,
    pub(crate) control: Control,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) report: Box<dyn FnMut(Event) + Send>,
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reach").field("hooks", &self.hooks).finish_non_exhaustive()
    }
}

/// The work beside the packets.
#[derive(Debug)]
pub(crate) struct Work<F: Factory> {
    pub(crate) reach: Reach,
    interface: Interface,
    /// The directions that are shaped, in the order of the fabric's.
    pub(crate) directions: Vec<Direction<F>>,
    /// The firewall's translations; `None` if this kernel has no such firewall.
    pub(crate) translation: Option<Translation>,
    starvation: Starvation,
    /// The rules that the rates follow; `None` if the rates are fixed.
    pub(crate) pace: Option<Pace>,
    clock: Clock,
    begin: Time,
    pub(crate) next_tick: Time,
    last_look: Time,
    /// The processor time of the loop at the last look.
    cpu: Cpu,
    /// 99 % of the packets of the last second were sent no later than this after they were due.
    lateness: Option<Span>,
    pub(crate) adjustments: Vec<Adjustment<F::Queue>>,
    /// The time at which somebody asked for the end; `None` if nobody has.
    stopping_since: Option<Time>,
    end: End,
    latest: Latest,
}

/// The processor time of the loop.
#[derive(Clone, Copy, Debug, Default)]
struct Cpu {
    total: Span,
    /// The part of a processor in the last second.
    part: f64,
}

impl<F: Factory> Work<F> {
    pub(crate) fn new(
        interface: Interface,
        directions: Vec<Direction<F>>,
        unable: Unable,
        pace: Option<Pace>,
        reach: Reach,
    ) -> Self {
        let clock = Clock::of_kernel();
        let now = clock.now();
        Self {
            reach,
            interface,
            directions,
            translation: Conntrack::open().ok().map(Translation::new),
            starvation: Starvation::new(unable),
            pace,
            clock,
            begin: now,
            next_tick: now,
            last_look: now,
            cpu: Cpu::default(),
            lateness: None,
            adjustments: Vec::new(),
            stopping_since: None,
            end: End::Stopped,
            latest: Latest::default(),
        }
    }

    pub(crate) fn interface(&self) -> &Interface {
        &self.interface
    }

    pub(crate) fn latest(&self) -> Latest {
        self.latest.clone()
    }

    pub(crate) fn end(&self) -> End {
        self.end
    }

    /// Attaches the programs to the interface, and says what else is at its hooks.
    pub(crate) fn begin(&mut self) -> Result<(), ShapeError> {
        let now = self.clock.now();
        let text = device_counters();
        let counters = survey::counters(&text);
        for direction in &mut self.directions {
            direction.meet(counters.get(&*self.interface.name));
        }
        (self.next_tick, self.last_look) = (now + TICK, now);
        self.lateness = None;
        if let Some(pace) = &mut self.pace {
            pace.go_on(now);
        }
        self.promise(now);
        let limits = self.limits();
        let ways: Vec<_> = self.directions.iter().map(|it| it.way).collect();
        let Reach { netlink, hooks, report, .. } = &mut self.reach;
        hooks.attach(self.interface.index)?;
        report(Event::Shaping { limits });
        neighbours(netlink, hooks, &self.interface, &ways).into_iter().for_each(report);
        Ok(())
    }

    /// Waits until there is an interface of the same name again. Returns false if it is to stop.
    pub(crate) fn wait_for_interface(&mut self, look: Span) -> Result<bool, ShapeError> {
        self.reach.control = Control::awaiting(&self.interface.name)?;
        while !self.reach.stop.load(Ordering::Relaxed) {
            let found = Interface::named(&self.reach.netlink, &self.interface.name);
            if let Some(interface) = found.try_to("asking for the interface")? {
                self.reach.control = Control::open(&interface.name, interface.index)?;
                self.interface = interface;
                return Ok(true);
            }
            self.note_waiting();
            self.answer_waiting();
            self.reach.control.wait(look);
        }
        Ok(false)
    }

    /// Makes this state the latest, unless somebody reads the one before just now: a loop with real-time
    /// priority must not wait for a thread that it may keep from the processor.
    fn publish(&self, state: Shaping) {
        match self.latest.try_lock() {
            Ok(mut latest) => *latest = Some(state),
            Err(TryLockError::Poisoned(latest)) => *latest.into_inner() = Some(state),
            Err(TryLockError::WouldBlock) => {}
        }
    }

    /// Makes the latest state that of a shaper without an interface: nothing passes, and nothing is followed.
    fn note_waiting(&self) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(state) = &mut *latest {
            state.state = ShapingState::Waiting;
            state.uptime_s = self.clock.now().since(self.begin).as_secs_f64();
            (state.lateness_us, state.cpu, state.autorate) = (None, 0.0, None);
            for direction in [&mut state.up, &mut state.down].into_iter().flatten() {
                (direction.rate_mbit, direction.delay_ms) = (0.0, None);
            }
        }
    }

    /// The work of a tick. Returns false to end the loop.
    pub(crate) fn tick(
        &mut self,
        links: &mut dyn Iterator<Item = LinkView<'_, F::Queue>>,
        health: &mut Health,
    ) -> bool {
        let now = self.clock.now();
        self.next_tick = now + TICK;
        let links: Vec<_> = links.collect();
        if self.reach.stop.load(Ordering::Relaxed) {
            return self.empty(&links, now);
        }
        if !self.follow() {
            self.end = End::InterfaceGone;
            (self.reach.report)(Event::Gone);
            return false;
        }
        if now.since(self.last_look) >= LOOK {
            self.look(now, health);
            self.publish(self.document(&links, now));
        }
        self.promise(now);
        self.follow_line(&links, now);
        self.answer(&links, now);
        true
    }

    /// Lets packets pass by, and empties the queues. Returns false once that is done.
    fn empty(&mut self, links: &[LinkView<'_, F::Queue>], now: Time) -> bool {
        let Some(since) = self.stopping_since else {
            self.stopping_since = Some(now);
            // The kernel takes longer to switch our programs off, and packets would wait.
            self.reach.hooks.promise(Time::ZERO);
            return true;
        };
        self.end = End::Stopped;
        let waits = links.iter().any(|link| link.backlog().packets > 0);
        let length = now.since(since);
        // A tick later, all has been read that had come before.
        length < TICK * 2 || (waits && length < EMPTYING)
    }

    /// Promises the kernel that this process takes packets for a while, unless packets are to pass.
    fn promise(&self, now: Time) {
        let until = if self.starvation.is_aside() { Time::ZERO } else { now + PROMISE };
        self.reach.hooks.promise(until);
    }

    /// Changes the rates, if the line does.
    fn follow_line(&mut self, links: &[LinkView<'_, F::Queue>], now: Time) {
        let Some(pace) = &mut self.pace else { return };
        let Some(Paced { rates, news }) = pace.tick(&self.directions, links, now) else {
            return;
        };
        for index in 0..self.directions.len() {
            let Direction { way, settings, .. } = &self.directions[index];
            let rate = rates[heading(*way)];
            if settings.limit() != Some(rate) {
                self.change_limit(index, rate);
            }
        }
        if let Some(news) = news {
            (self.reach.report)(Event::Delays(news));
        }
    }

    /// Looks whether the interface is still there. Returns false if it is not.
    fn follow(&mut self) -> bool {
        match self.reach.netlink.device_name(self.interface.index) {
            Ok(None) => return false,
            Ok(Some(name)) if name != self.interface.name => {
                (self.reach.report)(Event::Renamed(name.clone()));
                self.interface.name = name;
            }
            // Where the kernel cannot tell now, the next tick asks again.
            Ok(Some(_)) | Err(_) => {}
        }
        true
    }

    /// Ends a second.
    fn look(&mut self, now: Time, health: &mut Health) {
        let length = now.since(self.last_look);
        self.last_look = now;
        let lateness = std::mem::take(&mut health.lateness);
        self.lateness = lateness.quantile(0.99).map(Span::from_nanos);
        let cpu = live::processor_time();
        self.cpu = Cpu {
            total: cpu,
            part: cpu.saturating_sub(self.cpu.total).as_secs_f64() / length.as_secs_f64(),
        };
        let mut lost = std::mem::take(&mut health.no_memory);
        let text = device_counters();
        let counters = survey::counters(&text);
        for direction in &mut self.directions {
            direction.end_second(counters.get(&*self.interface.name), length);
            let drops = counters.get(&*direction.device).map_or(0, |it| it.tx_dropped);
            lost += drops.saturating_sub(direction.lost_packets);
            direction.lost_packets = drops.max(direction.lost_packets);
        }
        let second = Second { lateness: self.lateness, lost_packets: lost };
        if self.starvation.judge(second, now) {
            let is_aside = self.starvation.is_aside();
            let limits = self.limits();
            (self.reach.report)(match is_aside {
                true => Event::SteppedAside,
                false => Event::Shaping { limits },
            });
        }
    }

    /// The rates of the directions.
    fn limits(&self) -> PerWay<Option<Rate>> {
        let limit = |way| {
            let direction = self.directions.iter().find(|it| it.way == way);
            direction.and_then(|it| it.settings.limit())
        };
        PerWay { forward: limit(Way::Forward), reverse: limit(Way::Reverse) }
    }

    pub(crate) fn document(&self, links: &[LinkView<'_, F::Queue>], now: Time) -> Shaping {
        let direction = |way| {
            let mut shaped = self.directions.iter().zip(links).enumerate();
            let (index, (direction, link)) = shaped.find(|(_, (it, _))| it.way == way)?;
            Some(direction.document(&self.interface.name, index, link, now))
        };
        let is_aside = self.starvation.is_aside();
        Shaping {
            schema: ShapingSchema::Shaping,
            version: Version,
            interface: self.interface.name.clone(),
            state: if is_aside { ShapingState::Passing } else { ShapingState::Shaping },
            uptime_s: now.since(self.begin).as_secs_f64(),
            up: direction(Way::Forward),
            down: direction(Way::Reverse),
            lateness_us: self.lateness.map(|late| late.as_nanos() as f64 / 1000.0),
            stepped_aside: self.starvation.times,
            cpu: self.cpu.part,
            autorate: self.pace.as_ref().and_then(|pace| pace.state(now)),
        }
    }
}

/// The counters of the devices of the calling thread's namespace; empty if they cannot be read.
/// Rtnetlink has them too, but waits until nobody changes a device, which delays packets.
fn device_counters() -> String {
    fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default()
}
