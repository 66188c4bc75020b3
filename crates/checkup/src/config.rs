//! Settings in files that are not in force.

use std::collections::BTreeSet;

use results::{Fault, FaultName, Severity};
use survey::ConfigFile;

use crate::fault::{Told, fault};
use crate::scene::Scene;

/// Keys of `[CAKE]` that systemd ignores before version 253: 252 logs them as unknown and runs CAKE
/// without them.
const NEW_KEYS: [&str; 2] = ["AckFilter", "RTTSec"];
const KNOWS_NEW_KEYS: u32 = 253;

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    faults.extend(scene.survey.files.iter().flat_map(|file| networkd(scene, file)));
    faults.extend(scene.survey.files.iter().filter_map(|file| network_manager(scene, file)));
    faults.extend(sqm(scene));
}

fn networkd(scene: &Scene<'_>, file: &ConfigFile) -> Option<Fault> {
    let version = scene.survey.networkd.filter(|version| *version < KNOWS_NEW_KEYS)?;
    let is_new = |(key, _): &(&str, &str)| NEW_KEYS.contains(key);
    let dropped: Vec<_> = file.entries("CAKE").filter(is_new).collect();
    let (first, _) = dropped.first()?;
    let mut found = fault(FaultName::ConfigDropped, Severity::Wrong, &file.path)
        .seen("systemd", version)
        .seen("first version that knows it", KNOWS_NEW_KEYS);
    for (key, value) in &dropped {
        found = found.seen(*key, value);
    }
    let command = format!("journalctl -u systemd-networkd | grep {first}");
    Some(found.cured("Set it with tc after networkd, or use a newer systemd.", command))
}

/// NetworkManager keeps the kind of a CAKE and loses its options (nmcli 1.42).
fn network_manager(scene: &Scene<'_>, file: &ConfigFile) -> Option<Fault> {
    let is_cake =
        |(key, value): &(&str, &str)| key.starts_with("qdisc.") && value.starts_with("cake");
    let (key, value) = file.entries("tc").find(is_cake)?;
    let device = file.value("connection", "interface-name").or(scene.wan)?;
    let queues = scene.survey.queues.as_ref()?;
    if queues.iter().any(|queue| queue.device == device && queue.rate().is_some()) {
        return None;
    }
    let found = fault(FaultName::ConfigDropped, Severity::Wrong, &file.path)
        .seen(key, value)
        .seen(format!("shaper of {device}"), "none");
    let text = "NetworkManager loses the options of CAKE: set the queue in a dispatcher script.";
    Some(found.cured(text, format!("tc qdisc show dev {device}")))
}

/// Queues of sqm-scripts that are enabled, on devices without a shaper.
fn sqm(scene: &Scene<'_>) -> Vec<Fault> {
    let (Some(uci), Some(queues)) = (scene.survey.uci.get("sqm"), &scene.survey.queues) else {
        return Vec::new();
    };
    let options: Vec<_> = uci.lines().filter_map(option).collect();
    let enabled = options.iter().filter(|option| (option.1, option.2) == ("enabled", "1"));
    let names: BTreeSet<&str> = enabled.map(|option| option.0).collect();
    let of = |name: &str, key: &str| {
        options.iter().find(|option| (option.0, option.1) == (name, key)).map(|option| option.2)
    };
    let missing = names.into_iter().filter_map(|name| {
        let device = of(name, "interface")?;
        // 0 kbit/s leaves a direction unshaped.
        let is_wanted = of(name, "upload").is_some_and(|rate| rate != "0");
        let is_shaped = queues.iter().any(|it| it.device == device && it.rate().is_some());
        if !is_wanted || is_shaped {
            return None;
        }
        let found =
            fault(FaultName::ConfigDropped, Severity::Wrong, format!("/etc/config/sqm {name}"))
                .seen("enabled", 1)
                .seen("interface", device)
                .seen(format!("shaper of {device}"), "none");
        let commands = "/etc/init.d/sqm restart\nlogread | grep -i sqm";
        Some(found.cured("Start SQM, and look for what it says.", commands))
    });
    missing.collect()
}

/// Section, option and value of a line `sqm.eth1.enabled='1'`.
fn option(line: &str) -> Option<(&str, &str, &str)> {
    let (path, value) = line.trim().split_once('=')?;
    let (section, option) = path.strip_prefix("sqm.")?.rsplit_once('.')?;
    Some((section, option, value.trim_matches('\'')))
}
