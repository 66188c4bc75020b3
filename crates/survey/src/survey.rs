//! The whole survey.

use std::collections::BTreeMap;

use units::Rate;

use crate::device::{Counters, counters};
use crate::queue::{rate_after, word_after};
use crate::sections::{Section, sections};
use crate::{ConfigFile, Device, Kernel, Module, Queue, Redirect, Release, Settings, SurveyError};

/// What one machine says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// Seconds between the two readings of the counters.
    pub pause_s: u64,
    /// True if the script ran as root.
    pub is_root: bool,
    /// The kernel.
    pub kernel: Kernel,
    /// The system.
    pub release: Release,
    /// Tools that are not installed: `tc`.
    pub lacks: Vec<String>,
    /// What can start a script with an interface: `systemd`, `ifupdown`.
    pub runs: Vec<String>,
    /// Devices by name.
    pub devices: BTreeMap<String, Device>,
    /// The devices of the default routes, the preferred one first.
    pub default_routes: Vec<String>,
    /// All queues; `None` if tc told nothing.
    pub queues: Option<Vec<Queue>>,
    /// First lines of the queues whose text could not be read.
    pub unread: Vec<String>,
    /// The redirections of packets.
    pub redirects: Vec<Redirect>,
    /// Settings of the network stack.
    pub settings: Settings,
    /// Modules of the kernel by name; without those of which nothing is known.
    pub modules: BTreeMap<String, Module>,
    /// The flow tables of nftables, as `nft list flowtables` prints them; empty if there are none, or
    /// if they may not be read.
    pub flow_tables: String,
    /// OpenWrt's settings by package: what `uci -q show` prints.
    pub uci: BTreeMap<String, String>,
    /// Version of systemd; `None` if there is none.
    pub networkd: Option<u32>,
    /// Files of configuration that name queues.
    pub files: Vec<ConfigFile>,
    /// Airtime queue limits by Wi-Fi hardware: true if they are on. Empty if they may not be read.
    pub airtime_limits: BTreeMap<String, bool>,
}

/// The kind of hardware of a device that speaks PPP (`ARPHRD_PPP` of linux/if_arp.h).
const PPP: u32 = 512;

/// What is read before it can be put together.
#[derive(Default)]
struct Draft<'a> {
    traffic: BTreeMap<&'a str, BTreeMap<&'a str, Counters>>,
    earlier: Vec<Queue>,
    routes: Vec<(u64, String)>,
    classes: BTreeMap<&'a str, (Rate, i64)>,
    inner: BTreeMap<&'a str, Vec<&'a str>>,
    below_ppp: Vec<&'a str>,
    offloads: Vec<Section<'a>>,
    ifbs: Vec<&'a str>,
}

impl Survey {
    /// Reads what [`SCRIPT`](crate::SCRIPT) prints. What has not the form that is known is left out.
    ///
    /// # Errors
    /// If the text is not the whole of what the script prints.
    pub fn parse(text: &str) -> Result<Self, SurveyError> {
        let (mut survey, mut draft) = (Self::default(), Draft::default());
        for section in sections(text)? {
            survey.read(section, &mut draft);
        }
        survey.finish(draft);
        Ok(survey)
    }

    /// The device of the default route that is preferred; `None` if there is none.
    pub fn wan(&self) -> Option<&str> {
        self.default_routes.first().map(String::as_str)
    }

    /// The queue that all packets pass which a device sends; `None` if it is not known.
    pub fn root(&self, device: &str) -> Option<&Queue> {
        self.of(device).find(|queue| queue.is_root())
    }

    /// The queues of a device.
    pub fn of(&self, device: &str) -> impl Iterator<Item = &Queue> {
        self.queues.iter().flatten().filter(move |queue| queue.device == device)
    }

