//! What a router shows, beside a plan.
//!
//! The commands of a plan and what a router shows are read by the same function into settings, each a
//! name and a value, and compared. A router may show several kinds of things: its configuration, and
//! the queues of its kernel. Each kind that is shown is compared.

use observation::Heading;
use remedy::{Prescription, Shaper};
use results::CheckedSetting;
use units::{Rate, Span};

/// Settings by name, with values as a plan writes them. A name may have several values.
pub(crate) type Settings = Vec<(String, String)>;

/// Reads the settings of one kind; `None` if the text shows nothing of the kind.
pub(crate) type Reader = fn(&str) -> Option<Settings>;

/// Each setting of a plan beside what is shown; `None` if one of the texts has nothing of the kind
/// that is read.
pub(crate) fn compare(read: Reader, planned: &str, shown: &str) -> Option<Vec<CheckedSetting>> {
    let (planned, shown) = (read(planned)?, read(shown)?);
    let value = |(name, planned): &(String, String)| {
        let mut values = shown.iter().filter(|(one, _)| one == name).map(|(_, value)| value);
        let last = values.clone().next_back();
        values.find(|value| *value == planned).or(last).cloned()
    };
    let checked = planned.into_iter().map(|setting| {
        let shown = value(&setting);
        CheckedSetting { name: setting.0, planned: setting.1, shown }
    });
    let checked: Vec<_> = checked.collect();
    // What plans nothing of the kind is not in force because of that.
    (!checked.is_empty()).then_some(checked)
}

/// What a router shows without the queues of other interfaces than these two: `wan`, and that through
/// which the download passes. Where its name is not known, it may be any whose name begins with `ifb`.
pub(crate) fn of_interface(shown: &str, wan: &str, ifb: Option<&str>) -> String {
    let is_ifb = |device: &str| ifb.map_or(device.starts_with("ifb"), |ifb| ifb == device);
    let is_shown = |line: &&str| device(line).is_none_or(|device| device == wan || is_ifb(device));
    shown.lines().filter(is_shown).map(|line| line.to_owned() + "\n").collect()
}

/// The device of a queue in a line of `tc qdisc show`; `None` for another line.
fn device(line: &str) -> Option<&str> {
    let (_, rest) = line.trim().strip_prefix("qdisc ")?.split_once(" dev ")?;
    rest.split_whitespace().next()
}

/// The redirect to `ifb` of all that comes in at `wan`, as `tc qdisc show` and `tc filter show` print it.
pub(crate) fn redirect(shown: &str, wan: &str, ifb: &str) -> CheckedSetting {
    let is_place = |line: &str| {
        let kind = line.split_whitespace().nth(1).unwrap_or_default();
        device(line) == Some(wan) && ["ingress", "clsact"].contains(&kind)
    };
    let has_place = shown.lines().any(is_place);
    let all = filters(shown).filter(|filter| filter.contains("protocol all "));
    let targets: Vec<&str> = all.filter_map(target).collect();
    let target = targets.iter().find(|target| **target == ifb).or(targets.first());
    let shown = target.filter(|_| has_place).map(|target| (*target).to_owned());
    CheckedSetting { name: "redirect of what comes in".to_owned(), planned: ifb.to_owned(), shown }
}

/// The texts of the single filters that tc prints.
fn filters(shown: &str) -> impl Iterator<Item = &str> {
    shown.split("filter ").skip(1)
}

/// The device to which a filter hands packets.
fn target(filter: &str) -> Option<&str> {
    let (_, rest) = filter.split_once("Egress Redirect to device ")?;
    rest.split([')', ' ', '\n']).next()
}

/// The queue of an earlier plan of ours at this device, in a direction that the plan does not shape; `None`
/// if the device has none.
pub(crate) fn left_queue(shown: &str, device: &str) -> Option<CheckedSetting> {
    let is_there =
        |line: &str| line.contains(&format!(" dev {device} ")) && of_cake(line).is_some();
    let line = shown.lines().map(str::trim).find(|line| is_there(line))?;
    let rate = of_cake(line)?.into_iter().find(|(name, _)| name.ends_with(" bandwidth"));
    let rate = rate.map_or_else(String::new, |(_, rate)| format!(", {rate}"));
    Some(left(format!("earlier queue at {device}"), format!("cake{rate}")))
}

