//! Probes: which are answered, and with what.

use std::net::UdpSocket;
use std::time::Duration;

use measure::datagram::{BYTES, Datagram, DatagramKind};
use measure::protocol::Log;
use measure::server::Options;

use crate::client::Host;

fn socket(host: &Host) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(host.address).unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    socket
}

fn probe(test: &str) -> Datagram {
    Datagram {
        kind: DatagramKind::Probe,
        stream: 0,
        dscp: 46,
        test: u64::from_str_radix(&test[..16], 16).unwrap(),
        cookie: 0,
        seq: 7,
        seen: 0,
        sent: 123,
        reached: 0,
        answered: 0,
    }
}

/// The answer, if there is one; it is never longer than what it answers.
fn ask(socket: &UdpSocket, bytes: &[u8]) -> Option<Datagram> {
    socket.send(bytes).unwrap();
    let mut answer = [0; 2_000];
    let len = socket.recv(&mut answer).ok()?;
    assert!(len <= bytes.len(), "{len} bytes for {}", bytes.len());
    Datagram::decode(&answer[..len])
}

#[test]
fn who_proves_its_address_is_answered() {
    let host = Host::start(Options::default());
    let (mut control, test) = host.test();
    let (socket, stranger) = (socket(&host), socket(&host));
    let first = probe(&test);
    let challenge = ask(&socket, &first.encode()).unwrap();
    assert_eq!((challenge.kind, challenge.seen, challenge.sent), (DatagramKind::Challenge, 0, 123));
    let proven = Datagram { cookie: challenge.cookie, ..first };
    let answer = ask(&socket, &proven.encode()).unwrap();
    assert_eq!(
        (answer.kind, answer.seq, answer.seen, answer.sent),
        (DatagramKind::Answer, 7, 1, 123)
    );
    assert!(answer.reached > 0 && answer.answered >= answer.reached, "{answer:?}");
    let again = ask(&socket, &Datagram { seq: 8, ..proven }.encode()).unwrap();
    assert_eq!((again.seq, again.seen), (8, 2));
    // The same cookie from another address proves nothing.
    let stolen = ask(&stranger, &proven.encode()).unwrap();
    assert_eq!(stolen.kind, DatagramKind::Challenge);
    assert_ne!(stolen.cookie, challenge.cookie);
    let logs = control.collect();
    let [Log::Probes(notes)] = &logs[..] else { panic!("{logs:?}") };
    let note = |answer: &Datagram| (0, answer.seq, answer.reached, answer.answered);
    assert_eq!(notes[..], [note(&answer), note(&again)]);
    assert_eq!(control.collect(), []);
}

/// Frames of a call are longer than probes, and their answers are as long as they are.
#[test]
fn an_answer_is_as_long_as_its_frame() {
    let host = Host::start(Options::default());
    let (_control, test) = host.test();
    let socket = socket(&host);
    let lengths = [probe(&test).encode().to_vec(), probe(&test).encode_voice().to_vec()];
    for bytes in lengths {
        socket.send(&bytes).unwrap();
        let mut answer = [1; 2_000];
        let len = socket.recv(&mut answer).unwrap();
        assert_eq!(len, bytes.len());
        // No byte that a stranger wrote behind the datagram comes back.
        assert!(answer[BYTES..len].iter().all(|byte| *byte == 0));
    }
    let mut long = probe(&test).encode_voice().to_vec();
    long.push(0);
    assert_eq!(ask(&socket, &long), None);
}

#[test]
fn who_names_no_test_gets_silence() {
    let host = Host::start(Options::default());
    let (control, test) = host.test();
    let socket = socket(&host);
    let right = probe(&test);
    let bytes = right.encode();
    assert_eq!(ask(&socket, &Datagram { test: right.test ^ 1, ..right }.encode()), None);
    for kind in [DatagramKind::Answer, DatagramKind::Challenge] {
        assert_eq!(ask(&socket, &Datagram { kind, ..right }.encode()), None, "{kind:?}");
    }
    for len in [0, 1, BYTES - 1] {
        assert_eq!(ask(&socket, &bytes[..len]), None, "{len} bytes");
    }
    assert_eq!(ask(&socket, &[&bytes[..], &[0]].concat()), None);
    assert!(ask(&socket, &bytes).is_some());
    drop(control);
    host.accounts.recv().unwrap();
    assert_eq!(ask(&socket, &bytes), None, "the test is over");
}
