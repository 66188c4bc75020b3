//! Plans for our own shaper: the unit, what the shaper shows of it, and what is there before.
//!
//! The files `golden/unbloat-shown.*` are what `unbloat shape wan --status` printed with and without `--json`,
//! of the queues that the plan has for `--up 10mbit --down 50mbit --link docsis`.

mod machine;

use machine::{Machine, lines, plan, prescription};
use qdisc::QdiscSpec;
use results::{CheckedSetting, Verification};
use routers::{Kept, Platform, Refusal, Treatment};

const TEXT: &str = include_str!("golden/unbloat-shown.txt");
const DOCUMENT: &str = include_str!("golden/unbloat-shown.json");

const UNIT: &str = "etc/systemd/system/unbloat-shape.service";

fn unbloat() -> &'static Platform {
    Platform::named("unbloat").unwrap()
}

fn verified(rates: [u64; 2], wan: &str, shown: &str) -> Option<Verification> {
    unbloat().verify(&prescription(rates, true), Some(wan), shown).unwrap()
}

/// What differs: name, planned, shown.
fn differences(rates: [u64; 2], shown: &str) -> Vec<[String; 3]> {
    let settings = verified(rates, "wan", shown).unwrap().settings.into_iter();
    let differs = settings.filter(|it: &CheckedSetting| !it.is_as_planned());
    differs.map(|it| [it.name, it.planned, it.shown.unwrap_or_default()]).collect()
}

/// The treatment of a machine with these queues, and more sections of its answer.
fn treatment(queues: &str, more: &str, may_replace: bool) -> Result<Treatment, Refusal> {
    let answer = format!("== unfit\n== program\n/usr/bin/unbloat\n== queues\n{queues}\n{more}\n");
    unbloat().treatment(&prescription([10, 50], true), "wan", &answer, may_replace)
}

/// The words behind options of the command, as systemd.service(5) divides them.
fn queues(plan: &results::Plan) -> Vec<QdiscSpec> {
    let command = lines(&plan.steps).find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    command.split('"').skip(1).step_by(2).map(|words| words.parse().unwrap()).collect()
}

#[test]
fn the_unit_has_the_queues_of_the_prescription() {
    for rates in [[1, 10], [2, 0], [0, 20]] {
        for nat in [true, false] {
            let wanted: Vec<QdiscSpec> = prescription(rates, nat)
                .shapers()
                .map(|shaper| shaper.cake().parse().unwrap())
                .collect();
            assert_eq!(queues(&plan("unbloat", rates, "eth0", nat)), wanted);
        }
    }
}

#[test]
fn the_text_and_the_document_are_compared_word_by_word() {
    for shown in [TEXT, DOCUMENT] {
        let verified = verified([10, 50], "wan", shown).unwrap();
        assert!(verified.in_force && verified.settings.len() >= 22, "{verified:?}");
        let wrong = shown.replacen("rtt 100ms", "rtt 20ms", 1).replace(" wash ", " nowash ");
        let differs = [
            ["upload rtt", "100ms", "20ms"].map(str::to_owned),
            ["download code points", "wash", "nowash"].map(str::to_owned),
        ];
        assert_eq!(differences([10, 50], &wrong), differs);
        // The plan shapes one direction, and an earlier one shaped both.
        let left = ["earlier queue at ifb-wan", "nothing", "cake, 48.1mbit"].map(str::to_owned);
        assert_eq!(differences([10, 0], shown), [left]);
    }
    let passing = DOCUMENT.replace("\"state\": \"shaping\"", "\"state\": \"passing\"");
    let state = ["state of the shaper", "shapes", "lets packets pass"].map(str::to_owned);
    assert_eq!(differences([10, 50], &passing), [state]);
    assert!(!verified([10, 50], "eth7", DOCUMENT).is_some_and(|it| it.in_force));
    assert_eq!(verified([10, 50], "wan", "error: no shaper is at work on wan"), None);
}

