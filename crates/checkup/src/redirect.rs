//! The way of received packets to the device whose queue shapes them.

use results::{Fault, FaultName, Severity};

use crate::fault::{Told, fault};
use crate::scene::{ENOUGH, Scene, words};
use crate::shaping::{is_absent, plan};

/// What tc prints in place of the name of a device that is gone.
const GONE: &str = "*";

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    let survey = scene.survey;
    for redirect in &survey.redirects {
        let target = survey.devices.get(&redirect.to);
        let state = match target {
            // A device that tc knows is there, whatever /sys shows.
            None if survey.root(&redirect.to).is_some() => continue,
            None => "missing",
            Some(device) if !device.is_up => "down",
            Some(_) => continue,
        };
        let (text, commands) = match target {
            None => (
                "Set up the download's shaper again: its device, and the redirection to it.",
                plan(scene),
            ),
            Some(_) => (
                "Bring the device up: without it, packets that come in are lost.",
                format!("ip link set {} up", redirect.to),
            ),
        };
        let found = fault(FaultName::IfbMissing, Severity::Wrong, &redirect.from)
            .seen("redirected to", if redirect.to == GONE { "a device" } else { &redirect.to })
            .seen("which is", state);
        faults.push(found.cured(text, commands));
    }
    let wan = scene.wan.unwrap_or("DEV");
    // A shaper that was left behind by another is no matter.
    let is_served = scene.down.is_some_and(|down| {
        survey.redirects.iter().any(|redirect| redirect.to == down.queue.device)
    });
    let roots = survey.queues.iter().flatten().filter(|queue| queue.is_root() && !is_served);
    for queue in roots {
        // What passes it came from somewhere: rules of nftables can redirect too. A device sends some
        // packets of its own.
        let is_fed = survey.redirects.iter().any(|redirect| redirect.to == queue.device)
            || queue.passed.is_some_and(|bytes| bytes >= ENOUGH);
        let is_ifb = survey.devices.get(&queue.device).is_some_and(|device| device.is_ifb);
        let Some(rate) = queue.rate().filter(|_| is_ifb && !is_fed) else {
            continue;
        };
        let found = fault(FaultName::RedirectMissing, Severity::Wrong, &queue.device)
            .seen("shaped", format!("{} {}", queue.kind, words(rate)))
            .seen("redirected here", "nothing");
        let has_place = survey.of(wan).any(|it| ["ingress", "clsact"].contains(&it.kind.as_str()));
        let place = match has_place {
            true => String::new(),
            false => format!("tc qdisc add dev {wan} handle ffff: ingress\n"),
        };
        let all = match is_absent(survey, "cls_matchall") {
            true => "u32 match u32 0 0",
            false => "matchall",
        };
        let commands = format!(
            "{place}tc filter add dev {wan} ingress protocol all prio 10 {all} \
             action mirred egress redirect dev {}",
            queue.device
        );
        faults.push(found.cured("Redirect what comes in to this device.", commands));
    }
}
