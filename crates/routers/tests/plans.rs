//! Plans of all platforms, for many lines: what they write is read by those who know the words.

use std::io::Write;
use std::process::{Command, Stdio};

use qdisc::QdiscSpec;
use remedy::{LinkKind, Prescription, Tins, Wishes};
use results::{Plan, Untreated};
use routers::{Platform, PlatformError, Refusal};
use units::Rate;

/// The platforms whose steps a shell runs.
const SHELLS: [&str; 7] =
    ["tc", "ifupdown", "networkmanager", "networkd", "openwrt", "qosify", "qosmate"];

/// Prescriptions for lines of all kinds, and for one direction alone.
fn prescriptions() -> Vec<Prescription> {
    let rate = |text: &str| Some(text.parse::<Rate>().unwrap());
    let rates = [
        [rate("256kbit"), rate("4mbit")],
        [rate("3mbit"), rate("23.7mbit")],
        [None, rate("17mbit")],
        [rate("1.5mbit"), None],
    ];
    let mut all = Vec::new();
    for link in LinkKind::ALL {
        for (nat, tins) in [(true, Tins::BestEffort), (false, Tins::Diffserv4)] {
            let wishes = Wishes { link: Some(link), nat, tins, rtt: None };
            all.extend(rates.map(|rates| Prescription::of(None, rates, &wishes)));
        }
    }
    all
}

fn plans() -> impl Iterator<Item = (&'static Platform, Prescription, Plan)> {
    prescriptions().into_iter().flat_map(|prescription| {
        Platform::ALL.iter().filter_map(move |platform| {
            match platform.plan(&prescription, Some("eth0.7")) {
                Ok(plan) => Some((platform, prescription.clone(), plan)),
                Err(why) => {
                    assert!(platform.name == "libreqos" && why == PlatformError::BothWanted);
                    None
                }
            }
        })
    })
}

fn lines(plan: &Plan) -> impl Iterator<Item = &str> {
    let all = plan.steps.iter().chain(&plan.check).chain(&plan.undo);
    all.flat_map(|step| &step.commands).map(String::as_str)
}

/// Each queue that a script adds is one of CAKE's words to our own parser, and that of the
/// prescription.
#[test]
fn queues_are_those_of_the_prescription() {
    let mut seen = 0;
    for (platform, prescription, plan) in plans() {
        let wanted: Vec<QdiscSpec> =
            prescription.shapers().map(|shaper| shaper.cake().parse().unwrap()).collect();
        let added = lines(&plan).filter(|line| line.contains("tc qdisc add "));
        let added = added.filter_map(|line| line.split_once(" root cake ")).map(|it| it.1);
        for words in added {
            let words = format!("cake {}", words.trim_end_matches(" &&"));
            let spec: QdiscSpec = words.parse().unwrap_or_else(|error| panic!("{words}: {error}"));
            assert!(wanted.contains(&spec), "{}: {words}", platform.name);
            seen += 1;
        }
    }
    // Three platforms shape both directions by the script, and networkd the download.
    let directions: usize = prescriptions().iter().map(|it| it.shapers().count()).sum();
    let downloads = prescriptions().iter().filter(|it| it.down.is_ok()).count();
    assert_eq!(seen, 3 * directions + downloads);
}

#[test]
fn shells_understand_the_steps() {
    for (_, _, plan) in plans().filter(|(platform, ..)| SHELLS.contains(&platform.name)).step_by(5)
    {
        let script = lines(&plan).map(|line| format!("{line}\n")).collect::<String>();
        let mut shell =
            Command::new("sh").arg("-n").stdin(Stdio::piped()).spawn().expect("a shell");
        shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        assert!(shell.wait().unwrap().success(), "{}\n{script}", plan.platform);
    }
}

/// What is expected of a plan is never more than the line carries.
#[test]
fn no_plan_expects_more_than_the_line_has() {
    for (platform, prescription, plan) in plans() {
        let directions =
            [(&prescription.up, plan.rates.upload), (&prescription.down, plan.rates.download)];
        for (shaper, planned) in directions {
            let (Ok(shaper), results::PlannedDirection::Shaped(planned)) = (shaper, planned) else {
                assert!(matches!(planned, results::PlannedDirection::Left(_)));
                continue;
            };
            let expected = planned.expected.rate_mbit;
            assert!(expected <= planned.line_mbit, "{}: {planned:?}", platform.name);
            assert!(planned.bandwidth_mbit > 0.0 && shaper.line.as_mbit_f64() == planned.line_mbit);
        }
    }
}

