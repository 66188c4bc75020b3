//! A queue, as tc tells it.

use serde_json::Value;
use tc::{Fields, Listing};
use units::{Rate, Span};

/// What tc calls the number of packets that an HTB sent through none of its classes.
const DIRECT: &str = "direct_packets_stat";

/// A queue of a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queue {
    /// Its kind: `cake`.
    pub kind: String,
    /// The device.
    pub device: String,
    /// Its handle: `8001:`.
    pub handle: String,
    /// The class that it belongs to; empty for the root.
    pub parent: String,
    /// Its settings, with the names and units of `tc -j`; empty for kinds that crate `tc` does not
    /// know.
    pub options: Fields,
    /// What tc prints on its first line.
    pub words: String,
    /// The table by which the sizes of packets are changed before the queue sees them; `None` if
    /// there is none.
    pub size_table: Option<SizeTable>,
    /// Rate to which the classes of a shaper limit the device; `None` if it has none.
    pub class_rate: Option<Rate>,
    /// Bytes that this class adds to each packet.
    pub class_overhead: i64,
    /// Bytes that left it until now.
    pub bytes: u64,
    /// Packets that it dropped until now.
    pub drops: u64,
    /// Bytes that left it in the pause; `None` if it was not there before.
    pub passed: Option<u64>,
    /// Packets that it dropped in the pause; `None` if it was not there before.
    pub dropped: Option<u64>,
    /// Packets that left an HTB in the pause through none of its classes, so without a limit; `None`
    /// for other kinds.
    pub unlimited: Option<u64>,
}

/// The size table of a queue (tc-stab(8)).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SizeTable {
    /// The cells that it counts: `atm`, `ethernet`; empty if it names none.
    pub link_layer: String,
    /// Bytes that are added to each packet.
    pub overhead: i64,
    /// Fewest bytes of a packet.
    pub mpu: u64,
}

impl Queue {
    /// The queues of what `tc -s -d qdisc show` prints, and the first lines of those whose text has
    /// not the form that is known.
    pub(crate) fn read_all(text: &str) -> (Vec<Self>, Vec<String>) {
        let (mut queues, mut unread) = (Vec::new(), Vec::new());
        for part in parts(text) {
            match Self::read(&part) {
                Some(queue) => queues.push(queue),
                None => unread.extend(part.lines().next().map(str::to_owned)),
            }
        }
        (queues, unread)
    }

    /// The queue in the text of one.
    fn read(text: &str) -> Option<Self> {
        let mut lines: Vec<&str> = text.lines().collect();
        // print_size_table of iproute2's tc/tc_stab.c; of an overhead alone it prints no `tsize`.
        let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
        let is_table =
            |line: &&str| ["linklayer", "overhead", "mpu"].contains(&first(line).as_str());
        let table = lines.get(1).copied().filter(is_table);
        if table.is_some() {
            lines.remove(1);
        }
        let listing: Listing = (lines.join("\n") + "\n").parse().ok()?;
        let fields = listing.queues.first()?.fields();
        let count = |key: &str| fields.get(key).and_then(Value::as_u64).unwrap_or_default();
        let text = |key: &str| {
            fields.get(key).and_then(Value::as_str).map(str::to_owned).unwrap_or_default()
        };
        Some(Self {
            kind: text("kind"),
            device: text("dev"),
            handle: text("handle"),
            parent: text("parent"),
            options: fields.get("options").and_then(Value::as_object).cloned().unwrap_or_default(),
            words: lines.first().map(|line| line.trim().to_owned()).unwrap_or_default(),
            size_table: table.map(SizeTable::read),
            class_rate: None,
            class_overhead: 0,
            bytes: count("bytes"),
            drops: count("drops"),
            passed: None,
            dropped: None,
            unlimited: None,
        })
    }

    /// True for the queue that all packets sent by the device pass first.
    pub const fn is_root(&self) -> bool {
        self.parent.is_empty()
    }

