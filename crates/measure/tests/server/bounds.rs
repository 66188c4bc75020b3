//! A server's bounds hold, and clients that reach one are told so.

use std::time::Duration;

use kernel::Clock;
use measure::protocol::{Answer, Proof, Reason, Request};
use measure::server::{Bounds, Options};
use measure::token::Token;
use observation::Heading;
use units::{Rate, Time};

use crate::client::{Host, flow_of, hello};

fn bounded(bounds: Bounds) -> Host {
    Host::start(Options { bounds, ..Options::default() })
}

#[test]
fn so_many_tests() {
    let host = bounded(Bounds { tests: 2, ..Bounds::default() });
    let (one, _) = host.test();
    let mut other = host.connect();
    other.say(&hello());
    let (reason, message) = other.refused();
    assert_eq!(reason, Reason::Busy);
    assert_eq!(message, "your address has reached its limit of 1 tests on this server");
    let mut elsewhere = host.connect_from([127, 0, 0, 2].into());
    elsewhere.say(&hello());
    assert!(matches!(elsewhere.hear(), Answer::Welcome { .. }));
    let mut third = host.connect_from([127, 0, 0, 3].into());
    third.say(&hello());
    assert_eq!(third.refused().1, "this server has reached its limit of 2 tests");
    drop(one);
    host.accounts.recv().unwrap();
    host.test();
}

#[test]
fn so_many_flows() {
    let host = bounded(Bounds { flows: 2, ..Bounds::default() });
    let (_control, test) = host.test();
    let _one = host.flow(&test, Heading::Up, None);
    let _two = host.flow(&test, Heading::Down, None);
    let mut three = host.connect();
    three.say(&flow_of(&test, Heading::Up, None));
    assert_eq!(three.refused().0, Reason::TooManyFlows);
}

#[test]
fn so_long() {
    let host = bounded(Bounds { time: Duration::from_millis(300), ..Bounds::default() });
    let (mut control, test) = host.test();
    let mut flow = host.flow(&test, Heading::Down, None);
    while flow.load() > 0 {}
    assert_eq!(control.refused().0, Reason::UnknownTest);
}

#[test]
fn so_fast() {
    let bounds = Bounds { rate: Some(Rate::from_mbit(8)), ..Bounds::default() };
    let host = bounded(bounds);
    let (_control, test) = host.test();
    let mut flows: Vec<_> = (0..2).map(|_| host.flow(&test, Heading::Down, None)).collect();
    // Linux does not pace the first ten segments, and segments here have 64 kB.
    let mut taken = 0;
    while taken < 2 * 10 * 65_536 {
        taken += flows.iter_mut().map(crate::client::Line::load).sum::<usize>();
    }
    let begun = Clock::start();
    let mut taken = 0;
    while begun.now() < Time::from_secs(2) {
        taken += flows.iter_mut().map(crate::client::Line::load).sum::<usize>();
    }
    let rate = taken as f64 * 8.0 / begun.now().as_secs_f64() / 1e6;
    assert!((5.0..=10.0).contains(&rate), "down at {rate} Mbit/s");
    drop(flows);
    let up = host.flow(&test, Heading::Up, None);
    let begun = Clock::start();
    let mut given = 0;
    up.stream.set_nonblocking(true).unwrap();
    while begun.now() < Time::from_secs(3) {
        given += std::io::Write::write(&mut &up.stream, &[1; 20_000]).unwrap_or(0);
        std::thread::yield_now();
    }
    // Data in the kernels' buffers at both ends are not yet received.
    let rate = given as f64 * 8.0 / begun.now().as_secs_f64() / 1e6;
    assert!(rate < 50.0, "up at {rate} Mbit/s");
}

#[test]
fn only_who_knows_the_token() {
    let token = Token::new(b"open sesame").unwrap();
    let host = Host::start(Options { token: Some(token.clone()), ..Options::default() });
    let ask = || {
        let mut control = host.connect();
        control.say(&hello());
        match control.hear() {
            Answer::Challenge { nonce } => (control, nonce),
            answer => panic!("{answer:?}"),
        }
    };
    let (mut right, nonce) = ask();
    right.say(&Proof { proof: token.prove(&nonce) });
    assert!(matches!(right.hear(), Answer::Welcome { .. }));
    let (mut replayed, other) = ask();
    assert_ne!(nonce, other, "a nonce is used once");
    replayed.say(&Proof { proof: token.prove(&nonce) });
    assert_eq!(replayed.refused().0, Reason::Token);
    let (mut wrong, nonce) = ask();
    wrong.say(&Proof { proof: Token::new(b"sesame").unwrap().prove(&nonce) });
    assert_eq!(wrong.refused(), (Reason::Token, "the token is not that of this server".into()));
    let (mut silent, _) = ask();
    silent.say(&Request::Echo { test: String::new() });
    assert_eq!(silent.refused().0, Reason::Malformed);
}
