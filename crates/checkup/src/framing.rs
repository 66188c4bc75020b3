//! How long the shapers count a packet.

use observation::Heading;
use remedy::LinkKind;
use results::{Fault, FaultName, Severity, WireCells};
use survey::Queue;
use units::{Bytes, Rate};

use crate::fault::{Told, fault};
use crate::scene::{Scene, Shaped};

/// A full IP packet.
const FULL: f64 = 1500.0;

/// The header of Ethernet, which every queue counts that is told nothing else.
const ETHERNET: f64 = 14.0;

/// The kind of hardware of a device that speaks PPP (`ARPHRD_PPP` of linux/if_arp.h), without that header.
const PPP: u32 = 512;

/// Bytes of overhead that are more than needed and still cost little.
const SPARE: i64 = 12;

/// The length that a queue counts for a full packet, as a multiple of it.
pub(crate) fn stretch(queue: &Queue) -> f64 {
    let table = queue.size_table.as_ref().map_or(0, |table| table.overhead) + queue.class_overhead;
    let overhead = match queue.is_on("raw") || !queue.kind.starts_with("cake") {
        true => ETHERNET,
        false => queue.number("overhead").unwrap_or_default() as f64,
    };
    let length = FULL + overhead + table as f64;
    let is_atm = queue.size_table.as_ref().is_some_and(|table| table.link_layer == "atm");
    match queue.option("atm") {
        "atm" => (length / 48.0).ceil() * 53.0 / FULL,
        _ if is_atm => (length / 48.0).ceil() * 53.0 / FULL,
        "ptm" => length * 65.0 / 64.0 / FULL,
        _ => length / FULL,
    }
}

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    for shaped in scene.shapers() {
        let found = beside_cake(scene, shaped).or_else(|| missing(scene, shaped));
        faults.extend(found.or_else(|| wrong(scene, shaped)));
    }
}

/// The kind of the line; of a line that nobody named that which a plan assumes for its rates, or for
/// those of the shapers.
fn link(scene: &Scene<'_>) -> &'static LinkKind {
    let rate = |heading, shaped: Option<Shaped<'_>>| {
        scene.known(heading).rate.or(shaped.map(|shaped| shaped.rate))
    };
    let rates = [rate(Heading::Up, scene.up), rate(Heading::Down, scene.down)];
    scene.known.link.unwrap_or_else(|| LinkKind::assumed(rates))
}

/// The words of CAKE for the line.
fn right(scene: &Scene<'_>) -> String {
    link(scene).cake()
}

/// A size table beside CAKE: tc shows it with `-d` alone, and CAKE adds its own overhead to it.
fn beside_cake(scene: &Scene<'_>, shaped: Shaped<'_>) -> Option<Fault> {
    let table = shaped.queue.size_table.as_ref().filter(|_| shaped.is_cake())?;
    let found = fault(FaultName::OverheadInStab, Severity::Doubtful, &shaped.queue.device)
        .seen("stab overhead", table.overhead)
        .seen("cake overhead", shaped.queue.number("overhead").unwrap_or_default());
    let text = "Add the queue again without the table, and give CAKE the overhead itself.";
    let queue = shaped.queue;
    let kept = without_framing(&queue.words);
    let commands = format!(
        "tc qdisc del dev {0} root\ntc qdisc add dev {0} root {1} {kept} {2}",
        queue.device,
        queue.kind,
        right(scene)
    );
    Some(found.cured(text, commands))
}

/// The settings on the first line of what tc prints of a CAKE, without its framing.
fn without_framing(line: &str) -> String {
    let mut words = line.split_whitespace().skip_while(|word| *word != "bandwidth");
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "overhead" | "mpu" => drop(words.next()),
            "raw" | "noatm" | "atm" | "ptm" => {}
            _ => kept.push(word),
        }
    }
    kept.join(" ")
}