    /// True if both are the same queue at different times.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let of = |queue: &Self| {
            let Self { kind, device, handle, parent, .. } = queue.clone();
            (kind, device, handle, parent)
        };
        of(self) == of(other)
    }

    /// Counts what left the queue since this reading of it.
    pub(crate) fn count_since(&mut self, earlier: &Self) {
        let direct = |queue: &Self| word_after(&queue.words, DIRECT)?.parse::<u64>().ok();
        self.passed = Some(self.bytes.saturating_sub(earlier.bytes));
        self.dropped = Some(self.drops.saturating_sub(earlier.drops));
        self.unlimited =
            direct(self).zip(direct(earlier)).map(|(later, earlier)| later.saturating_sub(earlier));
    }

    /// The rate to which the queue shapes; `None` if it does not shape, or if its rate is not known.
    pub fn rate(&self) -> Option<Rate> {
        match self.kind.as_str() {
            "cake" | "cake_mq" => {
                let bits = self.options.get("bandwidth")?.as_u64()?.checked_mul(8)?;
                Rate::from_bits_per_sec(bits)
            }
            "tbf" => rate_after(&self.words, "rate"),
            "htb" | "hfsc" => self.class_rate,
            _ => None,
        }
    }

    /// The longest time that a packet waits in the FIFO of a token bucket; `None` for other kinds.
    pub fn latency(&self) -> Option<Span> {
        word_after(&self.words, "lat").filter(|_| self.kind == "tbf")?.parse().ok()
    }

    /// An option as text; empty if there is none.
    pub fn option(&self, name: &str) -> &str {
        self.options.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// An option as a number; `None` if there is none.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.options.get(name).and_then(Value::as_i64)
    }

    /// True if a switch is on.
    pub fn is_on(&self, switch: &str) -> bool {
        self.options.get(switch).and_then(Value::as_bool).unwrap_or_default()
    }
}

impl SizeTable {
    fn read(line: &str) -> Self {
        let word = |name: &str| word_after(line, name).unwrap_or_default();
        Self {
            link_layer: word("linklayer").to_owned(),
            overhead: word("overhead").parse().unwrap_or_default(),
            mpu: word("mpu").parse().unwrap_or_default(),
        }
    }
}

/// The texts of the single queues.
fn parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in text.lines() {
        match parts.last_mut() {
            Some(part) if !line.starts_with("qdisc ") => *part += &(line.to_owned() + "\n"),
            _ => parts.push(line.to_owned() + "\n"),
        }
    }
    parts.retain(|part| part.starts_with("qdisc "));
    parts
}

/// The word that follows a name.
pub(crate) fn word_after<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut words = text.split_whitespace();
    words.find(|word| *word == name)?;
    words.next()
}

/// The rate that follows a name, as tc prints it.
pub(crate) fn rate_after(text: &str, name: &str) -> Option<Rate> {
    word_after(text, name)?.to_ascii_lowercase().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// iproute2 6.1.0.
    const WITH_TABLE: &str = "\
qdisc noqueue 0: dev lan root refcnt 2 
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) 
 backlog 0b 0p requeues 0
qdisc tbf 8681: dev ifb4wan root refcnt 2 rate 1900Kbit burst 20Kb/1 mpu 0b lat 100ms linklayer ethernet 
 linklayer atm overhead -4 mtu 2047 tsize 512 
 Sent 77 bytes 1 pkt (dropped 0, overlimits 0 requeues 0) 
 backlog 0b 0p requeues 0
";

    #[test]
    fn the_table_of_sizes_is_read() {
        let (queues, unread) = Queue::read_all(WITH_TABLE);
        assert_eq!((queues.len(), unread.len()), (2, 0));
        assert_eq!(queues[0].size_table, None);
        let table = queues[1].size_table.clone().unwrap();
        assert_eq!((table.link_layer.as_str(), table.overhead, table.mpu), ("atm", -4, 0));
        assert_eq!(queues[1].rate(), "1900kbit".parse().ok());
        assert_eq!(queues[1].latency(), Some(Span::from_millis(100)));
        assert_eq!((queues[1].bytes, queues[1].is_root()), (77, true));
    }

    #[test]
    fn a_strange_queue_hides_no_other() {
        let text = format!("qdisc cake 1: dev wan root of another age\n{WITH_TABLE}");
        let (queues, unread) = Queue::read_all(&text);
        assert_eq!((queues.len(), unread.len()), (2, 1));
        assert!(unread[0].contains("of another age"));
    }
}
