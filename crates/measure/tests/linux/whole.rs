//! Whole tests between the ends of a path.

use std::sync::mpsc::channel;
use std::thread;

use measure::client::{self, Directions, Plan, Planned, Progress, RemoteServer, Rule, TestOutcome};
use measure::server::{self, Options, Stopper};
use observation::{Heading, Load};
use units::{Bytes, Rate, Span};

use super::chain::Chain;

pub(crate) const UP: Load = Load::One(Heading::Up);

/// Measures a path with these loads, each for its milliseconds.
pub(crate) fn measured(chain: &Chain, loads: &[(Load, u64)]) -> TestOutcome {
    disturbed(chain, loads, || {})
}

/// The same, and calls `disturb` 1.5 s after the beginning.
pub(crate) fn disturbed(
    chain: &Chain,
    loads: &[(Load, u64)],
    disturb: impl FnOnce() + Send,
) -> TestOutcome {
    let at_server = &chain.nodes[chain.nodes.len() - 1];
    let addresses = vec![(chain.server(false), 0).into()];
    let bind = || server::Server::bind(Options { addresses, ..Options::default() }).unwrap();
    let server = at_server.run(bind).unwrap();
    let (address, stopper) = (server.addresses()[0], Stop(server.stopper()));
    let (tell, told) = channel();
    thread::scope(|scope| {
        scope.spawn(|| at_server.run(|| server.run(|_| {}).unwrap()).unwrap());
        // The client has no privilege to disturb anything, so another thread does.
        scope.spawn(move || told.recv().is_ok().then(disturb));
        let server =
            RemoteServer { host: address.ip().to_string(), port: address.port(), token: None };
        let mut watch = |now: &Progress| {
            if now.elapsed > Span::from_millis(1_500) {
                // After the first message the receiver is gone.
                let _ = tell.send(());
            }
            true
        };
        let outcome = chain.at_client(|| client::run(&plan(loads), &server, &mut watch));
        drop((stopper, tell));
        outcome.unwrap()
    })
}

/// Stops a server, whatever happens.
struct Stop(Stopper);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn plan(loads: &[(Load, u64)]) -> Plan {
    let stage = |(load, millis): &(Load, u64)| Planned {
        load: *load,
        time: Span::from_millis(*millis),
        rule: Rule::Exact,
    };
    let stages = loads.iter().map(stage).collect();
    Plan { stages, ..Plan::test(Directions::Both, Span::from_secs(20)) }
}

/// The median.
fn median(mut spans: Vec<Span>) -> Span {
    spans.sort_unstable();
    spans[spans.len() / 2]
}

pub(crate) fn what_waits_in_our_own_queue_is_seen() {
    let chain = Chain::new(1);
    // 80 KiB at 8 Mbit/s: 82 ms.
    chain.add_bucket(0, "right", Rate::from_mbit(8), Bytes(81_920));
    let outcome = measured(&chain, &[(Load::Idle, 500), (UP, 3_000)]);
    let seen = outcome.observations;
    assert_eq!((outcome.partial, seen.interface.unwrap().qdisc), (None, Some("tbf".to_owned())));
    let probes = |stage: usize, part: u64| {
        let stage = seen.stages[stage];
        let from = stage.start + stage.end.since(stage.start) * part / 10;
        let within = move |at| from <= at && at < stage.end;
        seen.probes[0].probes.iter().filter(move |it| within(it.sent) && it.returned.is_some())
    };
    let waited = |stage, part| {
        median(probes(stage, part).map(|it| it.departed.unwrap().since(it.sent)).collect())
    };
    let round_trip = |stage, part| {
        median(probes(stage, part).map(|it| it.returned.unwrap().since(it.sent)).collect())
    };
    assert!(waited(0, 0) < Span::from_millis(1), "{}", waited(0, 0));
    let (own, all) = (waited(1, 7), round_trip(1, 7));
    // Reno halves its window after a loss (RFC 5681 4.2), CUBIC leaves 0.7 of it (RFC 9438 4.6).
    assert!((Span::from_millis(41)..Span::from_millis(90)).contains(&own), "{own} of {all}");
    // Nothing else on the path takes time.
    assert!(all - own < Span::from_millis(5), "{own} of {all}");
}
