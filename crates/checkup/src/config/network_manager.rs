//! NetworkManager, which keeps the kind of a CAKE and loses its options (nmcli 1.42).

use results::{Fault, FaultName, Severity};
use survey::ConfigFile;

use crate::fault::{Told, fault};
use crate::scene::Scene;

/// A CAKE whose device has no shaper. What is asked for a device that is not there waits for it, and a profile
/// without a device may be for another.
pub(super) fn find(scene: &Scene<'_>, file: &ConfigFile) -> Option<Fault> {
    let is_cake =
        |(key, value): &(&str, &str)| key.starts_with("qdisc.") && value.starts_with("cake");
    let (key, value) = file.entries("tc").find(is_cake)?;
    let device = file.value("connection", "interface-name")?;
    let queue = scene.survey.root(device)?;
    if queue.rate().is_some() {
        return None;
    }
    let found = fault(FaultName::ConfigDropped, Severity::Wrong, &file.path)
        .seen(key, value)
        .seen(format!("shaper of {device}"), "none");
    let text = "NetworkManager loses the options of CAKE: set the queue in a dispatcher script.";
    Some(found.cured(text, format!("tc qdisc show dev {device}")))
}
