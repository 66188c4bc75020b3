//! Super-packets that a slow shaper sends whole.
//!
//! They are made where packets come in (GRO), so on another interface of a router than the one that sends them,
//! and where the machine sends packets of its own (TSO, GSO). An interface that sends what came in divides
//! super-packets below its queue, whatever its own offloads are.

use observation::Heading;
use results::{Fault, FaultName, Severity};
use survey::Device;
use units::{Bytes, Rate};

use crate::fault::{Told, fault};
use crate::hardware::in_millis;
use crate::scene::{Scene, Shaped, words};

/// The rate below which a super-packet of 64 KiB delays others by more than 5 ms, CAKE's target.
const SLOW: Rate = Rate::from_mbit(100);

/// Number of the hardware Ethernet (`ARPHRD_ETHER` of linux/if_arp.h).
const ETHERNET: u32 = 1;

/// Offloads that make super-packets of what the machine itself sends, and how ethtool abbreviates them.
const SENT: [(&str, &str); 2] =
    [("tcp-segmentation-offload", "tso"), ("generic-segmentation-offload", "gso")];

/// The offload that makes super-packets of what comes in.
const RECEIVED: [(&str, &str); 1] = [("generic-receive-offload", "gro")];

/// An interface with the offloads there that make super-packets.
struct Source<'a> {
    device: &'a str,
    on: Vec<&'static (&'static str, &'static str)>,
}

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    faults.extend(scene.shapers().filter_map(|shaped| lumps(scene, shaped)));
}

fn lumps(scene: &Scene<'_>, shaped: Shaped<'_>) -> Option<Fault> {
    let queue = shaped.queue;
    let keeps = match queue.kind.as_str() {
        "cake" | "cake_mq" => !queue.is_on("split_gso"),
        // TBF splits what is longer than its burst (sch_tbf.c, tbf_segment).
        "tbf" => false,
        _ => true,
    };
    if !keeps || shaped.rate >= SLOW {
        return None;
    }
    let sources = sources(scene, shaped);
    let on: Vec<String> = sources.iter().map(Source::in_words).collect();
    let found = fault(FaultName::Lumps, Severity::Doubtful, &queue.device)
        .seen("rate", words(shaped.rate))
        .seen("on", on.join("; "))
        .seen("delay by 64 KiB", in_millis(Bytes(65_536) / shaped.rate));
    let commands: Vec<String> = sources.iter().map(Source::off).collect();
    let found = match shaped.is_cake() {
        true => found.cured("Send packets, not super-packets.", shaped.change("split-gso")),
        false => found.cured(
            "Turn super-packets off where packets come in, and for packets that this machine \
             itself sends.",
            commands.join("\n"),
        ),
    };
    (!sources.is_empty()).then_some(found)
}

/// The interfaces that make the super-packets which pass this shaper.
fn sources<'a>(scene: &Scene<'a>, shaped: Shaped<'a>) -> Vec<Source<'a>> {
    let wan = to_provider(scene);
    let is_wan = |name: &str| wan.contains(&name);
    let all = || scene.survey.devices.iter().map(|(name, device)| (name.as_str(), device));
    let sending = sends(scene, shaped);
    let sent = all().filter(|(name, _)| sending == Some(*name)).map(|it| Source::of(it, &SENT));
    let forwards = scene.survey.settings.forwards != Some(false);
    let received = all().filter(|(name, device)| match shaped.heading {
        Heading::Down => is_wan(name),
        Heading::Up => forwards && !is_wan(name) && is_entrance(device),
    });
    let received = received.map(|it| Source::of(it, &RECEIVED));
    sent.chain(received).filter(|source| !source.on.is_empty()).collect()
}

/// The interface to the provider, and those through which it sends.
fn to_provider<'a>(scene: &Scene<'a>) -> Vec<&'a str> {
    let below = scene.route_device().map(|device| &device.lower).into_iter().flatten();
    scene.route.into_iter().chain(scene.wan).chain(below.map(String::as_str)).collect()
}

/// The interface by which packets of this machine reach the shaper; `None` if the shaper is for what comes in.
fn sends<'a>(scene: &Scene<'a>, shaped: Shaped<'a>) -> Option<&'a str> {
    let device = shaped.queue.device.as_str();
    match scene.survey.redirects.iter().find(|redirect| redirect.to == device) {
        Some(redirect) => Some(redirect.from.as_str()).filter(|_| redirect.is_sent),
        None => Some(device),
    }
}

/// True if packets may come in by this interface from other machines: it is Ethernet, and nothing is below it.
fn is_entrance(device: &Device) -> bool {
    let is_ethernet = device.kind.is_none_or(|kind| kind == ETHERNET);
    is_ethernet && device.is_up && !device.is_ifb && device.lower.is_empty()
}

impl<'a> Source<'a> {
    fn of(
        (name, device): (&'a str, &Device),
        offloads: &'static [(&'static str, &'static str)],
    ) -> Self {
        let is_on = |offload: &&(&str, &str)| device.offloads.get(offload.0) == Some(&true);
        Self { device: name, on: offloads.iter().filter(is_on).collect() }
    }

    /// The offloads by the names that ethtool shows.
    fn in_words(&self) -> String {
        let names: Vec<&str> = self.on.iter().map(|offload| offload.0).collect();
        format!("{} of {}", names.join(", "), self.device)
    }

    /// The command that turns them off.
    fn off(&self) -> String {
        let words: Vec<String> =
            self.on.iter().map(|offload| format!(" {} off", offload.1)).collect();
        format!("ethtool -K {}{}", self.device, words.concat())
    }
}
