//! Calls: each of the two directions is a flow of its own.

use crate::fault::Fault;
use crate::file::{FlowFile, TrafficFile};
use crate::traffic::BACK;
use crate::tree::{At, is_name};
use crate::{Flow, Traffic};

/// The number of flows that one entry of the file stands for; each has `count` members.
pub(super) fn ways(file: &FlowFile) -> u64 {
    match &file.traffic {
        TrafficFile::Voip(call) if call.two_way.unwrap_or(true) => 2,
        _ => 1,
    }
}

/// The flows and the ways back of calls, each after its way there.
pub(super) fn both_ways(files: &[At<FlowFile>], flows: Vec<Flow>) -> Result<Vec<Flow>, Fault> {
    let mut all = Vec::with_capacity(flows.len());
    for (file, flow) in files.iter().zip(&flows) {
        all.push(flow.clone());
        if ways(&file.value) == 2 {
            let back = back(flow);
            may_be_called(&back.name, &flows)
                .map_err(|fault| fault.at(file.value.common.name.place))?;
            all.push(back);
        }
    }
    Ok(all)
}

fn back(flow: &Flow) -> Flow {
    debug_assert!(matches!(flow.traffic, Traffic::Voip { .. }));
    Flow {
        name: format!("{}{BACK}", flow.name),
        from: flow.to.clone(),
        to: flow.from.clone(),
        host: flow.to_host.clone(),
        to_host: flow.host.clone(),
        ..flow.clone()
    }
}

/// Checks that the name is valid, and not used by another flow.
fn may_be_called(name: &str, others: &[Flow]) -> Result<(), Fault> {
    let why = match others.iter().any(|other| other.name == name) {
        true => "another flow has this name too; rename one",
        false if !is_name(name) => "that is longer than a name may be; write a shorter one",
        false => return Ok(()),
    };
    let message = format!("the way back of this call is `{name}`, and {why}, or `two_way = false`");
    Err(Fault::new(message))
}
