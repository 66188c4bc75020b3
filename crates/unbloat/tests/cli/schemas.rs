//! Documents that the program prints, beside the JSON Schemas that ship with it.

mod validator;

use std::path::Path;

use observation::{Heading, Incomplete};
use results::{
    Caution, Checkup, Claim, DelayStep, Evidence, Expected, Fact, Fault, FaultName, HopDelay,
    Limit, LinkLayer, LoadedDirection, Measurement, Offender, PathDelay, Plan, PlannedDirection,
    PlannedRate, PlannedRates, Remark, Severity, Step, Stop, TakenBack, Treatment, Trial,
    TunedDirection, Tuning, UndoReason, Untreated, Verification, WireCells,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::bench::{Bench, SCENARIO};

const PLAN: [&str; 9] =
    ["fix", "--up", "2mbit", "--down", "50mbit", "--for", "tc", "--wan", "eth0"];

/// What is wrong with a document of this kind.
fn errors(kind: &str, document: &Value) -> Vec<String> {
    let file = format!("../../schema/{kind}.schema.json");
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    validator::errors(&serde_json::from_str(&text).unwrap(), document)
}

#[track_caller]
fn is_valid(kind: &str, document: &impl Serialize) {
    let document = serde_json::to_value(document).unwrap();
    assert_eq!(document["schema"], format!("unbloat.{kind}"));
    assert_eq!(errors(kind, &document), [""; 0]);
}

fn printed(bench: &Bench, arguments: &[&str]) -> Value {
    let run = bench.run(arguments);
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr))
}

/// What the program says of a recorded test of a real kernel.
fn measured(bench: &Bench, name: &str) -> Value {
    let file = format!("{}/tests/files/{name}.json.gz", env!("CARGO_MANIFEST_DIR"));
    printed(bench, &["report", "--json", &file])
}

#[test]
fn plans_of_all_platforms_are_valid() {
    let bench = Bench::new("schema-plan");
    for platform in routers::Platform::ALL {
        let plan = ["fix", "--up", "2mbit", "--down", "50mbit", "--for", platform.name];
        is_valid("plan", &printed(&bench, &[&plan[..], &["--wan", "eth0", "--json"]].concat()));
    }
    let one = ["fix", "--up", "1mbit", "--for", "openwrt", "--link", "adsl-pppoa-vc", "--json"];
    is_valid("plan", &printed(&bench, &one));
}

#[test]
fn results_of_simulations_are_valid() {
    let bench = Bench::new("schema-result");
    bench.write("home.toml", include_bytes!("../../../../scenarios/household.toml"));
    let sim = ["sim", "home.toml", "--set", "duration=15s", "--json"];
    is_valid("result", &printed(&bench, &sim));
    let compare = [&sim[..], &["--compare", "codel", "cake bandwidth 2mbit"]].concat();
    is_valid("comparison", &printed(&bench, &compare));
    is_valid("reproduction", &printed(&bench, &["reproduce", "gettys", "--json"]));
    let sweep = format!("{SCENARIO}[sweep]\nseed = {{ from = 1, to = 3 }}\n");
    bench.write("many.toml", sweep.as_bytes());
    is_valid("sweep", &printed(&bench, &["sweep", "many.toml", "--json"]));
}

#[test]
fn the_connections_of_a_capture_are_valid() {
    let bench = Bench::new("schema-capture");
    bench.write("line.toml", include_bytes!("../../../../scenarios/home-uplink.toml"));
    let sim = ["sim", "line.toml", "--set", "duration=12s", "--pcap", "line.pcapng"];
    assert_eq!(bench.run(&sim).code, 0);
    is_valid("capture", &printed(&bench, &["pcap", "line.pcapng", "--json"]));
}

