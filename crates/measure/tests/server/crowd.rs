//! Places that some hold and others need.

use std::collections::VecDeque;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use kernel::Clock;
use measure::protocol::{Answer, Reason};
use measure::server::{Bounds, Options};
use observation::Heading;

use units::Time;

use crate::client::{Host, Line, connect, flow_of, hello};

/// An address of this client in this network.
fn from(network: u8, client: u8) -> IpAddr {
    [127, 7, network, client].into()
}

/// A control connection that sends nothing after its first line.
fn idle(host: &Host, address: IpAddr) -> (Line, Answer) {
    let mut control = host.connect_from(address);
    control.say(&hello());
    let answer = control.hear();
    (control, answer)
}

/// Two addresses take all places, and go on asking. Of other networks, each that comes then gets a
/// place, and with it a flow.
#[test]
fn who_holds_many_places_makes_room() {
    let host = Host::start(Options::default());
    let mut held: Vec<Line> = Vec::new();
    for number in 0..8 {
        let (control, answer) = idle(&host, from(number % 2, 1));
        assert!(matches!(answer, Answer::Welcome { .. }), "{answer:?}");
        held.push(control);
    }
    let mut honest = Vec::new();
    for network in 2..8 {
        let (control, answer) = idle(&host, from(network, 1));
        let Answer::Welcome { test, .. } = answer else { panic!("locked out: {answer:?}") };
        let mut flow = host.flow(&test, Heading::Down, None);
        assert!(flow.load() > 0);
        honest.push((control, flow));
        let (_, answer) = idle(&host, from(network % 2, 1));
        assert!(matches!(answer, Answer::Refused { reason: Reason::Busy, .. }), "{answer:?}");
    }
    for (control, flow) in &mut honest {
        assert!(flow.load() > 0, "a flow stands still");
        control.collect();
    }
    let told = held.iter_mut().map(Line::hear_if_any).filter(|answer| {
        matches!(answer, Some(Answer::Refused { message, .. }) if message.contains("its place"))
    });
    assert_eq!(told.count(), 6);
}

/// One network with many addresses, such as that of a rented server.
#[test]
fn addresses_of_one_network_are_not_many_customers() {
    let host = Host::start(Options::default());
    let mut held: Vec<Line> = Vec::new();
    for client in 1..=8 {
        held.push(idle(&host, from(1, client)).0);
    }
    let (_control, answer) = idle(&host, from(2, 1));
    assert!(matches!(answer, Answer::Welcome { .. }), "{answer:?}");
    let (_, answer) = idle(&host, from(1, 9));
    assert!(matches!(answer, Answer::Refused { reason: Reason::Busy, .. }), "{answer:?}");
}

#[test]
fn a_test_that_brings_nothing_ends() {
    let idle_time = Duration::from_millis(500);
    let host = Host::start(Options {
        bounds: Bounds { idle: idle_time, ..Bounds::default() },
        ..Options::default()
    });
    let (mut control, test) = host.test();
    // To collect notes does not count as movement.
    control.collect();
    let (reason, message) = control.refused();
    assert_eq!(reason, Reason::UnknownTest, "{message}");
    assert_eq!(message, "the test is over: neither flow nor probe moved for 0.5 s");
    host.accounts.recv().unwrap();
    let mut late = host.connect();
    late.say(&flow_of(&test, Heading::Up, None));
    assert_eq!(late.refused().0, Reason::UnknownTest);
}

#[test]
fn a_test_whose_flow_stands_still_ends_and_one_whose_flow_moves_does_not() {
    // With the other tests of this file running, a flow has once stood still for two seconds.
    let bounds = Bounds { idle: Duration::from_secs(5), ..Bounds::default() };
    let host = Host::start(Options { bounds, ..Options::default() });
    let (mut still, test) = host.test();
    let stuck = host.flow(&test, Heading::Up, None);
    let (mut moving, test) = host.test();
    let mut flow = host.flow(&test, Heading::Down, None);
    let begun = Clock::start();
    while begun.now() < Time::from_secs(8) {
        assert!(flow.load() > 0, "a flow that moves is over: {:?}", moving.hear_if_any());
    }
    moving.collect();
    assert_eq!(still.refused().0, Reason::UnknownTest);
    drop(stuck);
}

/// Sends what strangers of four networks send, in turn: garbage, half a line, a test without a
/// flow, nothing.
fn storm(server: SocketAddr, number: u32, kept: &mut VecDeque<Line>) {
    let line = connect(server, from(100 + (number % 4) as u8, 1 + (number % 50) as u8));
    let hello = serde_json::to_string(&hello()).unwrap() + "\n";
    let said = match number % 5 {
        0 => "GET / HTTP/1.1\r\n\r\n",
        1 => "{\"hello\":",
        2 | 3 => &hello,
        _ => "",
    };
    // The server may have closed already.
    let _ = (&line.stream).write_all(said.as_bytes());
    kept.push_back(line);
    if kept.len() > 200 {
        kept.pop_front();
    }
}

#[test]
fn a_storm_keeps_nobody_out() {
    let host = Host::start(Options::default());
    let server = host.address;
    let (is_over, stormed) = (AtomicBool::new(false), AtomicU32::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut kept = VecDeque::new();
                while !is_over.load(Ordering::Relaxed) {
                    storm(server, stormed.fetch_add(1, Ordering::Relaxed), &mut kept);
                }
            });
        }
        let end = EndOfStorm(&is_over);
        while stormed.load(Ordering::Relaxed) < 1_000 {
            thread::yield_now();
        }
        for visit in 0..20 {
            let (mut control, answer) = idle(&host, from(visit, 1));
            let Answer::Welcome { test, .. } = answer else { panic!("{visit}: {answer:?}") };
            let mut flow = host.flow(&test, Heading::Down, None);
            assert!(flow.load() > 0);
            control.collect();
        }
        drop(end);
    });
    host.test();
}

/// Ends the storm when this is dropped, also by a panic.
struct EndOfStorm<'a>(&'a AtomicBool);

impl Drop for EndOfStorm<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
