//! Every packet before and after: what comes out of the queues is what went in.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::OwnedFd;
use std::thread;
use std::time::Duration;

use kernel::{Netlink, bind_to_device};
use rustix::net::sockopt::set_socket_recv_buffer_size_force;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, ipproto, recv, sendto,
    socket_with,
};
use sandbox::network::device;
use serde_json::Value;
use wire::{Checksum, LinkType, PacketView, dissect, from_ip};

use crate::chain::address;
use crate::crafted::{HOPS, PORT, packets};
use crate::ends::pause;
use crate::shaper::{Line, Shaper};

/// Messages of each family in each direction. Each traffic class comes twice,
/// and all come at some twice the rate of the queue.
const MESSAGES: u16 = 512;
/// Messages at once of each family, and the time from these to the next.
const AT_ONCE: u16 = 10;
const EVERY: Duration = Duration::from_millis(10);

/// Packets by what may not change of them, and what they carried of what may.
type Sent = HashMap<Vec<u8>, PacketView>;

/// A direction of the line.
struct Direction {
    name: &'static str,
    /// The nodes of the sender and of the receiver, and the receiver's device.
    sender: usize,
    receiver: usize,
    device: &'static str,
}

const DIRECTIONS: [Direction; 2] = [
    Direction { name: "up", sender: 0, receiver: 2, device: "left" },
    Direction { name: "down", sender: 2, receiver: 0, device: "right" },
];

/// The address of the client or the server.
fn of_node(node: usize, is_ipv6: bool) -> IpAddr {
    if node == 0 { address(is_ipv6, 0, 1) } else { address(is_ipv6, 1, 2) }
}

/// The parts of an IP packet that nobody may change on its way, and all the rest as zeros.
fn unchangeable(ip: &[u8]) -> Vec<u8> {
    let mut ip = ip.to_vec();
    if ip[0] >> 4 == 4 {
        ip[1] = 0;
        ip[8] = 0;
        ip[10..12].fill(0);
    } else {
        ip[0] &= 0xf0;
        ip[1] &= 0x0f;
        ip[7] = 0;
    }
    ip
}

impl Direction {
    /// Sends packets of all kinds, faster than the queue lets them out. Returns them.
    fn send(&self, line: &Line) -> Sent {
        let mut sent = Sent::new();
        let families = [AddressFamily::INET, AddressFamily::INET6];
        let sockets = families.map(|family| {
            let raw =
                || socket_with(family, SocketType::RAW, SocketFlags::CLOEXEC, Some(ipproto::RAW));
            line.chain.nodes[self.sender].run(raw).unwrap().unwrap()
        });
        for number in 0..MESSAGES {
            for (socket, is_ipv6) in sockets.iter().zip([false, true]) {
                let [from, to] = [self.sender, self.receiver].map(|node| of_node(node, is_ipv6));
                for packet in packets(from, to, number) {
                    let to = SocketAddr::new(to, 0);
                    sendto(socket, &packet, SendFlags::empty(), &to).unwrap();
                    let view = dissect(LinkType::RAW, &packet, 0).unwrap();
                    assert_eq!(sent.insert(unchangeable(&packet), view), None, "two are alike");
                }
            }
            if number % AT_ONCE == AT_ONCE - 1 {
                pause(EVERY);
            }
        }
        sent
    }

    /// A socket that gets a copy of each frame of the receiver's device.
    fn listen(&self, line: &Line) -> OwnedFd {
        /// All that is sent, as long as the kernel counts it.
        const ROOM: usize = 64 << 20;
        let listen = || {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let socket = socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None).unwrap();
            set_socket_recv_buffer_size_force(&socket, ROOM).unwrap();
            let index = device::index(&Netlink::open().unwrap(), self.device).unwrap();
            bind_to_device(&socket, index).unwrap();
            socket
        };
        line.chain.nodes[self.receiver].run(listen).unwrap()
    }

    /// Compares what has come with what was sent. Returns the number of marks of congestion; those
    /// that have not come stay in `sent`.
    fn compare(&self, came: &OwnedFd, sent: &mut Sent, washes: bool) -> usize {
        const CONGESTION: u8 = 3;
        let (mut frame, mut marks) = ([0; 2000], 0);
        while let Ok((len, _)) = recv(came, frame.as_mut_slice(), RecvFlags::empty()) {
            let Ok(ip) = from_ip(LinkType::ETHERNET, &frame[..len]) else { continue };
            let after = dissect(LinkType::RAW, ip, 0).unwrap();
            if ![false, true].map(|is_ipv6| of_node(self.sender, is_ipv6)).contains(&after.source) {
                continue;
            }
            let before = sent.remove(&unchangeable(ip));
            let before = before.unwrap_or_else(|| panic!("not sent, or come twice: {ip:02x?}"));
            if before.ecn != after.ecn {
                assert!(before.ecn != 0 && after.ecn == CONGESTION, "{before:?} {after:?}");
                marks += 1;
            }
            assert_eq!(after.dscp, if washes { 0 } else { before.dscp });
            let is_ipv4 = after.source.is_ipv4();
            assert_eq!(ip[if is_ipv4 { 8 } else { 7 }], HOPS - 1);
            assert!(!is_ipv4 || Checksum::default().with(&ip[..20]).finish() == 0, "{ip:02x?}");
        }
        marks
    }
}

/// Waits until the queues are empty, and all that has passed is counted. Returns the state.
fn emptied(shaper: &Shaper<'_>) -> Value {
    loop {
        let status = shaper.status();
        if ["up", "down"].iter().all(|way| status[way]["tc"]["qlen"] == 0) {
            // What is lost before a queue is counted once a second.
            pause(Duration::from_millis(1100));
            return shaper.status();
        }
        pause(Duration::from_millis(50));
    }
}

#[test]
fn packets_come_out_as_they_went_in() {
    let Some(line) = Line::new() else { return };
    let listener = || UdpSocket::bind(("::", PORT)).unwrap();
    let _listeners = [0, 2].map(|node| line.chain.nodes[node].run(listener).unwrap());
    // A small memory, so that packets are dropped for want of it too.
    let queue = "cake bandwidth 8mbit rtt 5ms memlimit 200kb";
    let (mut all_drops, mut all_marks) = (0, 0);
    for (queue, washes) in [(queue, false), (&format!("{queue} wash"), true)] {
        let shaper = line.shape(&["right", "--up", queue, "--down", queue]);
        let captures = DIRECTIONS.each_ref().map(|way| way.listen(&line));
        let sent = thread::scope(|scope| {
            let sending = DIRECTIONS.each_ref().map(|way| scope.spawn(|| way.send(&line)));
            sending.map(|it| it.join().unwrap())
        });
        let status = emptied(&shaper);
        for ((way, came), mut sent) in DIRECTIONS.iter().zip(&captures).zip(sent) {
            let (all, direction) = (sent.len(), &status[way.name]);
            let marks = way.compare(came, &mut sent, washes);
            let drops = direction["tc"]["drops"].as_u64().unwrap();
            let lost = direction["lost_packets"].as_u64().unwrap();
            let missing = sent.len() as u64;
            let name = way.name;
            println!(
                "{queue}, {name}: {missing} of {all} missing, {lost} lost before; {marks} marks"
            );
            assert_eq!(missing, drops + lost, "{direction}");
            all_drops += drops;
            all_marks += marks;
        }
    }
    assert!(all_drops > 0 && all_marks > 0, "no queue was full");
}
