//! Wi-Fi: mac80211 has fair queueing and airtime limits of its own, with drivers that use them.

use results::{Fault, FaultName, Severity};

use crate::fault::{Told, fault};
use crate::scene::Scene;

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    faults.extend(without_fq(scene));
    for (phy, _) in scene.survey.airtime_limits.iter().filter(|(_, is_on)| !**is_on) {
        let path = format!("/sys/kernel/debug/ieee80211/{phy}/aql_enable");
        let found = fault(FaultName::WifiWithoutAql, Severity::Doubtful, phy).seen("aql_enable", 0);
        faults.push(found.cured("Turn airtime queue limits on.", format!("echo 1 > {path}")));
    }
}

/// A FIFO above Wi-Fi that is the bottleneck. A driver that uses mac80211's queues has `noqueue`.
fn without_fq(scene: &Scene<'_>) -> Option<Fault> {
    let (device, wan) = (scene.wan_device()?, scene.wan?);
    if !device.is_wireless() || !(scene.known.up.is_here || scene.known.down.is_here) {
        return None;
    }
    let is_fifo = |kind: &str| ["pfifo_fast", "pfifo", "bfifo"].contains(&kind);
    let queue = scene.survey.of(wan).find(|queue| is_fifo(&queue.kind))?;
    let found = fault(FaultName::WifiWithoutFq, Severity::Doubtful, wan)
        .seen("queue", &queue.kind)
        .seen("driver", &device.driver);
    let command = format!("tc qdisc replace dev {wan} root fq_codel");
    Some(found.cured("Put FQ-CoDel above the driver.", command))
}
