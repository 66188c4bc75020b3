//! The life of a shaper: changes at work, an interface that comes and goes, and every kind of end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use crate::ends::{lost, pause, pings};
use crate::shaper::Line;

const QUEUES: [&str; 5] =
    ["right", "--up", "cake bandwidth 18mbit", "--down", "cake bandwidth 90mbit ingress"];

/// The time between pings.
const EVERY: Duration = Duration::from_millis(5);

/// The most of 400 pings that may be lost: the one that the process was just moving.
const MOVING: usize = 1;

/// The pings of two seconds, in the middle of which something happens to the shaper.
fn pings_around(line: &Line, happens: impl FnOnce() + Send) -> Vec<Option<Duration>> {
    thread::scope(|scope| {
        let pinging = scope.spawn(|| pings(line, 400, EVERY));
        pause(Duration::from_millis(700));
        happens();
        let pings = pinging.join().unwrap();
        println!("{} of {} pings were lost", lost(&pings), pings.len());
        pings
    })
}

/// A second process passes on what waits for the first.
#[test]
fn a_shaper_that_is_killed_loses_nothing_but_what_it_moves() {
    let Some(line) = Line::new() else { return };
    let shaper = line.shape(&QUEUES);
    let pings = pings_around(&line, || shaper.signal(Signal::KILL));
    assert!(lost(&pings) <= MOVING, "{pings:?}");
    assert_eq!(shaper.end(), None);
    line.wait_for_no_devices();
}

/// The kernel lets packets pass 125 ms after it has last heard of the process, and the second process
/// passes on what came before.
#[test]
fn a_shaper_that_hangs_does_not_take_the_line_with_it() {
    let Some(line) = Line::new() else { return };
    let shaper = line.shape(&QUEUES);
    let hanging = pings_around(&line, || shaper.signal(Signal::STOP));
    assert!(lost(&hanging) <= MOVING, "{hanging:?}");
    let longest = hanging.iter().flatten().max();
    assert!(longest > Some(&Duration::from_millis(50)), "it did not hang: {longest:?}");
    shaper.signal(Signal::CONT);
    let again = pings(&line, 50, EVERY);
    assert!(lost(&again) <= MOVING, "{again:?}");
}

#[test]
fn a_shaper_that_is_stopped_empties_its_queues() {
    let Some(line) = Line::new() else { return };
    for signal in [Signal::INT, Signal::TERM] {
        let shaper = line.shape(&QUEUES);
        let pings = pings_around(&line, || shaper.signal(signal));
        assert_eq!(lost(&pings), 0, "{pings:?}");
        assert_eq!(shaper.end(), Some(0));
        line.wait_for_no_devices();
    }
}

#[test]
fn a_shaper_ends_after_its_time() {
    let Some(line) = Line::new() else { return };
    let shaper = line.shape(&[&QUEUES[..], &["--for", "1s"]].concat());
    assert_eq!(shaper.end(), Some(0));
    line.wait_for_no_devices();
}

#[test]
fn a_change_at_work_loses_nothing() {
    let Some(line) = Line::new() else { return };
    let shaper = line.shape(&QUEUES);
    let change = || {
        for rate in ["20mbit", "10mbit", "30mbit"] {
            let up = format!("cake bandwidth {rate}");
            let output = line.output(&["set", "right", "--up", &up, "--json"]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    };
    assert_eq!(lost(&pings_around(&line, change)), 0);
    let status = shaper.status();
    assert_eq!(status["up"]["limit_mbit"], 30.0);
    assert_eq!(status["down"]["limit_mbit"], 90.0, "it was not named");
    assert!(status["down"]["queue"].as_str().unwrap().contains("ingress"));
}

#[test]
fn a_change_that_cannot_be_made_changes_nothing() {
    let Some(line) = Line::new() else { return };
    let shaper = line.shape(&QUEUES);
    for (queue, words) in [
        ("fq_codel", "cake"),
        ("cake bandwidth 18parsec", "parsec"),
        ("cake bandwith 18mbit", "bandwith"),
        ("cake bandwidth 18", "`18` has no unit"),
        ("cake unlimited", "has no rate, and the queue at work keeps one"),
    ] {
        let good = ["set", "right", "--down", "cake bandwidth 1mbit", "--up", queue];
        let output = line.output(&good);
        assert_eq!(output.status.code(), Some(2), "{queue}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(words), "{said}");
        assert!(said.contains(&format!("--up \"{queue}\": ")), "{said}");
    }
    let output = line.output(&["set", "right", "--up-rate", "3mbit"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("type --up \"cake bandwidth 3mbit\""), "{said}");
    let status = shaper.status();
    assert_eq!([&status["up"]["limit_mbit"], &status["down"]["limit_mbit"]], [18.0, 90.0]);
}

/// The interface is made anew, with another number.
#[test]
fn a_shaper_follows_its_interface() {
    let Some(line) = Line::new() else { return };
    let shaper = line.shape(&QUEUES);
    let ip = |arguments: &[&str]| line.ip(1, arguments);
    ip(&["link", "set", "right", "down"]);
    ip(&["link", "set", "right", "mtu", "1400"]);
    ip(&["link", "set", "right", "up"]);
    assert_eq!(lost(&pings(&line, 20, EVERY)), 0);
    ip(&["link", "set", "right", "name", "elsewhere"]);
    shaper.wait_for("right has the name elsewhere now");
    ip(&["link", "set", "elsewhere", "name", "right"]);
    shaper.wait_for("elsewhere has the name right now");
    assert!(line.output(&["right", "--status"]).status.success());
    assert_eq!(lost(&pings(&line, 300, EVERY)), 0);
    assert!(shaper.status()["up"]["rate_mbit"].as_f64().unwrap() > 0.0);
    line.remove();
    shaper.wait_for("right is gone");
    let status = shaper.status();
    assert_eq!(status["state"], "waiting");
    for direction in ["up", "down"] {
        assert_eq!(status[direction]["rate_mbit"], 0.0, "{status}");
        assert!(status[direction]["delay_ms"].is_null(), "{status}");
    }
    let set = line.output(&["set", "right", "--up", "cake bandwidth 1mbit"]);
    let said = String::from_utf8_lossy(&set.stderr).into_owned();
    assert!(set.status.code() == Some(2) && said.contains("right is not there now"), "{said}");
    line.make_again();
    shaper.wait_for("shaping right");
    assert_eq!(lost(&pings(&line, 20, EVERY)), 0);
    let packets = shaper.status()["up"]["tc"]["packets"].as_u64().unwrap();
    assert!(packets >= 40, "{packets} packets went through the queue");
}

#[test]
fn figures_can_be_collected() {
    let Some(line) = Line::new() else { return };
    let arguments: Vec<_> = QUEUES.into_iter().chain(["--metrics", "127.0.0.1:9817"]).collect();
    let shaper = line.shape(&arguments);
    let _ = pings(&line, 300, EVERY);
    let text = line.chain.nodes[1].run(|| {
        let mut stream = TcpStream::connect("127.0.0.1:9817").unwrap();
        let request = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    });
    let text = text.unwrap();
    let sent = r#"unbloat_shape_sent_packets_total{interface="right",direction="up"} "#;
    let sent = text.lines().find_map(|line| line.strip_prefix(sent)).expect("a counter");
    assert!(sent.parse::<f64>().unwrap() >= 50.0, "{text}");
    assert!(text.contains(r#"tin="Best Effort""#), "{text}");
    shaper.signal(Signal::INT);
    assert_eq!(shaper.end(), Some(0));
}
