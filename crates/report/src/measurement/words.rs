//! The field's terms in everyday words.

use observation::Heading;
use results::{Leg, NetworkPart, Offender, QueueKind};

use crate::number::significant;

/// Confidence below which a finding is called probable.
pub(crate) const SURE: f64 = 0.7;

/// Confidence from which a finding is stated as certain.
pub(super) const CERTAIN: f64 = 0.9;

/// The direction as an activity.
pub(super) const fn doing(heading: Heading) -> &'static str {
    match heading {
        Heading::Up => "Uploading",
        Heading::Down => "Downloading",
    }
}

/// The load of a direction as something that adds delay.
pub(super) const fn load(heading: Heading) -> &'static str {
    match heading {
        Heading::Up => "an upload",
        Heading::Down => "a download",
    }
}

/// A kind of queue in at most two words.
pub const fn queue_kind(kind: QueueKind) -> &'static str {
    match kind {
        QueueKind::ByteFifo => "byte FIFO",
        QueueKind::PacketFifo => "packet FIFO",
        QueueKind::Fifo => "FIFO",
        QueueKind::Aqm => "AQM",
        QueueKind::FairQueueing => "fair queueing",
        QueueKind::Policer => "policer",
        QueueKind::VariableRate => "variable rate",
        QueueKind::None => "none",
        QueueKind::Unknown => "unknown",
    }
}

/// The opinion score below which a call breaks up.
pub(crate) const BROKEN_CALL: f64 = 3.1;

/// What becomes of a call with this mean opinion score, as a verb phrase.
///
/// ITU-T G.107 annex B: listeners are very satisfied from 4.34 on, satisfied from 4.03 on; some are
/// dissatisfied from 3.60 on, many from 3.10 on, nearly all below that.
pub(crate) const fn call(opinion: f64) -> &'static str {
    match opinion {
        4.34.. => "is as good as ever",
        4.03.. => "is still good",
        3.6.. => "still works",
        BROKEN_CALL.. => "suffers",
        _ => "breaks up",
    }
}

/// The picture that a film has at a rate in Mbit/s, by what Netflix recommends: 15 Mbit/s for 4K, 5 for Full HD,
/// 3 for HD (help.netflix.com/node/306).
pub(super) const fn film(mbit: f64) -> &'static str {
    match mbit {
        15.0.. => "4K",
        5.0.. => "Full HD",
        3.0.. => "HD",
        _ => "less than HD",
    }
}

/// A size in a sentence: `256 KiB`. Buffers are built in powers of two.
pub(super) fn size(bytes: f64) -> String {
    const UNITS: [(f64, &str); 3] =
        [((1_u64 << 30) as f64, "GiB"), ((1_u64 << 20) as f64, "MiB"), (1024.0, "KiB")];
    // 1023.7 KiB would become `1,024 KiB`.
    let unit = UNITS.into_iter().find(|(unit, _)| bytes >= unit * 0.9995);
    match unit {
        Some((unit, name)) => format!("{} {name}", short(bytes / unit)),
        None => format!("{} bytes", significant(bytes.round())),
    }
}

/// A rate in a sentence: `1.9 Mbit/s`, `640 kbit/s`, `1.2 Gbit/s`.
pub(crate) fn rate(mbit: f64) -> String {
    match mbit {
        ..0.9995 => format!("{} kbit/s", short(mbit * 1e3)),
        ..999.5 => format!("{} Mbit/s", short(mbit)),
        _ => format!("{} Gbit/s", short(mbit / 1e3)),
    }
}

