//! The request behind the command line: the scenario read and checked, names resolved, outputs
//! opened. After this step the request is known to be valid, and nothing has begun to run.

mod link;
mod mistake;
mod outputs;
mod pcap;

use std::path::Path;

use scenario::{Direction, Override, RatePlan, Scenario};
use units::{Rate, Way};

use crate::args::{Queue, ScenarioArgs, SimArgs};
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::files::all_differ;
pub(crate) use link::{link, traces};
pub(crate) use outputs::{Outputs, Series};
pub(crate) use pcap::Pcap;

/// The same scenario under several queues.
pub(crate) struct Comparison {
    /// The place whose queue is replaced.
    pub(crate) place: Place,
    /// The queues as typed, and the scenario with each of them.
    pub(crate) runs: Vec<(String, Scenario)>,
    pub(crate) drawings: Drawings,
}

/// One direction of one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    link: usize,
    forward: bool,
}

/// The scenario that `file` and the overrides describe.
pub(crate) fn scenario(file: &Path, args: &ScenarioArgs) -> Result<Scenario, Failure> {
    is_file(file)?;
    Ok(Scenario::load(file, &overrides(args))?)
}

/// Fails if the name is `-`.
pub(crate) fn is_file(file: &Path) -> Result<(), Failure> {
    if file.as_os_str() == "-" {
        let message = "`-`: a scenario is a file; for standard input name /dev/stdin";
        return Err(Failure::Input(message.into()));
    }
    Ok(())
}

/// The overrides from `--set` and `--seed`.
pub(crate) fn overrides(args: &ScenarioArgs) -> Vec<Override> {
    let seed = args.seed.map(|seed| Override { path: "seed".into(), value: seed.to_string() });
    args.overrides.iter().cloned().chain(seed).collect()
}

impl Comparison {
    /// The comparison that `args` asks for: the scenario once with each of the queues.
    pub(crate) fn of(scenario: &Scenario, file: &Path, args: &SimArgs) -> Result<Self, Failure> {
        all_differ(&[file], &args.draw.files())?;
        let place = match &args.compare_link {
            Some(name) => Place::named("--compare-link", name, scenario)?,
            None => Place::bottleneck(scenario),
        };
        let with = |queue: &Queue| {
            let mut scenario = scenario.clone();
            place.of_mut(&mut scenario).queue = queue.spec.clone();
            (queue.typed.clone(), scenario)
        };
        let runs = args.compare.iter().map(with).collect();
        let drawings =
            Drawings::create(args.draw.report.as_deref(), &args.draw.plot, report::FIGURES)?;
        Ok(Self { place, runs, drawings })
    }
}

impl Place {
    /// The place named `uplink` (its forward direction), `uplink.forward` or `uplink.reverse`.
    pub(crate) fn named(option: &str, name: &str, scenario: &Scenario) -> Result<Self, Failure> {
        let find = |wanted: &str| scenario.links.iter().position(|link| link.name == wanted);
        let (base, forward) = match name.strip_suffix(".reverse") {
            // A link's own name may end in `.reverse`.
            Some(base) if find(name).is_none() => (base, false),
            _ => (name.strip_suffix(".forward").unwrap_or(name), true),
        };
        find(name).or_else(|| find(base)).map(|link| Self { link, forward }).ok_or_else(|| {
            let names: Vec<_> = scenario.links.iter().map(|link| link.name.as_str()).collect();
            let names = names.join(", ");
            Failure::Input(format!("{option}: no link is called `{base}`; there are {names}"))
        })
    }

    /// The slowest direction that some flow's data crosses; among equals the first in the file.
    pub(crate) fn bottleneck(scenario: &Scenario) -> Self {
        let crossed: Vec<_> = scenario.routes().into_iter().flat_map(|route| route.hops).collect();
        let places = (0..scenario.links.len())
            .flat_map(|link| [true, false].map(|forward| Self { link, forward }))
            .filter(|place| crossed.iter().any(|hop| *place == Self::from_hop(hop)));
        let slowest = places.min_by_key(|place| rate(place.of(scenario)).map_or(u64::MAX, bits));
        // A checked scenario has a flow, and a flow a route.
        slowest.unwrap_or(Self { link: 0, forward: true })
    }

    const fn from_hop(hop: &scenario::Hop) -> Self {
        Self { link: hop.link, forward: hop.forward }
    }

    fn of(self, scenario: &Scenario) -> &Direction {
        let link = &scenario.links[self.link];
        if self.forward { &link.forward } else { &link.reverse }
    }

    fn of_mut(self, scenario: &mut Scenario) -> &mut Direction {
        let link = &mut scenario.links[self.link];
        if self.forward { &mut link.forward } else { &mut link.reverse }
    }

    /// The link's name and the direction.
    pub(crate) fn direction(self, scenario: &Scenario) -> (String, Way) {
        let way = if self.forward { Way::Forward } else { Way::Reverse };
        (scenario.links[self.link].name.clone(), way)
    }

    /// The name in the form of `--compare-link`, with the direction spelled out: `uplink.forward`.
    pub(crate) fn name(self, scenario: &Scenario) -> String {
        let direction = if self.forward { "forward" } else { "reverse" };
        format!("{}.{direction}", scenario.links[self.link].name)
    }
}

/// The lowest rate of a constant or scheduled direction, or the average rate of a trace. `None`
/// without a limit.
fn rate(direction: &Direction) -> Option<Rate> {
    match direction.rate.as_ref()? {
        RatePlan::Constant(rate) => Some(*rate),
        RatePlan::Schedule(schedule) => schedule.steps().iter().map(|(_, rate)| *rate).min(),
        RatePlan::Trace { trace, .. } => Some(trace.average_rate()),
    }
}

const fn bits(rate: Rate) -> u64 {
    rate.bits_per_sec()
}

#[cfg(test)]
mod tests;
