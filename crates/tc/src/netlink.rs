//! A queue as the kernel's rtnetlink tells it, as the JSON object that tc prints of it.
//!
//! Specification: Linux `include/uapi/linux/pkt_sched.h`, `rtnetlink.h` and `gen_stats.h`;
//! iproute2, `tc/tc_qdisc.c` (`print_qdisc`) and `tc/tc_util.c` (`print_tcstats2_attr`).

mod attributes;
mod cake;
mod codel;
mod fq_codel;
mod pie;

use serde_json::{Value, json};

use crate::kinds::present;
use crate::layout::is_name;
use crate::listed::Unknown;
use crate::{Fields, ListedQdisc};
use attributes::{Attributes, word};

/// The length in bytes of `struct tcmsg`, which precedes the attributes.
const HEADER: usize = 20;

/// `TCA_KIND`, `TCA_OPTIONS`, `TCA_XSTATS`, `TCA_STATS2`, `TCA_HW_OFFLOAD`, `TCA_INGRESS_BLOCK` and
/// `TCA_EGRESS_BLOCK`.
const KIND: u16 = 1;
const OPTIONS: u16 = 2;
const EXTENDED: u16 = 4;
const STATS: u16 = 7;
const OFFLOADED: u16 = 12;
const INGRESS_BLOCK: u16 = 13;
const EGRESS_BLOCK: u16 = 14;

/// `TCA_STATS_BASIC`, `TCA_STATS_RATE_EST`, `TCA_STATS_QUEUE`, `TCA_STATS_APP`,
/// `TCA_STATS_RATE_EST64` and `TCA_STATS_PKT64`.
const BASIC: u16 = 1;
const RATE: u16 = 2;
const QUEUE: u16 = 3;
const OF_KIND: u16 = 4;
const RATE_64: u16 = 5;
const PACKETS_64: u16 = 8;

/// `TC_H_ROOT`.
const ROOT: u32 = u32::MAX;

impl ListedQdisc {
    /// The index of the device of a queue, from a message of the kernel: the part of an
    /// `RTM_NEWQDISC` behind the netlink header. `None` if the message is cut off.
    pub fn device_in_netlink(message: &[u8]) -> Option<u32> {
        word(message, 1)
    }

    /// The queue that a message of the kernel tells of: the part of an `RTM_NEWQDISC` behind the
    /// netlink header. `dev` is the name of the device. `None` if the message is cut off or has no
    /// kind that is a name.
    ///
    /// Options and statistics of their own are read of `bfifo`, `cake`, `cake_mq`, `codel`,
    /// `fq_codel`, `pfifo`, `pfifo_head_drop` and `pie`. Of other kinds, the options are empty. What
    /// a device counts in its hardware is part of the counters, and is not told apart.
    pub fn from_netlink(message: &[u8], dev: &str) -> Option<Self> {
        let attributes = Attributes(message.get(HEADER..)?);
        let kind = attributes.text(KIND).filter(|kind| is_name(kind))?;
        let stats = Attributes(attributes.get(STATS).unwrap_or_default());
        let (options, of_kind) = parts(
            kind,
            attributes.get(OPTIONS).unwrap_or_default(),
            stats.get(OF_KIND).or_else(|| attributes.get(EXTENDED)).unwrap_or_default(),
        );
        let mut fields = head(message, kind, dev, attributes)?;
        fields.insert("options".to_owned(), options.into());
        fields.extend(counters(stats));
        fields.extend(of_kind);
        Some(Self::new(fields, Unknown::default()))
    }
}

/// What the queue is, and where it is attached.
fn head(message: &[u8], kind: &str, dev: &str, attributes: Attributes<'_>) -> Option<Fields> {
    let [handle, parent, users] = [word(message, 2)?, word(message, 3)?, word(message, 4)?];
    let block = |of| attributes.u32(of).filter(|block| *block > 0);
    let is_offloaded = attributes.u8(OFFLOADED).is_some_and(|flag| flag > 0);
    Some(present(json!({
        "kind": kind,
        "handle": format!("{:x}:", handle >> 16),
        "dev": dev,
        "root": (parent == ROOT).then_some(true),
        "parent": (parent != ROOT && parent > 0).then(|| class(parent)),
        "refcnt": (users != 1).then_some(users),
        "offloaded": is_offloaded.then_some(true),
        "ingress_block": block(INGRESS_BLOCK),
        "egress_block": block(EGRESS_BLOCK),
    })))
}

/// The name of a class, as iproute2's `print_tc_classid` writes it.
fn class(id: u32) -> String {
    match (id >> 16, id & 0xffff) {
        (0, minor) => format!(":{minor:x}"),
        (major, 0) => format!("{major:x}:"),
        (major, minor) => format!("{major:x}:{minor:x}"),
    }
}

