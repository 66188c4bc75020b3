//! The meaning of a scenario: defaults, inheritance, eras, both syntaxes, and the way back to a
//! file.

use std::io;

use link::{Capacity, Loss};
use qdisc::Dscp;
use scenario::{
    AckPolicy, Change, Codec, Congestion, Flow, LossDetection, LossPlan, PingTimer, RatePlan,
    ReceiveWindow, Recurrence, Scenario, Start, Tcp, Traffic, Writing,
};
use serde_json::json;
use transport::RtoFloor;
use units::{Bytes, DirectionId, Prob, Rate, Span, Way};

fn parse(text: &str) -> Scenario {
    let read_trace = |trace: &str| match trace {
        "steady" => Ok("1\n2\n3\n".into()),
        _ => Err(io::ErrorKind::NotFound.into()),
    };
    Scenario::parse(text, "folder/some.name.toml", &[], &read_trace)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A scenario with one link and one flow, with these lines added to each.
fn scenario(link: &str, flow: &str) -> Scenario {
    let scenario = parse(&format!(
        "duration = \"9s\"\n\
         [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n{flow}\n\
         [[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\n{link}\n"
    ));
    let again = parse(&scenario.to_json().to_string());
    assert_eq!(again, scenario, "{}", scenario.to_json());
    scenario
}

fn flow(lines: &str) -> Flow {
    scenario("delay = \"1ms\"", lines).flows.remove(0)
}

const CUBIC: Congestion = Congestion::Cubic { hystart: true, beta: 0.7 };

fn linux() -> Tcp {
    transport::Config::default().with_congestion(CUBIC)
}

fn tcp(lines: &str) -> Tcp {
    flow(&format!("traffic = \"bulk\"\n{lines}")).tcp
}

#[test]
fn defaults_are_linuxs() {
    let scenario = scenario("", "traffic = \"ping\"");
    assert_eq!((scenario.title.as_str(), scenario.seed), ("some.name", 1));
    assert_eq!(scenario.warmup, Span::ZERO);
    let link = &scenario.links[0];
    assert_eq!(link.directions.forward, link.directions.reverse);
    assert_eq!((&link.directions.forward.rate, link.directions.forward.delay), (&None, Span::ZERO));
    assert_eq!(link.directions.forward.queue, "pfifo limit 1000".parse().unwrap());
    assert_eq!(
        (link.directions.forward.overhead, link.directions.forward.loss),
        (Bytes(0), LossPlan::None)
    );
    let flow = flow("traffic = \"bulk\"");
    assert_eq!((flow.start, flow.stop, flow.count), (Start::default(), None, 1));
    assert_eq!(flow.traffic, Traffic::Bulk { bytes: None, writing: Writing::default() });
    assert_eq!((flow.tcp.mss, flow.tcp.initial_window), (1448, 10));
    assert_eq!(flow.tcp.congestion, CUBIC);
    assert_eq!(flow.tcp, linux());
}

#[test]
fn the_way_back_is_the_same_unless_it_says_otherwise() {
    let link = scenario(
        "rate = \"2mbit\"\ndelay = \"5ms\"\nqueue = \"codel\"\noverhead = 14\nloss = \"1%\"\n\
         [link.reverse]\nrate = \"20mbit\"\nloss = 0",
        "traffic = \"bulk\"",
    )
    .links
    .remove(0);
    assert_eq!(link.directions.forward.rate, Some(RatePlan::Constant(Rate::from_mbit(2))));
    assert_eq!(link.directions.forward.loss, LossPlan::Random(Prob::clamped(0.01)));
    assert_eq!(link.directions.reverse.rate, Some(RatePlan::Constant(Rate::from_mbit(20))));
    assert_eq!(link.directions.reverse.loss, LossPlan::None);
    assert_eq!(link.directions.reverse.delay, Span::from_millis(5));
    assert_eq!(link.directions.reverse.queue, link.directions.forward.queue);
    assert_eq!(link.directions.reverse.overhead, Bytes(14));
}

#[test]
fn a_way_back_without_a_rate_has_no_shaper() {
    let back = |lines: &str| {
        let link = format!("rate = \"1mbit\"\nshaper = true\n[link.reverse]\n{lines}");
        scenario(&link, "traffic = \"bulk\"").links[0].directions.reverse.shaper
    };
    assert_eq!(back(""), Some(Bytes::ZERO));
    assert_eq!(back("rate = \"unlimited\""), None);
}

#[test]
fn rates_and_losses_can_be_written_in_several_ways() {
    let forward = |lines| scenario(lines, "traffic = \"ping\"").links.remove(0).directions.forward;
    let plan = forward("rate = [[\"0s\", \"2mbit\"], [\"1500ms\", \"1mbit\"]]").rate;
    let Some(RatePlan::Schedule(schedule)) = plan else { panic!("{plan:?}") };
    assert_eq!(schedule.steps()[1].1, Rate::from_mbit(1));
    let plan = forward("rate = { trace = \"steady\" }").rate;
    let Some(RatePlan::Trace { path, trace }) = plan else { panic!("{plan:?}") };
    assert_eq!((path.as_str(), trace.period()), ("steady", Span::from_millis(3)));
    assert_eq!(forward("rate = \"unlimited\"").rate, None);
    let loss = forward("loss = { rate = 0.02, burst = 2.5 }").loss;
    assert_eq!(loss, LossPlan::Bursty { rate: Prob::clamped(0.02), burst: 2.5 });
    assert_eq!(forward("loss = { rate = 0, burst = 2 }").loss, LossPlan::None);
}

#[test]
fn every_kind_of_traffic() {
    let writing = Writing::default();
    for (lines, wanted) in [
        ("\"bulk\"\nbytes = \"1MB\"", Traffic::Bulk { bytes: Some(Bytes(1_000_000)), writing }),
        ("\"transfer\"\nbytes = \"1kB\"", Traffic::Transfer { bytes: Bytes(1000), writing }),
        (
            "\"periodic\"\nbytes = \"200kB\"\nevery = \"10s\"",
            Traffic::Periodic {
                bytes: Bytes(200_000),
                next: Recurrence::Every(Span::from_secs(10)),
            },
        ),
        (
            "\"periodic\"\nbytes = \"1MB\"\nidle = [\"5s\", \"15s\"]",
            Traffic::Periodic {
                bytes: Bytes(1_000_000),
                next: Recurrence::Idle { least: Span::from_secs(5), most: Span::from_secs(15) },
            },
        ),
        (
            "\"periodic\"\nbytes = \"1MB\"\nidle = \"2s\"",
            Traffic::Periodic {
                bytes: Bytes(1_000_000),
                next: Recurrence::Idle { least: Span::from_secs(2), most: Span::from_secs(2) },
            },
        ),
        ("\"voip\"\ntwo_way = false", Traffic::Voip { codec: Codec::Cbr64 }),
        ("\"voip\"\ncodec = \"g711\"\ntwo_way = false", Traffic::Voip { codec: Codec::G711 }),
        (
            "\"packmime\"\nconnections_per_second = 2.5",
            Traffic::Packmime { connections_per_second: 2.5 },
        ),
        (
            "\"packmime\"\nconnections_per_second = 0",
            Traffic::Packmime { connections_per_second: 0.0 },
        ),
        (
            "\"cbr\"\nrate = \"10gbit\"\npacket = 1472",
            Traffic::Cbr { rate: Rate::from_mbit(10_000), packet: Bytes(1472) },
        ),
        (
            "\"ping\"",
            Traffic::Ping {
                interval: Span::from_secs(1),
                timer: PingTimer::Regular,
                bytes: Bytes(56),
            },
        ),
        (
            "\"ping\"\ninterval = \"10ms\"\ntimer = \"iputils\"\nbytes = \"0B\"",
            Traffic::Ping {
                interval: Span::from_millis(10),
                timer: PingTimer::Iputils,
                bytes: Bytes(0),
            },
        ),
        (
            "\"page\"\nobjects = [\"3kB\", \"1kB\"]\npause = \"0s\"",
            Traffic::Page {
                connections: 6,
                objects: vec![Bytes(3000), Bytes(1000)],
                pause: Some(Span::ZERO),
            },
        ),
        (
            "\"page\"\nconnections = 2\nobjects = { count = 3, bytes = \"1kB\" }",
            Traffic::Page { connections: 2, objects: vec![Bytes(1000); 3], pause: None },
        ),
    ] {
        assert_eq!(flow(&format!("traffic = {lines}")).traffic, wanted);
    }
}

/// The seed draws the start of each member of a `count`; both ways of a call start together.
#[test]
fn a_random_start_is_uniform_between_two_times() {
    let lines = "traffic = \"voip\"\ncount = 500\nstart = [\"1s\", \"3s\"]";
    let mut scenario = scenario("rate = \"1mbit\"", lines);
    let starts = |scenario: &Scenario| -> Vec<Span> {
        let flows = scenario.flows.iter().flat_map(|flow| vec![flow.start; flow.count as usize]);
        flows.zip(scenario.flow_randomness()).map(|(start, rng)| start.draw(&rng)).collect()
    };
    let first = starts(&scenario);
    assert_eq!(first.len(), 1000);
    assert_eq!(first[..500], first[500..], "the two ways of each call");
    assert!(first.iter().all(|start| (Span::from_secs(1)..=Span::from_secs(3)).contains(start)));
    let mean = first.iter().map(|start| start.as_secs_f64()).sum::<f64>() / 1000.0;
    assert!((1.9..2.1).contains(&mean), "{mean}");
    assert_eq!(starts(&scenario), first);
    scenario.seed += 1;
    assert!(starts(&scenario).iter().zip(&first).all(|(one, other)| one != other));
    let json = scenario.to_json();
    assert_eq!(json["flow"][0]["start"], json!(["1s", "3s"]));
}

#[test]
fn a_call_has_two_ways() {
    let calls = scenario("rate = \"1mbit\"", "traffic = \"voip\"\ncount = 2\nstart = \"1s\"").flows;
    let [there, back] = &calls[..] else { panic!("{calls:?}") };
    assert_eq!(back.name, format!("{}-back", there.name));
    assert_eq!((&back.from, &back.to), (&there.to, &there.from));
    assert_eq!((back.count, back.start, &back.traffic), (2, there.start, &there.traffic));
    let both = scenario("rate = \"1mbit\"", "traffic = \"voip\"");
    assert_eq!(both.flow_names().len(), 2);
    let json = both.to_json();
    assert_eq!(json["flow"][1]["two_way"], false, "{json}");
}

#[test]
fn a_code_point_is_a_name_or_a_number() {
    for (written, bits, spelled_out) in [
        ("\"EF\"", 46, json!("EF")),
        ("46", 46, json!("EF")),
        ("\"LE\"", 1, json!("LE")),
        ("5", 5, json!(5)),
        ("63", 63, json!(63)),
        // Best effort is left out, so that it is written like a file without the key.
        ("0", 0, json!(null)),
        ("\"CS0\"", 0, json!(null)),
        ("\"DF\"", 0, json!(null)),
    ] {
        let scenario = scenario("", &format!("traffic = \"ping\"\ndscp = {written}"));
        assert_eq!(scenario.flows[0].dscp.bits(), bits, "{written}");
        assert_eq!(scenario.to_json()["flow"][0]["dscp"], spelled_out, "{written}");
    }
}

#[test]
fn the_cells_of_a_wire_are_those_of_the_way_back_unless_it_says_otherwise() {
    let json = |lines: &str| scenario(lines, "traffic = \"bulk\"").to_json()["link"][0].clone();
    let cells = |link: serde_json::Value| [link["cells"].clone(), link["reverse"]["cells"].clone()];
    assert_eq!(cells(json("delay = \"1ms\"")), [json!(null), json!(null)]);
    let atm = "delay = \"1ms\"\ncells = \"atm\"\noverhead = 40";
    assert_eq!(cells(json(atm)), [json!("atm"), json!("atm")]);
    let one_way = format!("{atm}\nreverse = {{ cells = \"none\" }}");
    assert_eq!(cells(json(&one_way)), [json!("atm"), json!("none")]);
    let links = scenario(&one_way, "traffic = \"bulk\"").links;
    let frame = |way| links[0].directions[way].framing().frame(Bytes(1500));
    assert_eq!([Way::Forward, Way::Reverse].map(frame), [Bytes(1749), Bytes(1540)]);
}

#[test]
fn hosts_and_marks_are_left_out_where_there_are_none() {
    let plain = scenario("delay = \"1ms\"", "traffic = \"bulk\"").to_json();
    for (part, key) in [("flow", "host"), ("flow", "to_host"), ("flow", "mark"), ("link", "nat")] {
        assert_eq!(plain[part][0][key], json!(null), "{key}");
    }
    let lines = "traffic = \"voip\"\nhost = \"laptop\"\nto_host = \"phone\"\nmark = 0x30";
    let flows = scenario("delay = \"1ms\"", lines).flows;
    let told = |flow: &scenario::Flow| {
        (flow.host.clone().unwrap(), flow.to_host.clone().unwrap(), flow.mark)
    };
    assert_eq!(told(&flows[0]), ("laptop".into(), "phone".into(), 0x30));
    assert_eq!(told(&flows[1]), ("phone".into(), "laptop".into(), 0x30), "the way back of a call");
}

#[test]
fn what_comes_back_has_the_code_point_of_replies_and_of_web_traffic() {
    let dscps = |traffic: &str| {
        let lines = format!("dscp = \"EF\"\ntraffic = {traffic}");
        let flows = scenario("delay = \"1ms\"", &lines).flows;
        flows.iter().map(|flow| [flow.dscp, flow.dscp_back()].map(Dscp::bits)).collect::<Vec<_>>()
    };
    for one_way in [
        "\"bulk\"",
        "\"transfer\"\nbytes = \"1kB\"",
        "\"periodic\"\nbytes = \"1kB\"\nevery = \"1s\"",
        "\"cbr\"\nrate = \"64kbit\"\npacket = 100",
    ] {
        assert_eq!(dscps(one_way), [[46, 0]], "{one_way}");
    }
    for both_ways in
        ["\"ping\"", "\"page\"\nobjects = [\"1kB\"]", "\"packmime\"\nconnections_per_second = 1"]
    {
        assert_eq!(dscps(both_ways), [[46; 2]], "{both_ways}");
    }
    // A call is two flows, and both speakers choose its code point.
    assert_eq!(dscps("\"voip\""), [[46, 0]; 2]);
}

#[test]
fn packets_of_a_call() {
    for (codec, millis, bytes, bits) in
        [(Codec::Cbr64, 12.5, 100, 64_000.0), (Codec::G711, 20.0, 200, 80_000.0)]
    {
        let packet = codec.packet() + Bytes(28);
        assert_eq!((codec.frame().as_millis_f64(), packet), (millis, Bytes(bytes)));
        let per_second = packet.0 as f64 * 8.0 / codec.frame().as_secs_f64();
        assert_eq!(per_second, bits);
        assert_eq!((codec.packet() / codec.rate()), codec.frame());
    }
}

#[test]
fn every_key_of_tcp_works_alone() {
    let default = linux;
    let cubic = |hystart, beta| Congestion::Cubic { hystart, beta };
    let ledbat = |target, gain| Congestion::Ledbat { target: Span::from_millis(target), gain };
    for (line, wanted) in [
        ("mss = 536", Tcp { mss: 536, ..default() }),
        ("mss = \"9kB\"", Tcp { mss: 9000, ..default() }),
        ("initial_window = 2", Tcp { initial_window: 2, ..default() }),
        ("initial_ssthresh = 65535", Tcp { initial_ssthresh: Some(Bytes(65_535)), ..default() }),
        (
            "sack = false",
            Tcp { sack: false, loss_detection: LossDetection::DuplicateAcks, ..default() },
        ),
        ("rack = false", Tcp { loss_detection: LossDetection::Scoreboard, ..default() }),
        ("timestamps = false", Tcp { timestamps: false, mss: 1460, ..default() }),
        ("pacing = true", Tcp { pacing: true, ..default() }),
        ("offload = false", Tcp { offload: false, ..default() }),
        ("ecn = true", Tcp { ecn: true, ..default() }),
        ("abe = true", Tcp { abe: true, ..default() }),
        ("hystart = false", Tcp { congestion: cubic(false, 0.7), ..default() }),
        ("beta = 0.8", Tcp { congestion: cubic(true, 0.8), ..default() }),
        ("tick = \"4ms\"", Tcp { tick: Some(Span::from_millis(4)), ..default() }),
        ("quick_ack = false", Tcp { acks: AckPolicy::Delayed { quick_start: false }, ..default() }),
        (
            "min_rto = \"1s\"",
            Tcp { rto_floor: RtoFloor::Variance(Span::from_secs(1)), ..default() },
        ),
        ("congestion = \"reno\"", Tcp { congestion: Congestion::Reno, ..default() }),
        (
            "congestion = \"ledbat\"",
            Tcp { congestion: ledbat(100, 1.0), initial_window: 2, ..default() },
        ),
        (
            "congestion = \"ledbat\"\nledbat_target = \"5ms\"\nledbat_gain = 10\ninitial_window = 1",
            Tcp { congestion: ledbat(5, 10.0), initial_window: 1, ..default() },
        ),
        ("congestion = \"bbr\"", Tcp { congestion: Congestion::Bbr, ..default() }),
        ("delayed_ack = false", Tcp { acks: AckPolicy::EverySegment, ..default() }),
        (
            "delayed_ack = \"per_window\"\nreceive_window = \"64kB\"",
            Tcp {
                acks: AckPolicy::OncePerWindow,
                receive_window: ReceiveWindow::Fixed(Bytes(64_000)),
                ..default()
            },
        ),
        ("receive_window = \"auto\"", default()),
        (
            "receive_window = { auto = \"64MiB\" }",
            Tcp { receive_window: ReceiveWindow::Auto { max: Bytes(64 << 20) }, ..default() },
        ),
        (
            "window_scaling = false",
            Tcp {
                window_scaling: false,
                receive_window: ReceiveWindow::Auto { max: Bytes(65_535) },
                ..default()
            },
        ),
    ] {
        assert_eq!(tcp(line), wanted, "{line}");
    }
}

#[test]
fn an_application_that_writes_slowly_or_waits() {
    let writing = |line: &str| flow(&format!("traffic = \"bulk\"\n{line}")).traffic.writing();
    assert_eq!(writing(""), Writing::default());
    let slowly = Writing { rate: Some(Rate::from_mbit(1)), greeting: None };
    assert_eq!(writing("rate = \"1mbit\""), slowly);
    assert_eq!(writing("greeting = 37"), Writing { rate: None, greeting: Some(Bytes(37)) });
}

#[test]
fn the_reno_era_and_back() {
    let reno = tcp("tcp = \"reno1990\"");
    assert_eq!((reno.congestion, reno.mss, reno.initial_window), (Congestion::Reno, 536, 2));
    assert!(!reno.sack && !reno.timestamps && !reno.window_scaling);
    assert_eq!(reno.loss_detection, LossDetection::DuplicateAcks);
    assert_eq!(reno.acks, AckPolicy::EverySegment);
    assert_eq!(reno.receive_window, ReceiveWindow::Auto { max: Bytes(65_535) });
    let mixed = tcp("tcp = \"reno1990\"\nsack = true\nmss = 1460\nwindow_scaling = true");
    assert!(mixed.sack && mixed.loss_detection == LossDetection::RackTlp && mixed.mss == 1460);
    assert_eq!(tcp("tcp = \"linux\""), linux());
}

#[test]
fn spelled_out_nothing_is_left_to_guess() {
    let flow = &scenario("", "traffic = \"ping\"").to_json()["flow"][0];
    assert_eq!(
        *flow,
        json!({
            "name": "f", "from": "a", "to": "b", "traffic": "ping",
            "start": "0ms", "count": 1, "bytes": 56, "interval": "1s",
        })
    );
    let link = &scenario("rate = \"2mbit\"", "traffic = \"ping\"").to_json()["link"][0];
    assert_eq!(link["reverse"]["rate"], "2mbit");
    assert_eq!(
        (&link["delay"], &link["loss"], &link["overhead"]),
        (&json!("0ms"), &json!("0"), &json!(0))
    );
    let flow = &scenario("rate = \"2mbit\"", "traffic = \"bulk\"").to_json()["flow"][0];
    for key in ["congestion", "mss", "receive_window", "initial_window", "sack", "timestamps"] {
        assert!(!flow[key].is_null(), "{key}");
    }
}

#[test]
fn json_is_accepted_as_it_is_written() {
    let text = "\u{feff} { \"$schema\": \"x\", \"title\": \"\\u00e9\\\"\", \"duration\": \"9s\", \"warmup\": null,
        \"link\": [ {\"name\":\"l\",\"from\":\"a\",\"to\":\"b\",\"overhead\":14} ],
        \"flow\": [ {\"name\":\"f\",\"from\":\"a\",\"to\":\"b\",\"traffic\":\"ping\",\"mss\":null} ] } ";
    let json = parse(text);
    assert_eq!(json.title, "é\"");
    let toml = scenario("overhead = 14", "traffic = \"ping\"");
    assert_eq!((json.links, json.flows), (toml.links, toml.flows));
}

#[test]
fn routes_follow_the_links_both_ways() {
    let scenario = parse(
        "duration = \"9s\"
        link = [
            { name = \"one\", from = \"a\", to = \"b\" },
            { name = \"two\", from = \"c\", to = \"b\" },
        ]
        flow = [
            { name = \"up\", from = \"a\", to = \"c\", traffic = \"ping\" },
            { name = \"down\", from = \"c\", to = \"a\", traffic = \"ping\" },
        ]",
    );
    let routes = scenario.routes();
    assert_eq!(
        routes[0].hops,
        [(0, Way::Forward), (1, Way::Reverse)].map(|(link, way)| DirectionId::new(link, way))
    );
    assert_eq!(routes[0].back(), routes[1]);
}

/// A runner asks the scenario for names, queues and wires, and gets the same each time.
#[test]
fn directions_and_flows_have_names() {
    let scenario = scenario("rate = \"8mbit\"", "traffic = \"bulk\"\ncount = 2");
    assert_eq!(scenario.flow_names(), ["f[0]", "f[1]"]);
    assert_eq!(scenario.direction_names(), ["l.forward", "l.reverse"]);
    let draws = || {
        let both = scenario.directions().flat_map(|(_, each)| [each.queue, each.loss]);
        both.map(|mut rng| rng.below(u64::MAX)).collect::<Vec<u64>>()
    };
    let (once, again) = (draws(), draws());
    assert_eq!(once, again);
    assert!(once.iter().enumerate().all(|(index, draw)| !once[..index].contains(draw)));
}

#[test]
fn a_direction_is_a_queue_and_a_wire() {
    let direction =
        |lines: &str| scenario(lines, "traffic = \"ping\"").links.remove(0).directions.forward;
    let slow = direction("rate = \"8mbit\"\ndelay = \"3ms\"\nloss = \"1%\"");
    let wire = slow.wire();
    assert_eq!((wire.capacity, wire.delay), (Capacity::Constant(Rate::from_mbit(8)), slow.delay));
    assert_eq!((wire.loss, wire.shaper), (Loss::Random("1%".parse().unwrap()), None));
    let bursty = direction("loss = { rate = \"1%\", burst = 2.5 }").wire();
    assert!(matches!(bursty.loss, Loss::Bursty(_)));
    for (lines, mbit) in [
        ("rate = \"8mbit\"", 8),
        ("rate = [[\"0s\", \"2mbit\"], [\"3s\", \"8mbit\"]]", 2),
        ("rate = { trace = \"steady\" }", 12),
        ("", 1_000_000),
    ] {
        assert_eq!(direction(lines).nominal_rate(), Rate::from_mbit(mbit), "{lines}");
    }
}

/// In order of time, each with all settings as the changes before have left them.
#[test]
fn changes_build_on_each_other() {
    let changed = scenario(
        "rate = \"5mbit\"\nqueue = \"fq_codel limit 100\"\n\
         [[change]]\nat = \"5s\"\nlink = \"l\"\nqueue = \"fq_codel target 9ms\"\n\
         [[change]]\nat = \"2s\"\nlink = \"l\"\nqueue = \"fq_codel limit 50\"\nrate = \"3mbit\"\n\
         [[change]]\nat = \"3s\"\nlink = \"l\"\ndirection = \"reverse\"\nqueue = \"fq_codel noecn\"\n",
        "traffic = \"bulk\"",
    );
    let expected = [
        (2, Way::Forward, "fq_codel limit 50", Some(Rate::from_mbit(3))),
        (3, Way::Reverse, "fq_codel limit 100 noecn", None),
        (5, Way::Forward, "fq_codel limit 50 target 9ms", None),
    ];
    let expected = expected.map(|(secs, way, queue, rate)| Change {
        at: Span::from_secs(secs),
        direction: DirectionId::new(0, way),
        queue: Some(queue.parse().unwrap()),
        rate,
    });
    assert_eq!(changed.changes, expected);
    let unchanged = scenario("delay = \"1ms\"", "traffic = \"bulk\"");
    assert!(unchanged.changes.is_empty() && unchanged.to_json().get("change").is_none());
}
