//! Links: the forward direction, and the reverse direction where it differs.

use link::{Cells, GilbertElliott, Schedule, Trace};
use qdisc::{QdiscSpec, SpecError};
use units::{Bytes, PerWay, Span, Time, Way};

use super::Context;
use super::bounds::{RATES, octets, within};
use crate::fault::Fault;
use crate::file::{
    BurstFile, CellsFile, LinkFile, LossFile, Name, Octets, Quantity, RateFile, ReverseFile, Step,
    TraceFile,
};
use crate::tree::At;
use crate::{Direction, Link, LossPlan, RatePlan};

/// The longest propagation delay, which reaches beyond Jupiter.
const LONGEST_DELAY: Span = Span::from_secs(3600);
/// The most bytes that a wire may add to a packet.
const MOST_OVERHEAD: u64 = 1_000;
/// The most bytes that a shaper may save up.
const MOST_BURST: u64 = 1 << 30;
/// The longest mean burst of losses in packets.
const LONGEST_BURST: f64 = 1e6;
/// The most steps of a schedule.
const MOST_STEPS: usize = 1_000_000;
/// The queue if none is given, as in Linux.
const DEFAULT_QUEUE: &str = "pfifo limit 1000";

/// Checks one link.
pub(super) fn link(file: &LinkFile, context: &Context<'_>) -> Result<Link, Fault> {
    let (from, to) = (&file.from.value.0, &file.to.value.0);
    if from == to {
        let message = format!("a link from `{from}` to itself; name another node");
        return Err(Fault::new(message).at(file.to.place));
    }
    let LinkFile { rate, delay, queue, overhead, cells, shaper, burst, loss, .. } = file;
    let forward = Written { rate, delay, queue, overhead, cells, shaper, burst, loss };
    let forward = forward.direction(default_direction(), context)?;
    let reverse = match &file.reverse {
        Some(ReverseFile { rate, delay, queue, overhead, cells, shaper, burst, loss }) => {
            let reverse = Written { rate, delay, queue, overhead, cells, shaper, burst, loss };
            reverse.direction(forward.clone(), context)?
        }
        None => forward.clone(),
    };
    let name = file.name.value.0.clone();
    let directions = PerWay { forward, reverse };
    let nat = file.nat.as_ref().map(|at| nat(at, from, to)).transpose()?;
    Ok(Link { name, from: from.clone(), to: to.clone(), directions, nat })
}

/// The way of the packets whose sources are translated.
fn nat(at: &At<Name>, from: &str, to: &str) -> Result<Way, Fault> {
    match &at.value.0 {
        node if node == from => Ok(Way::Forward),
        node if node == to => Ok(Way::Reverse),
        node => {
            let message =
                format!("`{node}` is at neither end of this link; write `{from}` or `{to}`");
            Err(Fault::new(message).at(at.place))
        }
    }
}

fn default_direction() -> Direction {
    Direction {
        rate: None,
        delay: Span::ZERO,
        queue: DEFAULT_QUEUE.parse().expect("the default queue is written as tc writes it"),
        overhead: Bytes::ZERO,
        cells: Cells::None,
        shaper: None,
        loss: LossPlan::None,
    }
}

/// The keys of one direction.
struct Written<'a> {
    rate: &'a Option<At<RateFile>>,
    delay: &'a Option<At<Quantity<Span>>>,
    queue: &'a Option<At<String>>,
    overhead: &'a Option<At<Octets>>,
    cells: &'a Option<CellsFile>,
    shaper: &'a Option<At<bool>>,
    burst: &'a Option<At<Octets>>,
    loss: &'a Option<At<LossFile>>,
}

