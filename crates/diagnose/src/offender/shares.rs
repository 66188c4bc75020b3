//! How much of the path's added delay each witness has seen.

use results::observation::{Heading, Load, Observations, Stage};
use results::{Leg, Place};
use units::Time;

use super::judgement::{Share, Step};
use super::path::Path;
use super::queue::{Level, Queue, median};
use super::{Delays, own};

/// Delays below this are not placed: routers take as long to answer, and schedulers to send.
const SMALL: f64 = 0.005;

/// Nor are those that are not so many times what the path at rest adds by itself.
const TIMES_NOISE: f64 = 3.0;

/// A path that adds no more than this part of what it adds under load is at rest.
const AT_REST: f64 = 0.1;

/// What nobody knows better: how well the delays of two packets agree that were sent at nearly the same
/// time, as a part of it; and how well routers keep time, in seconds.
const ROUGHLY: f64 = 0.08;
const ROUTER_CLOCK: f64 = 0.000_5;

/// A witness whose shares are less sure than this is not heard. Its least answer is as unsure, and
/// with it all of them alike.
const NOISY: f64 = 0.6;

/// How far a single share may be off for all we know; of several the part that falls to each.
const OF_ONE: f64 = 0.2;

/// Who may have seen the queue in one direction, from the nearest on.
#[derive(Clone, Debug)]
pub(super) struct Witnesses {
    list: Vec<Witness>,
    /// What the whole path adds under load: its median, in seconds.
    pub(super) typical: f64,
    leg: Leg,
    is_wireless: bool,
    has_no_queue: bool,
}

/// A hop, or our own interface.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    /// 0 is our own interface.
    pub(super) hop: u8,
    shares: Vec<Share>,
    /// What it added under load: the median, in seconds.
    pub(super) added: f64,
}

/// The queue is too short to be placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TooSmall {
    /// The median under load, in seconds.
    pub(super) typical: f64,
}

impl Witnesses {
    /// Nothing if no delay is known under load in this direction alone.
    pub(super) fn new(
        observations: &Observations,
        path: &Path<'_>,
        delays: &[Delays],
        heading: Heading,
    ) -> Option<Result<Self, TooSmall>> {
        let stages = stages(observations, heading);
        let queue = Queue::new(delays, &stages, heading)?;
        let typical = queue.typical();
        let noise = queue.noise(&observations.stages);
        if typical < SMALL || typical < TIMES_NOISE * noise {
            return Some(Err(TooSmall { typical }));
        }
        let own = (heading == Heading::Up).then(|| own::shares(observations, &stages, &queue));
        let own = own.and_then(|shares| {
            let middle = median(shares.iter().map(|share| share.value).collect())?;
            Some(Witness { hop: 0, shares, added: middle * typical })
        });
        let of_hop = |(hop, round_trips)| Witness::new(hop, round_trips, &queue);
        let routers = path.routers().map(|(hop, it)| (hop, it.round_trips().collect::<Vec<_>>()));
        let list = own.into_iter().chain(routers.filter_map(of_hop)).collect();
        let interface = observations.interface.as_ref();
        Some(Ok(Self {
            list,
            typical,
            leg: if heading == Heading::Up { Leg::Forward } else { Leg::Return },
            is_wireless: interface.is_some_and(|it| it.wireless),
            has_no_queue: interface.is_some_and(|it| it.qdisc.as_deref() == Some("noqueue")),
        }))
    }

    /// What each has seen.
    pub(super) fn shares(&self) -> Vec<Vec<Share>> {
        self.list.iter().map(|witness| witness.shares.clone()).collect()
    }

    /// The last that the queue did not delay, and the first that it did; the server is none of them.
    pub(super) fn around(&self, step: Step) -> (Option<&Witness>, Option<&Witness>) {
        let before = step.first.checked_sub(1).and_then(|index| self.list.get(index));
        (before, self.list.get(step.last))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Witness> {
        self.list.iter()
    }

    /// Whose a queue is that lies before the first router, and of which our interface tells nothing.
    pub(super) fn next_to_us(&self) -> Place {
        let is_ours = self.leg == Leg::Forward && !self.is_wireless && !self.has_no_queue;
        if is_ours { Place::OwnHost } else { Place::FirstHop }
    }
}

/// Stages that loaded this direction alone. Nothing is said of those that load both ways: the same step may
/// be on the way there or back.
pub(super) fn stages(observations: &Observations, heading: Heading) -> Vec<&Stage> {
    let is_loaded =
        |stage: &&Stage| matches!(stage.load, Load::One(it) | Load::Small(it) if it == heading);
    observations.stages.iter().filter(is_loaded).collect()
}

impl Witness {
    /// Nothing if the hop has not answered both at rest and under load, or answers when it likes.
    fn new(hop: u8, round_trips: Vec<(Time, f64)>, queue: &Queue<'_>) -> Option<Self> {
        let least = round_trips.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
        let added = |(at, round_trip): &(Time, f64)| (*at, round_trip - least);
        let added: Vec<(Time, f64)> = round_trips.iter().map(added).collect();
        let at_rest = queue.typical() * AT_REST;
        let is_at_rest = |at| queue.total(at).is_some_and(|total| total <= at_rest);
        let quiet = added.iter().filter(|it| is_at_rest(it.0)).map(|it| it.1);
        let quiet: Vec<f64> = quiet.collect();
        // Of one alone nobody knows whether it was in time.
        let jitter = median(quiet.get(1..).map(|_| quiet.clone())?)?;
        let loaded = added.iter().filter_map(|(at, added)| Some((*added, queue.load(*at)?)));
        let loaded: Vec<_> = loaded.collect();
        let values: Vec<f64> = loaded.iter().map(|(added, load)| added / load.delay).collect();
        let typical = median(values.clone())?;
        // If they differ among themselves, none of them is to be relied upon; of few nobody knows.
        let spread = median(values.iter().map(|value| (value - typical).abs()).collect())?;
        let spread = spread + OF_ONE / values.len() as f64;
        let share = |(value, (_, load)): (f64, &(f64, Level))| Share {
            value,
            noise: ROUGHLY + spread + (jitter + ROUTER_CLOCK + load.spread) / load.delay,
        };
        let shares: Vec<Share> = values.iter().copied().zip(&loaded).map(share).collect();
        let noise = median(shares.iter().map(|it| it.noise).collect())?;
        let added = typical * queue.typical();
        (noise <= NOISY).then_some(Self { hop, shares, added })
    }
}
