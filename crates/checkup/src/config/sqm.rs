//! sqm-scripts of OpenWrt, which take no notice of options that they do not know.

use std::collections::BTreeMap;

use results::{Fault, FaultName, Severity};
use survey::Queue;

use crate::fault::{Told, fault};
use crate::scene::Scene;

/// The options that sqm-scripts read (run.sh of sqm-scripts 1.6), and those by which their page in LuCI
/// shows more fields.
const OPTIONS: [&str; 28] = [
    "debug_logging",
    "download",
    "egress_ecn",
    "elimit",
    "enabled",
    "eqdisc_opts",
    "etarget",
    "ilimit",
    "ingress_ecn",
    "interface",
    "iqdisc_opts",
    "itarget",
    "linklayer",
    "linklayer_adaptation_mechanism",
    "linklayer_advanced",
    "overhead",
    "qdisc",
    "qdisc_advanced",
    "qdisc_really_really_advanced",
    "script",
    "squash_dscp",
    "squash_ingress",
    "target",
    "tcMPU",
    "tcMTU",
    "tcTSIZE",
    "upload",
    "verbosity",
];

/// The words of CAKE that decide the same, of which the last one counts (tc-cake(8)).
const CHOICES: [&[&str]; 5] = [
    &["besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8"],
    &[
        "flowblind",
        "srchost",
        "dsthost",
        "hosts",
        "flows",
        "dual-srchost",
        "dual-dsthost",
        "triple-isolate",
    ],
    &["nat", "nonat"],
    &["wash", "nowash"],
    &["ack-filter", "no-ack-filter", "ack-filter-aggressive"],
];

/// A section of sqm-scripts' settings: its name, and the options with their values.
struct Sqm<'a> {
    name: &'a str,
    options: BTreeMap<&'a str, &'a str>,
}

/// What of sqm-scripts' settings is not in force.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Fault> {
    let text = scene.survey.uci.get("sqm").map_or("", String::as_str);
    let mut sections: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for (section, option, value) in text.lines().filter_map(option) {
        sections.entry(section).or_default().insert(option, value);
    }
    let sections = sections.into_iter().map(|(name, options)| Sqm { name, options });
    let enabled = sections.filter(|section| section.options.get("enabled") == Some(&"1"));
    let first = |section: Sqm<'_>| {
        section
            .not_started(scene)
            .or_else(|| section.without_link_layer())
            .or_else(|| section.unknown_options())
            .or_else(|| section.other_queue(scene))
    };
    enabled.filter_map(first).collect()
}

impl Sqm<'_> {
    fn fault(&self, severity: Severity) -> Fault {
        let place = format!("/etc/config/sqm {}", self.name);
        fault(FaultName::ConfigDropped, severity, place)
    }

    fn option(&self, name: &str) -> &str {
        self.options.get(name).copied().unwrap_or_default()
    }

    /// Enabled for a device that is there and has no shaper.
    fn not_started(&self, scene: &Scene<'_>) -> Option<Fault> {
        let device = self.option("interface");
        let queue = scene.survey.root(device)?;
        // 0 kbit/s leaves a direction unshaped.
        if ["", "0"].contains(&self.option("upload")) || queue.rate().is_some() {
            return None;
        }
        let found = self.fault(Severity::Wrong).seen("enabled", 1).seen("interface", device);
        let found = found.seen(format!("shaper of {device}"), "none");
        let commands = "/etc/init.d/sqm restart\nlogread | grep -i sqm";
        Some(found.cured("Restart SQM, and read its messages.", commands))
    }

    /// An overhead without a link layer, which sqm-scripts 1.6 pass on to no queue (functions.sh,
    /// get_stab_string and get_cake_lla_string).
    fn without_link_layer(&self) -> Option<Fault> {
        let overhead = self.options.get("overhead").filter(|overhead| **overhead != "0")?;
        let link_layer = *self.options.get("linklayer").unwrap_or(&"none");
        let found =
            self.fault(Severity::Wrong).seen("overhead", overhead).seen("linklayer", link_layer);
        let commands = format!(
            "uci set sqm.{}.linklayer=ethernet\nuci commit sqm\n/etc/init.d/sqm restart",
            self.name
        );
        let text = "Name the link layer (atm for ADSL): without it, SQM uses no overhead.";
        (link_layer == "none").then(|| found.cured(text, commands))
    }

    /// Options that no script reads: a name that is mistyped.
    fn unknown_options(&self) -> Option<Fault> {
        let unknown: Vec<_> =
            self.options.iter().filter(|(name, _)| !OPTIONS.contains(name)).collect();
        let (first, _) = unknown.first()?;
        // A newer release may read it.
        let found = self.fault(Severity::Doubtful);
        let found = unknown.iter().fold(found, |it, (name, value)| it.seen(**name, value));
        let commands = format!("uci delete sqm.{}.{first}\nuci commit sqm", self.name);
        Some(found.cured("SQM reads no option of this name: write it as SQM does.", commands))
    }

    /// A queue of CAKE without the words of its options: SQM was not started anew, or something else has set
    /// the queue. Its rate may be changed by a script that follows the line.
    fn other_queue(&self, scene: &Scene<'_>) -> Option<Fault> {
        let device = self.option("interface");
        let redirect = scene.survey.redirects.iter().find(|it| it.from == device && !it.is_sent);
        [(Some(device), "eqdisc_opts"), (redirect.map(|it| it.to.as_str()), "iqdisc_opts")]
            .into_iter()
            .find_map(|(device, words)| self.without_words(scene.survey.root(device?)?, words))
    }

    /// The options of a direction whose words the queue does not have.
    fn without_words(&self, queue: &Queue, name: &str) -> Option<Fault> {
        let has = |word: &str| queue.words.split_whitespace().any(|one| one == word);
        let words = self.option(name);
        let wanted = CHOICES
            .iter()
            .filter_map(|choice| words.split_whitespace().rev().find(|word| choice.contains(word)));
        if queue.kind != "cake" || wanted.into_iter().all(has) {
            return None;
        }
        let found = self.fault(Severity::Wrong).seen(name, words);
        let found = found.seen(format!("queue of {}", queue.device), &queue.words);
        let text = "Restart SQM: its queue does not have the options of the settings. If a restart \
                    does not help, something else sets the queue.";
        Some(found.cured(text, "/etc/init.d/sqm restart".to_owned()))
    }
}

/// Section, option and value of a line `sqm.eth1.enabled='1'`.
fn option(line: &str) -> Option<(&str, &str, &str)> {
    let (path, value) = line.trim().split_once('=')?;
    let (section, option) = path.strip_prefix("sqm.")?.rsplit_once('.')?;
    Some((section, option, value.trim_matches('\'')))
}