#[test]
fn a_plan_with_all_that_it_can_say_is_valid() {
    let expected = Expected { rate_mbit: 1.9, added_p95_ms: 12.0 };
    let rate = PlannedRate { line_mbit: 2.0, bandwidth_mbit: 1.95, expected };
    let cells = [WireCells::None, WireCells::Atm, WireCells::Ptm];
    let left = [
        Untreated::NotMeasured,
        Untreated::EndLimited,
        Untreated::ShortAlready { added_p95_ms: 3.0 },
        Untreated::Policed,
    ];
    let heading = Heading::Up;
    let cautions = vec![
        Caution::RateUnconfirmed,
        Caution::LinkUnknown,
        Caution::BeyondLine { hop: None },
        Caution::BeyondLine { hop: Some(3) },
        Caution::Fast { mbit: 940.0 },
        Caution::RateAbove { heading, named_mbit: 20.0, measured_mbit: 2.0 },
        Caution::RateBelow { heading, named_mbit: 2.0, measured_mbit: 20.0 },
    ];
    for (cells, left) in cells.into_iter().cycle().zip(left) {
        let link_layer = LinkLayer { cells, ..LinkLayer::default() };
        let (upload, download) = (PlannedDirection::Shaped(rate), PlannedDirection::Left(left));
        let rates = PlannedRates { upload, download };
        is_valid(
            "plan",
            &Plan { link_layer, rates, cautions: cautions.clone(), ..Plan::default() },
        );
    }
}

#[test]
fn a_race_is_valid() {
    let bench = Bench::new("schema-race");
    let short = ["race", "autorate", "--seeds", "1", "--time", "10s", "--json"];
    is_valid("race", &printed(&bench, &short));
    let alone = [&short[..], &["--rules", "qosmate"]].concat();
    is_valid("race", &printed(&bench, &alone));
}

#[test]
fn a_verification_is_valid() {
    let bench = Bench::new("schema-verification");
    bench.write("shown", b"qdisc cake 8001: dev eth0 root refcnt 2 rtt 20ms\n");
    let verify = [&PLAN[..], &["--verify", "shown", "--json"]].concat();
    let verification = printed(&bench, &verify);
    let settings = verification["settings"].as_array().unwrap();
    let are_shown: Vec<_> = settings.iter().map(|setting| setting["shown"].is_string()).collect();
    assert!(are_shown.contains(&true) && are_shown.contains(&false), "{verification}");
    is_valid("verification", &verification);
    is_valid("verification", &Verification::of("tc", Vec::new()));
}

#[test]
fn a_checkup_is_valid() {
    let bench = Bench::new("schema-checkup");
    is_valid("checkup", &printed(&bench, &["doctor", "--time", "1s", "--json"]));
    let fault = |(name, severity)| Fault {
        name,
        severity,
        place: "eth0".into(),
        evidence: vec![Fact { what: "qdisc".into(), value: "pfifo_fast".into() }],
        remedy: Step::new("Give it a shaper.", "tc qdisc replace dev eth0 root cake"),
    };
    let faults = [
        (FaultName::NoShaper, Severity::Wrong),
        (FaultName::DeepFifo, Severity::Doubtful),
        (FaultName::EcnBleached, Severity::Note),
    ];
    is_valid("checkup", &Checkup { findings: faults.map(fault).into(), ..Checkup::default() });
}

#[test]
fn measurements_of_a_real_kernel_are_valid() {
    let bench = Bench::new("schema-measurement");
    for name in ["starved-guest", "six-busy-loops"] {
        let measurement = measured(&bench, name);
        assert!(measurement["series"]["probes"][0]["at_s"].is_array());
        is_valid("measurement", &measurement);
    }
}

#[test]
fn a_measurement_that_was_cut_short_is_valid() {
    let path = PathDelay { heading: Heading::Down, added_ms: 80.0 };
    let hops = vec![HopDelay { hop: 1, address: "192.0.2.1".parse().ok(), added_ms: 0.2 }];
    let silent = Some([2, 3]);
    let step = DelayStep { path, hops, silent, server_answered: true, wireless: None };
    let offender = Offender { seen: Some(Evidence::Step(step)), ..Offender::default() };
    let heading = Heading::Up;
    let largest_bytes = Some(1492);
    is_valid(
        "measurement",
        &Measurement {
            partial: Some("large packets disappear".into()),
            partial_reason: Some(Incomplete::LargeLost { heading, largest_bytes }),
            upload: Some(LoadedDirection::default()),
            offender: Some(offender),
            limits: vec![
                Limit::LargeLost,
                Limit::HeldBack { heading, part: 0.5 },
                Limit::NotLoaded { heading: None },
                Limit::Told(Box::new(Remark::new(Claim::Other, "Something else."))),
            ],
            ..Measurement::default()
        },
    );
}

