//! Real sockets over the loopback device of a namespace, in which all nodes lie.

use std::cell::Cell;
use std::io::{ErrorKind, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use results::FlowKind;
use scenario::Scenario;

use super::*;

const HEAD: &str = "title = 't'\nduration = '100s'\n[[link]]\nname = 'l'\nfrom = 'a'\nto = 'b'\n\
                    delay = '1ms'\n";

/// The plan of these flows from node `a` to node `b`, both of which are 127.0.0.1.
fn plan(flows: &[&str]) -> Plan {
    let mut text = HEAD.to_owned();
    for (index, flow) in flows.iter().enumerate() {
        text += &format!("[[flow]]\nname = 'f{index}'\nfrom = 'a'\nto = 'b'\n{flow}\n");
    }
    let scenario = Scenario::parse(&text, "test", &[], &|_| unreachable!("no traces")).unwrap();
    let mut plan = Plan::of(&scenario);
    plan.nodes.iter_mut().for_each(|node| node.v4 = Ipv4Addr::LOCALHOST);
    plan
}

/// A namespace for two nodes; `None` where the machine allows none.
fn nodes() -> Option<[Namespace; 2]> {
    let made = Namespace::new().and_then(|node| {
        let group = rustix::process::getegid().as_raw();
        node.set("net/ipv4/ping_group_range", &format!("{group} {group}"))?;
        let same = node.run(Namespace::current)??;
        Ok([node, same])
    });
    match made {
        Ok(nodes) => Some(nodes),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            println!("skipped: no network namespace for us");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[expect(clippy::disallowed_methods, reason = "the kernel's sockets take the time that they take")]
fn wait_a_little() {
    thread::sleep(Duration::from_millis(5));
}

/// Runs the flows until `done`, and returns their outcomes.
fn run(
    flows: &[&str],
    warm: Time,
    done: impl Fn(&[FlowGauges], Time) -> bool,
) -> Option<Vec<FlowOutcome>> {
    let nodes = nodes()?;
    Some(run_at(&nodes, flows, warm, done).unwrap())
}

/// The same in these namespaces, or the reason why it failed.
fn run_at(
    nodes: &[Namespace],
    flows: &[&str],
    warm: Time,
    done: impl Fn(&[FlowGauges], Time) -> bool,
) -> Result<Vec<FlowOutcome>, LabError> {
    let traffic = Traffic::prepare(&plan(flows), nodes).unwrap();
    let (gauges, stop, clock) = (traffic.gauges(), Arc::default(), Clock::start());
    let running = traffic.start(clock, warm, Time::from_secs(60), Arc::clone(&stop)).unwrap();
    while !stop.load(Relaxed) && clock.now() < Time::from_secs(50) {
        if done(&gauges, clock.now()) {
            break;
        }
        wait_a_little();
    }
    // The last delivery is counted just before the gauge shows it.
    stop.store(true, Relaxed);
    running.finish()
}

fn delivered(gauges: &[FlowGauges], flow: usize) -> u64 {
    gauges[flow].delivered.load(Relaxed)
}

#[test]
fn transfers_complete_to_the_byte() {
    let flows = [
        "traffic = 'transfer'\nbytes = '12345678B'",
        "traffic = 'transfer'\nbytes = '1B'",
        "traffic = 'bulk'\nbytes = '3000000B'\ncongestion = 'reno'\nmss = 536\npacing = true",
        "traffic = 'transfer'\nbytes = '300000B'\nreceive_window = '20000B'\nmss = 1000\nquick_ack = false",
        "traffic = 'transfer'\nbytes = '200000B'\nrate = '20mbit'\nstart = '50ms'",
    ];
    let all = [12_345_678, 1, 3_000_000, 300_000, 200_000];
    let done = |gauges: &[FlowGauges], _| {
        all.iter().enumerate().all(|(flow, bytes)| delivered(gauges, flow) >= *bytes)
    };
    let Some(outcomes) = run(&flows, Time::ZERO, done) else { return };
    for (FlowOutcome { result, .. }, bytes) in outcomes.iter().zip(all) {
        assert_eq!(result.delivered_bytes, Some(bytes));
        assert_eq!(result.completion_s.unwrap().count, 1);
        assert!(result.goodput_mbit.unwrap() > 0.0);
    }
    assert_eq!(
        (outcomes[0].result.kind, outcomes[2].result.kind),
        (FlowKind::Transfer, FlowKind::Bulk)
    );
    let large = &outcomes[0];
    assert!(large.delays.count() > 0 && large.result.rtt_ms.unwrap().min.is_some());
    // 200 kB at 20 Mbit/s take 80 ms, less the time of the last chunk, which is at most one
    // segment.
    let paced = outcomes[4].result.completion_s.unwrap().max.unwrap();
    assert!(paced > 0.079, "{paced}");
}

#[test]
fn an_endless_flow_is_measured_from_the_warm_up_and_stops() {
    let flows = ["traffic = 'bulk'", "traffic = 'bulk'\nstop = '150ms'"];
    let warm = Time::from_millis(200);
    // The bytes of both flows when the other one last got data, and whether that is long enough
    // ago: since then more has come than the kernel keeps of a connection.
    let seen = Cell::new((0, 0));
    let has_stopped = Cell::new(false);
    let done = |gauges: &[FlowGauges], now| {
        let (one, other) = (delivered(gauges, 0), delivered(gauges, 1));
        if other != seen.get().1 {
            seen.set((one, other));
        }
        has_stopped.set(other > 0 && one > seen.get().0 + (16 << 20));
        now > Time::from_millis(300) && gauges[0].round_trips.load(Relaxed) > 0 && has_stopped.get()
    };
    let Some(outcomes) = run(&flows, warm, done) else { return };
    let [one, other] = &outcomes[..] else { panic!("{outcomes:?}") };
    assert!(has_stopped.get(), "{:?} and still going", seen.get());
    assert!(one.result.delivered_bytes > Some(0) && one.result.completion_s.is_none());
    assert!(one.result.retransmitted_packets.is_some() && one.result.marks.is_some());
    // Of the stopped flow, the bytes from before the statistics do not count.
    let late = other.result.delivered_bytes.unwrap();
    assert!(late < seen.get().1, "{late} of {:?}", seen.get());
}

#[test]
fn periods_follow_each_other() {
    let done = |gauges: &[FlowGauges], _| delivered(gauges, 0) >= 5 * 10_000;
    let flow = "traffic = 'periodic'\nbytes = '10000B'\nevery = '20ms'";
    let Some(outcomes) = run(&[flow], Time::ZERO, done) else { return };
    let result = &outcomes[0].result;
    let complete = result.delivered_bytes.unwrap() / 10_000;
    assert!(complete >= 5);
    assert_eq!(result.completion_s.unwrap().count, complete);
}

#[test]
fn an_idle_time_follows_each_transfer() {
    let done = |gauges: &[FlowGauges], _| delivered(gauges, 0) >= 6 * 30_000;
    let flow = "traffic = 'periodic'\nbytes = '30000B'\nidle = ['20ms', '40ms']";
    let Some(outcomes) = run(&[flow], Time::ZERO, done) else { return };
    let result = &outcomes[0].result;
    let complete = result.completion_s.unwrap().count;
    assert!(complete >= 6, "{complete}");
    assert_eq!(result.delivered_bytes, Some(complete * 30_000), "nothing comes in an idle time");
    // Five idle times lie between six transfers, none of which counts as one's completion time.
    let mbit = complete as f64 * 30_000.0 * 8.0 / 1e6 / result.goodput_mbit.unwrap();
    assert!(mbit >= 0.02 * (complete - 1) as f64, "{mbit} s for {complete} transfers");
}

#[test]
fn a_crowd_browses_over_connections_of_its_own() {
    let flow = "traffic = 'packmime'\nconnections_per_second = 100\nstop = '1s'";
    let none = "traffic = 'packmime'\nconnections_per_second = 0";
    // The model is that of the simulator: so are the sizes of its responses.
    let done = |_: &[FlowGauges], now| now > Time::from_millis(1_500);
    let Some(outcomes) = run(&[flow, none], Time::ZERO, done) else { return };
    let result = &outcomes[0].result;
    let (opened, complete) = (result.connections.unwrap(), result.completion_s.unwrap());
    assert!((20..=500).contains(&opened), "{opened} in a second at 100 a second");
    assert!(complete.count >= opened / 2, "{} of {opened}", complete.count);
    // The server thinks for 100 ms at most, and the path is this machine's.
    assert!(complete.p50 < Some(0.2), "{complete:?}");
    assert!(result.delivered_bytes > Some(1_000) && result.kind == FlowKind::Packmime);
    assert!(outcomes[0].delays.count() > 0 && result.retransmitted_packets.is_some());
    let nobody = &outcomes[1].result;
    assert_eq!((nobody.connections, nobody.delivered_bytes), (Some(0), Some(0)));
}

#[test]
fn pings_are_answered() {
    let flows = [
        "traffic = 'ping'\ninterval = '10ms'\ncount = 2",
        "traffic = 'ping'\ninterval = '10ms'\nbytes = 0",
    ];
    let done =
        |gauges: &[FlowGauges], _| gauges.iter().all(|flow| flow.round_trips.load(Relaxed) >= 3);
    let Some(outcomes) = run(&flows, Time::ZERO, done) else { return };
    assert_eq!(outcomes.len(), 3);
    for FlowOutcome { result, delays } in &outcomes {
        assert!(delays.count() >= 3 && delays.min() > Some(0));
        assert_eq!((result.kind, result.goodput_mbit), (FlowKind::Ping, None));
        assert!(result.rtt_ms.unwrap().p50.is_some());
    }
}

#[test]
fn calls_get_through() {
    let flows = [
        "traffic = 'cbr'\nrate = '800kbit'\npacket = 100",
        "traffic = 'cbr'\nrate = '64kbit'\npacket = 8",
        "traffic = 'voip'\ntwo_way = false",
    ];
    let done = |gauges: &[FlowGauges], _| {
        delivered(gauges, 0) >= 5_000 && delivered(gauges, 1) > 0 && delivered(gauges, 2) > 0
    };
    let Some(outcomes) = run(&flows, Time::ZERO, done) else { return };
    let FlowOutcome { result, delays } = &outcomes[0];
    let bytes = result.delivered_bytes.unwrap();
    assert!(bytes >= 5_000 && bytes.is_multiple_of(100), "{bytes}");
    assert_eq!((result.kind, delays.count()), (FlowKind::Cbr, bytes / 100));
    assert!(result.delay_ms.unwrap().max.is_some() && result.rtt_ms.is_none());
    let voice = &outcomes[2].result;
    assert!(voice.kind == FlowKind::Voip && voice.delivered_bytes.unwrap().is_multiple_of(72));
}

#[test]
fn pages_are_loaded_again_and_again() {
    let flow = "traffic = 'page'\nobjects = ['20kB', '300kB', '1B', '5kB']\nconnections = 3\n\
                pause = '10ms'\nreceive_window = '64kB'";
    let page = 325_001;
    let done = |gauges: &[FlowGauges], _| delivered(gauges, 0) >= 3 * page;
    let Some(outcomes) = run(&[flow], Time::ZERO, done) else { return };
    let result = &outcomes[0].result;
    let complete = result.completion_s.unwrap().count;
    assert!(complete >= 3 && result.delivered_bytes.unwrap() >= complete * page);
    assert!(result.startup_s.unwrap().max < result.completion_s.unwrap().max);
    assert!(outcomes[0].delays.count() > 0 && result.retransmitted_packets.is_some());
}

/// A page that could never be complete does not look like one that is slow.
#[test]
fn a_page_that_runs_out_of_ports_says_so() {
    let Some(nodes) = nodes() else { return };
    nodes[0].set("net/ipv4/ip_local_port_range", "40000 40003").unwrap();
    let page = "traffic = 'page'\nobjects = { count = 10, bytes = '1kB' }\nconnections = 10";
    let error = run_at(&nodes, &[page], Time::ZERO, |_, _| false).unwrap_err().to_string();
    assert!(error.contains("flow.f0.connections") && error.contains("ports"), "{error}");
}

#[test]
fn a_flow_that_reaches_nobody_got_nothing() {
    let Some(nodes) = nodes() else { return };
    let mut plan = plan(&["traffic = 'bulk'", "traffic = 'page'\nobjects = ['1kB']"]);
    let traffic = Traffic::prepare(&plan, &nodes).unwrap();
    // Another port than that of the listener.
    plan.flows.iter_mut().for_each(|flow| flow.port += 5_000);
    let traffic = Traffic { plan, ..traffic };
    let stop = Arc::new(AtomicBool::new(false));
    let (clock, end) = (Clock::start(), Time::from_millis(100));
    let running = traffic.start(clock, Time::ZERO, end, stop).unwrap();
    for FlowOutcome { result, delays } in running.finish().unwrap() {
        assert_eq!((result.delivered_bytes, result.goodput_mbit), (Some(0), Some(0.0)));
        assert_eq!(delays.count(), 0);
    }
}

#[test]
fn traffic_that_is_dropped_ends_at_once_and_closes_its_connections() {
    let Some(nodes) = nodes() else { return };
    let mut plan = plan(&["traffic = 'bulk'"]);
    let traffic = Traffic::prepare(&plan, &nodes).unwrap();
    // The test's own receiver, at another port, which sees the connection come and go.
    plan.flows[0].port += 5_000;
    let traffic = Traffic { plan: plan.clone(), ..traffic };
    let listener = nodes[0].run(|| TcpListener::bind((Ipv4Addr::LOCALHOST, plan.flows[0].port)));
    let listener = listener.unwrap().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let running = traffic.start(Clock::start(), Time::ZERO, Time::MAX, stop).unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    stream.read_exact(&mut [0; 1_000]).unwrap();
    drop(running);
    let mut rest = Vec::new();
    let end = stream.read_to_end(&mut rest);
    assert!(end.is_ok() || end.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset));
}
