//! The program inside a lab: this test program, which then acts as it is told instead of testing.
//! So a fresh machine needs no other programs.

use std::fmt::Display;
use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, thread};

use rustix::net::{AddressFamily, SocketType, connect, socket, sockopt};
use serde_json::Value;

use super::network;

/// The variable with the task.
const ROLE: &str = "UNBLOAT_TEST_ROLE";
/// The variable with the address that a command in a lab within a lab connects to.
const DIALLED: &str = "UNBLOAT_TEST_DIALLED";
/// The prefix of each result.
const MARK: &str = "it tells: ";
/// The data sent to the peer's echo and back.
pub(super) const SAID: &[u8] = b"there and back";

/// The results of the inner program.
#[derive(Debug)]
pub(super) struct Told {
    /// The results, in milliseconds if they are numbers.
    pub(super) words: Vec<String>,
    stdout: String,
    pub(super) stderr: String,
}

impl Told {
    pub(super) fn numbers(&self) -> Vec<f64> {
        self.words.iter().map(|word| word.parse().expect("a number")).collect()
    }

    /// The lab's document. `None` if it was not asked for.
    pub(super) fn document(&self) -> Option<Value> {
        let begins = self.stdout.rfind("\n{\n")?;
        serde_json::from_str(&self.stdout[begins..]).ok()
    }
}

/// Performs this task inside `lab`, a command that lacks the program to run.
pub(super) fn run(role: &str, mut lab: Command) -> Told {
    let program = env::current_exe().unwrap();
    let only = ["--exact", "lab_runs::inner::does_as_it_is_told", "--nocapture"];
    let output = lab.arg(program).args(only).env(ROLE, role).output().unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{stdout}\n{stderr}");
    let words = stdout.lines().filter_map(|line| line.split_once(MARK));
    let words = words.map(|(_, word)| word.to_owned()).collect();
    Told { words, stdout, stderr }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it is told so in the environment")]
fn does_as_it_is_told() {
    let peer = |variable| env::var(variable).expect("a peer");
    let dialled = || env::var(DIALLED).expect("an address").parse().expect("an address");
    match env::var(ROLE).as_deref() {
        Err(_) => {}
        Ok("upload") => tell(beside_an_upload(&peer("UNBLOAT_PEER"))),
        Ok("round-trip") => tell(round_trip(&peer("UNBLOAT_PEER"))),
        Ok("congestion") => congestion(&peer("UNBLOAT_PEER")).iter().for_each(tell),
        Ok("host") => be_host(&peer("UNBLOAT_PEER")),
        Ok("dial") => tell(dial(dialled())),
        Ok("round-trips") => ["UNBLOAT_PEER", "UNBLOAT_OUTER_PEER"].map(peer).iter().for_each(
            // The first round trip prepares the path.
            |peer| tell((0..3).map(|_| round_trip(peer)).fold(f64::INFINITY, f64::min)),
        ),
        Ok(other) => panic!("nobody knows how to do {other}"),
    }
}

fn tell(word: impl Display) {
    println!("\n{MARK}{word}");
}

/// The congestion control of a connection that chose none, and of one that chose reno before.
fn congestion(peer: &str) -> [String; 2] {
    let address = SocketAddr::new(peer.parse().unwrap(), 9);
    [None, Some("reno")].map(|chosen| {
        let tcp = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        chosen.into_iter().for_each(|name| sockopt::set_tcp_congestion(&tcp, name).unwrap());
        connect(&tcp, &address).expect("the peer takes what it gets");
        sockopt::tcp_congestion(&tcp).unwrap()
    })
}

/// Listens where a command in a lab of its own can dial it, and starts one that does.
fn be_host(peer: &str) {
    let way_out = UdpSocket::bind("0.0.0.0:0").unwrap();
    way_out.connect((peer, 9)).unwrap();
    let own: IpAddr = way_out.local_addr().unwrap().ip();
    let listener = TcpListener::bind((own, 0)).unwrap();
    let dialled = listener.local_addr().unwrap();
    let host = thread::spawn(move || {
        let (mut client, from) = listener.accept().unwrap();
        let mut heard = Vec::new();
        client.read_to_end(&mut heard).unwrap();
        client.write_all(&heard).unwrap();
        from.ip() == own
    });
    let mut lab = network::lab();
    lab.env(DIALLED, dialled.to_string());
    run("dial", lab).words.iter().for_each(tell);
    tell(if host.join().unwrap() { "from the host" } else { "from elsewhere" });
}

/// Sends data that the peer returns when it has it all.
fn dial(address: SocketAddr) -> &'static str {
    let sent: Vec<u8> = (0..300_000_u32).map(|number| number as u8).collect();
    let mut stream = TcpStream::connect(address).expect("somebody listens");
    stream.write_all(&sent).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard).unwrap();
    if heard == sent { "came back" } else { "was changed" }
}

/// The median of round trips in the latter half of an upload of six seconds.
fn beside_an_upload(peer: &str) -> f64 {
    const LASTS: Duration = Duration::from_secs(6);
    let begun = now();
    let mut upload = TcpStream::connect((peer, 9)).expect("the peer takes what it gets");
    // Each kernel has Reno and lets everyone use it, and unlike BBR it fills buffers.
    sockopt::set_tcp_congestion(&upload, "reno").unwrap();
    upload.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
    let uploader = thread::spawn(move || {
        while begun.elapsed() < LASTS {
            // Data that does not fit yet is no failure.
            let _ = upload.write(&[0; 16 << 10]);
        }
    });
    let mut late = Vec::new();
    while begun.elapsed() < LASTS {
        let milliseconds = round_trip(peer);
        if begun.elapsed() > LASTS / 2 {
            late.push(milliseconds);
        }
    }
    uploader.join().unwrap();
    late.sort_by(f64::total_cmp);
    late[late.len() / 2]
}

/// The round trip to the peer's echo (RFC 862), in milliseconds. Lost data is sent again.
fn round_trip(peer: &str) -> f64 {
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    socket.connect((peer, 7)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    for _ in 0..10 {
        let sent = now();
        socket.send(SAID).unwrap();
        if socket.recv(&mut [0; 64]).is_ok() {
            return sent.elapsed().as_secs_f64() * 1e3;
        }
    }
    panic!("{peer} does not answer");
}

#[expect(clippy::disallowed_methods, reason = "it measures what a user of the network would")]
fn now() -> Instant {
    Instant::now()
}
