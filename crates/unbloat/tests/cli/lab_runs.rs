//! `unbloat lab` on namespaces of this machine, as the user who runs the tests and, if that is
//! root, as an ordinary user too. Results that depend on the load of the machine are judged only if
//! the run itself says that it kept time.

mod ends;
mod inner;
mod network;
mod terminal;

use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::{fs, thread};

use crate::bench::Bench;
use crate::interrupts::signal;
use serde_json::Value;
use units::Span;

/// Words before the program that make its user an ordinary one.
const NOBODY: [&str; 4] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

const PROGRAM: &str = env!("CARGO_BIN_EXE_unbloat");

/// The users to test, each as the words that select the user.
fn users() -> &'static [&'static [&'static str]] {
    const BOTH: [&[&str]; 2] = [&[], &NOBODY];
    static CAN_BE_NOBODY: OnceLock<bool> = OnceLock::new();
    let try_it = || {
        let mut program = Command::new(NOBODY[0]);
        program.args(&NOBODY[1..]).args([PROGRAM, "--version"]);
        let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
        is_root && program.output().is_ok_and(|output| output.status.success())
    };
    &BOTH[..if *CAN_BE_NOBODY.get_or_init(try_it) { 2 } else { 1 }]
}

/// True if this machine allows namespaces. If not, prints that `test` is skipped.
fn has_namespaces(test: &str) -> bool {
    static WHY_NOT: OnceLock<Option<String>> = OnceLock::new();
    let ask = || {
        let run = Bench::new("lab-namespaces").run(&["lab", "--check", "--json"]);
        let document: Value = serde_json::from_str(&run.stdout).expect("a document");
        let namespace = &document["findings"][0];
        assert_eq!(namespace["what"], "user namespace");
        (namespace["works"] == false).then(|| namespace["detail"].to_string())
    };
    match WHY_NOT.get_or_init(ask) {
        None => true,
        Some(why) => {
            eprintln!("skipped: {test}: {why}");
            false
        }
    }
}

