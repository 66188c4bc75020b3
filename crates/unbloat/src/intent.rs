//! The request behind the command line: the scenario read and checked, names resolved, outputs
//! opened. After this step the request is valid, and nothing has begun to run.

mod link;
mod mistake;
mod outputs;
mod pcap;

use std::path::Path;

use scenario::{Override, Scenario};
use units::DirectionId;

use crate::args::{RequestedQueue, ScenarioArgs, SimArgs};
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::files::all_differ;
pub(crate) use link::{link, traces};
pub(crate) use outputs::{Outputs, SeriesOutput};
pub(crate) use pcap::Pcap;

/// A comparison: the same scenario under several queues.
pub(crate) struct Comparison {
    /// The place whose queue is replaced.
    pub(crate) place: DirectionId,
    /// The queues as typed, and the scenario with each of them.
    pub(crate) runs: Vec<(String, Scenario)>,
    pub(crate) drawings: Drawings,
}

/// The scenario that `file` and the overrides describe.
pub(crate) fn scenario(file: &Path, args: &ScenarioArgs) -> Result<Scenario, Failure> {
    Ok(Scenario::load(file, &overrides(args))?)
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
            Some(name) => named_direction("--compare-link", name, scenario)?,
            None => scenario.bottleneck(),
        };
        let changes_queue =
            |change: &scenario::Change| change.direction == place && change.queue.is_some();
        if scenario.changes.iter().any(changes_queue) {
            let name = scenario.direction_name(place);
            return Err(Failure::Input(format!(
                "--compare: a [[change]] sets the queue of {name} too, and is written for the file's \
                 own; take its `queue` out, or name another link with --compare-link"
            )));
        }
        let with = |queue: &RequestedQueue| {
            let mut scenario = scenario.clone();
            let link = &mut scenario.links[place.link()];
            link.directions[place.way()].queue = queue.spec.clone();
            (queue.typed.clone(), scenario)
        };
        let runs = args.compare.iter().map(with).collect();
        let drawings =
            Drawings::create(args.draw.report.as_deref(), &args.draw.plot, report::FIGURES)?;
        Ok(Self { place, runs, drawings })
    }
}

/// The direction that an option names ([`Scenario::named_direction`]).
pub(crate) fn named_direction(
    option: &str,
    name: &str,
    scenario: &Scenario,
) -> Result<DirectionId, Failure> {
    scenario.named_direction(name).ok_or_else(|| {
        let base = name.strip_suffix(".reverse").or_else(|| name.strip_suffix(".forward"));
        let base = base.unwrap_or(name);
        let names: Vec<_> = scenario.links.iter().map(|link| link.name.as_str()).collect();
        let names = names.join(", ");
        Failure::Input(format!("{option}: there is no link `{base}`; there are {names}"))
    })
}

#[cfg(test)]
mod tests;