/// Three digits, without zeros behind the point: `256`, `1.05`, `1.9`.
fn short(value: f64) -> String {
    let text = significant(value);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A place that everybody knows: the sentence and the drawing about a queue name the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seat {
    /// In this computer.
    Computer,
    /// In this computer or next to it, on a path without a router.
    NextToComputer,
    /// In this computer or between it and the router.
    BeforeRouter,
    /// In the access point or in the router.
    AccessPoint,
    /// In the router or in the modem.
    Router,
    /// At the provider's end of the line.
    Provider,
    /// Beyond the line.
    Beyond,
    /// In the server or next to it.
    Server,
}

impl Seat {
    /// The place of a queue; `None` if it is not known. `server` is the hop of the server, if that
    /// is known.
    pub(super) fn of(offender: &Offender, server: Option<u8>) -> Option<Self> {
        let hop = offender.hop?;
        let is_range = offender.last_hop.is_some_and(|last| last > hop);
        Some(match (offender.place, offender.leg) {
            (NetworkPart::OwnHost, _) => Self::Computer,
            (NetworkPart::FirstHop, _) if hop == 0 && server == Some(1) => Self::NextToComputer,
            _ if !is_range && server == Some(hop) => Self::Server,
            (NetworkPart::FirstHop, _) if hop == 0 => Self::BeforeRouter,
            (NetworkPart::FirstHop, _) => Self::AccessPoint,
            (NetworkPart::AccessLine, Leg::Return) if hop > 1 => Self::Provider,
            (NetworkPart::AccessLine, _) => Self::Router,
            (NetworkPart::Beyond, _) => Self::Beyond,
            (NetworkPart::Unknown, _) => return None,
        })
    }

    const fn in_words(self) -> &'static str {
        match self {
            Self::Computer => "in this computer",
            Self::NextToComputer => "in or next to this computer",
            Self::BeforeRouter => "in or next to this computer, before your router",
            Self::AccessPoint => "in your Wi-Fi access point or router",
            Self::Router => "in your router or modem",
            Self::Provider => "at your provider's end of the line",
            Self::Beyond => "beyond your line",
            Self::Server => "in or next to the server",
        }
    }
}

/// The place of a queue: `in your router or modem (hop 1)`; `None` if it is not known. `server` is
/// the hop of the server, if that is known.
pub(super) fn place(offender: &Offender, server: Option<u8>) -> Option<String> {
    let hop = offender.hop?;
    let last = offender.last_hop.filter(|last| *last > hop);
    let hops = match last {
        Some(last) => format!("between hop {hop} and hop {last}"),
        None => format!("hop {hop}"),
    };
    let known = Seat::of(offender, server).map(Seat::in_words);
    let words = match known {
        Some(words) => format!("{words} ({hops})"),
        None if last.is_some() => hops,
        None => format!("at {hops}"),
    };
    let sure = offender.confidence >= SURE;
    Some(if sure { words } else { format!("probably {words}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_as_people_write_them() {
        let sizes = [262_144.0, 262_502.0, 1_048_576.0, 1_048_575.0, 3_000.0, 600.0].map(size);
        assert_eq!(sizes, ["256 KiB", "256 KiB", "1 MiB", "1 MiB", "2.93 KiB", "600 bytes"]);
        let rates = [0.64, 1.9, 19.97, 940.0, 1200.0].map(rate);
        assert_eq!(rates, ["640 kbit/s", "1.9 Mbit/s", "20 Mbit/s", "940 Mbit/s", "1.2 Gbit/s"]);
    }

    #[test]
    fn places_as_people_name_them() {
        let at = |hop, place, leg| Offender {
            hop: Some(hop),
            place,
            leg,
            confidence: 0.9,
            ..Offender::default()
        };
        let words = |offender: &Offender| place(offender, Some(9)).unwrap();
        for (offender, expected) in [
            (at(0, NetworkPart::OwnHost, Leg::Forward), "in this computer (hop 0)"),
            (
                at(0, NetworkPart::FirstHop, Leg::Forward),
                "in or next to this computer, before your router (hop 0)",
            ),
            (at(1, NetworkPart::AccessLine, Leg::Forward), "in your router or modem (hop 1)"),
            (
                at(2, NetworkPart::AccessLine, Leg::Return),
                "at your provider's end of the line (hop 2)",
            ),
            (at(3, NetworkPart::Unknown, Leg::Return), "at hop 3"),
        ] {
            assert_eq!(words(&offender), expected);
        }
        let vague = Offender {
            last_hop: Some(4),
            confidence: 0.4,
            ..at(2, NetworkPart::Beyond, Leg::Forward)
        };
        assert_eq!(words(&vague), "probably beyond your line (between hop 2 and hop 4)");
        assert_eq!(place(&Offender::default(), Some(1)), None);
        // Without a router on the way, no router has the queue.
        let next = |hop, leg| place(&at(hop, NetworkPart::FirstHop, leg), Some(1)).unwrap();
        assert_eq!(next(0, Leg::Forward), "in or next to this computer (hop 0)");
        assert_eq!(next(1, Leg::Return), "in or next to the server (hop 1)");
    }
}
