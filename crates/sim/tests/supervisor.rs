//! A program beside a run.

mod support;

use scenario::Scenario;
use sim::{Options, Supervised, Supervisor};
use support::{direction, parse, run};
use units::{DirectionId, Span, Time, Way};

const SHAPED: &str = r#"
    duration = "10s"
    [[link]]
    name = "shaper"
    from = "home"
    to = "far"
    delay = "10ms"
    queue = "cake bandwidth 8mbit besteffort"
    [[flow]]
    name = "ping"
    from = "home"
    to = "far"
    traffic = "ping"
    interval = "10h"
    [[flow]]
    name = "upload"
    from = "home"
    to = "far"
    traffic = "bulk"
"#;

const PLACE: DirectionId = DirectionId::new(0, Way::Forward);

/// A program that acts each 100 ms.
struct Program<F> {
    due: Time,
    act: F,
}

impl<F: FnMut(&mut Supervised<'_>)> Supervisor for Program<F> {
    fn due(&self) -> Time {
        self.due
    }

    fn act(&mut self, run: &mut Supervised<'_>) {
        assert_eq!(run.now(), self.due);
        (self.act)(run);
        self.due += Span::from_millis(100);
    }
}

fn supervised(scenario: &Scenario, act: impl FnMut(&mut Supervised<'_>)) -> results::Document {
    let mut program = Program { due: Time::from_millis(100), act };
    let options = Options { supervisor: Some(&mut program), ..Options::default() };
    sim::run(scenario, options).expect("nothing is written")
}

#[test]
fn a_program_that_only_looks_changes_nothing() {
    let mut looks = 0;
    let document = supervised(&parse(SHAPED), |run| {
        looks += 1;
        let counters = run.counters(PLACE).unwrap();
        assert!(counters.departed_bytes > 0 && run.state(PLACE).is_some());
        assert!(run.counters(DirectionId::new(9, Way::Forward)).is_none());
        assert_eq!(run.delivered(99), 0);
    });
    assert_eq!(looks, 100);
    assert_eq!(document.links, run(SHAPED).links);
    assert_eq!(document.flows, run(SHAPED).flows);
}

/// Half of the time at 8 Mbit/s, half of it at 2.
#[test]
fn a_program_changes_a_rate() {
    let document = supervised(&parse(SHAPED), |run| {
        if run.now() == Time::from_secs(5) {
            run.change_queue(PLACE, "cake bandwidth 2mbit besteffort".parse().unwrap());
        }
    });
    let rate = direction(&document, "shaper").rate_mbit.unwrap();
    assert!((rate - 5.0).abs() < 0.1, "{rate}");
}

/// Half of the time at 4 Mbit/s, half of it at 1.
#[test]
fn a_program_changes_the_rate_of_a_link() {
    let text =
        SHAPED.replace("cake bandwidth 8mbit besteffort", "pfifo limit 40\"\n    rate = \"4mbit");
    let mut told = vec![];
    let document = supervised(&parse(&text), |run| {
        if run.now() == Time::from_secs(5) {
            run.change_rate(PLACE, units::Rate::from_mbit(1));
        }
        let upload = run.gauges(1).unwrap();
        told.push((upload.delivered, run.retransmitted(1)));
        assert!(upload.cwnd.is_some() && upload.rtt.is_some() && run.gauges(9).is_none());
    });
    let (delivered, retransmitted) = told.last().copied().unwrap();
    let upload = &document.flows["upload"];
    assert_eq!(upload.delivered_bytes, Some(delivered));
    assert_eq!(upload.retransmitted_packets, Some(retransmitted));
    assert!(retransmitted > 0);
    let goodput = upload.goodput_mbit.unwrap();
    assert!((2.2..2.5).contains(&goodput), "{goodput}");
}

/// One ping is sent by the flow itself, at time zero, and one at each look, the last of which is at the
/// end. CAKE sends the pings of a
/// flow that sends little before all others.
#[test]
fn a_program_sends_pings_and_takes_their_round_trips() {
    let mut answers = Vec::new();
    supervised(&parse(SHAPED), |run| {
        answers.extend(run.take_round_trip(0));
        assert_eq!(run.take_round_trip(0), None);
        run.ping(0);
        // A flow that is no ping sends nothing.
        run.ping(1);
    });
    assert_eq!(answers.len(), 100);
    let greatest = answers.iter().max().unwrap().as_millis_f64();
    assert!((20.0..26.0).contains(&greatest), "{greatest}");
}
