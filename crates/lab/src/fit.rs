//! Checks whether a kernel can run a scenario, and finds the parameters for it.

mod flow;
mod machine;
mod parameters;
#[cfg(test)]
mod tests;

use qdisc::QdiscSpec;
use scenario::{Scenario, Traffic};

use crate::LabError;
use crate::plan::Plan;
pub(crate) use flow::{STAMP, kernel_name, max_segment};
use machine::Machine;
pub(crate) use parameters::{NodeParameters, RouteMetrics, node_parameters};

/// The number of ports for the lab's flows, all below those that the kernel chooses itself.
const PORTS: u64 = 30_000;
/// An upper bound of the file descriptors that a run needs besides its sockets.
const OTHER_DESCRIPTORS: u64 = 200;

/// The mean time in seconds for which a connection of a web load is open, on a path that is slow as
/// well: the mean over those of one page, and those whose readers take their time.
const LIFETIME: f64 = 10.0;

/// The congestion controls that this machine's kernel has.
pub fn congestion_controls() -> Vec<String> {
    Machine::here().congestion
}

/// Checks that this machine's kernel can run the scenario as it is written.
///
/// # Errors
/// [`LabError::Unfit`]: the first field that the kernel cannot do, such as `flow.backup.hystart`,
/// the reason, and the value that would be right.
pub fn fit(scenario: &Scenario) -> Result<(), LabError> {
    fit_for(scenario, &Machine::here())
}

fn fit_for(scenario: &Scenario, machine: &Machine) -> Result<(), LabError> {
    scenario.flows.iter().try_for_each(|flow| flow::fit(flow, machine))?;
    marks(scenario)?;
    sockets(scenario, machine)?;
    node_parameters(&Plan::of(scenario)).map(drop)
}

/// Checks that there are marks where a queue asks for them: the packets of a command have none.
fn marks(scenario: &Scenario) -> Result<(), LabError> {
    let asks = |(_, direction): &(String, &scenario::Direction)| match &direction.queue {
        QdiscSpec::Cake(cake) => cake.fwmark > 0,
        _ => false,
    };
    let directions = scenario.directions().map(|(direction, _)| direction);
    let asking = scenario.direction_names().into_iter().zip(directions).find(asks);
    match asking.filter(|_| scenario.flows.is_empty()) {
        None => Ok(()),
        Some((name, _)) => Err(LabError::Unfit(format!(
            "the queue of {name}: `fwmark` needs firewall marks, which packets lose when they \
             leave the network of the command; leave it out"
        ))),
    }
}

/// Checks that there are ports and file descriptors for all flows.
fn sockets(scenario: &Scenario, machine: &Machine) -> Result<(), LabError> {
    let count = |flow: &scenario::Flow| u64::from(flow.count);
    let flows: u64 = scenario.flows.iter().map(count).sum();
    let needed: u64 = scenario.flows.iter().map(|flow| count(flow) * descriptors(flow)).sum();
    let needed = needed + OTHER_DESCRIPTORS;
    let most = scenario.flows.iter().max_by_key(|flow| count(flow));
    let name = most.map_or("", |flow| flow.name.as_str());
    if flows > PORTS {
        return Err(LabError::Unfit(format!(
            "flow.{name}.count: {flows} flows; the lab has ports for {PORTS}"
        )));
    }
    if needed <= machine.descriptors {
        return Ok(());
    }
    let have = machine.descriptors;
    Err(LabError::Unfit(match flows {
        0 => format!(
            "the lab needs {needed} file descriptors, and this process may have {have}; give it a \
             higher limit (`ulimit -Hn`)"
        ),
        _ => format!(
            "flow.{name}.count: {flows} flows need {needed} file descriptors, and this process may \
             have {have}; fewer flows, or a higher limit (`ulimit -Hn`)"
        ),
    }))
}

/// The most sockets of one flow, listening ones included.
fn descriptors(flow: &scenario::Flow) -> u64 {
    match flow.traffic {
        Traffic::Bulk { .. } | Traffic::Transfer { .. } | Traffic::Periodic { .. } => 3,
        // The connections of one page may still be closing when the next page is loaded.
        Traffic::Page { connections, .. } => 1 + 3 * u64::from(connections),
        Traffic::Cbr { .. } | Traffic::Voip { .. } => 2,
        Traffic::Ping { .. } => 1,
        Traffic::Packmime { connections_per_second } => {
            1 + 2 * (connections_per_second * LIFETIME).ceil() as u64
        }
    }
}