/// The counts that every queue has, in the order of tc's JSON.
fn counters(stats: Attributes<'_>) -> Fields {
    let mut fields = Value::Null;
    if let Some(basic) = stats.get(BASIC) {
        let bytes = basic.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes));
        let packets = stats.u64(PACKETS_64).filter(|packets| *packets > 0);
        fields["bytes"] = bytes.into();
        fields["packets"] = packets.or_else(|| word(basic, 2).map(u64::from)).into();
    }
    let queue = stats.get(QUEUE);
    if let Some(queue) = queue {
        fields["drops"] = word(queue, 2).into();
        fields["overlimits"] = word(queue, 4).into();
        fields["requeues"] = word(queue, 3).into();
    }
    let of = |bytes: &[u8]| (u64_at(bytes, 0), u64_at(bytes, 8));
    let of_old = |bytes: &[u8]| (word(bytes, 0).map(u64::from), word(bytes, 1).map(u64::from));
    let rates = stats.get(RATE_64).map(of).or_else(|| stats.get(RATE).map(of_old));
    if let Some((rate, packets)) = rates {
        fields["rate"] = rate.into();
        fields["pps"] = packets.into();
    }
    if let Some(queue) = queue {
        fields["backlog"] = word(queue, 1).into();
        fields["qlen"] = word(queue, 0).into();
    }
    present(fields)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes))
}

/// The options and the statistics that depend on the kind.
fn parts(kind: &str, options: &[u8], stats: &[u8]) -> (Fields, Fields) {
    match kind {
        "cake" | "cake_mq" => (cake::options(Attributes(options)), cake::stats(Attributes(stats))),
        "codel" => (codel::options(Attributes(options)), codel::stats(stats)),
        "fq_codel" => (fq_codel::options(Attributes(options)), fq_codel::stats(stats)),
        "pie" => (pie::options(Attributes(options)), pie::stats(stats)),
        // `struct tc_fifo_qopt`.
        "bfifo" | "pfifo" | "pfifo_head_drop" => {
            (present(json!({ "limit": word(options, 0) })), Fields::new())
        }
        _ => Default::default(),
    }
}

/// The words of a structure that may be cut off at its end, as older kernels do; 0 where it is.
fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    std::array::from_fn(|index| word(bytes, index).unwrap_or_default())
}

/// A number, unless it is 0.
fn positive(number: u32) -> Option<u32> {
    Some(number).filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An attribute, padded to 4 bytes.
    fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
        let len = (4 + value.len() as u16).to_ne_bytes();
        let mut bytes = [&len[..], &kind.to_ne_bytes(), value].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn of_words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    /// A pfifo of 30 packets below the class 1:a of the device 7.
    fn message() -> Vec<u8> {
        let basic = [&1000_u64.to_ne_bytes()[..], &of_words(&[4, 0])].concat();
        let queue = of_words(&[2, 500, 3, 1, 9]);
        let stats = [attribute(BASIC, &basic), attribute(QUEUE, &queue)].concat();
        let parts = [
            of_words(&[0, 7, 0x8001_0000, 0x0001_000a, 2]),
            attribute(KIND, b"pfifo\0"),
            attribute(OPTIONS, &of_words(&[30])),
            // The kernel marks what has attributes within (`NLA_F_NESTED`).
            attribute(STATS | 0x8000, &stats),
        ];
        parts.concat()
    }

    #[test]
    fn a_queue_is_the_object_that_tc_prints() {
        let queue = ListedQdisc::from_netlink(&message(), "wan").unwrap();
        let expected = "qdisc pfifo 8001: dev wan parent 1:a refcnt 2 limit 30p\n \
                        Sent 1000 bytes 4 pkt (dropped 3, overlimits 9 requeues 1) \n \
                        backlog 500b 2p requeues 1\n";
        assert_eq!(queue.to_string(), expected);
        assert_eq!(ListedQdisc::device_in_netlink(&message()), Some(7));
    }

    /// An attribute that is cut off is not read, and those before it are.
    #[test]
    fn a_message_that_is_cut_off_is_read_to_there() {
        let whole = message();
        for len in 0..whole.len() {
            let queue = ListedQdisc::from_netlink(&whole[..len], "wan");
            assert_eq!(queue.is_some(), len >= HEADER + 10, "{len}");
            assert!(queue.is_none_or(|queue| !queue.fields().contains_key("bytes")), "{len}");
        }
    }

    #[test]
    fn classes_have_the_names_of_tc() {
        for (id, name) in [(0x0001_0000, "1:"), (0x0001_000a, "1:a"), (0xff, ":ff")] {
            assert_eq!(class(id), name);
        }
    }
}
