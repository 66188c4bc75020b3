//! What the user says beside the rates changes each plan, or the plan says that it cannot be told.

use remedy::{LinkKind, Prescription, Tins, Wishes};
use results::Plan;
use routers::Platform;
use units::Span;

/// The text of a plan's steps.
fn steps(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().flat_map(|step| &step.commands).map(String::as_str).collect()
}

#[test]
fn each_option_changes_the_plan_or_is_named_as_lacking() {
    let usual = Wishes { link: LinkKind::named("docsis"), ..Wishes::default() };
    let options = [
        ("--link", Wishes { link: LinkKind::named("vdsl2-pppoe"), ..usual }),
        ("--tins", Wishes { tins: Tins::Diffserv4, ..usual }),
        ("--no-nat", Wishes { nat: false, ..usual }),
        ("--rtt", Wishes { rtt: Some(Span::from_millis(250)), ..usual }),
    ];
    for platform in Platform::ALL {
        let plan = |wishes: &Wishes| {
            let rates = [Some("10mbit".parse().unwrap()), Some("50mbit".parse().unwrap())];
            platform.plan(&Prescription::of(None, rates, wishes), Some("eth0")).unwrap()
        };
        let before = plan(&usual);
        for (option, wishes) in &options {
            let after = plan(wishes);
            let names_it = |plan: &Plan| plan.cannot_say.iter().any(|it| it.what.contains(option));
            // VyOS has three tins, whatever is asked.
            let is_always_said = platform.name.starts_with("vyos") && *option == "--tins";
            assert!(
                is_always_said || steps(&before) != steps(&after) || names_it(&after),
                "{}: {option} is dropped without a word",
                platform.name
            );
            assert!(!names_it(&before), "{}: {option} is not asked for", platform.name);
        }
        let says_tins = before.cannot_say.iter().any(|it| it.what.contains("(tins, wash)"));
        assert_eq!(says_tins, platform.name.starts_with("vyos"));
    }
}

#[test]
fn an_interface_that_is_named_changes_the_plan_or_is_named_as_lacking() {
    let rates = [Some("10mbit".parse().unwrap()), Some("50mbit".parse().unwrap())];
    let usual = Prescription::of(None, rates, &Wishes::default());
    for platform in Platform::ALL {
        let plan = |wan: &str| platform.plan(&usual, Some(wan)).unwrap();
        let (one, other) = (plan("eth0"), plan("eth7"));
        let names_it = |plan: &Plan| plan.cannot_say.iter().any(|it| it.what.contains("--wan"));
        assert_ne!(steps(&one) != steps(&other), names_it(&other), "{}", platform.name);
        assert!(!platform.plan(&usual, None).is_ok_and(|it| names_it(&it)), "{}", platform.name);
    }
}

/// A round trip that a platform cannot be told is told to the user, and none is shortened.
#[test]
fn fractions_of_a_millisecond() {
    let rates = [Some("10mbit".parse().unwrap()), Some("500mbit".parse().unwrap())];
    let wishes = Wishes { rtt: Some(Span::from_micros(1500)), ..Wishes::default() };
    let prescription = Prescription::of(None, rates, &wishes);
    for (platform, has) in [
        ("vyos-1.5", "rtt 2"),
        ("routeros", "cake-rtt=2ms"),
        ("opnsense", "target 1, interval 2"),
        ("networkd", "RTTSec=1500us"),
        ("tc", "rtt 1.5ms"),
    ] {
        let plan = Platform::named(platform).unwrap().plan(&prescription, Some("eth0")).unwrap();
        assert!(steps(&plan).iter().any(|line| line.contains(has)), "{platform}: {:?}", plan.steps);
        let said = plan.cannot_say.iter().find(|it| it.what == "a round trip of 1.5ms");
        let is_whole = ["vyos-1.5", "routeros", "opnsense"].contains(&platform);
        assert_eq!(said.is_some_and(|it| it.instead.ends_with("expects 2 ms")), is_whole);
    }
}

/// The target of OPNsense's CoDel is never above half of its interval.
#[test]
fn targets_lie_below_intervals() {
    let opnsense = Platform::named("opnsense").unwrap();
    for rtt in [1, 2, 8, 100, 600] {
        for up in ["256kbit", "2mbit", "90mbit", "400mbit"] {
            let wishes = Wishes { rtt: Some(Span::from_millis(rtt)), ..Wishes::default() };
            let rates = [Some(up.parse().unwrap()), None];
            let plan = opnsense.plan(&Prescription::of(None, rates, &wishes), None).unwrap();
            let line = steps(&plan)[0];
            let after = |name: &str| -> u64 {
                let (_, rest) = line.split_once(&format!(", {name} ")).unwrap();
                rest.split(',').next().unwrap().parse().unwrap()
            };
            assert!(2 * after("target") <= after("interval"), "{line}");
            assert_eq!(after("quantum"), if up == "400mbit" { 1500 } else { 300 });
        }
    }
}