/// The program with these arguments, begun by this user.
fn command(bench: &Bench, user: &[&str], arguments: &[&str]) -> Command {
    let words = [user, &[PROGRAM], arguments].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(bench.path(""));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Exit code, stdout, stderr.
fn run(bench: &Bench, user: &[&str], arguments: &[&str]) -> (i32, String, String) {
    let output = command(bench, user, arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).expect("what we print is UTF-8");
    let code = output.status.code().expect("no signal ends us");
    (code, text(output.stdout), text(output.stderr))
}

#[test]
fn a_scenario_runs_in_real_time() {
    if !has_namespaces("a_scenario_runs_in_real_time") {
        return;
    }
    let bench = Bench::new("lab-scenario");
    let short = ["--set", "duration=3s", "--set", "warmup=1s"];
    for (user, ports) in users().iter().zip([&["--json"][..], &["--json", "--ports", "packet"]]) {
        let arguments = [&["lab", "good.toml"][..], &short, ports].concat();
        let (code, stdout, stderr) = run(&bench, user, &arguments);
        assert_eq!(code, 0, "{user:?}: {stderr}");
        let document: Value = serde_json::from_str(&stdout).expect("a document");
        assert_eq!(document["schema"], "unbloat.result");
        assert_eq!(document["clock"], "real");
        assert!(document["validity"]["verdict"].is_string(), "{}", document["validity"]);
        let uplink = &document["links"]["uplink"]["forward"];
        assert!(uplink["delivered_packets"].as_u64().unwrap() > 0, "{uplink}");
        let goodput = document["flows"]["backup"]["goodput_mbit"].as_f64().unwrap();
        assert!(goodput > 0.0 && goodput < 1.0, "{goodput} over 1 Mbit/s");
        assert!(document["flows"]["ping"]["rtt_ms"]["min"].as_f64().unwrap() > 20.0, "{stdout}");
        assert!(!document["timeline"]["flows"]["backup"].is_null());
    }
}

#[test]
fn all_that_is_written_beside_a_result() {
    if !has_namespaces("all_that_is_written_beside_a_result") {
        return;
    }
    let bench = Bench::new("lab-outputs");
    let files = ["--series", "s.csv", "--packets", "p.csv", "--pcap", "c.pcapng"];
    let drawings = ["--report", "r.html", "--plot", "p.svg", "--live"];
    let short = ["--set", "duration=2s", "--set", "warmup=0s"];
    let run = bench.run(&[&["lab", "good.toml"][..], &short, &files, &drawings].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in ["uplink →", "backup", "ping", "kB) wait, sojourn"] {
        let said = run.stdout.clone() + &run.stderr;
        assert!(said.contains(part), "no {part} in\n{said}");
    }
    assert!(
        ["Valid: ", "Warning: "].iter().any(|word| run.stdout.contains(word)),
        "{}",
        run.stdout
    );
    assert!(bench.read("s.csv").starts_with("time_s,"));
    assert!(bench.read("p.csv").lines().count() > 1);
    for part in ["the machine", "id=\"queues\""] {
        assert!(bench.read("r.html").contains(part), "no {part} on the page");
    }
    let written = ["c.pcapng", "good.toml", "p.csv", "p.svg", "r.html", "s.csv"];
    assert_eq!(bench.files(), written);
}

#[test]
fn both_side_by_side() {
    if !has_namespaces("both_side_by_side") {
        return;
    }
    let bench = Bench::new("lab-against");
    let short = ["--set", "duration=2s", "--set", "warmup=0s"];
    let arguments = [&["lab", "good.toml", "--against", "sim", "--json"][..], &short].concat();
    let run = bench.run(&arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let document: Value = serde_json::from_str(&run.stdout).expect("a document");
    assert_eq!(document["schema"], "unbloat.agreement");
    assert_eq!(document["lab"]["clock"], "real");
    assert!(document["sim"]["clock"].is_null());
    assert_eq!(document["lab"]["scenario"]["seed"], document["sim"]["scenario"]["seed"]);
    let metrics: Vec<&str> = document["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["metric"].as_str().unwrap())
        .collect();
    assert!(metrics.contains(&"goodput") && metrics.contains(&"sojourn p50"), "{metrics:?}");
    // It is kept, and drawn later.
    bench.write("kept.json", run.stdout.as_bytes());
    let drawn = bench.run(&["report", "kept.json", "-q"]);
    assert_eq!(drawn.code, 0, "{}", drawn.stderr);
    assert!(bench.read("report.html").contains("Lab and simulator"));
}

#[test]
fn a_command_keeps_its_output_and_its_exit_code() {
    if !has_namespaces("a_command_keeps_its_output_and_its_exit_code") {
        return;
    }
    let bench = Bench::new("lab-command");
    for user in users() {
        for (script, code) in [("echo out; echo err >&2", 0), ("exit 7", 7), ("kill -9 $$", 137)] {
            let link = ["lab", "--rate", "2mbit", "--", "sh", "-c", script];
            let (found, stdout, stderr) = run(&bench, user, &link);
            assert_eq!(found, code, "{script}: {stderr}");
            assert_eq!(stdout, if code == 0 { "out\n" } else { "" });
            assert_eq!(stderr.contains("err\n"), code == 0, "{stderr}");
            assert!(stderr.contains(", seed 1\n"), "no summary in {stderr}");
        }
    }
    let quiet = bench.run(&["lab", "-q", "--", "true"]);
    assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""));
    let missing = bench.run(&["lab", "--", "no-such-command"]);
    assert_eq!(missing.code, 127, "{}", missing.stderr);
    assert!(missing.stderr.contains("no-such-command"), "{}", missing.stderr);
    let script = ["sh", "-c", "echo first; sleep 0.3"];
    let json = bench.run(&[&["lab", "--json", "--"], &script[..]].concat());
    let (first, document) = json.stdout.split_once('\n').unwrap();
    let document: Value = serde_json::from_str(document).expect("a document after the output");
    let scenario = &document["scenario"];
    assert_eq!((first, &scenario["title"]), ("first", &"sh -c echo first; sleep 0.3".into()));
    let lasted: Span = scenario["duration"].as_str().unwrap().parse().unwrap();
    assert!(lasted >= Span::from_millis(300), "{lasted}");
}

#[test]
fn the_statistics_of_queues_come_after_the_output_of_a_command() {
    if !has_namespaces("the_statistics_of_queues_come_after_the_output_of_a_command") {
        return;
    }
    let bench = Bench::new("lab-stats");
    let link = ["lab", "-q", "--rate", "2mbit", "--queue", "cake besteffort"];
    // A datagram of 84 bytes with its headers, without a tool that a fresh machine may lack. What
    // `read` waits for is the answer that nothing listens there.
    let script =
        "echo first; exec 3<>/dev/udp/$UNBLOAT_PEER/9; printf %56s >&3; read -t 5 -u 3; true";
    let command = ["--qdisc-stats", "text", "--", "bash", "-c", script];
    let run = bench.run(&[&link[..], &command[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (first, listing) = run.stdout.split_once('\n').unwrap();
    assert_eq!(first, "first");
    let queues: Vec<&str> = listing.lines().filter(|line| line.starts_with("qdisc ")).collect();
    assert!(queues.len() == 2 && queues[0].starts_with("qdisc cake 8001: dev "), "{listing}");
    assert!(listing.contains("\n Sent 84 bytes 1 pkt (dropped 0,"), "{listing}");
    let short = ["--set", "duration=1s", "--set", "warmup=0s", "--qdisc-stats", "json"];
    let run = bench.run(&[&["lab", "good.toml"][..], &short].concat());
    let queues: Value = serde_json::from_str(&run.stdout).expect("an array");
    assert_eq!(queues[0]["dev"], "uplink");
    assert!(queues[0]["packets"].as_u64().unwrap() > 0, "{}", queues[0]);
}

#[test]
fn a_command_has_no_rights() {
    if !has_namespaces("a_command_has_no_rights") {
        return;
    }
    let bench = Bench::new("lab-rights");
    for user in users() {
        let status = ["lab", "-q", "--", "cat", "/proc/self/status"];
        let (code, status, stderr) = run(&bench, user, &status);
        assert_eq!(code, 0, "{stderr}");
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            u64::from_str_radix(line.expect("proc(5)").trim(), 16).expect("a number")
        };
        for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
            assert_eq!(field(set), 0, "{set} of {user:?}");
        }
        assert_eq!(field("NoNewPrivs"), 1);
    }
}

/// Bufferbloat and its cure: a real upload, and round trips beside it.
#[test]
fn an_upload_makes_round_trips_slow_and_fq_codel_cures_them() {
    if !has_namespaces("an_upload_makes_round_trips_slow_and_fq_codel_cures_them") {
        return;
    }
    let bench = Bench::new("lab-upload");
    for user in users() {
        let slow = |queue: &str| {
            let link = ["lab", "--json", "--rate", "2mbit", "--rtt", "20ms"];
            let arguments = [&link[..], &["--queue", queue, "--"]].concat();
            let told = inner::run("upload", command(&bench, user, &arguments));
            (told.numbers()[0], told.document().unwrap()["validity"]["verdict"] == "valid")
        };
        let ((bloated, one_valid), (cured, other_valid)) =
            (slow("bfifo limit 256kB"), slow("fq_codel"));
        assert!(bloated >= 20.0 && cured >= 20.0, "{bloated} ms and {cured} ms over 20 ms");
        if one_valid && other_valid {
            assert!(bloated > 500.0, "a full queue lasts 1024 ms, and {bloated} ms were seen");
            assert!(cured < bloated / 3.0, "{cured} ms after {bloated} ms");
        } else {
            eprintln!("not judged: {bloated} ms and {cured} ms on a machine that was too busy");
        }
    }
}

#[test]
fn labs_within_labs_add_up() {
    if !has_namespaces("labs_within_labs_add_up") {
        return;
    }
    let bench = Bench::new("lab-nested");
    for user in users() {
        let link = ["lab", "-q", "--rtt", "60ms", "--"];
        let inner = ["lab", "-q", "--rtt", "40ms", "--"];
        let outer = "export UNBLOAT_OUTER_PEER=$UNBLOAT_PEER; exec \"$@\"";
        let arguments = [&link[..], &["sh", "-c", outer, "sh", PROGRAM], &inner].concat();
        let round_trips = inner::run("round-trips", command(&bench, user, &arguments)).numbers();
        let [near, far] = round_trips[..] else { panic!("{round_trips:?}") };
        assert!(near >= 40.0 && far >= 100.0, "{near} ms and {far} ms");
    }
}

#[test]
fn an_interrupt_keeps_what_a_scenario_has_shown() {
    if !has_namespaces("an_interrupt_keeps_what_a_scenario_has_shown") {
        return;
    }
    let bench = Bench::new("lab-interrupt");
    let fates = ["--packets", "/dev/stderr"];
    let long = ["lab", "good.toml", "--set", "duration=600s", "--set", "warmup=0s", "--json"];
    let mut child = command(&bench, &[], &[&long[..], &fates].concat()).spawn().unwrap();
    // The run has begun when the first packets have left or been dropped.
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_exact(&mut [0; 4000]).expect("it runs");
    signal(&child, "INT");
    let rest = thread::spawn(move || stderr.read_to_end(&mut Vec::new()));
    let output = child.wait_with_output().unwrap();
    rest.join().unwrap().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert!(document["interrupted_s"].as_f64().unwrap() < 600.0);
}
