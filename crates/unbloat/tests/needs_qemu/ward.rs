//! The guest with a home line in it, and what it left.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, OnceLock};

use guest::{Guest, Packages, Results};
use results::{Treatment, WatchLine, WatchNews};

/// A home line: 2 Mbit/s up and 20 Mbit/s down, with a buffer of 256 KiB each way.
const LINE: &str = include_str!("line.sh");

/// A server of ssh on the router, and a client that it knows.
pub(crate) const SSH: &str = include_str!("ssh.sh");

/// The packages, which are downloaded once.
static PACKAGES: LazyLock<Packages> = LazyLock::new(|| Packages::unpacked(&folder()).unwrap());

/// The folder of the packages.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("guest")
}

/// A guest with this program.
pub(crate) fn guest() -> Guest<'static> {
    with_program(Guest::new(&PACKAGES).unwrap())
}

/// The same with the programs of ssh.
pub(crate) fn guest_with_ssh() -> Guest<'static> {
    let mut guest = guest();
    for program in ["dropbear", "dropbearkey", "ssh", "ssh-keygen"] {
        guest.add_packaged(program).unwrap();
    }
    guest
}

/// The guest, with this program.
pub(crate) fn with_program(mut guest: Guest<'_>) -> Guest<'_> {
    guest.add_program("unbloat", &program()).unwrap();
    guest
}

/// A guest that systemd runs, with this program.
pub(crate) fn guest_with_systemd() -> Guest<'static> {
    with_program(Guest::with_systemd(&PACKAGES).unwrap())
}

/// Runs scripts behind that of the line.
pub(crate) fn run(guest: Guest, scripts: &[&str]) -> Results {
    run_after("", guest, scripts)
}

/// Runs a script, that of the line, and others.
pub(crate) fn run_after(first: &str, guest: Guest, scripts: &[&str]) -> Results {
    guest.run(&[&[first, LINE], scripts].concat().join("\n")).unwrap()
}

/// What `unbloat test` says of the line before it is treated. It is measured once for all tests.
pub(crate) fn before() -> &'static [u8] {
    static BEFORE: OnceLock<Vec<u8>> = OnceLock::new();
    BEFORE.get_or_init(|| {
        let measuring = "in_client unbloat test 10.0.1.2 --json --quiet >before.json";
        run(guest(), &[measuring]).remove("before.json").unwrap()
    })
}

/// The program without its symbols, which would fill the guest's memory.
fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let strip = || {
        let stripped = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unbloat-for-guests");
        let mut strip = Command::new("strip");
        strip.arg("-o").arg(&stripped).arg(env!("CARGO_BIN_EXE_unbloat"));
        assert!(strip.status().expect("strip, of binutils").success());
        stripped
    };
    PROGRAM.get_or_init(strip).clone()
}

/// A result as text.
pub(crate) fn text<'a>(results: &'a Results, name: &str) -> &'a str {
    let bytes = results.get(name).unwrap_or_else(|| panic!("no {name} in {:?}", results.keys()));
    std::str::from_utf8(bytes).unwrap()
}

/// The news of `unbloat watch --json` in a result.
pub(crate) fn news(results: &Results, name: &str) -> Vec<WatchNews> {
    let read = |line: &str| serde_json::from_str::<WatchLine>(line).unwrap().news;
    text(results, name).lines().map(read).collect()
}

/// A result that has each of these parts.
pub(crate) fn has(results: &Results, name: &str, parts: &[&str]) {
    let text = text(results, name);
    parts.iter().for_each(|part| assert!(text.contains(part), "{part:?} is not in {name}: {text}"));
}

/// The document of a treatment.
pub(crate) fn treatment(results: &Results, name: &str) -> Treatment {
    serde_json::from_str(text(results, name)).unwrap_or_else(|error| {
        panic!("{name}: {error}\n{}", text(results, name));
    })
}

/// The state, of which each of so many steps of a script says whether it is as before.
pub(crate) fn is_back(results: &Results, steps: usize) {
    let back = text(results, "back");
    assert!(back.lines().all(|line| line.ends_with(": as before")), "{back}");
    assert_eq!(back.lines().count(), steps, "{back}");
}

/// Both directions have short queues, and about the rate that was expected.
pub(crate) fn is_cured(treatment: &Treatment) {
    assert!(treatment.kept, "{:?}", treatment.reasons);
    let after = treatment.after.as_ref().expect("it was measured again");
    for (heading, direction) in after.judged() {
        let before = treatment.before.judged().find(|(one, _)| *one == heading).unwrap().1;
        let p95_before = before.added_p95_ms().expect("the delay before is known");
        // Few packets, or a loss, may leave the percentile open: its bound is known even then.
        let p95 = direction.added_p95_at_most_ms().expect("the delay after has a bound");
        let [rate_before, rate] = [before, direction].map(|it| it.rate_mbit.unwrap());
        println!(
            "{heading:?}: {rate_before:.3} Mbit/s, others waited {p95_before:.1} ms (p95); \
             then {rate:.3} Mbit/s, {p95:.1} ms"
        );
        // A probe waits for the packet that is being sent, and for those of flows that were idle.
        let three_packets = 3.0 * 1514.0 * 8.0 / (rate * 1e3);
        assert!(
            p95_before > 90.0 && p95 < three_packets.max(10.0),
            "{heading:?}: {p95_before} ms, then {p95} ms"
        );
        let part = rate / rate_before;
        // A slow line that nobody named counts acknowledgements as cells, which cost some per cent.
        assert!((0.88..0.96).contains(&part), "{heading:?}: {part} of the rate");
    }
}
