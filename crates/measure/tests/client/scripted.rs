//! Servers that are not ours, or broken ones.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::thread;

use measure::datagram::{BYTES, Datagram, Kind};
use measure::protocol::{Answer, Limits, PROTOCOL, Request};

/// A server that says this to whoever comes, and closes.
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

/// A server that is welcoming and answers probes, but never sends nor takes any load: so it looks
/// behind a router that takes no large packets.
pub(super) fn black_hole() -> SocketAddr {
    let address = without_udp();
    let probes = UdpSocket::bind(address).unwrap();
    thread::spawn(move || answer_probes(&probes));
    address
}

/// A server that is welcoming, and to which no datagram comes through.
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
    // Whatever else is asked for: there is nothing more to tell.
    while reader.read_line(&mut line).is_ok_and(|len| len > 0) {
        let nothing = Answer::Collected { other_tests: 0 };
        let _ = writeln!(stream, "{}", serde_json::to_string(&nothing).unwrap());
    }
}

fn answer_probes(socket: &UdpSocket) {
    let mut bytes = [0; BYTES];
    while let Ok((_, from)) = socket.recv_from(&mut bytes) {
        if let Some(mut answer) = Datagram::decode(&bytes) {
            (answer.kind, answer.reached, answer.answered) = (Kind::Answer, 1, 1);
            let _ = socket.send_to(&answer.encode(), from);
        }
    }
}
