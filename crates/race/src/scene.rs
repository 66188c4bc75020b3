//! The scenario of a line: its links, the reflectors and the load.

use std::fmt::Write as _;
use std::io;

use autorate::{Both, Heading};
use scenario::{Scenario, ScenarioError};
use units::{DirectionId, Span, Time, Way};

use crate::line::Line;

/// The reflectors there are; the flows of their pings come first.
pub(crate) const REFLECTORS: usize = 10;

/// The buffer of the line at its base rate: deep, as that of a modem or a base station.
const BUFFER: Span = Span::from_millis(600);

/// The least buffer, in bytes.
const LEAST_BUFFER: u64 = 64_000;

/// The direction of the shaper for a heading.
pub(crate) const fn shaper(heading: Heading) -> DirectionId {
    DirectionId::new(0, way(heading))
}

/// The direction of the line for a heading.
pub(crate) const fn wire(heading: Heading) -> DirectionId {
    DirectionId::new(1, way(heading))
}

const fn way(heading: Heading) -> Way {
    match heading {
        Heading::Up => Way::Forward,
        Heading::Down => Way::Reverse,
    }
}

/// The queue of a shaper with this rate, in tc's words. That of the download counts what it drops,
/// since the line has carried that.
pub(crate) fn queue(heading: Heading, rate: units::Rate) -> String {
    let side = if heading == Heading::Down { " ingress" } else { "" };
    format!("cake bandwidth {}bit besteffort{side}", rate.bits_per_sec())
}

/// The scenario of this line.
pub(crate) fn scenario(line: &Line, seed: u64, time: Span) -> Result<Scenario, ScenarioError> {
    let traces = |name: &str| {
        let heading = if name == "up" { Heading::Up } else { Heading::Down };
        let text = line.courses[heading].opportunities();
        text.map(str::to_owned).ok_or(io::Error::from(io::ErrorKind::NotFound))
    };
    Scenario::parse(&text(line, seed, time), "race.toml", &[], &traces)
}

fn text(line: &Line, seed: u64, time: Span) -> String {
    let millis = time.as_nanos() / 1_000_000;
    let mut text = format!("duration = \"{millis}ms\"\nseed = {seed}\n");
    links(line, &mut text);
    for reflector in 0..REFLECTORS {
        // Pings are sent when the rules want them.
        flow(&mut text, &format!("ping{reflector}"), "home", &format!("reflector{reflector}"));
        _ = writeln!(text, "traffic = \"ping\"\ninterval = \"10h\"");
    }
    for (name, from, to) in [("call-up", "home", "near"), ("call-down", "near", "home")] {
        flow(&mut text, name, from, to);
        _ = writeln!(text, "traffic = \"cbr\"\nrate = \"64kbit\"\npacket = 160");
    }
    load(line, &mut text);
    text
}

fn links(line: &Line, text: &mut String) {
    let shapers = Both::new(|heading| queue(heading, line.limits[heading].base()));
    let rates = Both { up: line.courses.up.written("up"), down: line.courses.down.written("down") };
    let buffer = Both::new(|heading| (line.limits[heading].base() * BUFFER).0.max(LEAST_BUFFER));
    _ = write!(
        text,
        "[[link]]\nname = \"shaper\"\nfrom = \"home\"\nto = \"router\"\nqueue = \"{}\"\n\
         [link.reverse]\nqueue = \"{}\"\n\
         [[link]]\nname = \"line\"\nfrom = \"router\"\nto = \"isp\"\ndelay = \"4ms\"\nrate = {}\n\
         queue = \"bfifo limit {}\"\n[link.reverse]\nrate = {}\nqueue = \"bfifo limit {}\"\n",
        shapers.up, shapers.down, rates.up, buffer.up, rates.down, buffer.down
    );
    let mut leaf = |name: &str, millis: u64| {
        _ = write!(
            text,
            "[[link]]\nname = \"to-{name}\"\nfrom = \"isp\"\nto = \"{name}\"\ndelay = \"{millis}ms\"\n"
        );
    };
    leaf("near", 4);
    leaf("far", 30);
    for reflector in 0..REFLECTORS {
        leaf(&format!("reflector{reflector}"), 3 + 2 * reflector as u64);
    }
}

fn load(line: &Line, text: &mut String) {
    for (index, phase) in line.load.iter().enumerate() {
        let server = if phase.is_far { "far" } else { "near" };
        for (heading, from, to) in [(Heading::Up, "home", server), (Heading::Down, server, "home")]
        {
            if !phase.loads(heading) {
                continue;
            }
            flow(text, &name(heading, index), from, to);
            let millis = |time: Time| time.since(Time::ZERO).as_nanos() / 1_000_000;
            let (start, stop) = (millis(phase.period.from), millis(phase.period.to));
            _ = writeln!(
                text,
                "traffic = \"bulk\"\nstart = \"{start}ms\"\nstop = \"{stop}ms\"\ncount = {}",
                phase.transfers[heading]
            );
        }
    }
}

fn flow(text: &mut String, name: &str, from: &str, to: &str) {
    _ = writeln!(text, "[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"");
}

/// The name of the transfers of a phase.
fn name(heading: Heading, phase: usize) -> String {
    format!("{}{phase}", prefix(heading))
}

/// The beginning of the names of all transfers of a direction.
pub(crate) const fn prefix(heading: Heading) -> &'static str {
    match heading {
        Heading::Up => "upload",
        Heading::Down => "download",
    }
}
