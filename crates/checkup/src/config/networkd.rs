//! systemd-networkd, which ignores what it cannot read and says so only in the journal.

use results::{Fault, FaultName, Severity};
use survey::ConfigFile;

use crate::fault::{Told, fault};
use crate::scene::Scene;

/// The version of systemd that knows `AckFilter` and `RTTSec`.
const KNOWS_NEW_KEYS: u32 = 253;
const NEW_KEYS: [&str; 2] = ["AckFilter", "RTTSec"];

const ISOLATIONS: [&str; 8] =
    ["none", "src-host", "dst-host", "hosts", "flows", "dual-src-host", "dual-dst-host", "triple"];

const PRESETS: [&str; 5] = ["besteffort", "precedence", "diffserv8", "diffserv4", "diffserv3"];

/// The words of a switch (systemd.syntax(7)).
const SWITCHES: [&str; 12] =
    ["1", "yes", "y", "true", "t", "on", "0", "no", "n", "false", "f", "off"];

/// Keys of `[CAKE]` that this version does not know, and values that it cannot read.
pub(super) fn find(scene: &Scene<'_>, file: &ConfigFile) -> Option<Fault> {
    let version = scene.survey.networkd?;
    if is_of_absent_device(scene, file) {
        return None;
    }
    let dropped: Vec<_> =
        file.entries("CAKE").filter(|(key, value)| !is_taken(version, key, value)).collect();
    let (first, _) = dropped.first()?;
    let mut found =
        fault(FaultName::ConfigDropped, Severity::Wrong, &file.path).seen("systemd", version);
    for (key, value) in &dropped {
        found = found.seen(*key, value);
    }
    let (text, seen) = match NEW_KEYS.contains(first) && version < KNOWS_NEW_KEYS {
        true => (
            "Set it with tc after networkd, or use a newer systemd.",
            found.seen("first version that knows it", KNOWS_NEW_KEYS),
        ),
        false => {
            ("Write the keys as systemd.network(5) has them, with a rate such as 9620K.", found)
        }
    };
    Some(seen.cured(text, "journalctl -b -u systemd-networkd | grep ignoring".to_owned()))
}

/// True if the file is for one device that is not there.
fn is_of_absent_device(scene: &Scene<'_>, file: &ConfigFile) -> bool {
    let is_pattern = |name: &str| name.contains(['*', '?', '[', '!', ' ']);
    let name = file.value("Match", "Name").filter(|name| !is_pattern(name));
    name.is_some_and(|name| !scene.survey.devices.contains_key(name))
}

/// True if networkd of this version reads the assignment. An empty one resets the key.
fn is_taken(version: u32, key: &str, value: &str) -> bool {
    match NEW_KEYS.contains(&key) {
        true => version >= KNOWS_NEW_KEYS,
        false => takes(key, value).is_some_and(|takes| takes || value.is_empty()),
    }
}

/// True if an older key of `[CAKE]` takes this value; `None` if there is no such key (systemd.network(5)).
fn takes(key: &str, value: &str) -> Option<bool> {
    Some(match key {
        "Parent" | "Handle" | "FirewallMark" => true,
        "Bandwidth" => is_size(value),
        "OverheadBytes" => is_number(value, -64..=256),
        "MPUBytes" => is_number(value, 1..=256),
        "CompensationMode" => ["none", "atm", "ptm"].contains(&value),
        "FlowIsolationMode" => ISOLATIONS.contains(&value),
        "PriorityQueueingPreset" => PRESETS.contains(&value),
        "AutoRateIngress" | "NAT" | "SplitGSO" | "UseRawPacketSize" | "Wash" => is_switch(value),
        _ => return None,
    })
}

fn is_switch(value: &str) -> bool {
    SWITCHES.contains(&value.to_ascii_lowercase().as_str())
}

/// A number as the C library reads it with any base.
fn is_number(value: &str, range: std::ops::RangeInclusive<i64>) -> bool {
    let digits = value.trim_start_matches(['+', '-']);
    let parsed = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16),
        None if digits.starts_with('0') => i64::from_str_radix(digits, 8),
        None => digits.parse(),
    };
    let sign = if value.starts_with('-') { -1 } else { 1 };
    parsed.is_ok_and(|number| range.contains(&(sign * number)))
}

/// A rate in bits a second: numbers, each with a unit of one letter or none, whose sum counts.
fn is_size(value: &str) -> bool {
    let is_part = |part: &str| {
        let number = part.trim_end_matches(['K', 'M', 'G', 'T', 'P', 'E', 'B']);
        part.len() - number.len() <= 1 && number.parse::<f64>().is_ok_and(|it| it >= 0.0)
    };
    // A unit may stand behind a space.
    let is_unit = |part: &str| part.len() == 1 && "KMGTPEB".contains(part);
    let mut parts = value.split_whitespace();
    parts.next().is_some_and(is_part) && parts.all(|part| is_part(part) || is_unit(part))
}
