//! The queues of devices, as bytes of rtnetlink. No privilege is needed.
//!
//! Specification: Linux `include/uapi/linux/rtnetlink.h` (`RTM_GETQDISC`, `struct tcmsg`) and
//! `net/sched/sch_api.c` (`tc_dump_qdisc`).

use std::io;

use netlink_packet_core::NLM_F_DUMP;
use nix::net::if_::if_nameindex;

use crate::Netlink;
use crate::attributes::attribute;
use crate::message::Plain;

/// `RTM_NEWQDISC`.
const NEW_QUEUE: u16 = 36;
/// `RTM_GETQDISC`.
const GET_QUEUES: u16 = 38;
/// Attributes of a queue: `TCA_KIND`, `TCA_OPTIONS`.
const KIND: u16 = 1;
const OPTIONS: u16 = 2;

/// The length in bytes of `struct tcmsg`.
const HEADER: usize = 20;

/// The place of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueId {
    /// The index of the device.
    pub device: u32,
    /// The handle of the queue.
    pub handle: u32,
    /// The class that it is attached to, or the root.
    pub parent: u32,
}

impl QueueId {
    /// The place of the queue that a message of [`Netlink::queues`] tells of; `None` if the message is cut off.
    pub fn of(message: &[u8]) -> Option<Self> {
        let word = |index: usize| {
            message.get(4 * index..)?.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes))
        };
        Some(Self { device: word(1)?, handle: word(2)?, parent: word(3)? })
    }
}

impl Netlink {
    /// Changes a queue of this kind, as `tc qdisc change` does. The options are the attributes of that kind:
    /// what is not among them stays. It needs CAP_NET_ADMIN.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn change_queue(
        &self,
        place: QueueId,
        kind: &str,
        options: &[(u16, &[u8])],
    ) -> io::Result<()> {
        let QueueId { device, handle, parent } = place;
        let header = [0, device, handle, parent, 0].map(u32::to_ne_bytes).concat();
        let kind = attribute(KIND, &[kind.as_bytes(), &[0]].concat());
        let options: Vec<_> = options.iter().map(|(kind, value)| attribute(*kind, value)).collect();
        let bytes = [header, kind, attribute(OPTIONS, &options.concat())].concat();
        self.exchange(Plain { kind: NEW_QUEUE, bytes }, 0).map(drop)
    }

    /// The queues of all devices, those aside that nobody has asked for: what each `RTM_NEWQDISC`
    /// has behind its netlink header.
    ///
    /// # Errors
    /// If the kernel does not list them.
    pub fn queues(&self) -> io::Result<Vec<Vec<u8>>> {
        let question = Plain { kind: GET_QUEUES, bytes: vec![0; HEADER] };
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