/// The nodes of an earlier plan of ours that the plan does not set: those which put a policy of ours at an
/// interface, and the rates of a Smart Queue of ours.
pub(crate) fn left_nodes(planned: &str, shown: &str) -> Vec<CheckedSetting> {
    let [planned, shown] = [planned, shown].map(|text| nodes(text).unwrap_or_default());
    let is_ours = |(path, value): &(String, String)| {
        let is_rate =
            path.starts_with("traffic-control smart-queue UNBLOAT ") && path.ends_with(" rate");
        is_rate || (path.starts_with("qos interface ") && value.starts_with("UNBLOAT-"))
    };
    let is_planned = |path: &str| planned.iter().any(|(one, _)| one == path);
    let found = shown.into_iter().filter(|node| is_ours(node) && !is_planned(&node.0));
    found.map(|(path, value)| left(path, value)).collect()
}

/// Something that an earlier plan has left.
fn left(name: String, shown: String) -> CheckedSetting {
    CheckedSetting { name, planned: "nothing".to_owned(), shown: Some(shown) }
}

/// The interface to the provider in a configuration of OpenWrt, where our plan has set one.
pub(crate) fn interface(shown: &str) -> Option<String> {
    const NAMES: [&str; 2] = ["sqm.unbloat.interface", "qosmate.settings.WAN"];
    let options = uci(shown)?;
    let found = options.into_iter().find(|(name, _)| NAMES.contains(&name.as_str()));
    found.map(|(_, interface)| interface)
}

/// The queues of a kernel that were not shown, without which a configuration may not be in force.
pub(crate) fn unseen_queues() -> CheckedSetting {
    let (name, planned) = ("queues of the kernel".to_owned(), "cake".to_owned());
    CheckedSetting { name, planned, shown: None }
}

/// The lines of tc that make the queues which CAKE then has, all settings named.
pub(crate) fn queues(prescription: &Prescription, wan: &str) -> String {
    lines(prescription, wan, |shaper| {
        format!("bandwidth {} {}", shaper.bandwidth(), shaper.keywords())
    })
}

/// The lines of tc that make a queue with these words for each shaper.
pub(crate) fn lines(
    prescription: &Prescription,
    wan: &str,
    words: impl Fn(&Shaper) -> String,
) -> String {
    let line = |shaper: &Shaper| match shaper.heading {
        Heading::Up => format!("tc qdisc add dev {wan} root cake {}\n", words(shaper)),
        Heading::Down => format!("tc qdisc add dev ifb-{wan} root cake {}\n", words(shaper)),
    };
    prescription.shapers().map(line).collect()
}

/// Reads the queues of CAKE from commands of tc, and from what `tc qdisc show` prints. What comes from
/// the provider passes through a device whose name begins with `ifb`.
pub(crate) fn cake(text: &str) -> Option<Settings> {
    let is_tc = |line: &str| line.starts_with("qdisc ") || line.starts_with("tc qdisc add ");
    let mut lines = text.lines().map(str::trim).filter(|line| is_tc(line)).peekable();
    lines.peek()?;
    Some(lines.filter_map(of_cake).flatten().collect())
}

/// The settings in a line of tc; `None` if it is not of CAKE at the root of a device.
fn of_cake(line: &str) -> Option<Settings> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let has = |one: &str| words.contains(&one);
    let device = *words.iter().skip_while(|word| **word != "dev").nth(1)?;
    if !has("cake") || !has("root") {
        return None;
    }
    let way = if device.starts_with("ifb") { "download" } else { "upload" };
    let mut settings = vec![("side", "egress".to_owned()), ("mpu", "0".to_owned())];
    for (at, word) in words.iter().enumerate() {
        let Some(name) = setting(word) else { continue };
        let value = if name == *word { words.get(at + 1).copied() } else { Some(*word) };
        settings.retain(|(one, _)| *one != name);
        settings.push((name, plain(name, value.unwrap_or_default())));
    }
    Some(settings.into_iter().map(|(name, value)| (format!("{way} {name}"), value)).collect())
}

