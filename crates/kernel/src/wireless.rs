//! The state of the machine's Wi-Fi: its rates and its signal, as `iw dev wlan0 station dump` shows
//! them. No privilege is needed.
//!
//! Specification: Linux `include/uapi/linux/nl80211.h` (`NL80211_CMD_GET_STATION`) and
//! `include/uapi/linux/genetlink.h`; `Documentation/userspace-api/netlink/intro.rst`, generic
//! netlink.

use std::io;

use netlink_packet_core::NLM_F_DUMP;
use netlink_sys::protocols::NETLINK_GENERIC;
use units::Rate;

use crate::Netlink;
use crate::attributes::{attribute, value};
use crate::message::Message;

#[cfg(test)]
mod tests;

/// The family that resolves all others (`GENL_ID_CTRL`), its command (`CTRL_CMD_GETFAMILY`) and its
/// attributes (`CTRL_ATTR_FAMILY_ID`, `CTRL_ATTR_FAMILY_NAME`).
const CONTROL: u16 = 16;
const GET_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;

/// `NL80211_CMD_GET_STATION`, `NL80211_ATTR_IFINDEX`, `NL80211_ATTR_MAC`, `NL80211_ATTR_STA_INFO`.
const GET_STATION: u8 = 17;
const INTERFACE: u16 = 3;
const ADDRESS: u16 = 6;
const STATION: u16 = 21;

/// `NL80211_STA_INFO_SIGNAL`, `.._TX_BITRATE`, `.._TX_RETRIES`, `.._RX_BITRATE`.
const SIGNAL: u16 = 7;
const SENDS: u16 = 8;
const RETRIES: u16 = 11;
const RECEIVES: u16 = 14;

/// `NL80211_RATE_INFO_BITRATE`, `.._BITRATE32`: units of 100 kbit/s.
const RATE: u16 = 1;
const RATE_32: u16 = 5;

/// A socket to the Wi-Fi of the calling thread's namespace.
#[derive(Debug)]
pub struct Wireless {
    netlink: Netlink,
    family: u16,
}

/// The other end of the Wi-Fi: usually an access point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Station {
    /// The rate at which the last packet to the station was sent, as the radio counts; `None` if it
    /// is unknown. TCP gets about half of it.
    pub sends: Option<Rate>,
    /// The rate at which the last packet from the station was received; `None` if it is unknown.
    pub receives: Option<Rate>,
    /// The signal strength of that packet, in dBm; `None` if it is unknown.
    pub signal: Option<i8>,
    /// Frames to the station that were sent again, since the two are connected; `None` if it is unknown.
    pub retries: Option<u32>,
    /// The station's address; `None` if it is unknown.
    pub address: Option<[u8; 6]>,
}

impl Wireless {
    /// # Errors
    /// `NotFound` if the kernel has no Wi-Fi.
    pub fn open() -> io::Result<Self> {
        let netlink = Netlink::to(NETLINK_GENERIC)?;
        let question = question(CONTROL, GET_FAMILY, attribute(FAMILY_NAME, b"nl80211\0"));
        let answers = netlink.exchange(question, 0)?;
        let family = answers.iter().find_map(|answer| number(&answer.attributes, FAMILY_ID));
        let family = family.and_then(|number| u16::try_from(number).ok());
        let family = family.ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { netlink, family })
    }

    /// The first station that an interface is connected to, by the interface's index; `None` if
    /// there is none.
    ///
    /// # Errors
    /// If the interface is not a Wi-Fi device.
    pub fn station(&self, interface: u32) -> io::Result<Option<Station>> {
        let interface = interface.to_ne_bytes();
        let question = question(self.family, GET_STATION, attribute(INTERFACE, &interface));
        let answers = self.netlink.exchange(question, NLM_F_DUMP)?;
        Ok(answers.iter().find_map(|answer| station(&answer.attributes)))
    }
}

/// A command to a family of generic netlink.
fn question(family: u16, command: u8, attributes: Vec<u8>) -> Message {
    const VERSION: u8 = 1;
    Message { kind: family, header: [command, VERSION, 0, 0], attributes }
}

/// The station that an answer's attributes describe.
fn station(attributes: &[u8]) -> Option<Station> {
    let about = value(attributes, STATION)?;
    Some(Station {
        sends: value(about, SENDS).and_then(rate),
        receives: value(about, RECEIVES).and_then(rate),
        signal: value(about, SIGNAL).and_then(|bytes| bytes.first()).map(|byte| byte.cast_signed()),
        retries: number(about, RETRIES),
        address: value(attributes, ADDRESS).and_then(|bytes| bytes.try_into().ok()),
    })
}

/// The rate of these attributes. The 32-bit number has no limit. The 16-bit number is 0 for rates
/// that do not fit.
fn rate(about: &[u8]) -> Option<Rate> {
    let units = number(about, RATE_32).or_else(|| number(about, RATE))?;
    Rate::from_bits_per_sec(u64::from(units) * 100_000)
}

/// A number of 16 or 32 bits.
fn number(attributes: &[u8], kind: u16) -> Option<u32> {
    let bytes = value(attributes, kind)?;
    let short = || bytes.try_into().ok().map(u16::from_ne_bytes).map(u32::from);
    bytes.try_into().ok().map(u32::from_ne_bytes).or_else(short)
}
