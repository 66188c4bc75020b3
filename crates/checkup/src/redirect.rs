//! The way of received packets to the device whose queue shapes them.

use results::{Fault, FaultName, Severity};

use crate::fault::{Told, fault};
use crate::scene::{Scene, words};

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    let survey = scene.survey;
    for redirect in &survey.redirects {
        let target = survey.devices.get(&redirect.to);
        let state = match target {
            None => "missing",
            Some(device) if !device.is_up => "down",
            Some(_) => continue,
        };
        let commands = match target {
            None => format!("ip link add {0} type ifb\nip link set {0} up", redirect.to),
            Some(_) => format!("ip link set {} up", redirect.to),
        };
        let found = fault(FaultName::IfbMissing, Severity::Wrong, &redirect.from)
            .seen("redirected to", &redirect.to)
            .seen("which is", state);
        let text = "Bring the device up, then set its queue again: without it, packets that come in \
                    are lost or pass no shaper.";
        faults.push(found.cured(text, commands));
    }
    let wan = scene.wan.unwrap_or("DEV");
    for queue in survey.queues.iter().flatten().filter(|queue| queue.is_root()) {
        let is_fed = survey.redirects.iter().any(|redirect| redirect.to == queue.device);
        let Some(rate) = queue.rate().filter(|_| is_ifb(&queue.device) && !is_fed) else {
            continue;
        };
        let found = fault(FaultName::RedirectMissing, Severity::Wrong, &queue.device)
            .seen("shaped", format!("{} {}", queue.kind, words(rate)))
            .seen("redirected here", "nothing");
        let commands = format!(
            "tc qdisc add dev {wan} handle ffff: ingress\n\
             tc filter add dev {wan} parent ffff: protocol all prio 10 matchall \
             action mirred egress redirect dev {}",
            queue.device
        );
        faults.push(found.cured("Redirect what comes in to this device.", commands));
    }
}

/// True if the device is an IFB by its name: `ifb0`, or `ifb4wan` of sqm-scripts.
fn is_ifb(device: &str) -> bool {
    device.starts_with("ifb")
}
