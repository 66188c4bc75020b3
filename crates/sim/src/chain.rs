//! Chains: links that alone feed each other.
//!
//! A packet that enters such a link can go nowhere but through the whole chain, and no other packet
//! comes in between. So only the deliveries at the end of a chain are events of the world. All that
//! happens before is private to the chain: each link is caught up in a batch, one after the other,
//! as far into the future as the propagation delays of the links before it allow.
//!
//! At a link in [closed form](link::Link::foresee), all that happens to a packet is known when the packet
//! comes. So a packet goes through such links at once, also ahead of the clock.
//!
//! Every link of a chain of several has a propagation delay. Then what happens at a link does not
//! depend on the order in which the links act at one instant.

use meter::Instruments;
use qdisc::{Backlog, Packet};
use units::{DirectionId, Span, Time};

use crate::direction::Direction;
use crate::hops::{Hop, Hops};
use crate::observer::Observer;
use crate::packet::SimPacket;
use crate::store::Store;

/// Links in the order in which packets cross them.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    links: Vec<DirectionId>,
}

/// How far links may be ahead of the world's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    /// The next time at which somebody looks at the state of links. A link in closed form can tell
    /// afterwards what has happened by then; another link waits for the look.
    pub(crate) look: Time,
    /// The next time at which somebody looks at counts, or changes a link.
    pub(crate) horizon: Time,
}

/// A place from which packets come, or to which they go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Neighbour {
    /// No packet has come or gone yet.
    None,
    /// All packets come from this direction, or go to it.
    Direction(DirectionId),
    /// Packets come from flows, go to flows, or have several places.
    Other,
}

impl Neighbour {
    /// The neighbour of the packets so far and of those of `direction`, or of a flow if that is
    /// `None`.
    fn and(self, direction: Option<DirectionId>) -> Self {
        match (self, direction) {
            (Self::None, Some(new)) => Self::Direction(new),
            (Self::Direction(known), Some(new)) if known == new => self,
            _ => Self::Other,
        }
    }
}

impl Chain {
    /// The chains of these paths. Each direction is in one of them.
    pub(crate) fn all(hops: &Hops, directions: &mut [Direction]) -> Vec<Self> {
        let next = successors(hops, directions);
        let mut is_first = vec![true; directions.len()];
        next.iter().flatten().for_each(|id| is_first[id.index()] = false);
        let ids = DirectionId::all(directions.len() / 2).filter(|id| is_first[id.index()]);
        let follow = |id: &DirectionId| next[id.index()];
        let chain = |first| Self { links: std::iter::successors(Some(first), follow).collect() };
        let mut chains: Vec<_> = ids.map(chain).collect();
        // Deliveries at one instant happen in the order of the links.
        chains.sort_by_key(|chain| chain.last().index());
        Self::link_up(chains, directions)
    }

    /// Each direction as a chain of its own.
    pub(crate) fn singles(directions: &mut [Direction]) -> Vec<Self> {
        let ids = DirectionId::all(directions.len() / 2);
        Self::link_up(ids.map(|id| Self { links: vec![id] }).collect(), directions)
    }

    /// Tells the directions their chains.
    fn link_up(chains: Vec<Self>, directions: &mut [Direction]) -> Vec<Self> {
        for (number, chain) in chains.iter().enumerate() {
            let (mut rest, mut next) = (Span::ZERO, None);
            for id in chain.links.iter().rev() {
                let direction = &mut directions[id.index()];
                (direction.chain, direction.rest) = (number, rest);
                rest += direction.wire.delay();
                direction.next = next.replace(*id);
            }
        }
        chains
    }

    /// The last link, whose deliveries are events of the world.
    #[inline]
    pub(crate) fn last(&self) -> DirectionId {
        self.links[self.links.len() - 1]
    }

    /// The time of the next delivery at the end of the chain, if a packet is on the last wire. If
    /// packets are further back, a time before which none is delivered. `None` if the chain is empty.
    pub(crate) fn earliest_delivery(&self, directions: &[Direction]) -> Option<Time> {
        if let Some(delivery) = directions[self.last().index()].wire.next_delivery() {
            return Some(delivery);
        }
        self.links.iter().filter_map(|id| directions[id.index()].earliest_exit()).min()
    }

    /// Lets happen what happens in the chain ahead of now, if all that has been offered to the
    /// chain was offered by `now`, and what is offered later is unknown. Returns the number of events.
    pub(crate) fn catch_up(
        &self,
        directions: &mut [Direction],
        instruments: &mut Instruments,
        store: &mut Store,
        (now, ahead): (Time, Ahead),
    ) -> u64 {
        let mut events = 0;
        let first = &mut directions[self.links[0].index()];
        if !first.departs_in_turn && first.wire.next_departure().is_some_and(|due| due < now) {
            let tap = instruments.tap(self.links[0]);
            events += first.serve_before(now, &mut Observer { tap, store, offer_times: None });
        }
        let mut known = now;
        for pair in self.links.array_windows() {
            let Ok([before, after]) = directions.get_disjoint_mut(pair.map(DirectionId::index))
            else {
                break;
            };
            known = ahead.look.min(known + before.wire.delay());
            events += if after.wire.is_closed_form() {
                pass_on_closed(before, after, ahead, instruments, store)
            } else {
                pass_on(before, after, known, instruments, store)
            };
        }
        events
    }
}

