//! Paths that break while they are measured.

use measure::client::TestOutcome;
use observation::{Ended, Heading, Incomplete, Load};
use units::{Span, Time};

use super::chain::Chain;
use super::whole::{UP, disturbed, measured};

/// The loads: much longer than it takes to notice the fault.
const LOADS: [(Load, u64); 2] = [(Load::Idle, 300), (UP, 30_000)];

/// The outcome of a test. A test in which this machine stood still is made again: a virtual machine may
/// be stopped for some seconds, and then the test says so.
fn awake(mut test: impl FnMut() -> TestOutcome) -> TestOutcome {
    const TIMES: usize = 3;
    let outcomes = std::iter::repeat_with(&mut test).take(TIMES);
    let mut outcomes = outcomes
        .skip_while(|outcome| matches!(outcome.partial, Some(Incomplete::StoodStill { .. })));
    outcomes.next().expect("this machine stands still all the time")
}

pub(crate) fn a_link_that_is_cut_is_told() {
    let outcome = awake(|| {
        let chain = Chain::new(1);
        disturbed(&chain, &LOADS, || chain.cut(1, "right"))
    });
    assert_eq!(outcome.partial, Some(Incomplete::ServerSilent));
    // The time after the last answer is in no stage.
    let last = outcome.observations.stages.last().unwrap();
    assert_eq!((last.load, last.ended), (UP, Ended::Lost));
    assert!(last.end < Time::from_millis(2_500), "{last:?}");
    assert!(outcome.duration < Span::from_secs(15), "{}", outcome.duration);
}

pub(crate) fn a_cable_that_is_pulled_is_told() {
    let outcome = awake(|| {
        let chain = Chain::new(1);
        disturbed(&chain, &LOADS, || chain.cut(0, "right"))
    });
    assert!(matches!(outcome.partial, Some(Incomplete::NoRoute { .. })), "{:?}", outcome.partial);
}

pub(crate) fn a_router_that_swallows_large_packets_is_told() {
    let chain = Chain::new(2);
    // The second router's link has a smaller MTU, and its ICMP errors do not come through.
    chain.set_mtu(2, "right", 1_280);
    chain.mute(2);
    let outcome = measured(&chain, &LOADS);
    let lost = Incomplete::LargeLost { heading: Heading::Up, largest_bytes: Some(1500) };
    assert_eq!(outcome.partial, Some(lost));
}