/// The name of the setting that a word of CAKE decides, or begins (tc-cake(8)).
fn setting(word: &str) -> Option<&'static str> {
    Some(match word {
        "bandwidth" => "bandwidth",
        "rtt" => "rtt",
        "overhead" => "overhead",
        "mpu" => "mpu",
        "besteffort" | "precedence" | "diffserv3" | "diffserv4" | "diffserv8" => "tins",
        "flowblind" | "srchost" | "dsthost" | "hosts" | "flows" | "dual-srchost"
        | "dual-dsthost" | "triple-isolate" => "isolation",
        "nat" | "nonat" => "address translation",
        "wash" | "nowash" => "code points",
        "ack-filter" | "ack-filter-aggressive" | "no-ack-filter" => "acknowledgements",
        "noatm" | "atm" | "ptm" | "raw" => "cells",
        "ingress" | "egress" => "side",
        _ => return None,
    })
}

/// A rate or a time as we write it; another value as it is.
fn plain(name: &str, value: &str) -> String {
    let ours = match name {
        "bandwidth" => value.parse::<Rate>().ok().map(|rate| rate.to_string()),
        "rtt" => value.parse::<Span>().ok().map(|time| time.to_string()),
        _ => None,
    };
    ours.unwrap_or_else(|| value.to_owned())
}

/// The packages of OpenWrt for which plans are written.
const PACKAGES: [&str; 3] = ["sqm.", "qosify.", "qosmate."];

/// Reads options of OpenWrt's configuration, from `uci set`, from what `uci show` prints, and from the
/// files in /etc/config.
pub(crate) fn uci(text: &str) -> Option<Settings> {
    let option = |line: &str| {
        let line = line.trim().trim_start_matches("uci set ");
        let (name, value) = line.split_once('=')?;
        let value = value.trim_matches(['\'', '"']);
        let is_known = PACKAGES.iter().any(|package| name.starts_with(package));
        // A value that the shell finds is not known here.
        (is_known && !value.starts_with('$')).then(|| (name.to_owned(), value.to_owned()))
    };
    let options: Settings =
        text.lines().filter_map(option).chain(configuration_file(text)).collect();
    (!options.is_empty()).then_some(options)
}

/// Reads the options of named sections in files of /etc/config (OpenWrt's documentation, "The UCI
/// system"). Only `uci export` names the package: else it is told by the type of the section.
fn configuration_file(text: &str) -> Settings {
    let mut settings = Settings::new();
    let (mut package, mut section) = (String::new(), String::new());
    for line in text.lines() {
        let mut words = line.trim().splitn(3, [' ', '\t']);
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let value = words.next().unwrap_or_default().trim().trim_matches(['\'', '"']);
        match first {
            "package" => package = second.trim_matches('\'').to_owned(),
            "config" => {
                let of_type = match second.trim_matches('\'') {
                    "queue" => "sqm",
                    "interface" => "qosify",
                    _ => "qosmate",
                };
                let package = if package.is_empty() { of_type } else { &package };
                section = format!("{package}.{value}");
                settings.push((section.clone(), second.trim_matches('\'').to_owned()));
            }
            "option" if !section.is_empty() => {
                settings
                    .push((format!("{section}.{}", second.trim_matches('\'')), value.to_owned()));
            }
            _ => {}
        }
    }
    let is_known = |(name, _): &(String, String)| PACKAGES.iter().any(|it| name.starts_with(it));
    settings.retain(is_known);
    settings
}

/// Reads the nodes of a configuration of VyOS or EdgeOS, from `set` and from what `show configuration
/// commands` prints. The name is the path, and the value its last word.
pub(crate) fn nodes(text: &str) -> Option<Settings> {
    let node = |line: &str| {
        let (path, value) = line.trim().strip_prefix("set ")?.rsplit_once(' ')?;
        Some((path.to_owned(), value.trim_matches('\'').to_owned()))
    };
    let nodes: Settings = text.lines().filter_map(node).collect();
    (!nodes.is_empty()).then_some(nodes)
}

#[cfg(test)]
mod tests;
