//! Objects of pages, and the server's report of its load.

use std::time::Duration;

use kernel::Clock;
use measure::protocol::{Log, OBJECT_BYTES, Reason, Request};
use measure::server::{Bounds, Options};
use observation::Heading;
use socket2::{Domain, Socket, Type};
use units::{Rate, Time};

use crate::client::{Host, Line};

fn ask(host: &Host, test: &str, bytes: u32) -> Line {
    let mut line = host.connect();
    line.say(&Request::Object { test: test.to_owned(), bytes });
    line
}

/// The number of bytes that are received until the server closes.
fn all(line: &mut Line) -> usize {
    let mut taken = 0;
    while let len @ 1.. = line.load() {
        taken += len;
    }
    taken
}

#[test]
fn an_object_has_as_many_bytes_as_were_asked_for() {
    let host = Host::start(Options::default());
    let (_control, test) = host.test();
    for bytes in [1, 40_000, OBJECT_BYTES] {
        assert_eq!(all(&mut ask(&host, &test, bytes)), bytes as usize);
    }
    for bytes in [0, OBJECT_BYTES + 1] {
        assert_eq!(ask(&host, &test, bytes).refused().0, Reason::Malformed, "{bytes} bytes");
    }
    assert_eq!(ask(&host, "no test", 1).refused().0, Reason::UnknownTest);
}

/// A client that does not read its object keeps a place that a flow could have.
#[test]
fn an_object_is_one_of_so_many_flows() {
    let bounds = Bounds { flows: 2, ..Bounds::default() };
    let host = Host::start(Options { bounds, ..Options::default() });
    let (_control, test) = host.test();
    let _flow = host.flow(&test, Heading::Down, None);
    let mut taken = ask(&host, &test, OBJECT_BYTES);
    assert!(taken.load() > 0);
    assert_eq!(ask(&host, &test, 1).refused().0, Reason::TooManyFlows);
    all(&mut taken);
    drop(taken);
    // The place is free as soon as the server has noticed.
    while all(&mut ask(&host, &test, 1)) != 1 {}
}

#[test]
fn an_object_is_over_when_the_test_is() {
    let bounds = Bounds { rate: Some(Rate::from_mbit(1)), ..Bounds::default() };
    let host = Host::start(Options { bounds, ..Options::default() });
    let (control, test) = host.test();
    let mut object = ask(&host, &test, OBJECT_BYTES);
    assert!(object.load() > 0);
    drop(control);
    assert!(all(&mut object) < OBJECT_BYTES as usize);
}

/// 128 KiB at 4 Mbit/s take 0.26 s; Linux paces all but the first ten segments, which are small here.
#[test]
fn an_object_keeps_to_the_rate() {
    let bounds = Bounds { rate: Some(Rate::from_mbit(4)), ..Bounds::default() };
    let host = Host::start(Options { bounds, ..Options::default() });
    let (_control, test) = host.test();
    let begun = Clock::start();
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    kernel::set_max_segment(&socket, 1_000).unwrap();
    socket.connect(&host.address.into()).unwrap();
    let mut line = Line::new(socket.into());
    line.say(&Request::Object { test, bytes: OBJECT_BYTES });
    assert_eq!(all(&mut line), OBJECT_BYTES as usize);
    assert!(begun.now() > Time::from_millis(130), "{:?}", begun.now());
}

#[test]
fn the_server_tells_how_busy_it_is() {
    let bounds = Bounds { time: Duration::from_secs(20), ..Bounds::default() };
    let host = Host::start(Options { bounds, ..Options::default() });
    let (mut control, _test) = host.test();
    let busy = loop {
        if let [Log::Machine(busy)] = &control.collect_all()[..] {
            break busy.clone();
        }
    };
    let (at, _, own) = busy[0];
    // It has done nothing but answer this client, as fast as it could.
    assert!(at > 900_000_000 && own.is_some_and(|own| own > 0), "{busy:?}");
}
