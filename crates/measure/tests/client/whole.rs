use measure::client::{ClientError, Directions, Plan};
use measure::token::Token;
use observation::{Ended, Heading, Load};
use units::{Bytes, Rate, Span};

use super::{Host, measured, plan};

#[test]
fn a_test_sees_everything() {
    let host = Host::start(None);
    let (up, down) = (Heading::Up, Heading::Down);
    let loads =
        [(Load::Idle, 300), (Load::One(down), 500), (Load::Small(up), 500), (Load::Both, 500)];
    let mut told = 0;
    let outcome = measured(&plan(&loads), host.address, None, |_| {
        told += 1;
        true
    });
    let outcome = outcome.unwrap();
    assert_eq!((outcome.partial, outcome.server.address), (None, host.address));
    assert!(told > 10, "{told}");
    let seen = outcome.observations;
    let stages: Vec<_> = seen.stages.iter().map(|stage| (stage.load, stage.ended)).collect();
    assert_eq!(stages, loads.map(|(load, _)| (load, Ended::Planned)));
    // There are four flows of each kind, with the receiver's and the sender's notes.
    let of = |heading| seen.flows.iter().filter(move |flow| flow.heading == heading);
    assert_eq!((of(down).count(), of(up).count()), (8, 8));
    for flow in &seen.flows {
        assert!(flow.received.len() > 3 && flow.sender.len() > 3, "{flow:?}");
        let received = flow.received.last().unwrap();
        assert!(received.bytes.0 > 100_000 && received.segments > Some(1), "{received:?}");
        assert!(flow.sender.iter().all(|sample| sample.srtt.is_some()), "{:?}", flow.sender);
        assert!(["cubic", "reno"].contains(&flow.congestion.as_str()), "{}", flow.congestion);
    }
    let small = |flow: &&observation::LoadFlow| flow.sender[3].mss == 468;
    assert_eq!(of(up).filter(small).count(), 4);
    // Nearly all probes came back, with the times of both ends in order.
    let probes = &seen.probes[0].probes;
    let back = probes.iter().filter(|probe| probe.returned.is_some()).count();
    assert!(probes.len() > 40 && back * 10 > probes.len() * 9, "{back} of {}", probes.len());
    for probe in probes.iter().filter(|probe| probe.returned.is_some()) {
        assert!(probe.returned > Some(probe.sent) && probe.answered >= probe.reached, "{probe:?}");
    }
    assert!(seen.foreign.len() >= 3 && seen.host.len() > 10 && seen.rebinds.is_empty());
}

/// RRUL's traffic beside its load.
#[test]
fn a_call_and_pages_go_on_beside_the_load() {
    let host = Host::start(None);
    let loads = [(Load::Idle, 500), (Load::Both, 2_500)];
    // With as many flows as the server allows, there would be no place for a page.
    let few = plan(&loads).with_flows(2);
    let besides = Plan { voice: Some(46), pages: true, ..few };
    let outcome = measured(&besides, host.address, None, |_| true).unwrap();
    let seen = outcome.observations;
    let call = seen.voice.unwrap();
    assert_eq!((call.dscp, call.bytes, seen.probes.len()), (46, Bytes(200), 1));
    // A frame each 20 ms; those for which the machine had no time are left out.
    let most = outcome.duration.as_millis_f64() / 20.0 + 2.0;
    let frames = call.probes.len();
    assert!(frames > 20 && frames as f64 <= most, "{frames} of {most}");
    let whole = |probe: &&observation::Probe| probe.returned.is_some() && probe.answered.is_some();
    let back = call.probes.iter().filter(whole).count();
    assert!(back * 10 > call.probes.len() * 9, "{back} of {}", call.probes.len());
    let pages = seen.pages.unwrap();
    assert_eq!((pages.objects, pages.bytes), (2, Bytes(40_000)));
    let loaded = pages.loads.iter().filter(|page| page.took.is_some()).count();
    assert!(loaded >= 1, "{pages:?}");
    // Pings exist only where the system allows them.
    assert!(seen.pings.iter().all(|ping| ping.returned.is_none_or(|at| at > ping.sent)));
    assert!(!seen.server.is_empty() && seen.server.iter().all(|sample| sample.own.is_some()));
}

#[test]
fn what_is_not_delayed_is_not_loaded_with_small_packets() {
    let host = Host::start(None);
    let mut plan = Plan::test(Directions::Only(Heading::Down), Span::from_secs(2));
    plan.most = Span::from_secs(5);
    // Short stages, so that delay of the machine itself does not count.
    plan.stages.iter_mut().for_each(|stage| stage.time = stage.time.min(Span::from_millis(1_200)));
    let outcome = measured(&plan, host.address, None, |_| true).unwrap();
    let seen = outcome.observations;
    let loads: Vec<_> = seen.stages.iter().map(|stage| stage.load).collect();
    assert_eq!(loads[..3], [Load::Idle, Load::One(Heading::Down), Load::Drain], "{loads:?}");
    let bytes: u64 = seen.flows.iter().map(|flow| flow.received.last().unwrap().bytes.0).sum();
    let rate = units::Bytes(bytes) / Span::from_millis(1_200);
    assert!(rate > Some(Rate::from_mbit(100)), "{rate:?}");
}

#[test]
fn a_token_admits_a_client() {
    let token = |text: &str| Some(Token::new(text.as_bytes()).unwrap());
    let host = Host::start(token("secret"));
    let idle = plan(&[(Load::Idle, 100)]);
    let ask = |token| measured(&idle, host.address, token, |_| true);
    assert!(ask(token("secret")).is_ok());
    let error = ask(None).unwrap_err();
    assert!(matches!(error, ClientError::TokenWanted), "{error}");
    let error = ask(token("wrong")).unwrap_err();
    assert!(matches!(error, ClientError::Refused { .. }), "{error}");
}
