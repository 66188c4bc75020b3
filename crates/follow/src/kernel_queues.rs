//! The CAKE queues of a kernel, whose rates follow a line.

use std::io;

use autorate::{Both, Heading, Passage};
use kernel::{Netlink, QueueId};
use serde_json::Value;
use tc::ListedQdisc;
use units::{Bytes, Rate};

/// The option of CAKE's rate in bytes a second (`TCA_CAKE_BASE_RATE64`).
const BASE_RATE: u16 = 2;
/// The length of the packets that are dropped, as a rule.
const LONG: u64 = 1500;

/// The two queues of a line: that out of the interface, and that of a device to which what comes in is
/// redirected.
#[derive(Debug)]
pub struct KernelQueues {
    netlink: Netlink,
    devices: Both<u32>,
    counted: Both<Option<Counted>>,
    places: Both<Option<QueueId>>,
}

/// The traffic of the queues, and their rates, as the kernel tells.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The traffic since the look before.
    pub traffic: Both<Passage>,
    /// The rates.
    pub rates: Both<Rate>,
}

/// The counts of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counted {
    sent: u64,
    backlog: u64,
    drops: u64,
    marks: u64,
}

/// The reason why there is no look.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    /// There is no CAKE with a rate in this direction now.
    #[error("there is no cake with a bandwidth in this direction: {0:?}")]
    Missing(Heading),
    /// The kernel does not tell.
    #[error(transparent)]
    Kernel(#[from] io::Error),
}

impl KernelQueues {
    /// The queues of the devices with these indices: that of the upload, and that of the download.
    pub fn of(netlink: Netlink, devices: Both<u32>) -> Self {
        Self { netlink, devices, counted: Both::default(), places: Both::default() }
    }

    /// Takes the devices with these indices from now on: one that is made again has another index.
    pub const fn move_to(&mut self, devices: Both<u32>) {
        self.devices = devices;
    }

    /// Reads both queues.
    ///
    /// # Errors
    /// If one of them is not there now, or if the kernel does not tell.
    pub fn look(&mut self) -> Result<Look, LookError> {
        let messages = self.netlink.queues()?;
        let (up, up_rate) = self.look_at(Heading::Up, &messages)?;
        let (down, down_rate) = self.look_at(Heading::Down, &messages)?;
        Ok(Look { traffic: Both { up, down }, rates: Both { up: up_rate, down: down_rate } })
    }

    /// Sets a rate.
    ///
    /// # Errors
    /// If the queue is gone, or if this process may not change it.
    pub fn set(&self, heading: Heading, rate: Rate) -> io::Result<()> {
        let place = self.places[heading].ok_or(io::ErrorKind::NotFound)?;
        let bytes = rate.bits_per_sec() / 8;
        self.netlink.change_queue(place, "cake", &[(BASE_RATE, &bytes.to_ne_bytes())])
    }

    fn look_at(
        &mut self,
        heading: Heading,
        messages: &[Vec<u8>],
    ) -> Result<(Passage, Rate), LookError> {
        let device = self.devices[heading];
        let found = messages.iter().find_map(|message| cake(message, device));
        let Some((place, counted, rate)) = found else {
            (self.places[heading], self.counted[heading]) = (None, None);
            return Err(LookError::Missing(heading));
        };
        // A new queue counts from the beginning.
        let before = self.counted[heading]
            .replace(counted)
            .filter(|before| self.places[heading] == Some(place) && before.sent <= counted.sent);
        self.places[heading] = Some(place);
        Ok((before.map(|before| counted.since(before)).unwrap_or_default(), rate))
    }
}

impl Counted {
    fn of(queue: &ListedQdisc) -> Self {
        let number = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or(0);
        let fields = queue.fields();
        let tins = fields.get("tins").and_then(Value::as_array);
        let marks = tins.into_iter().flatten().map(|tin| number(tin.get("ecn_mark"))).sum();
        Self {
            sent: number(fields.get("bytes")),
            backlog: number(fields.get("backlog")),
            drops: number(fields.get("drops")),
            marks,
        }
    }

    fn since(self, before: Self) -> Passage {
        let (departed, drops) = (self.sent - before.sent, self.drops.saturating_sub(before.drops));
        // What was dropped has come too.
        let came = departed + self.backlog + drops * LONG;
        Passage {
            arrived: Bytes(came.saturating_sub(before.backlog)),
            departed: Bytes(departed),
            backlog: Bytes(self.backlog),
            drops,
            marks: self.marks.saturating_sub(before.marks),
        }
    }
}

/// The CAKE of a device that a message tells of, its counts and its rate; `None` if it tells of another queue,
/// or of one without a rate.
fn cake(message: &[u8], device: u32) -> Option<(QueueId, Counted, Rate)> {
    let place = QueueId::of(message).filter(|place| place.device == device)?;
    let queue = ListedQdisc::from_netlink(message, "")?;
    let fields = queue.fields();
    if fields.get("kind").and_then(Value::as_str) != Some("cake") {
        return None;
    }
    let bytes = fields.get("options")?.get("bandwidth")?.as_u64()?;
    Some((place, Counted::of(&queue), Rate::from_bits_per_sec(bytes * 8)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_dropped_or_waits_has_come() {
        let before = Counted { sent: 10_000, backlog: 3_000, drops: 1, marks: 0 };
        let now = Counted { sent: 25_000, backlog: 1_000, drops: 3, marks: 2 };
        let passage = now.since(before);
        let expected = Passage {
            arrived: Bytes(15_000 - 2_000 + 2 * LONG),
            departed: Bytes(15_000),
            backlog: Bytes(1_000),
            drops: 2,
            marks: 2,
        };
        assert_eq!(passage, expected);
    }

    #[test]
    fn other_queues_and_cut_messages_are_none_that_can_follow() {
        assert_eq!(cake(&[], 1), None);
        assert_eq!(cake(&[0; 20], 0), None);
    }
}
