use std::net::TcpListener;
use std::time::Duration;

use measure::client::{ClientError, RemoteServer, Rule, run};
use measure::protocol::Reason;
use observation::{Ended, Heading, Incomplete, Load};

use super::scripted::{black_hole, forgetful_nat, says, tcp_alone, without_udp};
use super::{Host, measured, plan};

const DOWN: Load = Load::One(Heading::Down);

#[test]
fn who_is_interrupted_keeps_what_there_is() {
    let host = Host::start(None);
    let mut told = 0;
    let outcome = measured(&plan(&[(Load::Idle, 300), (DOWN, 9_000)]), host.address, None, |_| {
        told += 1;
        told < 10
    });
    let outcome = outcome.unwrap();
    assert_eq!(outcome.partial, Some(Incomplete::Interrupted));
    let ended = outcome.observations.stages.iter().map(|stage| stage.ended);
    assert_eq!(ended.collect::<Vec<_>>(), [Ended::Planned, Ended::Interrupted]);
    let received = outcome.observations.flows.iter().all(|flow| !flow.received.is_empty());
    assert!(received && outcome.observations.flows.len() == 4);
}

#[test]
fn a_server_that_goes_is_told_and_what_there_is_is_kept() {
    let host = Host::start(None);
    let stopper = host.stopper.clone();
    let outcome = measured(&plan(&[(Load::Idle, 300), (DOWN, 9_000)]), host.address, None, |now| {
        if now.elapsed > units::Span::from_millis(800) {
            stopper.stop();
        }
        true
    });
    let outcome = outcome.unwrap();
    assert_eq!(outcome.partial, Some(Incomplete::ServerClosed));
    assert_eq!(outcome.observations.stages.last().unwrap().ended, Ended::Lost);
    assert!(outcome.observations.flows.iter().all(|flow| !flow.received.is_empty()));
}

#[test]
fn small_packets_alone_are_a_black_hole() {
    // A stage of a usual test is not longer.
    let outcome = measured(&plan(&[(DOWN, 5_000)]), black_hole(), None, |_| true).unwrap();
    let heading = Heading::Down;
    let is_lost =
        |why| matches!(why, Incomplete::LargeLost { heading: lost, .. } if lost == heading);
    assert!(outcome.partial.is_some_and(is_lost));
    assert_eq!(outcome.observations.stages[0].ended, Ended::LargeLost);
}

#[test]
fn a_nat_that_forgets_us_is_noted_and_the_test_goes_on() {
    let host = Host::start(None);
    let nat = forgetful_nat(host.address, Duration::from_millis(700));
    let outcome = measured(&plan(&[(Load::Idle, 1_500)]), nat, None, |_| true).unwrap();
    let seen = outcome.observations;
    assert_eq!((outcome.partial, seen.rebinds.len()), (None, 1), "{:?}", seen.rebinds);
    let probes = &seen.probes[0].probes;
    let after = probes.iter().filter(|it| it.sent > seen.rebinds[0] && it.returned.is_some());
    assert!(after.count() > 20, "{probes:?}");
}

/// There are enough handshakes for percentiles, even if a queue drops many; and the stage is no
/// longer than that needs.
#[test]
fn where_no_datagram_passes_connections_stand_for_probes() {
    let host = Host::start(None);
    let mut plan = plan(&[(Load::Idle, 1_000), (DOWN, 2_000)]);
    plan.stages[1].rule = Rule::UntilSettled;
    plan.most = units::Span::from_secs(6);
    let outcome = measured(&plan, tcp_alone(host.address), None, |_| true).unwrap();
    let seen = outcome.observations;
    assert_eq!(outcome.partial, None);
    let stage = seen.stages.iter().find(|stage| stage.load == DOWN).unwrap();
    let took = stage.end.since(stage.start);
    assert!(took >= units::Span::from_secs(4) && took < units::Span::from_secs(6), "{took}");
    let made = seen.foreign.iter().filter(|it| (stage.start..stage.end).contains(&it.at)).count();
    // Ten a second, fewer on a busy machine; where probes are answered there are four.
    assert!(made as f64 > 5.0 * took.as_secs_f64(), "{made} in {took}");
}

#[test]
fn where_no_datagram_passes_the_test_goes_on() {
    let outcome = measured(&plan(&[(Load::Idle, 300)]), without_udp(), None, |_| true).unwrap();
    assert_eq!(outcome.partial, None);
    let mut probes = outcome.observations.probes.iter().flat_map(|stream| &stream.probes);
    assert!(probes.all(|probe| probe.returned.is_none()));
}

#[test]
fn who_is_no_server_of_ours_is_told() {
    let idle = plan(&[(Load::Idle, 100)]);
    let ask = |address| measured(&idle, address, None, |_| true).unwrap_err();
    for other in [&b"HTTP/1.1 400 Bad Request\r\n"[..], b"", b"\"echo\"\n"] {
        let error = ask(says(other));
        assert!(matches!(error, ClientError::OtherProtocol { .. }), "{error}");
    }
    let error = ask(says(
        b"{\"refused\":{\"reason\":\"version\",\"message\":\"it is 7\",\"retry_s\":null}}\n",
    ));
    let ClientError::Refused { reason, ref message, .. } = error else { panic!("{error}") };
    assert_eq!((reason, message.as_str()), (Reason::Version, "it is 7"));
}

#[test]
fn what_takes_longer_than_the_server_allows_is_not_begun() {
    let long = plan(&[(Load::Idle, 600_000)]);
    let error = measured(&long, without_udp(), None, |_| true).unwrap_err();
    assert!(error.to_string().contains("allows a test 60 s"), "{error}");
}

#[test]
fn where_nobody_is_that_is_told() {
    let idle = plan(&[(Load::Idle, 100)]);
    let error = measured(&idle, ([127, 0, 0, 1], 1).into(), None, |_| true).unwrap_err();
    assert!(matches!(error, ClientError::Closed { .. }), "{error}");
    let server = RemoteServer { host: "no.such.host.invalid".into(), port: 1, token: None };
    let error = run(&idle, &server, &mut |_| true).unwrap_err();
    assert!(matches!(error, ClientError::Unknown { .. }), "{error}");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let error = measured(&idle, silent.local_addr().unwrap(), None, |_| false).unwrap_err();
    assert!(matches!(error, ClientError::Interrupted), "{error}");
}
