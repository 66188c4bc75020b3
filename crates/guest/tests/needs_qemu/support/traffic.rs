//! The traffic of several tests.

use units::Rng;

use super::{Address, Udp, Version};

/// Three seconds of bursts of twelve flows, each of 1 to 1.25 Mbit/s, of several hosts, code points
/// and lengths.
pub(crate) fn overload(seed: u64) -> Vec<(u64, Vec<u8>)> {
    let mut rng = Rng::new(seed);
    let mut packets = Vec::new();
    for (flow, dscp) in (0_u16..).zip([0, 0, 0, 0, 8, 8, 10, 16, 34, 46, 48, 0]) {
        let address = Address {
            version: Version::V4,
            source: (flow % 3) as u8,
            destination: (flow % 4) as u8,
            port: flow,
        };
        let traffic_class = dscp << 2 | [0b00, 0b10, 0b10, 0b01][usize::from(flow % 4)];
        let longest = [400, 800, 1200, 1500][usize::from(flow / 3)];
        let mut time = 1_000_000 * u64::from(flow);
        while time < 3_000_000_000 {
            let burst = time;
            for _ in 0..1 + rng.next_u64() % 8 {
                let len = len(rng.next_u64() % (longest - 59) + 60);
                packets.push((burst, Udp { address, traffic_class, len }));
                time += u64::from(len) * 800 * (8 + rng.next_u64() % 3);
            }
        }
    }
    packets.sort_by_key(|(time, _)| *time);
    (1..).zip(packets).map(|(id, (time, packet))| (time, packet.packet(id))).collect()
}

/// A length near this one. The kernel keeps a packet in a power of two of bytes; lengths are left
/// out for which that depends on the room for headers of other layers, of which the socket of the
/// test takes less than a driver.
fn len(wanted: u64) -> u16 {
    match wanted {
        115..162 => 114,
        627..674 => 626,
        len => len as u16,
    }
}
