//! Plans beside what the platforms' own code made of them.
//!
//! The files in `golden` were written by that code, which is no part of this project. Each case has the
//! arguments of `unbloat fix`, the commands of its plan without the checks before them, and what came of these: the configuration as the
//! platform shows it, and the commands of tc or dnctl that it calls. The commands must still be those of
//! the plan, byte by byte, and what came of them must be what was prescribed.

use qdisc::QdiscSpec;
use remedy::{LinkKind, Prescription, Tins, Wishes, tc};
use results::{CheckedSetting, PlannedDirection, Tested};
use routers::Platform;
use units::Rate;

/// A case of a file.
struct Case<'a> {
    prescription: Prescription,
    wan: Option<&'a str>,
    parts: Vec<(&'a str, &'a str)>,
}

impl<'a> Case<'a> {
    fn parse(text: &'a str) -> Self {
        let (arguments, rest) = text.split_once('\n').unwrap();
        let words: Vec<&str> = arguments.split(' ').collect();
        let after = |name: &str| words.iter().skip_while(|word| **word != name).nth(1).copied();
        let wishes = Wishes {
            link: Some(LinkKind::named(after("--link").unwrap()).unwrap()),
            nat: !words.contains(&"--no-nat"),
            tins: after("--tins").map_or(Tins::BestEffort, |name| Tins::named(name).unwrap()),
            rtt: after("--rtt").map(|time| time.parse().unwrap()),
        };
        let rates = ["--up", "--down"].map(|name| after(name).map(|rate| rate.parse().unwrap()));
        let parts = rest.split("== ").skip(1).map(|part| part.split_once('\n').unwrap());
        Self {
            prescription: Prescription::of(None, rates, &wishes),
            wan: after("--wan"),
            parts: parts.collect(),
        }
    }

    fn part(&self, title: &str) -> &'a str {
        let part = self.parts.iter().find(|(name, _)| *name == title);
        part.map_or_else(|| panic!("no part {title}"), |(_, text)| text.trim_end())
    }

    /// The words behind `cake` in each queue that was added.
    fn queues(&self) -> Vec<&'a str> {
        let added = |line: &'a str| line.split_once(" cake ").map(|(_, words)| words);
        self.part("tc").lines().filter_map(added).collect()
    }
}

/// Calls the function with each case of a file, whose plan is the one of now.
fn each(name: &str, text: &str, mut judge: impl FnMut(&Platform, &Case)) {
    let platform = Platform::named(name).unwrap();
    let mut number = 0;
    for text in text.split("== case ").skip(1) {
        let case = Case::parse(text);
        let plan = platform.plan(&case.prescription, case.wan).unwrap();
        assert_eq!(plan.tested, Tested::Parsed, "{name}");
        let commands: Vec<String> =
            plan.steps.iter().map(|step| step.commands.join("\n")).collect();
        let is_plan = |step: &String| step == case.part("plan") || holds(step, case.part("plan"));
        assert!(commands.iter().any(is_plan), "{name}: {text}\n{commands:#?}");
        judge(platform, &case);
        number += 1;
    }
    assert!(number > 5, "{name}: {number} cases");
}

/// True if the step is a shell of its own with these commands in this order, between checks.
fn holds(step: &str, commands: &str) -> bool {
    let mut lines = step.lines();
    step.starts_with("(\n") && commands.lines().all(|command| lines.any(|line| line == command))
}

fn parsed(words: &str) -> QdiscSpec {
    let words = format!("cake {words}");
    words.parse().unwrap_or_else(|error| panic!("{words}: {error}"))
}

/// The queues are those of the prescription, and what is shown is as planned.
#[test]
fn openwrt_makes_the_queues_that_are_prescribed() {
    for (name, text) in [
        ("openwrt", include_str!("golden/openwrt.txt")),
        ("qosify", include_str!("golden/qosify.txt")),
        ("qosmate", include_str!("golden/qosmate.txt")),
    ] {
        each(name, text, |platform, case| {
            // QoSmate adds a queue without a limit where nothing is to be shaped.
            let queues =
                case.queues().into_iter().filter(|words| !words.contains("bandwidth 0kbit"));
            let queues: Vec<QdiscSpec> = queues.map(parsed).collect();
            let wanted: Vec<QdiscSpec> =
                case.prescription.shapers().map(|shaper| shaper.cake().parse().unwrap()).collect();
            assert_eq!(queues, wanted, "{name}: {}", case.part("tc"));
            let verified = platform.verify(&case.prescription, case.wan, case.part("shown"));
            let verified = verified.unwrap().unwrap();
            // The kernel's queues are not in what uci shows.
            let is_right =
                |it: &CheckedSetting| it.is_as_planned() || it.name == "queues of the kernel";
            let settings = &verified.settings;
            assert!(settings.iter().all(is_right) && settings.len() > 8, "{name}: {verified:?}");
        });
    }
}

/// A router with a real `sch_cake` has what the treatment looks for, and so says `verify`.
#[test]
fn a_router_that_kept_the_plan_has_its_queues() {
    let shown = include_str!("golden/openwrt-kept.txt");
    let case = Case::parse("--up 1.975mbit --down 19.78mbit --link unknown --wan wan\n");
    let platform = Platform::named("openwrt").unwrap();
    let verified = platform.verify(&case.prescription, case.wan, shown).unwrap().unwrap();
    assert!(verified.in_force && verified.settings.len() == 38, "{verified:?}");
    let examined = "== unfit\n== sqm\n== queues\n== redirect\n";
    let treatment = platform.treatment(&case.prescription, "wan", examined, false).unwrap();
    assert_eq!(treatment.queues.len(), 2);
    for queue in treatment.queues {
        assert_eq!(queue.differences(shown), Some(vec![]), "{}", queue.device);
        assert!(queue.sent_bytes(shown) > Some(1_000_000), "{}", queue.device);
    }
}

