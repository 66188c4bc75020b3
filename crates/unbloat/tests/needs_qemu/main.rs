//! Treatments in a guest: a real modem's buffer, a real `sch_cake`, real TCP, and this program. The
//! tests need QEMU and the packages of Debian; see CONTRIBUTING.md.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;

use guest::{Guest, Packages, Results};
use results::{Treatment, UndoReason};

/// A home line: 2 Mbit/s up and 20 Mbit/s down, with a buffer of 256 KiB each way.
const LINE: &str = include_str!("needs_qemu/line.sh");

/// Runs a script behind that of the line.
fn run(script: &str) -> Results {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let packages = Packages::unpacked(&temporary.with_file_name("guest")).unwrap();
    let mut guest = Guest::new(&packages).unwrap();
    guest.add_program("unbloat", &program(temporary)).unwrap();
    guest.run(&format!("{LINE}\n{script}")).unwrap()
}

/// The program without its symbols, which would fill the guest's memory.
fn program(folder: &Path) -> PathBuf {
    let thread = std::thread::current().name().unwrap_or_default().replace(':', "-");
    let stripped = folder.join(format!("unbloat-for-{thread}"));
    let mut strip = Command::new("strip");
    strip.arg("-o").arg(&stripped).arg(env!("CARGO_BIN_EXE_unbloat"));
    assert!(strip.status().expect("strip, of binutils").success());
    stripped
}

fn text<'a>(results: &'a Results, name: &str) -> &'a str {
    let bytes = results.get(name).unwrap_or_else(|| panic!("no {name} in {:?}", results.keys()));
    std::str::from_utf8(bytes).unwrap()
}

fn treatment(results: &Results, name: &str) -> Treatment {
    serde_json::from_str(text(results, name)).unwrap()
}

/// The changed state, of which each step of a script says whether it is as before.
fn is_back(results: &Results, steps: usize) {
    let back = text(results, "back");
    assert!(back.lines().all(|line| line.ends_with(": as before")), "{back}");
    assert_eq!(back.lines().count(), steps, "{back}");
}

/// Both directions have short queues, and about the rate that was expected.
fn is_cured(treatment: &Treatment) {
    assert!(treatment.kept, "{:?}", treatment.reasons);
    let after = treatment.after.as_ref().expect("it was measured again");
    for (heading, direction) in after.judged() {
        let before = treatment.before.judged().find(|(one, _)| *one == heading).unwrap().1;
        let [p95_before, p95] = [before, direction].map(|it| it.added_p95_ms().unwrap());
        assert!(p95_before > 90.0 && p95 < 10.0, "{heading:?}: {p95_before} ms, then {p95} ms");
        let part = direction.rate_mbit.unwrap() / before.rate_mbit.unwrap();
        assert!((0.92..0.96).contains(&part), "{heading:?}: {part} of the rate");
    }
}

/// The user says that the line carries a quarter more than it does.
#[test]
fn needs_qemu_the_rate_is_found_by_tests() {
    let results = run(include_str!("needs_qemu/autotune.sh"));
    let tuned = treatment(&results, "tuned.json");
    assert!(tuned.kept, "{:?} {:?}", tuned.reasons, tuned.tuning);
    for (heading, direction) in tuned.after.as_ref().unwrap().judged() {
        let p95 = direction.added_p95_ms().unwrap();
        assert!(p95 <= 30.0, "{heading:?}: {p95} ms, {:?}", tuned.tuning);
    }
    let tuning = tuned.tuning.as_ref().expect("the rates were searched for");
    for (line_mbit, direction) in [(2.0, &tuning.upload), (4.0, &tuning.download)] {
        let direction = direction.as_ref().unwrap();
        let short = direction.highest_short(tuning.target_ms).unwrap().bandwidth_mbit;
        let long = direction.lowest_long(tuning.target_ms).unwrap().bandwidth_mbit;
        // Full packets of Ethernet are 1514 bytes for the modem, and 1544 for a line that nobody named.
        let most = line_mbit * 1544.0 / 1514.0;
        assert!(short <= most * 1.01 && most * 0.99 <= long, "{line_mbit}: {direction:?}");
        assert!((2..=8).contains(&direction.trials.len()), "{direction:?}");
    }
    let page = text(&results, "tuned.html");
    assert!(page.contains("<h2>Before</h2>") && page.contains("<h2>After</h2>"));
    is_back(&results, 1);
}

#[test]
fn needs_qemu_a_change_is_kept_if_it_helped_and_taken_back_otherwise() {
    let results = run(include_str!("needs_qemu/treatments.sh"));
    is_back(&results, 9);
    let refused = text(&results, "refused");
    for part in ["cake bandwidth 5Mbit", "--replace", "nothing was changed", "status 2"] {
        assert!(refused.contains(part), "{refused}");
    }
    for (name, parts) in [
        ("interrupted", &["taken back", "interrupted", "status 3"][..]),
        ("unmeasured", &["taken back", "could not be measured again", "status 4"]),
    ] {
        for part in parts {
            assert!(text(&results, name).contains(part), "{name}: {}", text(&results, name));
        }
    }
    let cured = treatment(&results, "cured.json");
    is_cured(&cured);
    let kept = text(&results, "kept");
    for part in
        ["qdisc cake", "ifb-wan", "/etc/network/if-up.d/unbloat-shaper", "/etc/unbloat/undo"]
    {
        assert!(kept.contains(part), "{kept}");
    }
    assert!(!kept.contains("unbloat-fix"), "the timer is left behind: {kept}");
    assert_eq!(cured.reasons, Vec::<UndoReason>::new());
}
