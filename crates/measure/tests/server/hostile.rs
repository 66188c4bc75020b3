//! Hostile clients, and programs that are no clients.

use std::io::Write;
use std::net::IpAddr;
use std::time::Duration;

use measure::protocol::{PROTOCOL, REQUEST_BYTES, Reason, Request};
use measure::server::{Bounds, Options};
use observation::Heading;

use crate::client::{Host, Line, flow_of, hello};

#[test]
fn what_is_no_request_is_refused() {
    let host = Host::start(Options::default());
    for garbage in ["GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}\n", "{}\n", "\n"] {
        let mut line = host.connect();
        line.stream.write_all(garbage.as_bytes()).unwrap();
        assert_eq!(line.refused().0, Reason::Malformed, "{garbage:?}");
    }
    let mut long = host.connect();
    long.stream.write_all(&[b'x'; REQUEST_BYTES * 20]).unwrap();
    assert_eq!(long.refused().0, Reason::Malformed);
    let mut newer = host.connect();
    newer.say(&Request::Hello { protocol: PROTOCOL + 1, program: "a later test".into() });
    let (reason, message) = newer.refused();
    assert_eq!(reason, Reason::Version);
    assert!(message.contains("version 2") && message.contains("version 3"), "{message}");
    host.test();
}

#[test]
fn garbage_on_the_control_connection_ends_the_test() {
    let host = Host::start(Options::default());
    let (mut control, test) = host.test();
    let mut flow = host.flow(&test, Heading::Down, None);
    control.stream.write_all(b"what?\n").unwrap();
    assert_eq!(control.refused().0, Reason::Malformed);
    while flow.load() > 0 {}
}

#[test]
fn a_flow_needs_a_test() {
    let host = Host::start(Options::default());
    let (_control, test) = host.test();
    let other = test.replace(|digit: char| digit != '0', "0");
    let cut = &test[..16];
    let same_beginning = format!("{cut}{}", "0".repeat(16));
    for name in
        ["", "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}", cut, &other, &same_beginning]
    {
        let mut flow = host.connect();
        flow.say(&flow_of(name, Heading::Down, None));
        assert_eq!(flow.refused().0, Reason::UnknownTest, "{name:?}");
    }
}

#[test]
fn who_says_nothing_is_closed() {
    let bounds = Bounds { patience: Duration::from_millis(200), ..Bounds::default() };
    let host = Host::start(Options { bounds, ..Options::default() });
    let mut silent = host.connect();
    let mut slow = host.connect();
    slow.stream.write_all(b"{\"hello\":").unwrap();
    assert_eq!(silent.refused().1, "no request came within 0.2 s");
    assert_eq!(slow.refused().0, Reason::Malformed);
}

#[test]
fn an_address_has_so_many_connections() {
    let bounds = Bounds { per_address: 3, ..Bounds::default() };
    let host = Host::start(Options { bounds, ..Options::default() });
    let crowd: Vec<Line> = (0..3).map(|_| host.connect()).collect();
    let (reason, message) = host.connect().refused();
    assert_eq!(reason, Reason::Busy);
    assert_eq!(message, "your address has reached its limit of 3 connections here");
    let mut elsewhere = host.connect_from([127, 0, 0, 2].into());
    elsewhere.say(&hello());
    elsewhere.hear();
    drop(crowd);
}

/// Two thousand connections that say nothing, from forty addresses.
#[test]
fn a_crowd_that_waits_keeps_nobody_out() {
    let host = Host::start(Options::default());
    let (mut control, test) = host.test();
    let mut crowd = Vec::new();
    for number in 0..2_000_u32 {
        let address = IpAddr::from([127, 0, 1, (number % 40) as u8 + 1]);
        crowd.push(host.connect_from(address));
    }
    let mut flow = host.flow(&test, Heading::Down, None);
    assert!(flow.load() > 0, "the load stands still");
    control.collect();
    // The first to connect was evicted.
    assert_eq!(crowd[0].refused().0, Reason::Busy);
    host.test();
}
