//! Rates that follow a line whose rate changes. The line is a long queue at the server's interface.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::chain::address;
use crate::ends::{pause, pings};
use crate::shaper::{Line, PROGRAM};
use crate::traffic::PUNCTUAL;

/// Runs `unbloat` with these arguments at the server.
fn at_server(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments);
    command
}

/// Downloads while `during` runs.
fn download<T>(line: &Line, during: impl FnOnce() -> T) -> T {
    let [client, _, server] = &line.chain.nodes[..] else { panic!("three nodes") };
    let to = (address(false, 0, 1), 5003);
    let listener = client.run(|| TcpListener::bind(to).unwrap()).unwrap();
    let mut sender = server.run(|| TcpStream::connect(to).unwrap()).unwrap();
    let (mut receiver, _) = listener.accept().unwrap();
    let end = receiver.try_clone().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || while sender.write_all(&[0; 1 << 14]).is_ok() {});
        scope.spawn(move || while receiver.read(&mut [0; 1 << 16]).is_ok_and(|len| len > 0) {});
        let done = during();
        end.shutdown(Shutdown::Both).unwrap();
        done
    })
}

/// The state of the rules, and true if the machine was fast enough to judge them by.
fn state(status: &Value) -> (f64, bool) {
    let rate = status["autorate"]["down"]["rate_mbit"].as_f64().unwrap();
    (rate, status["lateness_us"].as_f64().is_some_and(|late| late < PUNCTUAL))
}

fn follows(line: &Line, source: &str, options: &[&str]) {
    let slow = at_server(&["shape", "left", "--up", "bfifo limit 200kb", "--up-rate", "16mbit"]);
    let _slow = line.start_at(2, slow, "shaping left");
    let queues = ["--up", "cake bandwidth 10mbit", "--down", "cake bandwidth 10mbit ingress"];
    let rules = ["--autorate", "--up-range", "1mbit-20mbit", "--down-range", "2mbit-60mbit"];
    let shaper = line.shape(&[&["right"], &queues[..], &rules[..], options].concat());
    let (fast, slow, delays) = download(line, || {
        pause(Duration::from_secs(4));
        let fast = shaper.status();
        let set = || at_server(&["shape", "set", "left", "--up-rate", "6mbit"]).output().unwrap();
        assert!(line.chain.nodes[2].run(set).unwrap().status.success());
        pause(Duration::from_secs(3));
        let delays = pings(line, 100, Duration::from_millis(20));
        (fast, shaper.status(), delays)
    });
    assert_eq!(fast["autorate"]["source"], source);
    let mut delays: Vec<Duration> = delays.into_iter().flatten().collect();
    delays.sort();
    let median = delays[delays.len() / 2];
    let ((fast, is_first), (slow, is_second)) = (state(&fast), state(&slow));
    println!("{source}: {fast} Mbit/s, then {slow}; {median:?}");
    if !is_first || !is_second {
        println!("not judged, since packets were late");
        return;
    }
    // The line carries 16 Mbit/s, and then 6, with a queue of up to 270 ms.
    assert!((12.0..30.0).contains(&fast), "{source}: {fast} Mbit/s");
    assert!((3.0..9.0).contains(&slow), "{source}: {slow} Mbit/s");
    assert!(median < Duration::from_millis(40), "{source}: {median:?}");
}

#[test]
fn rates_follow_the_line_by_every_source() {
    let Some(line) = Line::new() else { return };
    let server = address(false, 1, 2).to_string();
    let _serving = line.start_at(2, at_server(&["serve"]), "listening on");
    follows(&line, "server", &["--server", &server]);
    follows(&line, "reflectors", &["--reflectors", &server]);
    follows(&line, "passing", &[]);
}