/// The effect of a packet that came to a chain.
pub(crate) struct Entry {
    /// The number of events.
    pub(crate) events: u64,
    /// A time before which the packet does not leave the chain; `None` if the packet is dropped, or
    /// behind another.
    pub(crate) earliest_exit: Option<Time>,
}

/// Takes a packet at a link in closed form, and through the links that follow, as far as the packet
/// comes before the horizon without another one in its way.
#[inline]
pub(crate) fn enter(
    directions: &mut [Direction],
    packet: &mut SimPacket,
    mut at: DirectionId,
    (mut now, ahead): (Time, Ahead),
    instruments: &mut Instruments,
    store: &mut Store,
) -> Entry {
    let mut events = 0;
    loop {
        let direction = &mut directions[at.index()];
        packet.enter(direction.framing);
        instruments.offered(at, &packet.tag());
        let Some(delivery) = direction.foresee(packet, now, instruments, store) else {
            return Entry { events, earliest_exit: None };
        };
        let is_clear = direction.wire.next_delivery().is_none();
        // A packet behind another leaves the chain behind it, too.
        let earliest_exit = is_clear.then(|| delivery + direction.rest);
        let next = direction.next.filter(|_| is_clear && delivery < ahead.horizon);
        match next.filter(|next| directions[next.index()].wire.is_closed_form()) {
            Some(next) => {
                instruments.delivered(at, 1, packet.len());
                events += 1;
                packet.hop += 1;
                (at, now) = (next, delivery);
            }
            None => {
                directions[at.index()].wire.carry(*packet, delivery);
                return Entry { events, earliest_exit };
            }
        }
    }
}

/// Passes the packets on that one link delivers before the horizon to the next, which is in closed form.
/// Returns the number of events.
fn pass_on_closed(
    from: &mut Direction,
    to: &mut Direction,
    ahead: Ahead,
    instruments: &mut Instruments,
    store: &mut Store,
) -> u64 {
    let last = ahead.horizon - Span::from_nanos(1);
    let mut passed = Backlog::default();
    while let Some((now, packet)) = next_arrival(from, to, last, &mut passed) {
        instruments.offered(to.id, &packet.tag());
        if let Some(delivery) = to.foresee(&packet, now, instruments, store) {
            to.wire.carry(packet, delivery);
        }
    }
    instruments.delivered(from.id, passed.packets, passed.bytes);
    passed.packets
}

/// Passes the packets on that one link delivers before `until` to the next, and lets packets leave the
/// latter's queue before then. Returns the number of events.
fn pass_on(
    from: &mut Direction,
    to: &mut Direction,
    until: Time,
    instruments: &mut Instruments,
    store: &mut Store,
) -> u64 {
    let last = until - Span::from_nanos(1);
    let (mut passed, mut departures) = (Backlog::default(), 0);
    let mut observer = Observer { tap: instruments.tap(to.id), store, offer_times: None };
    loop {
        let departure = to.wire.next_departure().filter(|due| *due < until);
        // A packet that comes at the instant of a departure joins the queue first.
        let arrival = next_arrival(from, to, departure.unwrap_or(last), &mut passed);
        let now = if let Some((now, packet)) = arrival {
            observer.tap.offered(&packet.tag());
            to.wire.offer(packet, now, &mut observer);
            now
        } else if let Some(due) = departure {
            departures += 1;
            to.wire.serve(due, &mut observer);
            due
        } else {
            break;
        };
        observer.tap.waits(to.wire.backlog(), now);
    }
    instruments.delivered(from.id, passed.packets, passed.bytes);
    passed.packets + departures
}

/// Takes the next packet that one link delivers until `last`, prepared for the next link, with the time.
/// Adds the packet to those that have passed.
#[inline]
fn next_arrival(
    from: &mut Direction,
    to: &Direction,
    last: Time,
    passed: &mut Backlog,
) -> Option<(Time, SimPacket)> {
    let (now, mut packet) = from.wire.take_timed_delivery(last)?;
    *passed += Backlog::of(&packet);
    packet.hop += 1;
    packet.enter(to.framing);
    Some((now, packet))
}

/// The link that follows each direction in its chain; `None` for the last.
fn successors(hops: &Hops, directions: &[Direction]) -> Vec<Option<DirectionId>> {
    let mut before = vec![Neighbour::None; directions.len()];
    let mut after = before.clone();
    for path in hops.paths() {
        let links = path.iter().map_while(|hop| match hop {
            Hop::Direction(id) => Some(*id),
            Hop::End(_) => None,
        });
        let links: Vec<_> = links.collect();
        for (place, id) in links.iter().enumerate() {
            let (previous, next) = (place.checked_sub(1), place + 1);
            let (before, after) = (&mut before[id.index()], &mut after[id.index()]);
            *before = before.and(previous.map(|place| links[place]));
            *after = after.and(links.get(next).copied());
        }
    }
    let takes_time = |id: usize| !directions[id].wire.delay().is_zero();
    let successor = |(id, after): (usize, Neighbour)| {
        let Neighbour::Direction(next) = after else { return None };
        let is_alone = before[next.index()] == Neighbour::Direction(DirectionId::from_index(id));
        (is_alone && takes_time(id) && takes_time(next.index())).then_some(next)
    };
    after.into_iter().enumerate().map(successor).collect()
}

#[cfg(test)]
mod tests;
