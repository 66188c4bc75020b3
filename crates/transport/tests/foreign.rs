//! Congestion controls from outside of the crate.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use common::{CLIENT, Fate, Wire};
use transport::cc::{Factory, Reno};
use transport::{Config, Congestion};
use units::{Rate, Span, Time};

/// All segments of an upload over a bottleneck that also loses each 200th segment of the client.
fn upload(congestion: Congestion) -> Vec<String> {
    let config = Config { congestion, ..Config::default() };
    let mut count = 0_u32;
    let mut wire = Wire::new(config, Config::default(), Span::from_millis(20))
        .bottleneck(Rate::from_mbit(10), 30)
        .judge(move |from, segment, _| {
            count += u32::from(from == CLIENT && segment.len > 0);
            let is_lost = from == CLIENT && segment.len > 0 && count.is_multiple_of(200);
            if is_lost { Fate::Drop } else { Fate::Pass }
        })
        .logged()
        .connect();
    wire.write(CLIENT, 3_000_000);
    wire.close_both(Time::from_secs(60));
    wire.script()
}

#[test]
fn an_algorithm_sends_the_same_from_inside_and_from_outside() {
    let inside = upload(Congestion::Reno);
    let made = Arc::new(AtomicU32::new(0));
    let counter = made.clone();
    let factory = Factory::new("counted reno", move || {
        counter.fetch_add(1, Ordering::Relaxed);
        Reno::new(false)
    });
    let outside = upload(Congestion::Foreign(factory));
    assert!(inside.len() > 3_000, "{}", inside.len());
    assert_eq!(inside, outside);
    assert_ne!(inside, upload(Congestion::CUBIC));
    // The server has nothing to send, and needs none.
    assert_eq!(made.load(Ordering::Relaxed), 1);
}

#[test]
fn clones_of_a_factory_are_equal_and_others_are_not() {
    let reno = || Congestion::Foreign(Factory::new("reno", || Reno::new(false)));
    let one = reno();
    assert_eq!(one, one.clone());
    assert_ne!(one, reno());
    assert_eq!(format!("{one:?}"), "Foreign(Factory(\"reno\"))");
}
