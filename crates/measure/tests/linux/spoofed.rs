//! A client that forges the source address of its datagrams.

use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::thread;
use std::time::Duration;

use kernel::Clock;
use measure::datagram::{Datagram, DatagramKind};
use measure::protocol::{Answer, PROTOCOL, Request};
use measure::server::{Options, Server};
use sandbox::network::{Prefix, add_address};
use socket2::{Domain, Protocol, Socket, Type};
use units::{Span, Time};

use super::chain::Chain;

/// Another address of the client's node, and a port at which it listens.
const VICTIM: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 99)), 4_000);

/// The time for which the client sends, one datagram a millisecond.
const TIME: Span = Span::from_secs(5);

pub(crate) fn nobody_is_flooded_in_anothers_name() {
    let chain = Chain::new(1);
    let (near, far) = (&chain.nodes[0], &chain.nodes[2]);
    let addresses = vec![(chain.server(false), 0).into()];
    let bind = || Server::bind(Options { addresses, ..Options::default() }).unwrap();
    let server = far.run(bind).unwrap();
    let (address, stopper) = (server.addresses()[0], server.stopper());
    let prefix = Prefix { address: VICTIM.ip(), len: 24 };
    near.run(|| add_address("right", prefix).unwrap()).unwrap();
    let victim = near.run(|| UdpSocket::bind(VICTIM).unwrap()).unwrap();
    victim.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    // To forge addresses takes a privilege that a client does not have.
    let forger = near.run(forger).unwrap();
    let (sent, came) = thread::scope(|scope| {
        scope.spawn(|| far.run(|| server.run(|_| {}).unwrap()).unwrap());
        let count = scope.spawn(|| count(&victim));
        let sent = chain.at_client(|| flood(&forger, address));
        stopper.stop();
        (sent, count.join().unwrap())
    });
    // 64 at once, and one a second; one more for the second in progress.
    let most = 64 + TIME.as_secs_f64() as usize + 1;
    assert!(sent > 2 * most && (1..=most).contains(&came), "{came} of {sent}");
}

/// A raw socket, which sends whole IP packets with any source address.
fn forger() -> OwnedFd {
    // raw(7): IPPROTO_RAW, with which the sender writes the header of IP.
    Socket::new(Domain::IPV4, Type::RAW, Some(Protocol::from(255))).unwrap().into()
}

/// The number of datagrams until none has been received for a second.
fn count(victim: &UdpSocket) -> usize {
    let (mut bytes, mut came) = ([0; 200], 0);
    // The first one is received only after the test has begun.
    while let Ok(len) = victim.recv(&mut bytes) {
        let datagram = Datagram::decode(&bytes[..len]).unwrap();
        assert_eq!(datagram.kind, DatagramKind::Challenge);
        came += 1;
    }
    came
}

/// Begins a test, and makes the server challenge somebody else. Returns the number of datagrams
/// sent.
#[expect(clippy::disallowed_methods, reason = "sockets are real, and so is their time")]
fn flood(forger: &OwnedFd, server: SocketAddr) -> usize {
    let mut control = TcpStream::connect(server).unwrap();
    let hello = Request::Hello { protocol: PROTOCOL, program: "a forger".into() };
    writeln!(control, "{}", serde_json::to_string(&hello).unwrap()).unwrap();
    let mut line = String::new();
    BufReader::new(&control).read_line(&mut line).unwrap();
    let Answer::Welcome { test, .. } = serde_json::from_str(&line).unwrap() else {
        panic!("{line}")
    };
    let probe = Datagram {
        kind: DatagramKind::Probe,
        stream: 0,
        dscp: 0,
        test: u64::from_str_radix(&test[..16], 16).unwrap(),
        cookie: 0,
        seq: 0,
        seen: 0,
        sent: 0,
        reached: 0,
        answered: 0,
    };
    let packet = forged(server, &probe.encode());
    let socket = Socket::from(forger.try_clone().unwrap());
    let (clock, mut sent) = (Clock::start(), 0);
    while clock.now() < Time::ZERO + TIME {
        sent += usize::from(socket.send_to(&packet, &server.into()).is_ok());
        thread::sleep(Duration::from_millis(1));
    }
    sent
}

/// A packet with the victim's source address: RFC 791 section 3.1, RFC 768. The kernel fills in
/// length and checksum of IP (raw(7)); UDP goes without a checksum.
fn forged(server: SocketAddr, payload: &[u8]) -> Vec<u8> {
    let address = |of: SocketAddr| match of.ip() {
        IpAddr::V4(ip) => ip.octets(),
        IpAddr::V6(_) => panic!("the path has IPv4"),
    };
    let mut packet = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0];
    packet.extend(address(VICTIM));
    packet.extend(address(server));
    packet.extend(VICTIM.port().to_be_bytes());
    packet.extend(server.port().to_be_bytes());
    packet.extend((8 + payload.len() as u16).to_be_bytes());
    packet.extend([0, 0]);
    packet.extend(payload);
    packet
}
