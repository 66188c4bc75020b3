//! Flows: the keys of each kind of traffic, and the required ones.

use std::ops::RangeInclusive;

use units::{Bytes, Span};

use super::bounds::{RATES, count, octets, size, within};
use super::tcp;
use crate::fault::Fault;
use crate::file::{Between, Equal, FlowFile, IdleFile, Kind, ObjectsFile};
use crate::tree::{At, Entry, Node, Value};
use crate::{Codec, Flow, Recurrence, Traffic, suggest};

/// The most flows of one entry.
const MOST: u32 = 1_000_000;
/// The largest transfer.
const LARGEST: Bytes = Bytes(1_000_000_000_000_000);
/// The payload in bytes of a packet that fits into IP.
const PACKET: RangeInclusive<u64> = 1..=65_000;
/// The time from one packet, or other repeated event, to the next.
const GAP: RangeInclusive<Span> = Span::from_micros(1)..=Span::from_secs(24 * 3600);
/// The most connections of one browser.
const MOST_CONNECTIONS: u32 = 1_000;
/// The most objects on one page.
const MOST_OBJECTS: u32 = 100_000;

/// The rates of new connections per second for which PackMime-HTTP is meaningful.
const WEB_RATES: RangeInclusive<f64> = 0.1..=1_000.0;

/// Keys that every flow has.
const COMMON: [&str; 7] = ["name", "from", "to", "traffic", "start", "stop", "count"];

/// Checks one flow, which came from `node`.
pub(super) fn flow(file: &At<FlowFile>, node: &Node, duration: Span) -> Result<Flow, Fault> {
    let At { value: flow, place } = file;
    only_own_keys(flow.traffic, node)?;
    let start = match &flow.start {
        Some(at) if at.value.0 >= duration => {
            let message = format!("{} is not before the end of the run, {duration}", at.value.0);
            return Err(Fault::new(message).at(at.place));
        }
        start => start.as_ref().map_or(Span::ZERO, |at| at.value.0),
    };
    if let Some(stop) = flow.stop.as_ref().filter(|stop| stop.value.0 <= start) {
        let message = format!("{} is not after the start, {start}", stop.value.0);
        return Err(Fault::new(message).at(stop.place));
    }
    Ok(Flow {
        name: flow.name.value.0.clone(),
        from: flow.from.value.0.clone(),
        to: flow.to.value.0.clone(),
        start,
        stop: flow.stop.as_ref().map(|stop| stop.value.0),
        count: flow.count.as_ref().map_or(Ok(1), |at| count(at, 1..=MOST))?,
        traffic: traffic(flow).map_err(|fault| fault.at(*place))?,
        tcp: tcp::tcp(flow)?,
    })
}

/// Keys that a flow of this kind has beyond the common ones and those of TCP.
fn own_keys(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Bulk | Kind::Transfer => &["bytes", "rate", "greeting"],
        Kind::Periodic => &["bytes", "every", "idle"],
        Kind::Cbr => &["rate", "packet"],
        Kind::Voip => &["codec", "two_way"],
        Kind::Ping => &["interval", "bytes"],
        Kind::Page => &["connections", "objects", "pause"],
        Kind::Packmime => &["connections_per_second"],
    }
}

/// Checks that there are no keys of other kinds of traffic.
fn only_own_keys(kind: Kind, node: &Node) -> Result<(), Fault> {
    let mut known = [&COMMON, own_keys(kind)].concat();
    if !matches!(kind, Kind::Cbr | Kind::Voip | Kind::Ping) {
        known.extend(tcp::KEYS);
    }
    let given = node.entries().iter().filter(|entry| entry.node.value != Value::Null);
    let mut foreign = given.filter(|entry| !known.contains(&entry.key.as_str()));
    match foreign.next() {
        Some(Entry { key, place, .. }) => {
            // It is a valid key of some other kind.
            let own = suggest::list(own_keys(kind));
            let message = format!("a `{}` has no key `{key}`; its own keys are {own}", kind.word());
            Err(Fault::new(message).at(*place))
        }
        None => Ok(()),
    }
}

