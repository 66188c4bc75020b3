//! MikroTik RouterOS 7.
//!
//! Specification: MikroTik's documentation, "Queues" and "CAKE", and public configurations. The queue
//! is simple, its target the interface to the provider: what enters there is the target's upload, so
//! that the download comes first. Packets of FastTrack pass by.
//!
//! Of FastTrack: MikroTik's documentation, "Connection tracking" and "Common Firewall Matchers and
//! Actions"; its rules stand in the filters, and those of IPv6 came with RouterOS 7.18. The rule that
//! RouterOS adds to show counters has another action, and is left alone.
//!
//! CAKE shapes, by `cake-bandwidth`, and not the queue's own `max-limit`: that is HTB, which knows
//! nothing of overhead and cells. CAKE came with RouterOS 7.1.

use observation::Heading;
use remedy::{Prescription, Shaper};
use results::{Step, Tested, WireCells};

use units::Rate;

use crate::readback::Settings;
use crate::written::{DROPS_LATER, INGRESS, Written, lacks, lacks_fractions, rates, whole_millis};

/// The commands that remove our queues, if they are there.
const REMOVE: &str = "/queue simple remove [find name=unbloat]\n\
                      /queue type remove [find name~\"^unbloat-\"]\n";

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    Written {
        tested: Tested::Documentation,
        rates: rates(prescription, Shaper::planned_exactly),
        steps: vec![
            Step::new(
                "Press Ctrl-X first, for Safe Mode: if the connection breaks, the router takes all \
                 of this back. Packets of FastTrack bypass the queue, so its rules are disabled, \
                 and the comments of those that were on say so. RouterOS before 7.18 has no \
                 FastTrack for IPv6, and may refuse the second line, which is fine:",
                each_fasttrack(disable),
            ),
            Step::new(
                "The queue. It replaces that of an earlier plan of unbloat, for any interface:",
                queues(prescription, wan),
            ),
            Step::new(
                "Check that the line works, and test it. If the line is better, press Ctrl-X again \
                 to keep the plan.",
                "",
            ),
        ],
        check: vec![
            Step::new(
                "The counters should move while the line is used:",
                "/queue simple print stats where name=unbloat",
            ),
            Step::new("The settings:", "/queue export verbose"),
        ],
        undo: vec![Step::new(
            "Remove the queue. The rules of FastTrack that the plan disabled are on again, with \
             the comments that they had:",
            format!("{REMOVE}{}", each_fasttrack(enable)),
        )],
        cannot_say: std::iter::once(lacks(INGRESS, DROPS_LATER))
            .chain(lacks_fractions(prescription, "CAKE"))
            .collect(),
        ..Written::default()
    }
}

/// What the comment of a rule begins with that the plan has disabled.
const MARK: &str = "unbloat disabled: ";

/// The menus whose rules have the action `fasttrack-connection`: for IPv6 since RouterOS 7.18.
const FASTTRACK: [&str; 2] = ["/ip firewall filter", "/ipv6 firewall filter"];

fn each_fasttrack(command: impl Fn(&str) -> String) -> String {
    FASTTRACK.map(command).concat()
}

/// The command that disables the rules of FastTrack that are on, and marks them.
fn disable(menu: &str) -> String {
    format!(
        ":foreach rule in=[{menu} find action=fasttrack-connection disabled=no] do={{ {menu} set $rule \
         disabled=yes comment=(\"{MARK}\" . [{menu} get $rule comment]) }}\n"
    )
}

/// The command that enables the rules that are marked, and takes the mark away.
fn enable(menu: &str) -> String {
    format!(
        ":foreach rule in=[{menu} find comment~\"^{MARK}\"] do={{ :local marked [{menu} get $rule comment]; \
         {menu} set $rule disabled=no comment=[:pick $marked {} [:len $marked]] }}\n",
        MARK.len()
    )
}

/// True if the text can be the name of an interface, which may have spaces, and stands in quotes as it is.
pub(crate) fn is_interface(name: &str) -> bool {
    let is_allowed = |it: char| (it.is_ascii_graphic() || it == ' ') && !"\"\\$".contains(it);
    (1..=64).contains(&name.len()) && name.chars().all(is_allowed)
}

/// The name as RouterOS reads it: in quotes, where it has more than letters, digits and `.-_`.
fn quoted(name: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || ".-_".contains(it);
    if name.chars().all(is_plain) { name.to_owned() } else { format!("\"{name}\"") }
}

/// The commands that add the queues.
fn queues(prescription: &Prescription, wan: &str) -> String {
    let name = |shaper: &Result<Shaper, _>, name: &str| match shaper {
        Ok(_) => name.to_owned(),
        Err(_) => "default-small".to_owned(),
    };
    let (up, down) = (&prescription.up, &prescription.down);
    // What is there already cannot be added again.
    let mut lines = REMOVE.to_owned();
    for (shaper, name) in [(up, "unbloat-up"), (down, "unbloat-down")] {
        if let Ok(shaper) = shaper {
            lines += &kind(shaper, name);
        }
    }
    lines += &format!(
        "/queue simple add name=unbloat target={} queue={}/{}\n",
        quoted(wan),
        name(down, "unbloat-down"),
        name(up, "unbloat-up"),
    );
    lines
}