#[test]
fn a_treatment_is_valid() {
    let bench = Bench::new("schema-treatment");
    let plan = printed(&bench, &[&PLAN[..], &["--json"]].concat());
    let measurement: Measurement =
        serde_json::from_value(measured(&bench, "starved-guest")).unwrap();
    let trial = Trial { bandwidth_mbit: 1.9, added_p95_ms: Some(8.0), ..Trial::default() };
    let search = TunedDirection {
        trials: vec![trial],
        stopped: Stop::Close,
        found_mbit: Some(1.9),
        too_high_mbit: None,
    };
    let tuning = Tuning { target_ms: 30.0, download: None, upload: Some(search) };
    let heading = Heading::Up;
    let treatment = Treatment {
        machine: Some("router".into()),
        plan: serde_json::from_value(plan).unwrap(),
        before: measurement.clone(),
        after: Some(measurement),
        reasons: vec![
            UndoReason::Interrupted,
            UndoReason::Failed { said: "tc: not found".into() },
            UndoReason::NotInForce { device: "eth0".into(), missing: vec!["rtt 100ms".into()] },
            UndoReason::CountersStill { device: "eth0".into(), heading: Some(Heading::Up) },
            UndoReason::ShaperEnded { device: "eth0".into(), heading: Heading::Down },
            UndoReason::NotMeasured { heading: None },
            UndoReason::StillLong { heading, before_ms: 900.0, after_ms: 700.0 },
            UndoReason::RateLost { heading, expected_mbit: 1.9, after_mbit: 1.0 },
        ],
        taken_back: Some(TakenBack::AsBefore),
        ..Treatment::default()
    };
    is_valid("treatment", &treatment);
    let kept = Treatment { kept: true, reasons: Vec::new(), ..treatment };
    is_valid("treatment", &Treatment { tuning: Some(tuning), after: None, ..kept });
}

/// A field that a later release adds is allowed; what this release would never print is not.
#[test]
fn a_wrong_document_is_not_valid() {
    let bench = Bench::new("schema-wrong");
    let plan = printed(&bench, &[&PLAN[..], &["--json"]].concat());
    let with = |pointer: &str, value: Value| {
        let mut plan = plan.clone();
        *plan.pointer_mut(pointer).unwrap() = value;
        errors("plan", &plan)
    };
    let mut longer = plan.clone();
    longer["new"] = json!(1);
    longer["link_layer"]["new"] = json!(1);
    longer["rates"]["upload"]["new"] = json!(1);
    assert_eq!(errors("plan", &longer), [""; 0]);

    let mut shorter = plan.clone();
    shorter.as_object_mut().unwrap().remove("wan");
    assert_eq!(errors("plan", &shorter).len(), 1);
    for (pointer, value) in [
        ("/schema", json!("unbloat.checkup")),
        ("/version", json!(2)),
        ("/wan", json!(7)),
        ("/tested", json!("guessed")),
        ("/link_layer/overhead", json!(-1)),
        ("/link_layer/overhead", json!(1.5)),
        ("/rates/upload/shaped/line_mbit", json!("2")),
        ("/rates/upload", json!({})),
        ("/rates/download", json!({ "left": { "reason": "short_already" } })),
        ("/steps", json!([{ "text": "Do it.", "commands": "tc" }])),
        ("/cautions", json!([{ "name": "new" }])),
    ] {
        assert!(!with(pointer, value).is_empty(), "{pointer}");
    }
    assert_eq!(with("/version", json!(2)), ["/version: 2 breaks const 1"]);
}
