//! Servers that are broken, or none of this program's.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use measure::datagram::{BYTES, Datagram, DatagramKind};
use measure::protocol::{Answer, Limits, PROTOCOL, Request};

/// A server that sends this to every client, and closes.
pub(super) fn says(answer: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut line = String::new();
            let _ = BufReader::new(&stream).read_line(&mut line);
            let _ = stream.write_all(answer);
        }
    });
    address
}

/// A server that accepts a test and answers probes, but neither sends nor receives load: a path
/// looks like this behind a router that drops large packets.
pub(super) fn black_hole() -> SocketAddr {
    let address = without_udp();
    let probes = UdpSocket::bind(address).unwrap();
    thread::spawn(move || answer_probes(&probes));
    address
}

/// A server that accepts a test, but receives no datagram.
pub(super) fn without_udp() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || welcome(stream));
        }
    });
    address
}

/// A NAT before a server, which gives the client's datagrams another port after this time.
pub(super) fn forgetful_nat(server: SocketAddr, after: Duration) -> SocketAddr {
    let address = tcp_alone(server);
    let inside = UdpSocket::bind(address).unwrap();
    thread::spawn(move || translate(&inside, server, after));
    address
}

/// A proxy to a server for TCP connections alone.
pub(super) fn tcp_alone(server: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let other = TcpStream::connect(server).unwrap();
            for (mut from, mut to) in
                [(stream.try_clone().unwrap(), other.try_clone().unwrap()), (other, stream)]
            {
                thread::spawn(move || io::copy(&mut from, &mut to));
            }
        }
    });
    address
}

/// Forwards both ways in turn, with short waits.
#[expect(clippy::disallowed_methods, reason = "sockets are real, and so is their time")]
fn translate(inside: &UdpSocket, server: SocketAddr, after: Duration) {
    let outside = || {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(server).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        socket
    };
    inside.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    let (mut ports, mut client, mut bytes) = ([outside(), outside()].into_iter(), None, [0; BYTES]);
    let mut port = ports.next().unwrap();
    let begun = Instant::now();
    loop {
        if begun.elapsed() > after {
            port = ports.next().unwrap_or(port);
        }
        if let Ok((len, from)) = inside.recv_from(&mut bytes) {
            client = Some(from);
            port.send(&bytes[..len]).unwrap();
        }
        if let (Ok(len), Some(client)) = (port.recv(&mut bytes), client) {
            inside.send_to(&bytes[..len], client).unwrap();
        }
    }
}

fn welcome(mut stream: TcpStream) {
    let mut line = String::new();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let _ = reader.read_line(&mut line);
    let answer = match serde_json::from_str(&line) {
        Ok(Request::Hello { .. }) => Answer::Welcome {
            protocol: PROTOCOL,
            program: "scripted".into(),
            test: "00112233445566778899aabbccddeeff".into(),
            limits: Limits { flows: 32, time_s: 60, rate_mbit: None },
            other_tests: 0,
        },
        Ok(Request::Flow { .. }) => Answer::Ready { flow: 0, congestion: "cubic".into() },
        _ => Answer::Echo,
    };
    let _ = writeln!(stream, "{}", serde_json::to_string(&answer).unwrap());
    // Every other request is for notes, and there are none.
    while reader.read_line(&mut line).is_ok_and(|len| len > 0) {
        let nothing = Answer::Collected { other_tests: 0 };
        let _ = writeln!(stream, "{}", serde_json::to_string(&nothing).unwrap());
    }
}

fn answer_probes(socket: &UdpSocket) {
    let mut bytes = [0; BYTES];
    while let Ok((_, from)) = socket.recv_from(&mut bytes) {
        if let Some(mut answer) = Datagram::decode(&bytes) {
            (answer.kind, answer.reached, answer.answered) = (DatagramKind::Answer, 1, 1);
            let _ = socket.send_to(&answer.encode(), from);
        }
    }
}