    fn read<'a>(&mut self, section: Section<'a>, draft: &mut Draft<'a>) {
        let argument = section.argument();
        match section.name() {
            "survey" => self.read_facts(&section),
            "release" => self.release = Release::read(&section),
            "traffic" => drop(draft.traffic.insert(argument, counters(section.text))),
            "queues" if argument == "1" => draft.earlier = Queue::read_all(section.text).0,
            "queues" => {
                let (queues, unread) = Queue::read_all(section.text);
                (self.queues, self.unread) = (Some(queues), unread);
            }
            name @ ("filters" | "egress") => {
                if let Some(device) = argument.strip_prefix("2 ") {
                    let is_sent = name == "egress";
                    self.redirects.extend(Redirect::read(device, is_sent, &section));
                }
            }
            "classes" => {
                draft.classes.extend(limit(section.text).map(|limit| (argument, limit)));
                draft.inner.insert(argument, inner(section.text));
            }
            "device" => drop(self.devices.insert(argument.to_owned(), Device::read(&section))),
            "routes4" => draft.routes.extend(section.text.lines().filter_map(route4)),
            "routes6" => draft.routes.extend(section.text.lines().filter_map(route6)),
            // Number, address and device of each session, below a line of titles.
            "pppoe" => {
                let sessions = section.text.lines().skip(1);
                draft.below_ppp = sessions.filter_map(|it| it.split_whitespace().nth(2)).collect();
            }
            "settings" => self.settings = Settings::read(&section),
            "modules" => {
                let known = |(name, word): (&str, _)| Some((name.to_owned(), Module::named(word)?));
                self.modules = section.facts().filter_map(known).collect();
            }
            // Number, and name with a colon.
            "ifbs" => {
                let names = section.text.lines().filter_map(|it| it.split_whitespace().nth(1));
                draft.ifbs = names.map(|name| name.trim_end_matches(':')).collect();
            }
            "offloads" => draft.offloads.push(section),
            "flowtables" => section.text.clone_into(&mut self.flow_tables),
            "uci" => drop(self.uci.insert(argument.to_owned(), section.text.to_owned())),
            "networkd" => {
                let version = section.text.split_whitespace().nth(1);
                self.networkd = version.and_then(|it| it.parse().ok());
            }
            "file" => self.files.push(ConfigFile::read(&section)),
            "aql" => {
                let is_on = section.text.trim() != "0";
                self.airtime_limits.insert(argument.to_owned(), is_on);
            }
            _ => {}
        }
    }

    fn read_facts(&mut self, section: &Section<'_>) {
        for (fact, value) in section.facts() {
            match fact {
                "pause" => self.pause_s = value.parse().unwrap_or_default(),
                "user" => self.is_root = value == "0",
                "kernel" => self.kernel = Kernel::named(value),
                "lacks" => self.lacks.push(value.to_owned()),
                "runs" => self.runs.push(value.to_owned()),
                _ => {}
            }
        }
    }

    /// Puts together what stands in several sections.
    fn finish(&mut self, mut draft: Draft<'_>) {
        for (name, device) in &mut self.devices {
            let counted = |reading| draft.traffic.get(reading)?.get(name.as_str()).copied();
            device.passed = counted("1")
                .zip(counted("2"))
                .map(|(earlier, later)| Counters::between(earlier, later));
            // sqm-scripts' name, where iproute2 is not installed whole.
            device.is_ifb = name.starts_with("ifb") || draft.ifbs.contains(&name.as_str());
        }
        for section in &draft.offloads {
            if let Some(device) = self.devices.get_mut(section.argument()) {
                device.read_offloads(section);
            }
        }
        if let &[below] = &draft.below_ppp[..] {
            let of_ppp = self.devices.values_mut().filter(|device| device.kind == Some(PPP));
            of_ppp.for_each(|device| device.lower.push(below.to_owned()));
        }
        let is_unused = |queue: &Queue| {
            let inner = draft.inner.get(queue.device.as_str());
            inner.is_some_and(|inner| inner.contains(&queue.parent.as_str()))
        };
        self.queues.iter_mut().for_each(|queues| queues.retain(|queue| !is_unused(queue)));
        for queue in self.queues.iter_mut().flatten() {
            if let Some(earlier) = draft.earlier.iter().find(|earlier| earlier.is_same(queue)) {
                queue.count_since(earlier);
            }
            if ["htb", "hfsc"].contains(&queue.kind.as_str()) {
                let class = draft.classes.get(queue.device.as_str());
                queue.class_rate = class.map(|class| class.0);
                queue.class_overhead = class.map_or(0, |class| class.1);
            }
        }
        draft.routes.sort();
        for (_, device) in draft.routes {
            if !self.default_routes.contains(&device) {
                self.default_routes.push(device);
            }
        }
    }
}

/// The rate to which classes limit a device, and the overhead of the largest. Classes of HTB without a parent
/// have each its own rate, and no class has more than its parent.
fn limit(classes: &str) -> Option<(Rate, i64)> {
    let (largest, overhead) = classes.lines().filter_map(class).max()?;
    let roots = classes.lines().filter(|line| line.split_whitespace().any(|word| word == "root"));
    let rates = roots.filter_map(class).map(|(rate, _)| rate.bits_per_sec());
    let together = Rate::from_bits_per_sec(rates.fold(0, u64::saturating_add));
    Some((together.unwrap_or(largest), overhead))
}

/// The classes that have classes themselves. HFSC keeps a queue for such a class, and sends nothing through it.
fn inner(classes: &str) -> Vec<&str> {
    classes.lines().filter_map(|line| word_after(line, "parent")).collect()
}

/// Rate and overhead of a class of HTB; of one of HFSC the rate of its second slope.
fn class(line: &str) -> Option<(Rate, i64)> {
    let rate = rate_after(line, "rate").or_else(|| rate_after(line, "m2"))?;
    let overhead = word_after(line, "overhead").and_then(|word| word.parse().ok());
    Some((rate, overhead.unwrap_or_default()))
}

/// Metric and device of a default route in `/proc/net/route`.
fn route4(line: &str) -> Option<(u64, String)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[device, destination, _, _, _, _, metric, mask, ..] = &words[..] else { return None };
    let is_default = destination == "00000000" && mask == "00000000";
    is_default.then_some((metric.parse().ok()?, device.to_owned()))
}

/// Metric and device of a default route in `/proc/net/ipv6_route`. Routes that refuse packets have
/// the loopback device.
fn route6(line: &str) -> Option<(u64, String)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[destination, length, _, _, _, metric, _, _, _, device] = &words[..] else { return None };
    let is_default = length == "00" && destination.bytes().all(|digit| digit == b'0');
    let metric = u64::from_str_radix(metric, 16).ok()?;
    (is_default && device != "lo").then_some((metric, device.to_owned()))
}

#[cfg(test)]
mod tests;
