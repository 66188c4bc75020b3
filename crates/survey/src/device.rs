//! A network device.

use std::collections::BTreeMap;

use units::Rate;

use crate::sections::Section;

/// A network device, as `/sys/class/net` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// Number of the kind of hardware (`ARPHRD_*` of linux/if_arp.h): 1 for Ethernet.
    pub kind: Option<u32>,
    /// True if the device is up (`IFF_UP`).
    pub is_up: bool,
    /// State of operation: `up`, `down`, `unknown`; empty if it is not known.
    pub state: String,
    /// Most packets of a FIFO of packets that is created without a limit.
    pub tx_queue_len: Option<u32>,
    /// Rate of the hardware; `None` if it tells none, as virtual devices do.
    pub speed: Option<Rate>,
    /// Kind of a virtual device, or `wlan`, `ppp`; empty for plain Ethernet.
    pub devtype: String,
    /// Driver of the hardware; empty for a virtual device.
    pub driver: String,
    /// The bridge or bond that the device is a part of; empty if there is none.
    pub master: String,
    /// The devices through which the device sends what it is given: those in the bridge, that below
    /// the VLAN or below the session of PPPoE.
    pub lower: Vec<String>,
    /// Name of the Wi-Fi hardware; empty if the device is not Wi-Fi.
    pub wireless: String,
    /// Number of hardware queues for sending.
    pub tx_queues: Option<u32>,
    /// True if the bytes in the hardware queue are limited (BQL).
    pub has_bql: bool,
    /// True if the device hands on what is redirected to it (driver `ifb`).
    pub is_ifb: bool,
    /// True if `unbloat shape` is at work on the device, whose queues tc does not show.
    pub is_shaped_outside: bool,
    /// What the device received and sent in the pause; `None` if it was not counted.
    pub passed: Option<Counters>,
    /// Offloads by name, as `ethtool -k` has them: true if they are on. Empty without ethtool.
    pub offloads: BTreeMap<String, bool>,
}

/// The counters of a device: what passed since it exists, or within some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Bytes received.
    pub rx_bytes: u64,
    /// Packets received.
    pub rx_packets: u64,
    /// Bytes sent.
    pub tx_bytes: u64,
    /// Packets sent.
    pub tx_packets: u64,
    /// Packets that it was to send, and dropped.
    pub tx_dropped: u64,
}

impl Device {
    pub(crate) fn read(section: &Section<'_>) -> Self {
        let mut device = Self::default();
        for (fact, value) in section.facts() {
            match fact {
                "type" => device.kind = value.parse().ok(),
                "flags" => device.is_up = flags(value) & 1 != 0,
                "operstate" => device.state = value.to_owned(),
                "tx_queue_len" => device.tx_queue_len = value.parse().ok(),
                "speed" => {
                    let bits = value.parse().ok().and_then(|it: u64| it.checked_mul(1_000_000));
                    device.speed = bits.and_then(Rate::from_bits_per_sec);
                }
                "devtype" => device.devtype = value.to_owned(),
                "driver" => device.driver = value.to_owned(),
                "master" => device.master = value.to_owned(),
                "lower" => device.lower.push(value.to_owned()),
                "wireless" => device.wireless = value.to_owned(),
                "tx_queues" => device.tx_queues = value.parse().ok(),
                "bql" => device.has_bql = true,
                "shaper" => device.is_shaped_outside = value == "unbloat",
                _ => {}
            }
        }
        device
    }

    /// True if the device is Wi-Fi.
    pub fn is_wireless(&self) -> bool {
        !self.wireless.is_empty() || self.devtype == "wlan"
    }

    /// Takes what `ethtool -k` prints.
    pub(crate) fn read_offloads(&mut self, section: &Section<'_>) {
        for (name, value) in section.facts() {
            let name = name.trim_end_matches(':').to_owned();
            self.offloads.insert(name, value.starts_with("on"));
        }
    }
}

fn flags(hexadecimal: &str) -> u32 {
    u32::from_str_radix(hexadecimal.trim_start_matches("0x"), 16).unwrap_or_default()
}

/// The counters of all devices, as `/proc/net/dev` has them.
pub fn counters<'a>(text: &'a str) -> BTreeMap<&'a str, Counters> {
    let of_line = |line: &'a str| {
        // A name may contain a colon, the counters do not.
        let (name, counts) = line.rsplit_once(':')?;
        let counts: Vec<u64> = counts.split_whitespace().map_while(|it| it.parse().ok()).collect();
        let &[rx_bytes, rx_packets, _, _, _, _, _, _, tx_bytes, tx_packets, _, tx_dropped, ..] =
            &counts[..]
        else {
            return None;
        };
        Some((name.trim(), Counters { rx_bytes, rx_packets, tx_bytes, tx_packets, tx_dropped }))
    };
    text.lines().filter_map(of_line).collect()
}

impl Counters {
    /// What passed between two readings.
    pub(crate) const fn between(earlier: Self, later: Self) -> Self {
        Self {
            rx_bytes: later.rx_bytes.saturating_sub(earlier.rx_bytes),
            rx_packets: later.rx_packets.saturating_sub(earlier.rx_packets),
            tx_bytes: later.tx_bytes.saturating_sub(earlier.tx_bytes),
            tx_packets: later.tx_packets.saturating_sub(earlier.tx_packets),
            tx_dropped: later.tx_dropped.saturating_sub(earlier.tx_dropped),
        }
    }
}