#[test]
fn each_plan_can_be_checked_and_taken_back() {
    for (platform, _, plan) in plans() {
        let name = platform.name;
        assert!(
            !plan.steps.is_empty() && !plan.check.is_empty() && !plan.undo.is_empty(),
            "{name}"
        );
        let has_commands = plan.steps.iter().any(|step| !step.commands.is_empty());
        assert!(has_commands, "{name}");
        assert!(lines(&plan).all(|line| !line.contains("sudo")), "{name}");
    }
}

#[test]
fn a_plan_for_one_direction_does_not_speak_of_two() {
    for (platform, prescription, plan) in plans() {
        if prescription.shapers().count() == 1 {
            let mut texts = plan.steps.iter().chain(&plan.check).map(|step| &step.text);
            assert!(!texts.any(|text| text.contains("Both")), "{}", platform.name);
        }
    }
}

#[test]
fn a_tunnel_has_no_header_of_ethernet() {
    let rates = [Some(Rate::from_mbit(2)), None];
    let prescription = Prescription::of(None, rates, &Wishes::default());
    let vyos = Platform::named("vyos-1.5").unwrap();
    let rates = |wan: &str| vyos.plan(&prescription, Some(wan)).unwrap().rates;
    assert_eq!(rates("wg0"), rates("pppoe0"));
    assert_ne!(rates("wg0"), rates("eth0"));
}

#[test]
fn nothing_to_shape_is_nothing_to_do() {
    let nothing = Prescription::of(None, [None, None], &Wishes::default());
    assert_eq!(nothing.up, Err(Untreated::NotMeasured));
    for platform in Platform::ALL {
        let plan = platform.plan(&nothing, Some("eth0")).unwrap();
        assert_eq!(lines(&plan).count(), 0, "{}", platform.name);
    }
}

#[test]
fn interfaces_are_names_and_nothing_else() {
    let nothing = Prescription::of(None, [None, None], &Wishes::default());
    // RouterOS takes more, in quotes.
    for platform in Platform::ALL.iter().filter(|platform| platform.name != "routeros") {
        for wrong in
            ["", "eth0@if3", "eth0;reboot", "$(id)", "-all", "a name", "eth0\n", "abcdefghijklmnop"]
        {
            let refused = platform.plan(&nothing, Some(wrong));
            assert_eq!(refused, Err(PlatformError::NotAnInterface(wrong.to_owned())));
        }
    }
    let routeros = Platform::named("routeros").unwrap();
    let refused = routeros.plan(&nothing, Some("$wan"));
    assert_eq!(refused, Err(PlatformError::NotInQuotes("$wan".to_owned())));
    let named = routeros.plan(&prescriptions()[0], Some("ether1 WAN")).unwrap();
    assert!(lines(&named).any(|line| line.contains("target=\"ether1 WAN\"")));
    let without = Platform::named("vyos-1.4").unwrap().plan(&nothing, None);
    assert_eq!(without, Err(PlatformError::WanWanted("eth0")));
    assert!(Platform::named("openwrt").unwrap().plan(&nothing, None).is_ok());
    for platform in ["unbloat", "tc", "networkd", "openwrt"].map(|it| Platform::named(it).unwrap())
    {
        assert_eq!(platform.plan(&prescriptions()[0], Some("lo")), Err(PlatformError::Loopback));
        let refused = platform.examination(&prescriptions()[0], "lo");
        assert_eq!(refused, Err(Refusal::Platform(PlatformError::Loopback)));
    }
}

/// A step ends with `commit-confirm`, which asks a question, and what answers it is in the next one.
#[test]
fn nothing_is_pasted_into_a_question() {
    for platform in ["vyos-1.4", "vyos-1.5", "edgeos"] {
        let plan =
            Platform::named(platform).unwrap().plan(&prescriptions()[0], Some("eth0")).unwrap();
        let asks = plan
            .steps
            .iter()
            .position(|step| step.commands.last().is_some_and(|line| line == "commit-confirm 10"));
        let asks = asks.unwrap();
        assert!(plan.steps[asks].text.contains("Paste this and nothing after it"), "{platform}");
        let next = &plan.steps[asks + 1];
        assert!(next.text.starts_with("Answer y to the question. Check that the line works"));
        assert_eq!(next.commands[0], "confirm");
    }
}
