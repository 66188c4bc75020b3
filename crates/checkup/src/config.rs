//! Settings in files that are not in force.

use std::collections::BTreeMap;

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

/// A section of sqm-scripts' settings: its name, and the options with their values.
struct Sqm<'a> {
    name: &'a str,
    options: BTreeMap<&'a str, &'a str>,
}

/// What of sqm-scripts' settings is not in force.
fn sqm(scene: &Scene<'_>) -> Vec<Fault> {
    let text = scene.survey.uci.get("sqm").map_or("", String::as_str);
    let mut sections: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for (section, option, value) in text.lines().filter_map(option) {
        sections.entry(section).or_default().insert(option, value);
    }
    let sections = sections.into_iter().map(|(name, options)| Sqm { name, options });
    let enabled = sections.filter(|section| section.options.get("enabled") == Some(&"1"));
    enabled.filter_map(|it| it.not_started(scene).or_else(|| it.without_link_layer())).collect()
}

impl Sqm<'_> {
    fn fault(&self) -> Fault {
        let place = format!("/etc/config/sqm {}", self.name);
        fault(FaultName::ConfigDropped, Severity::Wrong, place)
    }

    /// Enabled for a device that has no shaper.
    fn not_started(&self, scene: &Scene<'_>) -> Option<Fault> {
        let (queues, device) = (scene.survey.queues.as_ref()?, self.options.get("interface")?);
        // 0 kbit/s leaves a direction unshaped.
        let is_wanted = self.options.get("upload").is_some_and(|rate| *rate != "0");
        let is_shaped = queues.iter().any(|it| it.device == *device && it.rate().is_some());
        if !is_wanted || is_shaped {
            return None;
        }
        let found = self.fault().seen("enabled", 1).seen("interface", device);
        let found = found.seen(format!("shaper of {device}"), "none");
        let commands = "/etc/init.d/sqm restart\nlogread | grep -i sqm";
        Some(found.cured("Start SQM, and look for what it says.", commands))
    }

    /// An overhead without a link layer, which sqm-scripts 1.6 pass on to no queue (functions.sh,
    /// get_stab_string and get_cake_lla_string).
    fn without_link_layer(&self) -> Option<Fault> {
        let overhead = self.options.get("overhead").filter(|overhead| **overhead != "0")?;
        let link_layer = *self.options.get("linklayer").unwrap_or(&"none");
        let found = self.fault().seen("overhead", overhead).seen("linklayer", link_layer);
        let commands = format!(
            "uci set sqm.{}.linklayer=ethernet\nuci commit sqm\n/etc/init.d/sqm restart",
            self.name
        );
        let text = "Name the link layer (atm for ADSL): without it, SQM uses no overhead.";
        (link_layer == "none").then(|| found.cured(text, commands))
    }
}

/// Section, option and value of a line `sqm.eth1.enabled='1'`.
fn option(line: &str) -> Option<(&str, &str, &str)> {
    let (path, value) = line.trim().split_once('=')?;
    let (section, option) = path.strip_prefix("sqm.")?.rsplit_once('.')?;
    Some((section, option, value.trim_matches('\'')))
}
