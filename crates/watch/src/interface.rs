//! The interface through which the targets are reached, and what changes there.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use kernel::{Station, Wireless};
use measure::interface::{Egress, NetworkPart, Passed};
use results::WatchChange;
use units::Rate;

/// The interface, as it was when it was last looked at.
pub(crate) struct Way {
    /// An address that is reached through it.
    towards: IpAddr,
    egress: Option<Egress>,
    source: Option<IpAddr>,
    /// The last rate of the link that was known: there is none without a carrier.
    rate: Option<Rate>,
    radio: Option<Wireless>,
    access_point: Option<[u8; 6]>,
}

/// What has changed at the interface.
pub(crate) struct Seen {
    pub(crate) changes: Vec<WatchChange>,
    /// True if what the link carried before says nothing of it any more: it is another one, or has another rate or queue.
    pub(crate) is_other_link: bool,
}

impl Way {
    pub(crate) fn new(towards: IpAddr) -> Self {
        let mut way = Self {
            towards,
            egress: None,
            source: None,
            rate: None,
            radio: None,
            access_point: None,
        };
        way.look(towards);
        way
    }

    /// Looks at the interface towards this address. Returns what has changed.
    pub(crate) fn look(&mut self, towards: IpAddr) -> Seen {
        let is_first = self.egress.is_none();
        self.towards = towards;
        let mut changes = Vec::new();
        let egress = Egress::towards(towards).ok();
        if let (Some(before), Some(now)) = (&self.egress, &egress) {
            if before.index() != now.index() {
                let (from, to) = (before.interface().name.clone(), now.interface().name.clone());
                changes.push(WatchChange::Interface { from: Some(from), to });
                self.access_point = None;
            } else if before.interface().qdisc != now.interface().qdisc {
                let (from, to) = (before.interface().qdisc.clone(), now.interface().qdisc.clone());
                changes.push(WatchChange::Queue { from, to });
            }
        }
        // An interface that is gone for a moment is compared with what comes after it.
        if egress.is_some() {
            let source = source(towards).ok();
            if let (Some(from), Some(to)) = (self.source, source)
                && from != to
            {
                changes.push(WatchChange::Address { from: from.to_string(), to: to.to_string() });
            }
            self.source = source.or(self.source);
            self.egress = egress;
        }
        if is_first && self.is_wireless() {
            self.radio = Wireless::open().ok();
        }
        let is_other_link = self.look_at_rate() || changes.iter().any(is_of_link);
        Seen { changes, is_other_link }
    }

    /// True if the link has another rate than before.
    fn look_at_rate(&mut self) -> bool {
        let now = self.egress.as_ref().and_then(|it| it.interface().rate);
        let before = self.rate;
        self.rate = now.or(before);
        before.is_some() && self.rate != before
    }

    /// True if the interface is Wi-Fi.
    pub(crate) fn is_wireless(&self) -> bool {
        self.egress.as_ref().is_some_and(|it| it.interface().wireless)
    }

    /// The part of the network in which an address is, seen from the interface.
    pub(crate) fn part_of(&self, address: IpAddr) -> io::Result<NetworkPart> {
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        self.egress.as_ref().ok_or_else(gone)?.part_of(address)
    }

    /// The bytes that have passed the interface; `None` if it is gone.
    pub(crate) fn passed(&self) -> Option<(u32, Passed)> {
        let egress = self.egress.as_ref()?;
        Some((egress.index(), egress.passed().ok()?))
    }

    /// The access point of the Wi-Fi, and the change if it is another one than before; `None` without
    /// Wi-Fi.
    pub(crate) fn station(&mut self) -> Option<(Station, Option<WatchChange>)> {
        let index = self.egress.as_ref().filter(|it| it.interface().wireless)?.index();
        if self.radio.is_none() {
            self.radio = Wireless::open().ok();
        }
        let station = self.radio.as_ref()?.station(index).ok()??;
        let change = match (self.access_point, station.address) {
            (Some(from), Some(to)) if from != to => {
                Some(WatchChange::AccessPoint { from: hex(from), to: hex(to) })
            }
            _ => None,
        };
        self.access_point = station.address.or(self.access_point);
        Some((station, change))
    }
}

/// True for a change after which a queue of another rate may be in the interface.
const fn is_of_link(change: &WatchChange) -> bool {
    matches!(change, WatchChange::Interface { .. } | WatchChange::Queue { .. })
}

/// The address from which packets to an address leave. No packet is sent.
fn source(towards: IpAddr) -> io::Result<IpAddr> {
    const DISCARD: u16 = 9;
    let any: SocketAddr = match towards {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any)?;
    socket.connect((towards, DISCARD))?;
    Ok(socket.local_addr()?.ip())
}

/// A link-layer address as people write it.
fn hex(address: [u8; 6]) -> String {
    address.map(|byte| format!("{byte:02x}")).join(":")
}
