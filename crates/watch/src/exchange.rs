//! Requests and answers of one datagram each; a protocol, a file.

mod dns;
mod irtt;
mod ping;
mod server;

use std::io;
use std::net::UdpSocket;

use units::Time;

pub(crate) use dns::Dns;
pub(crate) use irtt::Irtt;
pub(crate) use ping::{Ping, may_ping};
pub(crate) use server::Server;

/// A protocol of requests and answers.
pub(crate) trait Exchange {
    /// A socket that is connected to the target.
    fn open(&mut self) -> io::Result<UdpSocket>;

    /// A datagram that must be answered before any request; `None` if requests can be sent.
    fn prepare(&mut self, _now: Time) -> Option<&[u8]> {
        None
    }

    /// A request with this number, which is sent now.
    fn request(&mut self, number: u32, now: Time) -> &[u8];

    /// The answer in these bytes; `None` if they answer no request of ours.
    fn answer(&mut self, bytes: &[u8], now: Time) -> Option<Answer>;

    /// The number of the request that an ICMP error quotes; `None` if it quotes too little, or none of
    /// ours.
    fn quoted(&self, bytes: &[u8]) -> Option<u32>;
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The number of the request, as far as the protocol has room for it.
    pub(crate) number: u32,
    /// The bits that it has.
    pub(crate) bits: u32,
    /// The time of the target's clock at which the request arrived, in nanoseconds; `None` if it does not
    /// tell.
    pub(crate) reached: Option<u64>,
    /// The time for which the target kept the request, in nanoseconds.
    pub(crate) kept: u64,
    /// False if the target answered that it could not do what was asked.
    pub(crate) is_good: bool,
}

impl Answer {
    /// A plain answer to a request with a number of so many bits.
    pub(crate) const fn plain(number: u32, bits: u32) -> Self {
        Self { number, bits, reached: None, kept: 0, is_good: true }
    }
}
