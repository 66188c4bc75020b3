//! Flows: the keys of each kind of traffic, and the required ones.

use std::ops::RangeInclusive;

use units::{Bytes, Rate, Span};

use super::bounds::{RATES, count, octets, size, within};
use super::tcp;
use crate::fault::Fault;
use crate::file::{
    Between, BulkFile, CbrFile, Equal, FlowFile, ObjectsFile, Octets, PackmimeFile, PageFile,
    PeriodicFile, PingFile, Quantity, TcpFile, TimesFile, TrafficFile, TransferFile,
};
use crate::tree::At;
use crate::{Codec, Flow, PingTimer, Recurrence, Start, Traffic, Writing};

/// The most flows of one entry.
const MOST: u32 = 1_000_000;
/// The largest transfer.
const LARGEST: Bytes = Bytes(1_000_000_000_000_000);
/// The bounds of the payload in bytes of a packet that fits into IP.
const PACKET: RangeInclusive<u64> = 1..=65_000;
/// The bounds of the time from one packet, or other repeated event, to the next.
const GAP: RangeInclusive<Span> = Span::from_micros(1)..=Span::from_secs(24 * 3600);
/// The longest greeting in bytes: longer than any handshake or request.
const LONGEST_GREETING: u64 = 1 << 20;
/// The most connections of one browser.
const MOST_CONNECTIONS: u32 = 1_000;
/// The most objects on one page.
const MOST_OBJECTS: u32 = 100_000;

/// The rates of new connections per second for which PackMime-HTTP is meaningful.
const WEB_RATES: RangeInclusive<f64> = 0.1..=1_000.0;

/// Checks one flow.
pub(super) fn flow(file: &At<FlowFile>, duration: Span) -> Result<Flow, Fault> {
    let At { value: file, place } = file;
    let common = &file.common;
    let start = common.start.as_ref().map_or(Ok(Start::default()), |at| start(at, duration))?;
    if let Some(stop) = common.stop.as_ref().filter(|stop| stop.value.0 <= start.most) {
        let latest = if start.least < start.most { "latest " } else { "" };
        let message = format!("{} is not after the {latest}start, {}", stop.value.0, start.most);
        return Err(Fault::new(message).at(stop.place));
    }
    Ok(Flow {
        name: common.name.value.0.clone(),
        from: common.from.value.0.clone(),
        to: common.to.value.0.clone(),
        host: common.host.as_ref().map(|host| host.0.clone()),
        to_host: common.to_host.as_ref().map(|host| host.0.clone()),
        start,
        stop: common.stop.as_ref().map(|stop| stop.value.0),
        count: common.count.as_ref().map_or(Ok(1), |at| count(at, 1..=MOST))?,
        dscp: common.dscp.map(|dscp| dscp.0).unwrap_or_default(),
        mark: common.mark.as_ref().map_or(Ok(0), |at| count(at, 0..=u32::MAX))?,
        traffic: traffic(&file.traffic).map_err(|fault| fault.at(*place))?,
        tcp: tcp::tcp(file.tcp.as_ref().unwrap_or(&TcpFile::default()))?,
    })
}

fn start(at: &At<TimesFile>, duration: Span) -> Result<Start, Fault> {
    let [least, most] = times(at, Span::ZERO..=Span::MAX)?;
    if most < duration {
        return Ok(Start { least, most });
    }
    let place =
        if let TimesFile::Between(Between(_, most)) = &at.value { most.place } else { at.place };
    Err(Fault::new(format!("{most} is not before the end of the run, {duration}")).at(place))
}

/// The least and the greatest time, within these bounds; they are equal if the time is not random.
fn times(at: &At<TimesFile>, bounds: RangeInclusive<Span>) -> Result<[Span; 2], Fault> {
    match &at.value {
        TimesFile::Always(time) => {
            let at = At { value: *time, place: at.place };
            within(&at, bounds).map(|time| [time; 2])
        }
        TimesFile::Between(Between(least, most)) => {
            let (least, latest) = (within(least, bounds.clone())?, within(most, bounds)?);
            if latest < least {
                let message = format!("{latest} is less than {least}; write the shorter one first");
                return Err(Fault::new(message).at(most.place));
            }
            Ok([least, latest])
        }
    }
}

fn traffic(file: &TrafficFile) -> Result<Traffic, Fault> {
    Ok(match file {
        TrafficFile::Bulk(BulkFile { bytes, rate, greeting }) => Traffic::Bulk {
            bytes: bytes.as_ref().map(length).transpose()?,
            writing: writing(rate.as_ref(), greeting.as_ref())?,
        },
        TrafficFile::Transfer(TransferFile { bytes, rate, greeting }) => Traffic::Transfer {
            bytes: length(bytes)?,
            writing: writing(rate.as_ref(), greeting.as_ref())?,
        },
        TrafficFile::Periodic(file) => {
            Traffic::Periodic { bytes: length(&file.bytes)?, next: recurrence(file)? }
        }
        TrafficFile::Cbr(file) => cbr(file)?,
        TrafficFile::Voip(file) => Traffic::Voip { codec: file.codec.unwrap_or(Codec::Cbr64) },
        TrafficFile::Ping(PingFile { bytes, interval, timer }) => Traffic::Ping {
            interval: interval.as_ref().map_or(Ok(Span::from_secs(1)), |at| within(at, GAP))?,
            timer: timer.unwrap_or(PingTimer::Regular),
            bytes: bytes.as_ref().map_or(Ok(Bytes(56)), |at| octets(at, 0..=65_000))?,
        },
        TrafficFile::Page(file) => page(file)?,
        TrafficFile::Packmime(file) => packmime(file)?,
    })
}

/// The length of a transfer, which needs a unit.
fn length(at: &At<Octets>) -> Result<Bytes, Fault> {
    size(at, Bytes(1)..=LARGEST)
}

fn page(file: &PageFile) -> Result<Traffic, Fault> {
    let connections = file.connections.as_ref();
    let pause = file.pause.as_ref().map(|at| within(at, Span::ZERO..=*GAP.end()));
    Ok(Traffic::Page {
        connections: connections.map_or(Ok(6), |at| count(at, 1..=MOST_CONNECTIONS))?,
        objects: objects(&file.objects)?,
        pause: pause.transpose()?,
    })
}

fn writing(
    rate: Option<&At<Quantity<Rate>>>,
    greeting: Option<&At<Octets>>,
) -> Result<Writing, Fault> {
    Ok(Writing {
        rate: rate.map(|at| within(at, RATES)).transpose()?,
        greeting: greeting.map(|at| octets(at, 1..=LONGEST_GREETING)).transpose()?,
    })
}

fn recurrence(file: &PeriodicFile) -> Result<Recurrence, Fault> {
    let Some(at) = &file.idle else {
        let needed = "the key `every` is missing, or `idle` instead";
        let every = file.every.as_ref().ok_or_else(|| Fault::missing("every", needed))?;
        return within(every, GAP).map(Recurrence::Every);
    };
    if file.every.is_some() {
        let message = "`every` already says when the next one begins; leave out one of the two";
        return Err(Fault::new(message).at(at.place));
    }
    let [least, most] = times(at, Span::ZERO..=*GAP.end())?;
    Ok(Recurrence::Idle { least, most })
}

fn packmime(file: &PackmimeFile) -> Result<Traffic, Fault> {
    let At { value, place } = &file.connections_per_second;
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

fn cbr(file: &CbrFile) -> Result<Traffic, Fault> {
    let at = &file.rate;
    let rate = within(at, RATES)?;
    let packet = octets(&file.packet, PACKET)?;
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
