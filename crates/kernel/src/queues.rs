//! The queues of devices, as bytes of rtnetlink. No privilege is needed.
//!
//! Specification: Linux `include/uapi/linux/rtnetlink.h` (`RTM_GETQDISC`, `struct tcmsg`) and
//! `net/sched/sch_api.c` (`tc_dump_qdisc`).

use std::io;

use netlink_packet_core::{NLM_F_DUMP, NetlinkDeserializable, NetlinkHeader, NetlinkSerializable};
use nix::net::if_::if_nameindex;

use crate::Netlink;

/// `RTM_GETQDISC`.
const GET_QUEUES: u16 = 38;

/// The length in bytes of `struct tcmsg`.
const HEADER: usize = 20;

/// A message about queues, without the netlink header.
struct Message {
    kind: u16,
    bytes: Vec<u8>,
}

impl NetlinkSerializable for Message {
    fn message_type(&self) -> u16 {
        self.kind
    }

    fn buffer_len(&self) -> usize {
        self.bytes.len()
    }

    fn serialize(&self, buffer: &mut [u8]) {
        buffer[..self.bytes.len()].copy_from_slice(&self.bytes);
    }
}

impl NetlinkDeserializable for Message {
    type Error = io::Error;

    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> io::Result<Self> {
        Ok(Self { kind: header.message_type, bytes: payload.to_vec() })
    }
}

impl Netlink {
    /// The queues of all devices, those aside that nobody has asked for: what each `RTM_NEWQDISC`
    /// has behind its netlink header.
    ///
    /// # Errors
    /// If the kernel does not list them.
    pub fn queues(&self) -> io::Result<Vec<Vec<u8>>> {
        let question = Message { kind: GET_QUEUES, bytes: vec![0; HEADER] };
        let answers = self.exchange(question, NLM_F_DUMP)?;
        Ok(answers.into_iter().map(|answer| answer.bytes).collect())
    }
}

/// The devices of the calling thread's namespace: index and name.
///
/// # Errors
/// If the kernel does not list them.
pub fn devices() -> io::Result<Vec<(u32, String)>> {
    let found = if_nameindex()?;
    let device = |it: &nix::net::if_::Interface| (it.index(), it.name().to_string_lossy().into());
    Ok(found.iter().map(device).collect())
}
