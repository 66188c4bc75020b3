//! The heartbeat: five times a second it looks at the interface, at the clocks and at its own lateness.

use std::cell::Cell;
use std::net::IpAddr;
use std::rc::Rc;

use kernel::Machine;
use measure::interface::Passed;
use observation::WatchedSecond;
use results::{WatchChange, WatchGap};
use spikes::Traffic;
use units::{Bytes, Span, Time};

use crate::context::{Context, NAP, Report};
use crate::interface::Way;
use crate::local::{Beat, LocalTraffic};
use crate::news::News;

/// The time between two beats.
const BEAT: Span = Span::from_millis(200);
/// The beats of a second.
const BEATS: u64 = 5;
/// The lateness of a beat from which on the machine stood still, and nothing was observed.
const STARVED: Span = Span::from_secs(2);
/// The difference between two beats by which the wall clock was set. A clock that is slewed changes by
/// 0.1 ms at most in that time (adjtimex(2): 500 parts in a million).
const STEP: i128 = 10_000_000;
/// What timers may be late by, which is not the machine's lateness: tokio's have whole milliseconds.
const TIMER: Span = Span::from_millis(1);

/// The address by whose interface the targets are reached; `None` until one is known.
pub(crate) type Towards = Rc<Cell<Option<IpAddr>>>;

/// Beats for ever. `local` is `None` if traffic within the local network cannot be told apart.
pub(crate) async fn beat(context: Context, towards: Towards, local: Option<LocalTraffic>) {
    let mut heart = Heart::new(context, towards, local);
    let mut due = heart.last + BEAT;
    loop {
        heart.context.until(due).await;
        let now = heart.context.clock.now();
        let late = now.since(due).saturating_sub(TIMER);
        due = if late > BEAT { now + BEAT } else { due + BEAT };
        heart.beat(now, late);
    }
}

struct Heart {
    context: Context,
    towards: Towards,
    way: Option<Way>,
    local: Option<LocalTraffic>,
    machine: Machine,
    last: Time,
    asleep: Span,
    /// The wall clock less ours in nanoseconds, without the time for which the machine slept.
    offset: i128,
    beats: u64,
    passed: Option<(u32, Passed)>,
    /// False while a cable is pulled, or the Wi-Fi has no access point.
    has_carrier: bool,
    /// The frames that the Wi-Fi has sent again in all.
    sent_again: Option<u32>,
    second: Second,
}

/// What is gathered in a second.
#[derive(Default)]
struct Second {
    /// The bytes that may have passed the line.
    up: Option<Bytes>,
    down: Option<Bytes>,
    lateness: Span,
}

impl Heart {
    fn new(context: Context, towards: Towards, local: Option<LocalTraffic>) -> Self {
        let last = context.clock.now();
        let asleep = kernel::asleep();
        Self {
            way: None,
            local,
            machine: Machine::new(last),
            last,
            asleep,
            offset: offset(last, asleep),
            beats: 0,
            passed: None,
            has_carrier: true,
            sent_again: None,
            second: Second::default(),
            towards,
            context,
        }
    }

    fn beat(&mut self, now: Time, late: Span) {
        let asleep = kernel::asleep();
        self.look_at_clocks(now, late, asleep);
        self.context.beat(now, asleep);
        self.second.lateness = self.second.lateness.max(late);
        self.look_at_way(now);
        self.last = now;
        self.beats += 1;
        if self.beats.is_multiple_of(BEATS) {
            self.end_second(now);
        }
    }

    fn look_at_clocks(&mut self, now: Time, late: Span, asleep: Span) {
        let nap = asleep.saturating_sub(self.asleep);
        let gap = |reason, duration| Report::News(News::Gap { end: now, duration, reason });
        if nap >= NAP {
            self.context.break_off();
            self.context.report(gap(WatchGap::Asleep, nap + now.since(self.last)));
        } else if late >= STARVED {
            // Answers that came meanwhile have the kernel's times, so nothing is broken off.
            self.context.report(gap(WatchGap::Starved, late));
        }
        let offset = offset(now, asleep);
        let by = offset - self.offset;
        if by.abs() >= STEP {
            self.tell(now, WatchChange::Clock { by_s: by as f64 / 1e9 });
        }
        (self.asleep, self.offset) = (asleep, offset);
    }

