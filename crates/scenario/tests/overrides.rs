//! `--set PATH=VALUE`.

use std::io;

use link::Schedule;
use scenario::{
    Congestion, LossDetection, Notation, Origin, Override, RatePlan, Scenario, ScenarioError,
};
use units::{Bytes, Rate, Span, Time};

const FILE: &str = r#"
title = "Two links"
duration = "60s"
[[link]]
name = "uplink"
from = "home"
to = "isp"
rate = "2mbit"
[[link]]
name = "internet"
from = "isp"
to = "server"
[[flow]]
name = "backup"
from = "home"
to = "server"
traffic = "bulk"
[[flow]]
name = "call"
from = "server"
to = "home"
traffic = "cbr"
rate = "64kbit"
packet = 100
"#;

fn with(overrides: &[&str]) -> Result<Scenario, ScenarioError> {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Scenario::parse(FILE, "file.toml", &overrides, &|_| Err(io::ErrorKind::NotFound.into()))
}

fn mbit(mbit: u64) -> Option<RatePlan> {
    Some(RatePlan::Constant(Rate::from_mbit(mbit)))
}

#[test]
fn values_are_replaced() {
    let scenario = with(&[
        "duration=5s",
        "title=Another one",
        "seed = 7",
        "link.uplink.rate=\"3mbit\"",
        "link[1].queue=codel target 10ms",
        "flow.backup.congestion=reno",
        "flow[1].packet=200",
        "flow.backup.sack=false",
    ])
    .unwrap();
    assert_eq!(scenario.duration, Span::from_secs(5));
    assert_eq!((scenario.title.as_str(), scenario.seed), ("Another one", 7));
    assert_eq!(scenario.links[0].directions.forward.rate, mbit(3));
    assert_eq!(scenario.links[1].directions.reverse.queue, "codel target 10ms".parse().unwrap());
    assert_eq!(scenario.flows[0].tcp.congestion, Congestion::Reno);
    assert_eq!(scenario.flows[0].tcp.loss_detection, LossDetection::DuplicateAcks);
    let call = scenario::Traffic::Cbr { rate: "64kbit".parse().unwrap(), packet: Bytes(200) };
    assert_eq!(scenario.flows[1].traffic, call);
}

#[test]
fn values_and_tables_are_added() {
    let scenario = with(&[
        "warmup=1s",
        "link.uplink.reverse.rate=20mbit",
        "link.uplink.reverse.delay=3ms",
        "link.internet.rate=[[\"0s\", \"5mbit\"], [\"9s\", \"6mbit\"]]",
        "link.internet.loss={ rate = \"1%\", burst = 3 }",
        "flow.backup.dscp=LE",
        "flow.call.dscp=46",
    ])
    .unwrap();
    assert_eq!(scenario.warmup, Span::from_secs(1));
    assert_eq!(scenario.links[0].directions.forward.rate, mbit(2));
    assert_eq!(scenario.links[0].directions.reverse.rate, mbit(20));
    assert_eq!(scenario.links[0].directions.reverse.delay, Span::from_millis(3));
    let steps = vec![(Time::ZERO, Rate::from_mbit(5)), (Time::from_secs(9), Rate::from_mbit(6))];
    let schedule = RatePlan::Schedule(Schedule::new(steps).unwrap());
    assert_eq!(scenario.links[1].directions.forward.rate, Some(schedule));
    assert_eq!([0, 1].map(|flow| scenario.flows[flow].dscp.name()), [Some("LE"), Some("EF")]);
}

#[test]
fn the_last_one_counts() {
    let scenario = with(&["seed=1", "link.uplink={}", "seed=2", "duration=1min"]);
    assert!(scenario.is_err(), "a link without a name");
    assert_eq!(with(&["seed=1", "seed=2"]).unwrap().seed, 2);
    assert_eq!(with(&["link.uplink.name=a", "link.a.rate=9mbit"]).unwrap().links[0].name, "a");
}

