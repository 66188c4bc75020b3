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
