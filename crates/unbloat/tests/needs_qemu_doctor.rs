//! Checkups in a guest: real queues of a real kernel, with traffic, and this program. The tests need
//! QEMU and the packages of Debian; see CONTRIBUTING.md.
#![cfg(target_os = "linux")]

#[path = "needs_qemu_doctor/broken.rs"]
mod broken;
#[path = "needs_qemu_doctor/drawn.rs"]
mod drawn;
#[path = "needs_qemu_doctor/healthy.rs"]
mod healthy;
#[path = "needs_qemu_doctor/set_up.rs"]
mod set_up;

use std::path::{Path, PathBuf};
use std::process::Command;

use broken::BROKEN;
use drawn::drawn;
use guest::{Guest, Packages, Results};
use healthy::HEALTHY;
use report::Style;
use results::{Checkup, Severity};
use set_up::SetUp;

/// Runs a script in a guest that has these set-ups, and these programs of the packages.
fn run(set_ups: &[SetUp], programs: &[&str], script: &str) -> Results {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let packages = Packages::unpacked(&temporary.with_file_name("guest")).unwrap();
    let mut guest = Guest::new(&packages).unwrap();
    programs.iter().for_each(|name| guest.add_packaged(name).unwrap());
    guest.add_program("unbloat", &program(temporary)).unwrap();
    guest.add_file("words.sh", include_bytes!("needs_qemu_doctor/words.sh"));
    for set_up in set_ups {
        guest.add_file(&format!("{}.sh", set_up.name), set_up.script.as_bytes());
    }
    let router = include_str!("needs_qemu_doctor/router.sh");
    let results = guest.run(&format!("{router}\n{script}")).unwrap();
    keep(&results);
    results
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

/// The set-ups that are named in the environment: `SET_UPS=all`, or some by name; without it, those that are
/// `usual`.
#[expect(clippy::disallowed_methods, reason = "chooses what is tested, never what is right")]
fn wanted(set_ups: &[SetUp], usual: impl Fn(usize) -> bool) -> Vec<SetUp> {
    let named = std::env::var("SET_UPS").ok();
    let is_wanted = |(index, set_up): &(usize, &SetUp)| match named.as_deref() {
        None => usual(*index),
        Some("all") => true,
        Some(names) => names.split_whitespace().any(|name| name == set_up.name),
    };
    set_ups.iter().enumerate().filter(is_wanted).map(|(_, set_up)| *set_up).collect()
}

/// Keeps what the guest left, for those who want to look.
fn keep(results: &Results) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("doctor");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, content) in results {
        std::fs::write(folder.join(name), content).unwrap();
        if let Ok(checkup) = serde_json::from_slice(content) {
            let text = report::checkup_text(&checkup, Style::Plain);
            std::fs::write(folder.join(name).with_extension("txt"), text).unwrap();
        }
    }
}

fn text<'a>(results: &'a Results, name: &str) -> &'a str {
    let bytes = results.get(name).unwrap_or_else(|| panic!("no {name} in {:?}", results.keys()));
    std::str::from_utf8(bytes).unwrap()
}

/// The checkup in a file.
fn checkup(results: &Results, name: &str) -> Checkup {
    serde_json::from_str(text(results, name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The commands that a person reads.
fn shown(checkup: &Checkup) -> Vec<String> {
    let text = report::checkup_text(checkup, Style::Plain);
    text.lines().filter_map(|line| line.strip_prefix("    ")).map(str::to_owned).collect()
}

/// The names of the findings, each once.
fn names(checkup: &Checkup) -> Vec<String> {
    let mut names: Vec<_> = checkup.findings.iter().map(|fault| fault.name.to_string()).collect();
    names.sort();
    names.dedup();
    names
}

/// What differs from what is right of a set-up; empty if nothing does.
fn differences(results: &Results, set_up: &SetUp) -> Vec<String> {
    let name = set_up.name;
    let found = checkup(results, &format!("{name}.json"));
    let mut wrong = Vec::new();
    let mut check = |is_right: bool, what: String| {
        if !is_right {
            wrong.push(format!("{name}: {what}"));
        }
    };
    check(names(&found) == set_up.wrong, format!("found {:?}", found.findings));
    let failed = results.get(&format!("{name}.failed"));
    check(
        failed.is_none(),
        format!("a command failed: {:?}", failed.map(|it| String::from_utf8_lossy(it))),
    );
    let status = if found.count(Severity::Wrong) == 0 { "0" } else { "4" };
    let ended = text(results, &format!("{name}.status")).trim();
    check(ended == status, format!("ended with {ended}"));
    if set_up.is_mended {
        let commands = found.findings.iter().flat_map(|fault| fault.remedy.commands.clone());
        check(commands.eq(shown(&found)), format!("shows {:?}", shown(&found)));
        let after = checkup(results, &format!("{name}.after.json"));
        check(after.findings.is_empty(), format!("then found {:?}", after.findings));
    }
    wrong
}

#[track_caller]
fn all_are_right(set_ups: &[SetUp]) {
    if set_ups.is_empty() {
        return;
    }
    let examinations: String = set_ups.iter().map(SetUp::examination).collect();
    let results = run(set_ups, &["ethtool"], &examinations);
    let wrong: Vec<_> = set_ups.iter().flat_map(|set_up| differences(&results, set_up)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Usually the first set-up with each mistake.
#[test]
fn needs_qemu_what_is_broken_is_found_and_mended() {
    assert!(BROKEN.len() >= 20);
    let is_first =
        |index: usize| BROKEN[..index].iter().all(|before| before.wrong != BROKEN[index].wrong);
    all_are_right(&wanted(BROKEN, is_first));
}

/// Usually every second set-up.
#[test]
fn needs_qemu_what_is_healthy_has_no_finding() {
    assert!(HEALTHY.len() >= 20);
    all_are_right(&wanted(HEALTHY, |index| index.is_multiple_of(2)));
}

#[test]
fn needs_qemu_what_is_drawn_is_found_if_it_is_broken() {
    all_are_right(&wanted(&drawn(), |_| true));
}

#[test]
fn needs_qemu_a_router_is_examined_over_ssh() {
    let set_up = SetUp::healthy("over-ssh", "up rtt 20\n down", "");
    let programs = ["ethtool", "dropbear", "dropbearkey", "ssh", "ssh-keygen"];
    let script = include_str!("needs_qemu_doctor/over_ssh.sh");
    let results = run(&[set_up], &programs, script);
    let here = text(&results, "here");
    assert!(here.contains("[rtt-mistyped]") && here.ends_with("status 4\n"), "{here}");
    assert_eq!(text(&results, "there"), format!("connecting to 10.1.0.1\n{here}"));
    for name in ["explained-here", "explained-there"] {
        let explained = text(&results, name);
        let shaper = "shaper   CAKE at the root limits outgoing packets to";
        assert!(explained.contains(shaper) && !explained.contains("status"), "{explained}");
    }
    let objects = text(&results, "explained-json");
    assert!(objects.contains("\"kind\":\"cake\""), "{objects}");
    for (name, parts) in [
        ("explained-missing", &["there is no device `wan9`; there are:", "wan", "status 2"][..]),
        ("explained-without-tc", &["tells no queues", "iproute2 4.18", "status 1"]),
        ("no-interface", &["10.1.0.1 has no interface `nosuch0`", "wan", "status 2"]),
        ("refused", &["Permission denied", "no shell (sh) answers there", "status 1"]),
        ("gone", &["Connection refused", "no shell (sh) answers there", "status 1"]),
    ] {
        let said = text(&results, name);
        assert!(parts.iter().all(|part| said.contains(part)), "{name}: {said}");
    }
}