#[test]
fn only_a_whole_toml_value_is_one() {
    for title in ["1\nseed = 5", "x # y", "[1", "\"", "", "a = b"] {
        assert_eq!(with(&[&format!("title={title}")]).unwrap().title, title.trim(), "{title:?}");
    }
}

#[test]
fn mistakes_name_the_override() {
    for (text, field, words) in [
        (
            "link.uplnk.rate=5mbit",
            "link.uplnk.rate",
            "there is no link `uplnk`; did you mean `uplink`?",
        ),
        ("link.x.rate=5mbit", "link.x.rate", "known are `uplink`, `internet`"),
        ("flow.1.rate=5mbit", "flow.1.rate", "there is no flow `1`; write `flow[1]`"),
        ("flow.2.rate=5mbit", "flow.2.rate", "there is no flow `2`; known are"),
        ("link[2].rate=5mbit", "link[2].rate", "there is no link[2]; there are link[0] to link[1]"),
        ("link.uplink.rate=5", "link.uplink.rate", "`5` has no unit"),
        ("link.uplink.qeue=codel", "link.uplink.qeue", "did you mean `queue`?"),
        ("link.uplink.reverse.qeue=codel", "link.uplink.reverse.qeue", "did you mean `queue`?"),
        ("link.uplink.queue=coddel", "link.uplink.queue", "`coddel`"),
        ("link.uplink.rate.x=1", "link.uplink.rate.x", "`link.uplink.rate` is `2mbit`, in which"),
        ("flow.call.mss=1000", "flow.call.mss", "a `cbr` has no key `mss`"),
        ("flow.backup.to=nowhere", "flow.backup.to", "no link leads to the node `nowhere`"),
        ("flow.backup.count=4000000000", "flow.backup.count", "too much"),
        ("duratoin=5s", "duratoin", "did you mean `duration`?"),
        ("duration[0]=5s", "duration[0]", "there is no duration[0]; it has no elements"),
        ("link=3", "link", "expected a list"),
        ("link..rate=3", "link..rate", "a name is empty"),
        ("link[a].rate=3", "link[a].rate", "between [ and ] goes a number"),
        ("link[0.rate=3", "link[0.rate", "an index looks like [0]"),
        ("=3", "", "a name is empty"),
    ] {
        let error = with(&[text]).unwrap_err();
        assert_eq!(error.origin.written(&Notation::PROGRAM), format!("--set {text}"), "{error}");
        assert_eq!((error.field.as_str(), error.position), (field, None), "{error}");
        assert!(error.message.contains(words), "{error}");
    }
    let error = "duration".parse::<Override>().unwrap_err();
    assert!(error.contains("write PATH=VALUE"), "{error}");
}

#[test]
fn a_mistake_in_the_file_is_still_the_files() {
    let overrides = ["warmup=1s".parse().unwrap()];
    let text = FILE.replace("64kbit", "64");
    let traces = |_: &str| Err(io::ErrorKind::NotFound.into());
    let error = Scenario::parse(&text, "file.toml", &overrides, &traces).unwrap_err();
    assert_eq!(
        (&error.origin, error.field.as_str()),
        (&Origin::File("file.toml".into()), "flow.call.rate")
    );
    assert_eq!(error.position.map(|position| position.line), Some(23));
}

#[test]
fn it_prints_as_rustc_does() {
    assert_eq!(
        with(&["link.uplink.qeue=codel"]).unwrap_err().to_string(),
        "error: unknown key `qeue`; did you mean `queue`?
 --> --set link.uplink.qeue=codel
  = field: link.uplink.qeue"
    );
}

#[test]
fn absurdly_long_paths_are_refused() {
    for path in ["a.".repeat(50_000) + "a", "link.internet.rate".to_string() + &".a".repeat(50_000)]
    {
        let error = with(&[&format!("{path}=1")]).unwrap_err();
        assert!(error.message.contains("it is too long") && error.message.len() < 200);
    }
}
