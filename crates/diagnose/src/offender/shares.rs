//! The share of the path's added delay that each witness has seen.

use observation::{Heading, Load, Observations, Stage};
use results::{Leg, NetworkPart};
use stats::{ascending, quantile};
use units::Time;

use super::judgement::{Share, Step};
use super::path::ProbedPath;
use super::queue::{Level, QueueDelays};
use super::{Delays, own};

/// Seconds of delay below which a queue is not placed: routers take as long to answer, and
/// schedulers to send.
const SMALL: f64 = 0.005;

/// The multiple of the delay on the idle path below which a queue is not placed.
const TIMES_NOISE: f64 = 3.0;

/// The part of the delay under load up to which a path counts as at rest.
const AT_REST: f64 = 0.1;

/// Error of a share by the difference between two packets sent at nearly the same time, as a part
/// of the delay, where too few answers show it.
const ROUGHLY: f64 = 0.08;
/// The error of routers' timing, in seconds, where too few answers show it.
const ROUTER_CLOCK: f64 = 0.000_5;

/// The noise above which a witness is left out: its least answer is as uncertain, and so all its
/// answers are.
const NOISY: f64 = 0.6;

/// The error of a single share where no others show it; the error of several shares is divided by
/// their number.
const OF_ONE: f64 = 0.2;

/// The witnesses, which may have seen the queue in one direction, the nearest first.
#[derive(Clone, Debug)]
pub(super) struct Witnesses {
    list: Vec<Witness>,
    /// The median of the whole path's added delay under load, in seconds.
    pub(super) typical: f64,
    leg: Leg,
    is_wireless: bool,
    has_no_queue: bool,
}

/// A hop, or the client's own interface, as a witness of the queue.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    /// The hop's number; 0 is the client's own interface.
    pub(super) hop: u8,
    shares: Vec<Share>,
    /// The median of the witness's added delay under load, in seconds.
    pub(super) added: f64,
}

/// The error that a queue is too short to be placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TooSmall {
    /// The median delay under load, in seconds.
    pub(super) typical: f64,
}

impl Witnesses {
    /// The witnesses; `None` if no delay is known under load of this direction alone.
    pub(super) fn new(
        observations: &Observations,
        path: &ProbedPath<'_>,
        delays: &[Delays],
        heading: Heading,
    ) -> Option<Result<Self, TooSmall>> {
        let stages = stages(observations, heading);
        let queue = QueueDelays::new(delays, &stages, heading)?;
        let typical = queue.typical();
        let noise = queue.noise(&observations.stages);
        if typical < SMALL || typical < TIMES_NOISE * noise {
            return Some(Err(TooSmall { typical }));
        }
        let own = (heading == Heading::Up).then(|| own::shares(observations, &stages, &queue));
        let own = own.and_then(|shares| {
            let middle = quantile(&ascending(shares.iter().map(|share| share.value)), 0.5)?;
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

    /// The shares of each witness.
    pub(super) fn shares(&self) -> Vec<Vec<Share>> {
        self.list.iter().map(|witness| witness.shares.clone()).collect()
    }

    /// The last witness that the queue did not delay, and the first one that it did; the server is
    /// neither.
    pub(super) fn around(&self, step: Step) -> (Option<&Witness>, Option<&Witness>) {
        let before = step.first.checked_sub(1).and_then(|index| self.list.get(index));
        (before, self.list.get(step.last))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Witness> {
        self.list.iter()
    }

    /// The owner of a queue before the first router, of which the client's interface shows nothing.
    pub(super) fn next_to_us(&self) -> NetworkPart {
        let is_ours = self.leg == Leg::Forward && !self.is_wireless && !self.has_no_queue;
        if is_ours { NetworkPart::OwnHost } else { NetworkPart::FirstHop }
    }
}

/// The stages that loaded this direction alone. Those that load both do not count: the same step
/// may be on the way there or back.
pub(super) fn stages(observations: &Observations, heading: Heading) -> Vec<&Stage> {
    let is_loaded =
        |stage: &&Stage| matches!(stage.load, Load::One(it) | Load::Small(it) if it == heading);
    observations.stages.iter().filter(is_loaded).collect()
}

impl Witness {
    /// The witness of a hop; `None` if it has not answered both at rest and under load, or its
    /// answers are too noisy.
    fn new(hop: u8, round_trips: Vec<(Time, f64)>, queue: &QueueDelays<'_>) -> Option<Self> {
        let least = round_trips.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
        let added = |(at, round_trip): &(Time, f64)| (*at, round_trip - least);
        let added: Vec<(Time, f64)> = round_trips.iter().map(added).collect();
        let at_rest = queue.typical() * AT_REST;
        let is_at_rest = |at| queue.total(at).is_some_and(|total| total <= at_rest);
        let quiet = added.iter().filter(|it| is_at_rest(it.0)).map(|it| it.1);
        let quiet: Vec<f64> = quiet.collect();
        // A single answer at rest may itself have been late.
        let jitter = quantile(&ascending(quiet.get(1..).map(|_| quiet.clone())?), 0.5)?;
        let loaded = added.iter().filter_map(|(at, added)| Some((*added, queue.load(*at)?)));
        let loaded: Vec<_> = loaded.collect();
        let values: Vec<f64> = loaded.iter().map(|(added, load)| added / load.delay).collect();
        let typical = quantile(&ascending(values.iter().copied()), 0.5)?;
        // If the shares differ among themselves, none of them is reliable; of few it is not known
        // whether they would.
        let spread = quantile(&ascending(values.iter().map(|value| (value - typical).abs())), 0.5)?;
        let spread = spread + OF_ONE / values.len() as f64;
        let share = |(value, (_, load)): (f64, &(f64, Level))| Share {
            value,
            noise: ROUGHLY + spread + (jitter + ROUTER_CLOCK + load.spread) / load.delay,
        };
        let shares: Vec<Share> = values.iter().copied().zip(&loaded).map(share).collect();
        let noise = quantile(&ascending(shares.iter().map(|it| it.noise)), 0.5)?;
        let added = typical * queue.typical();
        (noise <= NOISY).then_some(Self { hop, shares, added })
    }
}
