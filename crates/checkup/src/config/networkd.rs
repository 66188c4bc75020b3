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

fn is_number(value: &str, range: std::ops::RangeInclusive<i32>) -> bool {
    value.parse().is_ok_and(|number| range.contains(&number))
}

/// A rate in bits a second: a number, and the unit by its first letter alone.
fn is_size(value: &str) -> bool {
    let number = value.trim_end_matches(['K', 'M', 'G', 'T', 'P', 'E', 'B']).trim_end();
    value.len() - number.len() <= 2 && number.parse::<f64>().is_ok_and(|it| it >= 0.0)
}