fn missing(scene: &Scene<'_>, shaped: Shaped<'_>) -> Option<Fault> {
    let queue = shaped.queue;
    let is_told = match shaped.is_cake() {
        true => !queue.is_on("raw"),
        false => queue.size_table.is_some() || queue.class_overhead != 0,
    };
    if is_told {
        return None;
    }
    let is_atm = scene.known.link.is_some_and(|link| link.cells == WireCells::Atm);
    let severity = if is_atm { Severity::Wrong } else { Severity::Doubtful };
    let found =
        fault(FaultName::OverheadMissing, severity, &queue.device).seen("queue", &queue.kind);
    let text = "Tell the shaper what the line adds to each packet.";
    Some(match shaped.is_cake() {
        true => found.cured(text, shaped.change(&right(scene))),
        false => found.cured(&in_table(link(scene)), ""),
    })
}

/// An overhead that is less than the line's, or the cells of another line.
fn wrong(scene: &Scene<'_>, shaped: Shaped<'_>) -> Option<Fault> {
    let link = scene.known.link.filter(|link| !link.is_unknown())?;
    let told = told(scene, shaped)?;
    let is_atm = link.cells == WireCells::Atm;
    let (least, most) = (i64::from(link.overhead), i64::from(link.overhead) + SPARE);
    let is_short = told.overhead + told.counted < least || (is_atm && told.cells != "atm");
    let is_long = told.overhead > most || (!is_atm && told.cells == "atm");
    if !is_short && !is_long {
        return None;
    }
    let severity = if is_short { Severity::Wrong } else { Severity::Note };
    let in_force = format!("overhead {} {}", told.overhead, told.cells);
    let found = fault(FaultName::OverheadWrong, severity, &shaped.queue.device)
        .seen("in force", in_force.trim_end())
        .seen("line", format!("{}: {}", link.name, link.cake()));
    let words = format!("bandwidth {} {}", rate_with(scene, shaped, link), right(scene));
    Some(match shaped.is_cake() {
        true => found.cured(
            "Give the shaper the framing of the line, and a rate for it.",
            shaped.change(&words),
        ),
        false => found.cured(&in_table(link), ""),
    })
}

/// What a shaper was told of the line.
struct ToldFraming<'a> {
    overhead: i64,
    /// Bytes of Ethernet's header that it counts besides.
    counted: i64,
    cells: &'a str,
}

/// The framing that a shaper was told; `None` if it was told none.
fn told<'a>(scene: &Scene<'_>, shaped: Shaped<'a>) -> Option<ToldFraming<'a>> {
    let queue = shaped.queue;
    if shaped.is_cake() {
        let overhead = queue.number("overhead")?;
        return Some(ToldFraming { overhead, counted: 0, cells: queue.option("atm") });
    }
    let table = queue.size_table.as_ref()?;
    let kind = scene.survey.devices.get(&queue.device)?.kind;
    let counted = if kind == Some(PPP) { 0 } else { ETHERNET as i64 };
    let overhead = table.overhead + queue.class_overhead;
    Some(ToldFraming { overhead, counted, cells: &table.link_layer })
}

/// What to do with a shaper that has a size table for framing, or needs one.
fn in_table(link: &LinkKind) -> String {
    let layer = if link.cells == WireCells::Atm { "atm" } else { "ethernet" };
    format!(
        "Add the shaper again with a size table (tc-stab(8)) of what the line adds to each packet: \
         stab overhead {} linklayer {layer}.",
        link.overhead
    )
}

/// The rate of a shaper with the framing of this kind of line: for the rate of the line, or for that of
/// full packets which the shaper lets pass now.
fn rate_with(scene: &Scene<'_>, shaped: Shaped<'_>, link: &LinkKind) -> String {
    let now = || shaped.rate.bits_per_sec() as f64 / stretch(shaped.queue);
    let line = scene.known(shaped.heading).rate;
    let packets = line.map_or_else(now, |line| remedy::shaped(line).bits_per_sec() as f64);
    let bits = packets * link.on_wire(Bytes(1500)).0 as f64 / FULL;
    let rate = Rate::from_bits_per_sec(bits as u64).map_or(shaped.rate, remedy::rounded);
    remedy::tc(rate)
}
