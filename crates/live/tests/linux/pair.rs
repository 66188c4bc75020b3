//! Two stacks, a port into each, and a thread that carries packets between them.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use live::{Namespace, PacketSlices, Port, PortKind, PortOptions, Reading, Received};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use sandbox::network::{Prefix, Route, add_address, add_route};
use units::Bytes;

/// Options of each kind, with super-packets and without.
pub(crate) fn all_options() -> Vec<PortOptions> {
    let mut all = Vec::new();
    for kind in [PortKind::Tun, PortKind::Packet] {
        for super_packets in [true, false] {
            all.push(PortOptions { kind: Some(kind), mtu: Bytes(1500), super_packets });
        }
    }
    // Not every container has the device node, and not every kernel both drivers.
    all.retain(|options| {
        let node = Namespace::new().unwrap();
        match Port::open(&node, &Namespace::new().unwrap(), "link", *options) {
            Ok(_) => true,
            Err(error) => {
                println!("skipped: {:?}: {error}", options.kind);
                false
            }
        }
    });
    all
}

pub(crate) struct Pair {
    pub(crate) near: Namespace,
    pub(crate) far: Namespace,
    pub(crate) ports: [Port; 2],
    /// The length of the longest packet that was carried.
    pub(crate) longest: AtomicU64,
}

/// `10.0.0.n` or `fd00::n`.
pub(crate) fn address(is_ipv6: bool, n: u8) -> IpAddr {
    let text = if is_ipv6 { format!("fd00::{n}") } else { format!("10.0.0.{n}") };
    text.parse().unwrap()
}

pub(crate) fn host(address: IpAddr) -> Prefix {
    Prefix { address, len: if address.is_ipv6() { 128 } else { 32 } }
}

/// The next packet of a port, without those that are ignored.
pub(crate) fn next_packet(port: &Port, buffer: &mut [u8]) -> Option<Received> {
    loop {
        match port.receive(buffer).unwrap() {
            Reading::Packet(received) => return Some(received),
            Reading::Other { .. } => {}
            Reading::Lost | Reading::Malformed { .. } => {
                panic!("a stack has sent what contradicts itself")
            }
            Reading::Empty => return None,
        }
    }
}

impl Pair {
    pub(crate) fn new(options: PortOptions) -> Self {
        let new = || Namespace::new().unwrap();
        let (near, far, root_namespace) = (new(), new(), new());
        let open = |node: &Namespace| Port::open(node, &root_namespace, "link", options).unwrap();
        let ports = [open(&near), open(&far)];
        for (node, here, there) in [(&near, 1, 2), (&far, 2, 1)] {
            for is_ipv6 in [false, true] {
                let (here, there) = (address(is_ipv6, here), address(is_ipv6, there));
                let route = Route {
                    to: host(there),
                    device: "link".to_owned(),
                    source: Some(here),
                    initial_window: Some(33),
                    min_rto_ms: Some(200),
                    quick_ack: true,
                    congestion: None,
                };
                node.run(|| {
                    add_address("lo", host(here)).unwrap();
                    add_route(&route).unwrap();
                })
                .unwrap();
            }
        }
        Self { near, far, ports, longest: AtomicU64::new(0) }
    }

    /// Carries packets both ways while `action` runs.
    pub(crate) fn carry_while<T>(&self, action: impl FnOnce() -> T) -> T {
        /// Ends the carrying when dropped, in a panic too.
        struct End<'a>(&'a AtomicBool);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let ends = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut buffer = vec![0; 1 << 17];
                while !ends.load(Ordering::Relaxed) {
                    self.carry(&mut buffer);
                }
            });
            let _end = End(&ends);
            action()
        })
    }

    fn carry(&self, buffer: &mut [u8]) {
        let mut ports = self.ports.each_ref().map(|port| PollFd::new(port, PollFlags::IN));
        let briefly = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
        poll(&mut ports, Some(&briefly)).unwrap();
        let [near, far] = &self.ports;
        for (from, to) in [(near, far), (far, near)] {
            for _ in 0..16 {
                let Some(received) = next_packet(from, buffer) else { break };
                let headers = &buffer[received.ip_start..received.end];
                self.longest.fetch_max(headers.len() as u64, Ordering::Relaxed);
                to.send(&PacketSlices::whole(headers, received.offload)).unwrap();
            }
        }
    }
}