impl Written<'_> {
    /// The direction; keys that are not given are as in `otherwise`.
    fn direction(&self, otherwise: Direction, context: &Context<'_>) -> Result<Direction, Fault> {
        let mut direction = otherwise;
        if let Some(at) = self.rate {
            direction.rate = rate(at, context)?;
        }
        if let Some(at) = self.delay {
            direction.delay = within(at, Span::ZERO..=LONGEST_DELAY)?;
        }
        if let Some(at) = self.queue {
            direction.queue = queue(at, context)?;
        }
        if let Some(at) = self.overhead {
            direction.overhead = octets(at, 0..=MOST_OVERHEAD)?;
        }
        if let Some(cells) = self.cells {
            direction.cells = match cells {
                CellsFile::None => Cells::None,
                CellsFile::Atm => Cells::Atm,
                CellsFile::Ptm => Cells::Ptm,
            };
        }
        if let Some(at) = self.shaper {
            direction.shaper = at.value.then_some(Bytes::ZERO);
        }
        if let Some(at) = self.burst {
            let burst = octets(at, 0..=MOST_BURST)?;
            match &mut direction.shaper {
                Some(shaper) => *shaper = burst,
                None if burst == Bytes::ZERO => {}
                None => {
                    let message = "only a shaper has a burst; write `shaper = true` too";
                    return Err(Fault::new(message).at(at.place));
                }
            }
        }
        let pointless = match &direction.rate {
            Some(RatePlan::Constant(_) | RatePlan::Schedule(_)) => None,
            Some(RatePlan::Trace { .. }) => Some("a trace says itself when packets go"),
            None => Some("a shaper needs a rate to keep"),
        };
        if let (Some(_), Some(why)) = (direction.shaper, pointless) {
            match self.shaper {
                Some(at) => {
                    return Err(Fault::new(format!("{why}; leave `shaper` out")).at(at.place));
                }
                // The shaper of the forward direction has no rate to keep in reverse.
                None => direction.shaper = None,
            }
        }
        if let Some(at) = self.loss {
            direction.loss = loss(at)?;
        }
        Ok(direction)
    }
}

fn rate(at: &At<RateFile>, context: &Context<'_>) -> Result<Option<RatePlan>, Fault> {
    let plan = match &at.value {
        RateFile::Unlimited(_) => return Ok(None),
        RateFile::Constant(rate) => {
            RatePlan::Constant(within(&At { value: *rate, place: at.place }, RATES)?)
        }
        RateFile::Schedule(steps) => schedule(at, steps)?,
        RateFile::Trace(file) => trace(file, context)?,
    };
    Ok(Some(plan))
}

fn schedule(at: &At<RateFile>, steps: &[At<Step>]) -> Result<RatePlan, Fault> {
    if steps.len() > MOST_STEPS {
        let message = format!("{} steps; at most {MOST_STEPS}", steps.len());
        return Err(Fault::new(message).at(at.place));
    }
    let step = |step: &At<Step>| {
        let Step(time, rate) = &step.value;
        Ok((Time::ZERO + time.value.0, within(rate, RATES)?))
    };
    let checked: Result<Vec<_>, Fault> = steps.iter().map(step).collect();
    Schedule::new(checked?).map(RatePlan::Schedule).map_err(|error| {
        let place = steps.get(error.step).map_or(at.place, |step| step.value.0.place);
        Fault::new(error.message).at(place)
    })
}

fn trace(file: &TraceFile, context: &Context<'_>) -> Result<RatePlan, Fault> {
    let At { value: path, place } = &file.trace;
    let text = (context.read_trace)(path).map_err(|error| {
        let hint = "traces are looked for beside the scenario file";
        Fault::new(format!("the trace `{path}`: {error}; {hint}")).at(*place)
    })?;
    let trace = Trace::parse(&text).map_err(|error| {
        let message = format!("the trace `{path}`, line {}: {}", error.line, error.message);
        Fault::new(message).at(*place)
    })?;
    Ok(RatePlan::Trace { path: path.clone(), trace })
}

fn queue(at: &At<String>, context: &Context<'_>) -> Result<QdiscSpec, Fault> {
    at.value.parse().map_err(|error: SpecError| {
        let place = context.sources.inside(at.place, &at.value, error.offset);
        Fault::new(error.message).at(place).within(at.place)
    })
}

fn loss(at: &At<LossFile>) -> Result<LossPlan, Fault> {
    match &at.value {
        LossFile::Random(Quantity(rate)) if rate.get() == 0.0 => Ok(LossPlan::None),
        LossFile::Random(Quantity(rate)) => Ok(LossPlan::Random(*rate)),
        LossFile::Bursty(BurstFile { rate, burst }) => {
            let (share, length) = (rate.value.0, burst.value.0);
            if !(1.0..=LONGEST_BURST).contains(&length) {
                let message = format!(
                    "a burst of {length} packets on average; write a number from 1 to {LONGEST_BURST}"
                );
                return Err(Fault::new(message).at(burst.place));
            }
            match GilbertElliott::bursts(share, length) {
                Ok(_) if share.get() == 0.0 => Ok(LossPlan::None),
                Ok(_) => Ok(LossPlan::Bursty { rate: share, burst: length }),
                Err(error) => Err(Fault::new(error.to_string()).at(rate.place)),
            }
        }
    }
}