fn traffic(file: &FlowFile) -> Result<Traffic, Fault> {
    let sizes = Bytes(1)..=LARGEST;
    Ok(match file.traffic {
        Kind::Bulk => {
            Traffic::Bulk { bytes: file.bytes.as_ref().map(|at| size(at, sizes)).transpose()? }
        }
        Kind::Transfer => Traffic::Transfer { bytes: size(needed("bytes", &file.bytes)?, sizes)? },
        Kind::Periodic => Traffic::Periodic {
            bytes: size(needed("bytes", &file.bytes)?, sizes)?,
            next: recurrence(file)?,
        },
        Kind::Cbr => cbr(file)?,
        Kind::Voip => Traffic::Voip { codec: file.codec.unwrap_or(Codec::Cbr64) },
        Kind::Ping => Traffic::Ping {
            interval: file
                .interval
                .as_ref()
                .map_or(Ok(Span::from_secs(1)), |at| within(at, GAP))?,
            bytes: file.bytes.as_ref().map_or(Ok(Bytes(56)), |at| octets(at, 0..=65_000))?,
        },
        Kind::Page => Traffic::Page {
            connections: {
                let given = file.connections.as_ref();
                given.map_or(Ok(6), |at| count(at, 1..=MOST_CONNECTIONS))?
            },
            objects: objects(needed("objects", &file.objects)?)?,
            pause: file.pause.as_ref().map(|at| within(at, Span::ZERO..=*GAP.end())).transpose()?,
        },
        Kind::Packmime => packmime(file)?,
    })
}

/// The value of a key that this kind of traffic requires.
fn needed<'a, T>(key: &'static str, value: &'a Option<At<T>>) -> Result<&'a At<T>, Fault> {
    value.as_ref().ok_or_else(|| Fault::missing(key, format!("the key `{key}` is missing")))
}

fn recurrence(file: &FlowFile) -> Result<Recurrence, Fault> {
    let idle = Span::ZERO..=*GAP.end();
    let Some(At { value, place }) = &file.idle else {
        let needed = "the key `every` is missing, or `idle` instead";
        let every = file.every.as_ref().ok_or_else(|| Fault::missing("every", needed))?;
        return within(every, GAP).map(Recurrence::Every);
    };
    if file.every.is_some() {
        let message = "`every` says already when the next begins; leave out one of the two";
        return Err(Fault::new(message).at(*place));
    }
    match value {
        IdleFile::Always(time) => {
            let at = At { value: *time, place: *place };
            within(&at, idle).map(|time| Recurrence::Idle { least: time, most: time })
        }
        IdleFile::Between(Between(least, most)) => {
            let (least, latest) = (within(least, idle.clone())?, within(most, idle)?);
            if latest < least {
                let message = format!("{latest} is less than {least}; write the shorter one first");
                return Err(Fault::new(message).at(most.place));
            }
            Ok(Recurrence::Idle { least, most: latest })
        }
    }
}

fn packmime(file: &FlowFile) -> Result<Traffic, Fault> {
    let At { value, place } = needed("connections_per_second", &file.connections_per_second)?;
    let connections_per_second = value.0;
    if connections_per_second == 0.0 || WEB_RATES.contains(&connections_per_second) {
        // Minus zero is written as zero.
        return Ok(Traffic::Packmime { connections_per_second: connections_per_second.abs() });
    }
    let (least, most) = (WEB_RATES.start(), WEB_RATES.end());
    let message = format!(
        "{connections_per_second} connections a second; write a number from {least} to {most}, or \
         0 for none at all"
    );
    Err(Fault::new(message).at(*place))
}

fn cbr(file: &FlowFile) -> Result<Traffic, Fault> {
    let at = needed("rate", &file.rate)?;
    let rate = within(at, RATES)?;
    let packet = octets(needed("packet", &file.packet)?, PACKET)?;
    // The slowest rate in the longest packets stays far below the longest gap.
    let shortest = *GAP.start();
    if packet / rate < shortest {
        let most = packet / shortest;
        let most = most.map_or_else(String::new, |most| format!("at most {most}, or "));
        let message = format!(
            "{rate} in packets of {packet} is more than one packet every {shortest}; write \
             {most}longer packets"
        );
        return Err(Fault::new(message).at(at.place));
    }
    Ok(Traffic::Cbr { rate, packet })
}

fn objects(at: &At<ObjectsFile>) -> Result<Vec<Bytes>, Fault> {
    let sizes = Bytes(1)..=LARGEST;
    match &at.value {
        ObjectsFile::Equal(Equal { count: number, bytes }) => {
            let bytes = within(bytes, sizes)?;
            Ok(vec![bytes; count(number, 1..=MOST_OBJECTS)? as usize])
        }
        ObjectsFile::Sizes(list) if (1..=MOST_OBJECTS as usize).contains(&list.len()) => {
            list.iter().map(|bytes| within(bytes, sizes.clone())).collect()
        }
        ObjectsFile::Sizes(list) => {
            let message = format!("{} objects; write 1 to {MOST_OBJECTS}", list.len());
            Err(Fault::new(message).at(at.place))
        }
    }
}