#[test]
fn the_queues_of_a_treatment_are_told_apart() {
    let treatment = treatment("", "", false).unwrap();
    assert_eq!(treatment.look, "/usr/bin/unbloat shape wan --status");
    for queue in &treatment.queues {
        assert_eq!(queue.differences(TEXT), Some(vec![]), "{queue:?}");
        assert!(queue.sent_bytes(TEXT) > Some(10_000), "{queue:?}");
    }
    let (up, _) = TEXT.split_once("qdisc cake 8002:").unwrap();
    assert_eq!(treatment.queues[1].differences(up), None, "the download is not shaped");
}

#[test]
fn only_shapers_are_replaced() {
    const FQ: &str = "qdisc fq 8001: dev wan root refcnt 2 limit 10000p";
    const CAKE: &str = "qdisc cake 7: dev wan root refcnt 2 bandwidth 5Mbit nat";
    const HTB: &str = "qdisc htb 1: dev wan root refcnt 2 r2q 10 default 0x1";
    let unchanged = treatment(FQ, "", false).unwrap();
    assert!(!unchanged.apply.contains("tc qdisc") && !unchanged.undo.contains("tc qdisc"));
    assert!(matches!(treatment(CAKE, "", false), Err(Refusal::Kept(Kept::Shaper(_)))));
    let replaced = treatment(CAKE, "", true).unwrap();
    assert!(replaced.apply.contains("tc qdisc del dev wan root"));
    let restore = "tc qdisc add dev wan root handle 7: cake bandwidth 5Mbit nat\n";
    assert!(replaced.undo.ends_with(restore), "{}", replaced.undo);
    for (queues, more) in [(HTB, ""), ("", "== shape\nat work")] {
        let refused = treatment(queues, more, true);
        assert!(matches!(refused, Err(Refusal::Kept(Kept::Unrepeatable(_)))), "{refused:?}");
    }
}

/// The other platforms do not shape what `unbloat shape` does already.
#[test]
fn a_shaper_at_work_is_not_shaped_again() {
    let answer = "== unfit\n== queues\n== shape\nat work\n";
    for name in ["tc", "ifupdown", "networkmanager", "networkd", "openwrt"] {
        let platform = Platform::named(name).unwrap();
        let refused = platform.treatment(&prescription([2, 20], true), "wan", answer, true);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("`unbloat shape wan`"), "{name}: {refused}");
    }
    assert!(!Platform::is_as_before("wan", "== queues\n", answer));
}

#[test]
fn a_second_plan_ends_the_first() {
    let machine = Machine::new("own-shaper");
    machine.types(&plan("unbloat", [1, 10], "eth0", true).steps);
    let (_, called) = machine.types(&plan("unbloat", [2, 0], "eth1", true).steps);
    let at = |call: &str| {
        called.iter().position(|it| it == call).unwrap_or_else(|| {
            panic!("{call}: {called:#?}");
        })
    };
    assert!(at("systemctl disable unbloat-shape.service") < at("systemctl daemon-reload"));
    assert!(at("systemctl daemon-reload") < at("systemctl start unbloat-shape.service"));
    let unit = std::fs::read_to_string(machine.0.join(UNIT)).unwrap();
    assert!(unit.contains("shape eth1 --up") && !unit.contains("eth0") && !unit.contains("--down"));
    // The other platforms refuse it, and it refuses theirs.
    let says = |platform: &str| {
        let platform = Platform::named(platform).unwrap();
        let script = platform.examination(&prescription([2, 20], true), "eth0").unwrap();
        String::from_utf8(machine.runs(&script).0.stdout).unwrap()
    };
    for platform in ["tc", "ifupdown", "networkmanager", "networkd", "unbloat"] {
        assert!(says(platform).contains("earlier plan"), "{platform}");
    }
    machine.types(&plan("unbloat", [2, 0], "eth1", true).undo);
    assert_eq!(machine.files(), [""; 0]);
    machine.types(&plan("tc", [1, 10], "eth0", true).steps);
    assert!(says("unbloat").contains("an earlier plan of another kind is in force there, by"));
}
