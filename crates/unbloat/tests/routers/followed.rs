//! `unbloat pcap -i`: the connections that pass an interface.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;

use results::Capture;
use rustix::thread::{capabilities, configure_capability_in_ambient_set, set_capabilities};
use sandbox::{CapabilitySet, Namespace};

use super::PROGRAM;

/// The data that is sent through the interface: as much as the kernel has room for.
const SENT: usize = 1 << 16;

/// A connection through the loopback interface of a namespace is told once, with all its data, when the interrupt comes.
pub(crate) fn connections_that_pass_an_interface_are_told() {
    Namespace::new().unwrap().run(follow).unwrap();
}

fn follow() {
    hand_on_right();
    let mut command = Command::new(PROGRAM);
    let page = std::env::temp_dir().join(format!("unbloat-followed-{}.html", std::process::id()));
    command.args(["pcap", "-i", "lo", "--for", "60s", "--json", "--report"]).arg(&page);
    let mut program = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(program.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("following lo"), "{line}");
    send();
    let interrupt = rustix::process::Signal::INT;
    rustix::process::kill_process(rustix::process::Pid::from_child(&program), interrupt).unwrap();
    let output = program.wait_with_output().unwrap();
    let capture: Capture = serde_json::from_slice(&output.stdout).unwrap();
    let [connection] = &capture.connections[..] else { panic!("{capture:?}") };
    assert_eq!(connection.ends[0].counts.unique_bytes, SENT as u64);
    assert_eq!(connection.ends.each_ref().map(|end| end.counts.syns), [1, 1]);
    assert!(capture.is_live);
    // The packets were kept for the page, and there is no file that Wireshark could open.
    let drawn = std::fs::read_to_string(&page).unwrap();
    std::fs::remove_file(&page).unwrap();
    assert!(drawn.contains("sequence-1") && !drawn.contains("wireshark -r"));
}

/// Makes programs that this thread starts have the right that they need: without the id of root, a program has none of those
/// of who starts it.
fn hand_on_right() {
    let right = CapabilitySet::NET_RAW;
    let mut sets = capabilities(None).unwrap();
    sets.inheritable |= right;
    set_capabilities(None, sets).unwrap();
    configure_capability_in_ambient_set(right, true).unwrap();
}

/// Sends data from one end of a connection to the other, and waits until it is closed.
fn send() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let receiver = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap()
    });
    TcpStream::connect(address).unwrap().write_all(&vec![0; SENT]).unwrap();
    assert_eq!(receiver.join().unwrap(), SENT);
}
