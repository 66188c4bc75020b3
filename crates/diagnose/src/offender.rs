//! The offender: the hop at which the added delay begins.
//!
//! A datagram whose time to live ends at hop `k` passes the first `k` links, and the answer comes
//! back over them. While one direction is loaded, its wait beyond the least shows whether the queue
//! is on those links: it is all of the whole path's wait at that time, or nothing of it. From the
//! nearest hop to the server this must be one step: nothing before it, all behind it.
//!
//! A router answers when it has time: an answer may be late though no packet had to wait, but never
//! early. So an answer in time proves that the queue is farther away; a late one counts only if
//! those of all hops behind it are late too, by as much. [`judgement`] weighs this, and names no
//! place where the answers do not agree.
//!
//! The wait in the queue of the client's own interface is one more witness, before the first link.

use observation::{Heading, Observations};
use results::{DelayStep, Evidence, Leg, NetworkPart, Offender};
use units::{Span, Time};

mod addresses;
mod echoes;
mod evidence;
mod judgement;
mod own;
mod path;
mod queue;
mod shares;
#[cfg(test)]
mod tests;
mod wireless;

use judgement::{Step, find_step};
pub(crate) use path::{ProbedHop as OnPath, ProbedPath};
use shares::{Witnesses, stages};

/// A probe's wait beyond the path's least delay, in each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delays {
    /// The time of sending, by the client's clock.
    pub(crate) at: Time,
    /// The wait on the way to the server.
    pub(crate) up: Span,
    /// The wait on the way back.
    pub(crate) down: Span,
}

impl Delays {
    fn heading(&self, heading: Heading) -> Span {
        match heading {
            Heading::Up => self.up,
            Heading::Down => self.down,
        }
    }
}

/// The highest confidence of a verdict, for the ways there and back. The confidence is lower on the
/// way back, since routers may send their answers past the queue in which the traffic waits.
const SUREST: [f64; 2] = [0.95, 0.9];

/// The place of the queue of a direction, by the stages that loaded it alone; `None` if there were
/// none, or if no hop was probed. If the place is not known, the offender has no hop, and the
/// evidence says why. `delays` are in the order of their times.
pub(crate) fn offender(
    observations: &Observations,
    delays: &[Delays],
    heading: Heading,
) -> Option<Offender> {
    let path = ProbedPath::new(&observations.hops)?;
    let (leg, surest) = match heading {
        Heading::Up => (Leg::Forward, SUREST[0]),
        Heading::Down => (Leg::Return, SUREST[1]),
    };
    let nobody = |evidence| Offender { leg, seen: Some(evidence), ..Offender::default() };
    let witnesses = match Witnesses::new(observations, &path, delays, heading)? {
        Ok(witnesses) => witnesses,
        Err(small) => return Some(nobody(evidence::too_small(&small))),
    };
    let verdict = find_step(&witnesses.shares());
    let confidence = verdict.probability * surest;
    let found = verdict.step.and_then(|step| Some((step, links(step, &witnesses, &path)?)));
    let Some((step, links)) = found else {
        return Some(nobody(evidence::contradictory(&witnesses, &path, heading)));
    };
    // That no router saw the queue counts only if routers' answers would have waited in it.
    let around = witnesses.around(step);
    let is_unseen = leg == Leg::Return && around.0.is_some() && around.1.is_none();
    if is_unseen && echoes::wait(observations, &stages(observations, heading), delays) != Some(true)
    {
        return Some(nobody(evidence::bypassed(&witnesses, heading)));
    }
    // Wi-Fi matters only where packets pass it.
    let wireless = if links.first == 1 { wireless::rate(observations, heading) } else { None };
    let (first, last) = match leg {
        // A queue before a link belongs to the machine that sends on the link.
        Leg::Forward => (links.first - 1, links.last - 1),
        Leg::Return => (links.first, links.last),
    };
    Some(Offender {
        hop: Some(first),
        last_hop: (last > first).then_some(last),
        address: path.address(first).filter(|_| first == last),
        leg,
        place: links.place,
        confidence,
        seen: Some(Evidence::Step(DelayStep {
            wireless,
            ..evidence::step(&witnesses, &path, heading, step)
        })),
        ..Offender::default()
    })
}

/// The links on which the queue may be, by number; link 1 is between the client and the first
/// router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Links {
    first: u8,
    last: u8,
    place: NetworkPart,
}

/// The links between the last witness that the queue did not delay and the first one that it did;
/// `None` if those are all links, and there are several.
fn links(step: Step, witnesses: &Witnesses, path: &ProbedPath<'_>) -> Option<Links> {
    let (before, behind) = witnesses.around(step);
    let first = before.map_or(0, |witness| witness.hop) + 1;
    let last = behind.map_or(path.server(), |witness| witness.hop);
    if last == 0 {
        return Some(Links { first: 1, last: 1, place: NetworkPart::OwnHost });
    }
    let place = match before {
        None if last == 1 => witnesses.next_to_us(),
        _ => addresses::place(path, first, last),
    };
    let is_anywhere = first == 1 && last == path.server() && last > 1;
    (!is_anywhere).then_some(Links { first, last, place })
}
