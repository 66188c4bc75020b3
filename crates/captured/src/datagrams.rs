//! Delays that the packets of UDP tell: one protocol, one file.

mod dns;
mod quic;
pub(crate) mod rate;
mod rtp;

use results::Capture;
use units::Time;
use wire::PacketView;

use crate::endpoint::Endpoint;

use dns::Dns;
use quic::Quic;
use rate::Rates;
use rtp::Rtp;

/// The port of DNS servers (RFC 1035 section 4.2).
const DNS_PORT: u16 = 53;

/// What the packets of UDP tell. The memory grows with the pairs of ends.
#[derive(Debug, Default)]
pub(crate) struct Datagrams {
    dns: Dns,
    quic: Quic,
    rtp: Rtp,
    pub(crate) rates: Rates,
}

impl Datagrams {
    /// Counts a packet, also one of which no data was captured. It passed the place with this number.
    pub(crate) fn count(&mut self, view: &PacketView, point: u64, now: Time) {
        self.rates.take([view.source, view.destination], view.ip_len, point, now);
    }

    /// Takes the data of a packet, as far as it was captured.
    pub(crate) fn take(&mut self, view: &PacketView, data: &[u8], now: Time) {
        let (from, to) = view.ports.unwrap_or_default();
        let from = Endpoint { address: view.source, port: from };
        let to = Endpoint { address: view.destination, port: to };
        if from.port == DNS_PORT || to.port == DNS_PORT {
            self.dns.take(from, to, data, now);
        } else if !self.quic.take(from, to, data, now) {
            self.rtp.take(from, to, data, now);
        }
    }

    /// Puts what was found into a document.
    pub(crate) fn tell(&self, capture: &mut Capture) {
        capture.dns = self.dns.found();
        capture.quic = self.quic.found();
        capture.rtp = self.rtp.found();
    }
}