/// VyOS makes CAKE with the rate, isolation, translation and round trip of the plan. The rest is as
/// tc-cake(8) has it if nobody says otherwise.
#[test]
fn vyos_makes_what_the_plan_says_of_its_queues() {
    for (name, text) in [
        ("vyos-1.4", include_str!("golden/vyos-1.4.txt")),
        ("vyos-1.5", include_str!("golden/vyos-1.5.txt")),
    ] {
        each(name, text, |platform, case| {
            let plan = platform.plan(&case.prescription, case.wan).unwrap();
            let rates =
                [plan.rates.upload, plan.rates.download].into_iter().filter_map(|planned| {
                    match planned {
                        PlannedDirection::Shaped(rate) => Some(rate.bandwidth_mbit),
                        PlannedDirection::Left(_) => None,
                    }
                });
            let wanted = case.prescription.shapers().zip(rates).map(|(shaper, mbit)| {
                let rate = Rate::from_bits_per_sec((mbit * 1e6).round() as u64).unwrap();
                let isolation = shaper.cake().split(' ').nth(4).unwrap().to_owned();
                let nat = if shaper.nat { "nat" } else { "nonat" };
                parsed(&format!("bandwidth {} {isolation} {nat} rtt {}", tc(rate), shaper.rtt))
            });
            // A bare number is in bits per second for tc (tc(8), "PARAMETERS").
            let with_unit = |words: &str| {
                let (before, rest) = words.split_once("bandwidth ").unwrap();
                let (number, rest) = rest.split_once(' ').unwrap();
                format!("{before}bandwidth {number}bit {rest}")
            };
            let queues = case.queues().into_iter().map(|words| parsed(&with_unit(words)));
            assert!(queues.eq(wanted), "{name}: {}", case.part("tc"));
        });
    }
}

#[test]
fn opnsense_gives_dummynet_the_rates_and_the_scheduler() {
    each("opnsense", include_str!("golden/opnsense.txt"), |platform, case| {
        let plan = platform.plan(&case.prescription, case.wan).unwrap();
        let pipes: Vec<&str> =
            case.part("dnctl").lines().filter(|line| line.starts_with("pipe ")).collect();
        let planned = [plan.rates.upload, plan.rates.download].into_iter();
        let rates = planned.filter_map(|planned| match planned {
            PlannedDirection::Shaped(rate) => Some(rate.bandwidth_mbit * 1000.0),
            PlannedDirection::Left(_) => None,
        });
        let rates: Vec<f64> = rates.collect();
        assert_eq!(pipes.len(), rates.len());
        for (pipe, kilobits) in pipes.iter().zip(rates) {
            let wanted = format!("bw {kilobits:.0}Kbit/s type fq_codel target ");
            assert!(pipe.contains(&wanted), "{pipe}: {wanted}");
            let quantum = if kilobits < 1e5 { 300 } else { 1500 };
            let end = format!("ecn quantum {quantum} limit 1000 flows 1024");
            assert!(pipe.ends_with(&end), "{pipe}");
        }
    });
}

#[test]
fn libreqos_reads_the_rates_of_the_circuit() {
    each("libreqos", include_str!("golden/libreqos.txt"), |platform, case| {
        let plan = platform.plan(&case.prescription, case.wan).unwrap();
        let read = |name: &str| {
            let line = case.part("circuit").lines().find_map(|line| line.strip_prefix(name));
            line.unwrap().trim().parse::<f64>().unwrap()
        };
        for (planned, most, least) in [
            (plan.rates.download, "maxDownload", "minDownload"),
            (plan.rates.upload, "maxUpload", "minUpload"),
        ] {
            let PlannedDirection::Shaped(planned) = planned else { continue };
            assert!((read(most) - planned.bandwidth_mbit).abs() <= 0.0005, "{most}");
            // Its own bound, and less than the most.
            assert!((0.1..=read(most)).contains(&read(least)), "{least}");
        }
    });
}

/// Whatever a router shows, wholly or in part, it is read or refused.
#[test]
fn no_text_is_too_strange_to_be_read() {
    let golden = [
        include_str!("golden/openwrt.txt"),
        include_str!("golden/vyos-1.5.txt"),
        include_str!("golden/opnsense.txt"),
        include_str!("golden/libreqos.txt"),
    ];
    let strange =
        ["", "=", "/", "set ", "qdisc ", "qdisc cake dev", "\0\r\n\\\n", "1: 2\n", "\",,\"\n"];
    let case = Case::parse("--up 1.5mbit --down 17mbit --link docsis --rtt 90ms\n");
    for platform in Platform::ALL {
        let verify = |text: &str| platform.verify(&case.prescription, Some("eth0"), text).unwrap();
        strange.iter().for_each(|text| assert!(verify(text).is_none_or(|it| !it.in_force)));
        for text in golden {
            let parts = (0..text.len()).step_by(211).filter_map(|at| text.get(at..at + 300));
            // None of the cases has this round trip.
            parts.for_each(|part| assert!(verify(part).is_none_or(|it| !it.in_force), "{part}"));
        }
    }
}
