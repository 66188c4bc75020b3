//! Servers that are not ours, or broken ones.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::Duration;

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
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let probes = UdpSocket::bind(address).unwrap();
    thread::spawn(move || answer_probes(&probes));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || welcome(stream));
        }
    });
    address
}

fn welcome(mut stream: TcpStream) {
    let mut line = String::new();
    let _ = BufReader::new(&stream).read_line(&mut line);
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
    let answer = serde_json::to_string(&answer).unwrap() + "\n";
    let _ = stream.write_all(answer.as_bytes());
    thread::sleep(Duration::from_secs(30));
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
