//! Ports, as the stacks see them.

use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use live::{Namespace, Offload, PacketSlices, PartialChecksum, Port, PortOptions, Segmentation};
use rustix::event::{PollFd, PollFlags, poll};
use sandbox::network::{Prefix, add_local};

use super::pair::{Pair, address, all_options, next_packet};

/// Bytes that do not repeat soon, so that a swap is noticed.
pub(crate) fn data(len: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Sends over TCP from the near stack to the far one, and back.
fn exchange(pair: &Pair, to: IpAddr, sent: &[u8]) -> Vec<u8> {
    let listener = pair.far.run(|| TcpListener::bind((to, 80)).unwrap()).unwrap();
    pair.carry_while(|| {
        thread::scope(|scope| {
            scope.spawn(|| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut data = Vec::new();
                stream.read_to_end(&mut data).unwrap();
                stream.write_all(&data).unwrap();
            });
            let mut stream = pair.near.run(|| TcpStream::connect((to, 80)).unwrap()).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            stream.write_all(sent).unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            let mut back = Vec::new();
            stream.read_to_end(&mut back).unwrap();
            back
        })
    })
}

/// Sends datagrams of many sizes from the near stack to the far one, and back.
fn echo(pair: &Pair, is_ipv6: bool) {
    let bind = |node: &Namespace, n| {
        let socket = node.run(|| UdpSocket::bind((address(is_ipv6, n), 7)).unwrap()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        socket
    };
    let (near, far) = (bind(&pair.near, 1), bind(&pair.far, 2));
    near.connect((address(is_ipv6, 2), 7)).unwrap();
    pair.carry_while(|| {
        // The last two are fragmented by the stack.
        for len in [0, 1, 17, 1000, 1452, 1472, 1473, 9000] {
            let (sent, mut buffer) = (data(len), vec![0; 10_000]);
            near.send(&sent).unwrap();
            let (got, from) = far.recv_from(&mut buffer).unwrap();
            far.send_to(&buffer[..got], from).unwrap();
            let got = near.recv(&mut buffer).unwrap();
            assert!(buffer[..got] == sent, "{len} bytes");
        }
    });
}

pub(crate) fn data_is_delivered_intact() {
    let sent = data(8 << 20);
    for options in all_options() {
        let pair = Pair::new(options);
        for is_ipv6 in [false, true] {
            assert!(exchange(&pair, address(is_ipv6, 2), &sent) == sent, "{options:?}");
            echo(&pair, is_ipv6);
        }
        assert_eq!(pair.ports[0].kind(), options.kind.unwrap());
    }
}

pub(crate) fn packets_are_no_longer_than_the_mtu() {
    for options in all_options().into_iter().filter(|options| !options.super_packets) {
        let pair = Pair::new(options);
        for is_ipv6 in [false, true] {
            exchange(&pair, address(is_ipv6, 2), &data(1 << 20));
        }
        assert_eq!(pair.longest.load(Ordering::Relaxed), 1500, "{options:?}");
    }
}

pub(crate) fn super_packets_come_whole() {
    for options in all_options().into_iter().filter(|options| options.super_packets) {
        let pair = Pair::new(options);
        exchange(&pair, address(false, 2), &data(8 << 20));
        assert!(pair.longest.load(Ordering::Relaxed) > 15_000, "{options:?}");
    }
}

pub(crate) fn drops_are_counted() {
    for options in all_options() {
        let mut pair = Pair::new(options);
        let count = 30_000;
        let send = || {
            let socket = UdpSocket::bind((address(false, 1), 9)).unwrap();
            for _ in 0..count {
                // Some kernels report a full device as ENOBUFS.
                let _ = socket.send_to(&[0; 1000], (address(false, 2), 9));
            }
        };
        assert_eq!(pair.ports[0].device_drops().unwrap(), 0);
        pair.near.run(send).unwrap();
        let dropped = pair.ports[0].device_drops().unwrap();
        let mut buffer = vec![0; 1 << 17];
        let mut received = 0;
        // The last packets may still be on their way to us.
        let waiting = || {
            let mut port = [PollFd::new(&pair.ports[0], PollFlags::IN)];
            let briefly = rustix::event::Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
            poll(&mut port, Some(&briefly)).unwrap() > 0
        };
        while waiting() {
            received += u64::from(next_packet(&pair.ports[0], &mut buffer).is_some());
        }
        assert!(dropped > 0, "{options:?}");
        assert_eq!(pair.ports[0].device_drops().unwrap() + received, count, "{options:?}");
        // Reading the count must not lose it, although the kernel clears its own.
        assert!(pair.ports[0].device_drops().unwrap() >= dropped);
    }
}

/// A datagram from the far stack to the near one, with a complete header checksum.
fn datagram() -> Vec<u8> {
    let mut ip = vec![0x45, 0, 0, 29, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1];
    let sum: u32 = ip.chunks(2).map(|two| u32::from(two[0]) << 8 | u32::from(two[1])).sum();
    let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    // From port 7 to port 9, of 9 bytes, with no checksum (RFC 768).
    ip.extend([0, 7, 0, 9, 0, 9, 0, 0, b'!']);
    ip
}

pub(crate) fn a_port_does_not_hear_itself() {
    for options in all_options() {
        let pair = Pair::new(options);
        let bind = || UdpSocket::bind((address(false, 1), 9)).unwrap();
        let socket = pair.near.run(bind).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let ip = datagram();
        let packet = PacketSlices {
            link_header: &[],
            headers: &ip[..28],
            payload: &ip[28..],
            offload: Offload::default(),
        };
        assert!(pair.ports[0].send(&packet).unwrap());
        let mut buffer = vec![0; 1 << 17];
        assert_eq!(socket.recv(&mut buffer).unwrap(), 1);
        assert!(next_packet(&pair.ports[0], &mut buffer).is_none(), "{options:?}");
    }
}

pub(crate) fn nonsense_is_refused() {
    let absurd = Offload {
        checksum: Some(PartialChecksum { start: 65_000, offset: 65_000 }),
        segmentation: Some(Segmentation { tcp: true, size: 1, cwr_first: true }),
    };
    for options in all_options() {
        let pair = Pair::new(options);
        for headers in [&[][..], &[0], &[0x45], &[0x60; 40], &[0xff; 3000], &datagram()] {
            for offload in [Offload::default(), absurd] {
                // Such a packet is refused or lost, but it is no error and does no harm to later
                // ones.
                pair.ports[0].send(&PacketSlices::whole(headers, offload)).unwrap();
            }
        }
        let sent = data(1000);
        assert!(exchange(&pair, address(false, 2), &sent) == sent);
    }
}

fn has_device(node: &Namespace) -> bool {
    let read = || fs::read_to_string("/proc/thread-self/net/dev").unwrap();
    node.run(read).unwrap().contains("link:")
}

pub(crate) fn nothing_is_left_behind() {
    let descriptors = || fs::read_dir("/proc/self/fd").unwrap().count();
    for options in all_options() {
        let before = descriptors();
        let Pair { near, ports, .. } = Pair::new(options);
        assert!(has_device(&near));
        drop(ports);
        assert!(!has_device(&near), "{options:?}");
        drop(near);
        assert_eq!(descriptors(), before, "{options:?}");
    }
}

pub(crate) fn a_name_is_used_once() {
    for options in all_options() {
        let node = Namespace::new().unwrap();
        let root_namespace = Namespace::new().unwrap();
        let open = |name: &str| Port::open(&node, &root_namespace, name, options);
        let first = open("link").unwrap();
        let error = open("link").unwrap_err().to_string();
        assert!(error.contains("link"), "{error}");
        drop(first);
        open("link").unwrap();
        for name in ["", "a name of more than fifteen bytes", "a/b"] {
            assert!(open(name).is_err(), "{name:?}");
        }
        let either = PortOptions { kind: None, ..options };
        assert!(Port::open(&node, &root_namespace, "either", either).is_ok());
    }
}

pub(crate) fn any_address_can_be_our_own() {
    let Some(options) = all_options().pop() else { return };
    let pair = Pair::new(options);
    let anywhere = ["192.0.2.77", "2001:db8::77"].map(|text| text.parse::<IpAddr>().unwrap());
    for to in anywhere {
        let none = if to.is_ipv6() { "::" } else { "0.0.0.0" }.parse().unwrap();
        let all = Prefix { address: none, len: 0 };
        pair.far.run(|| add_local(all).unwrap()).unwrap();
        let route = sandbox::network::Route {
            to: all,
            device: "link".to_owned(),
            source: Some(address(to.is_ipv6(), 1)),
            initial_window: None,
            min_rto_ms: None,
            quick_ack: false,
            congestion: None,
        };
        pair.near.run(|| sandbox::network::add_route(&route).unwrap()).unwrap();
        let sent = data(10_000);
        assert!(exchange(&pair, to, &sent) == sent);
    }
}

pub(crate) fn a_route_says_how_tcp_begins() {
    let Some(options) = all_options().pop() else { return };
    let pair = Pair::new(options);
    let to = address(false, 2);
    let listener = pair.far.run(|| TcpListener::bind((to, 80)).unwrap()).unwrap();
    let line = pair.carry_while(|| {
        let _stream = pair.near.run(|| TcpStream::connect((to, 80)).unwrap()).unwrap();
        let _accepted = listener.accept().unwrap();
        let read = || fs::read_to_string("/proc/thread-self/net/tcp").unwrap();
        let table = pair.near.run(read).unwrap();
        // State 01 is an established connection; the last number but one is the window.
        table.lines().find(|line| line.contains(" 01 ")).unwrap().to_owned()
    });
    assert_eq!(line.split_whitespace().rev().nth(1), Some("33"), "{line}");
}