fn kind(shaper: &Shaper, name: &str) -> String {
    let (isolation, wash) = match shaper.heading {
        Heading::Up => ("dual-srchost", "no"),
        Heading::Down => ("dual-dsthost", "yes"),
    };
    let cells = match shaper.link.cells {
        WireCells::None => "none",
        WireCells::Atm => "atm",
        WireCells::Ptm => "ptm",
    };
    format!(
        "/queue type add name={name} kind=cake cake-bandwidth={}k cake-diffserv={} \
         cake-flowmode={isolation} cake-nat={} cake-wash={wash} cake-ack-filter={} cake-overhead={} \
         cake-mpu={} cake-atm={cells} cake-rtt={}ms\n",
        shaper.bandwidth().bits_per_sec() / 1000,
        shaper.tins.cake(),
        if shaper.nat { "yes" } else { "no" },
        if shaper.ack_filter { "filter" } else { "none" },
        shaper.link.overhead,
        shaper.link.mpu,
        whole_millis(shaper.rtt),
    )
}

/// Reads the queues and their types, from commands and from what `/queue export verbose` prints.
pub(crate) fn read(text: &str) -> Option<Settings> {
    let text = text.replace("\r\n", "\n").replace("\\\n", " ");
    let mut settings = Settings::new();
    let mut menu = String::new();
    for line in text.lines().map(str::trim) {
        let words = words(line);
        let at = words.iter().position(|word| ["add", "set"].contains(word));
        let (path, rest) = words.split_at(at.unwrap_or(words.len()));
        if line.starts_with('/') {
            menu = path.join(" ").replace('/', " ").trim().to_owned();
        }
        let pairs = || rest.iter().filter_map(|word| word.split_once('='));
        let name = pairs().find(|(key, _)| *key == "name").map(|(_, name)| name);
        if let (Some(name), true) = (name, menu.starts_with("queue ")) {
            let named = pairs().map(|(key, value)| (format!("{menu} {name} {key}"), plain(value)));
            settings.extend(named);
            // `export` without `verbose` leaves out what is usual.
            if menu == "queue simple" && !pairs().any(|(key, _)| key == "disabled") {
                settings.push((format!("{menu} {name} disabled"), "no".to_owned()));
            }
        }
    }
    (!menu.is_empty()).then_some(settings)
}

/// The words of a line, where a text in quotes is in one word.
fn words(line: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let is_between = |it: char| {
        is_quoted ^= it == '"';
        it.is_whitespace() && !is_quoted
    };
    line.split(is_between).filter(|word| !word.is_empty()).collect()
}

/// A value without quotation marks, and a rate as we write it: RouterOS prints `9620k` as `9.62Mbps`.
fn plain(value: &str) -> String {
    let value = value.trim_matches('"');
    let (number, unit) = match value.trim_end_matches("bps") {
        number if number.ends_with('k') => (number.trim_end_matches('k'), 1e3),
        number if number.ends_with('M') => (number.trim_end_matches('M'), 1e6),
        number if number.ends_with('G') => (number.trim_end_matches('G'), 1e9),
        _ => return value.to_owned(),
    };
    let bits = number.parse::<f64>().ok().map(|number| (number * unit).round() as u64);
    let rate = bits.and_then(Rate::from_bits_per_sec);
    rate.map_or_else(|| value.to_owned(), |rate| rate.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of a line below `/queue simple`.
    fn export_of(line: &str) -> Settings {
        read(&format!("/queue simple\n{line}\n")).unwrap()
    }

    #[test]
    fn names_stand_in_quotes_where_they_need_them() {
        for name in ["ether1", "vlan7-on-ether1-isp", "ether1 WAN", "<pppoe-anna>"] {
            assert!(is_interface(name), "{name}");
        }
        for name in ["", "a\"; /system reset", "a\\b", "$wan", "a\nb", "caf\u{e9}"] {
            assert!(!is_interface(name), "{name}");
        }
        assert_eq!([quoted("ether1"), quoted("ether1 WAN")], ["ether1", "\"ether1 WAN\""]);
    }

    #[test]
    fn exports_are_read_as_commands_are() {
        let added = "/queue type add name=unbloat-up kind=cake cake-bandwidth=9620k cake-nat=yes\n\
                     /queue simple add name=unbloat target=ether1 queue=default-small/unbloat-up\n";
        let export = "# 2026-01-01 00:00:00 by RouterOS 7.20\n/queue type\n\
             set 0 kind=pfifo name=default pfifo-limit=50\n\
             add cake-bandwidth=9.62Mbps \\\n    cake-nat=yes kind=cake name=unbloat-up\n\
             /queue simple\nadd name=unbloat queue=default-small/unbloat-up target=ether1\n";
        let (added, export) = (read(added).unwrap(), read(export).unwrap());
        assert_eq!(added.len(), 8);
        for setting in &added {
            assert!(export.contains(setting), "{setting:?} is not in {export:?}");
        }
        let spaced = export_of("add name=unbloat target=\"ether1 WAN\" queue=a/b");
        let target = ("queue simple unbloat target".to_owned(), "ether1 WAN".to_owned());
        assert!(spaced.contains(&target), "{spaced:?}");
        assert_eq!(plain("9620k"), "9.62mbit");
        assert_eq!(plain("100ms"), "100ms");
        assert_eq!(read("bad command name export (line 1 column 8)\n"), None);
    }
}