    fn look_at_way(&mut self, now: Time) {
        let Some(way) = &self.way else { return };
        let passed = way.passed();
        if let (Some((before, old)), Some((index, new))) = (self.passed, passed)
            && before == index
        {
            let passed = Traffic { up: new.up - old.up, down: new.down - old.down };
            let beat = Beat { at: now, during: now.since(self.last), interface: index, passed };
            let local = self.local.as_mut().map(|it| it.of(beat, |address| way.part_of(address)));
            self.take_load(beat, local.unwrap_or_default());
        }
        self.passed = passed;
        self.look_at_carrier(now);
    }

    /// Reports what passed the interface, of which this part was local.
    fn take_load(&mut self, Beat { at, during, passed, .. }: Beat, local: Traffic) {
        let line = Traffic { up: passed.up - local.up, down: passed.down - local.down };
        *self.second.up.get_or_insert_default() += line.up;
        *self.second.down.get_or_insert_default() += line.down;
        self.context.report(Report::Load(spikes::Load { at, during, line, local }));
    }

    /// Tells of a cable that is pulled or plugged in, and of a Wi-Fi that is left or joined.
    fn look_at_carrier(&mut self, now: Time) {
        let Some((interface, Passed { has_carrier, .. })) = self.passed else { return };
        if std::mem::replace(&mut self.has_carrier, has_carrier) != has_carrier {
            // A carrier was lost since the beat before, and is there by now.
            let at = if has_carrier { now } else { self.last };
            self.context.report(Report::Carrier { at, has_carrier, interface });
        }
    }

    fn end_second(&mut self, now: Time) {
        let usage = self.machine.usage(now);
        let (signal, retries) = self.look_at_radio(now);
        let gathered = std::mem::take(&mut self.second);
        let second = WatchedSecond {
            at: now,
            up: gathered.up,
            down: gathered.down,
            lateness: gathered.lateness,
            busy: usage.busiest.map(|part| (part * 100.0).clamp(0.0, 100.0) as u8),
            signal,
            retries,
        };
        self.context.report(Report::News(News::Second(second)));
        self.look_for_changes(now);
    }

    /// The signal of the Wi-Fi, and the frames that were sent again in this second.
    fn look_at_radio(&mut self, now: Time) -> (Option<i8>, Option<u32>) {
        let Some((station, change)) = self.way.as_mut().and_then(Way::station) else {
            return (None, None);
        };
        if let Some(change) = change {
            self.tell(now, change);
        }
        let before = std::mem::replace(&mut self.sent_again, station.retries);
        let again = station.retries.zip(before).map(|(now, before)| now.saturating_sub(before));
        (station.signal, again)
    }

    /// Tells of a change. What is under way by another interface, address or access point says nothing of
    /// the path.
    fn tell(&self, at: Time, change: WatchChange) {
        if is_another_way(&change) {
            self.context.break_off();
        }
        self.context.report(Report::News(News::Change { at, change }));
    }

    fn look_for_changes(&mut self, now: Time) {
        let Some(towards) = self.towards.get() else { return };
        match &mut self.way {
            Some(way) => {
                let seen = way.look(towards);
                seen.changes.into_iter().for_each(|it| self.tell(now, it));
                if seen.is_other_link {
                    self.context.report(Report::OtherLink(now));
                }
            }
            None => self.way = Some(Way::new(towards)),
        }
        let is_wireless = self.way.as_ref().is_some_and(Way::is_wireless);
        self.context.report(Report::Wireless(is_wireless));
    }
}

/// The wall clock less ours, in nanoseconds: it stays while the machine sleeps.
fn offset(now: Time, asleep: Span) -> i128 {
    i128::from(kernel::wall().as_nanos())
        - i128::from(now.as_nanos())
        - i128::from(asleep.as_nanos())
}

/// True for a change after which packets go another way.
pub(crate) const fn is_another_way(change: &WatchChange) -> bool {
    matches!(
        change,
        WatchChange::Interface { .. }
            | WatchChange::Address { .. }
            | WatchChange::AccessPoint { .. }
    )
}
