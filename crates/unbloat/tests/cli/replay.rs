//! Recorded arrivals through one queue.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::process::Stdio;

use serde_json::Value;

use crate::bench::Bench;
#[cfg(unix)]
use crate::interrupts::{signal, wait_until_asleep};

const HEADER: &str = "index,arrived_s,departed_s,sojourn_ms,fate\n";

/// At 10 Mbit/s 1250 bytes take 1 ms.
const FIVE: &str = "time_s,bytes\n0,1250\n0,1250\n0.0002,1250\n0.0005,1250\n0.0025,1250\n";
const FATES: &str = "\
    0,0.000000000,0.000000000,0.000000,delivered\n\
    1,0.000000000,0.001000000,1.000000,delivered\n\
    2,0.000200000,0.002000000,1.800000,delivered\n\
    3,0.000500000,,,dropped_full\n\
    4,0.002500000,0.003000000,0.500000,delivered\n";

const SMALL: [&str; 5] = ["replay", "--queue", "pfifo limit 2", "--rate", "10mbit"];

fn small<'a>(also: &[&'a str]) -> Vec<&'a str> {
    SMALL.into_iter().chain(also.iter().copied()).collect()
}

#[test]
fn each_packet_has_its_fate() {
    let bench = Bench::new("replay");
    bench.write("five.csv", FIVE.as_bytes());
    let run = bench.run(&small(&["five.csv"]));
    assert_eq!((run.code, run.stdout), (0, format!("{HEADER}{FATES}")), "{}", run.stderr);
    for part in ["Replay of five.csv", "pfifo limit 2p", "5 packets of 6250 bytes"] {
        assert!(run.stderr.contains(part), "no {part} in\n{}", run.stderr);
    }
    assert_eq!(bench.run(&small(&["five.csv", "-q"])).stderr, "");

    let run = bench.run(&small(&["five.csv", "--out", "fates.csv"]));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("Replay of five.csv"), "{}", run.stdout);
    assert_eq!(bench.read("fates.csv"), format!("{HEADER}{FATES}"));
    assert_eq!(bench.files(), ["fates.csv", "five.csv", "good.toml"]);
}

#[test]
fn the_document_is_that_of_all_runs() {
    let bench = Bench::new("replay-json");
    bench.write("five.csv", FIVE.as_bytes());
    let run = bench.run(&small(&["five.csv", "--json"]));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["schema"], "unbloat.result");
    let link = &document["links"]["replay"]["forward"];
    assert_eq!(link["delivered_packets"], 4);
    assert_eq!(link["delivered_bytes"], 5000);
    assert_eq!(link["drops"], serde_json::json!({ "full": 1, "aqm": 0, "loss": 0 }));
    assert_eq!(link["sojourn_ms"]["max"], 1.8);
    assert_eq!(link["utilisation"], 1.0);
    // 0.2 + 0.8 x 2 + 1 + 0.5 packet-milliseconds of 4 ms.
    assert!((link["backlog_packets"]["mean"].as_f64().unwrap() - 0.825).abs() < 1e-9, "{link}");
    assert_eq!(document["scenario"]["replay"]["arrivals"]["packets"], 5);
    assert_eq!(document["scenario"]["replay"]["rate_mbit"], 10.0);
    assert!(document["cost"]["cpu_s"].is_f64());
    assert!(document["timeline"]["links"]["replay"].is_object());
}

/// The same arrivals at the same queue have the same fates, to the nanosecond, from a simulation
/// and from a file.
#[test]
fn fates_are_those_of_the_simulator() {
    let bench = Bench::new("replay-sim");
    let calls = "duration = \"20s\"\n[[link]]\nname = \"up\"\nfrom = \"a\"\nto = \"b\"\n\
        rate = \"1mbit\"\n\
        [[flow]]\nname = \"greedy\"\nfrom = \"a\"\nto = \"b\"\ntraffic = \"cbr\"\nrate = \"1.3mbit\"\n\
        packet = 1000\nstop = \"10s\"\n\
        [[flow]]\nname = \"call\"\nfrom = \"a\"\nto = \"b\"\ntraffic = \"cbr\"\nrate = \"90kbit\"\n\
        packet = 163\nstart = \"1.234567ms\"\nstop = \"10s\"\n";
    bench.write("calls.toml", calls.as_bytes());
    for queue in ["pfifo limit 20", "pfifo limit 20 headdrop", "codel", "fq_codel limit 40"] {
        let set = format!("link.up.queue={queue}");
        let run = bench.run(&["sim", "calls.toml", "-q", "--packets", "sim.csv", "--set", &set]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let table = bench.read("sim.csv");
        // index,link,direction,flow,bytes,enqueued_s,departed_s,sojourn_ms,fate
        let mut rows: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.split(',').collect::<Vec<_>>())
            .filter(|row| row[2] == "forward")
            .collect();
        let nanos = |row: &Vec<&str>| row[5].replace('.', "").parse::<u64>().unwrap();
        rows.sort_by_key(nanos);
        assert!(rows.is_sorted_by(|one, other| nanos(one) < nanos(other)), "two arrivals at once");
        assert!(rows.len() > 1500, "{} packets", rows.len());
        assert!(rows.iter().any(|row| row[8].starts_with("dropped")), "{queue} drops nothing");

        let arrivals: String =
            rows.iter().map(|row| format!("{},{},{}\n", row[5], row[4], row[3])).collect();
        bench.write("arrivals.csv", format!("time_s,bytes,flow\n{arrivals}").as_bytes());
        let run = bench.run(&["replay", "-q", "--queue", queue, "--rate", "1mbit", "arrivals.csv"]);
        let fates: String = rows
            .iter()
            .enumerate()
            .map(|(index, row)| format!("{index},{}\n", row[5..].join(",")))
            .collect();
        assert!(run.stdout == format!("{HEADER}{fates}"), "{queue}: the fates differ");
    }
}

/// A pcap of Ethernet frames with microseconds, of which 60 bytes each were captured.
fn capture() -> Vec<u8> {
    let words = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 60, 1];
    let mut file: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut record = |micros: u32, ethertype: u16, ip_len: u16| {
        let mut frame = vec![0; 60];
        frame[12..14].copy_from_slice(&ethertype.to_be_bytes());
        frame[14] = 0x45;
        frame[16..18].copy_from_slice(&ip_len.to_be_bytes());
        frame[22] = 64;
        frame[23] = 6;
        // A TCP header of 20 bytes.
        frame[46] = 5 << 4;
        for word in [1_700_000_000, micros, 60, u32::from(ip_len) + 14] {
            file.extend(word.to_le_bytes());
        }
        file.extend(frame);
    };
    record(0, 0x0800, 1500);
    record(100, 0x0806, 46);
    // Three packets of 1500 bytes as one, before a network card has cut them.
    record(200, 0x0800, 40 + 3 * 1460);
    file
}

#[test]
fn captures_are_read_from_files_and_pipes() {
    let bench = Bench::new("replay-capture");
    bench.write("lan.pcap", &capture());
    let fates = "\
        0,0.000000000,0.000000000,0.000000,delivered\n\
        1,0.000200000,0.001211200,1.011200,delivered\n\
        2,0.000200000,0.002422400,2.222400,delivered\n\
        3,0.000200000,,,dropped_full\n";
    let run = bench.run(&small(&["lan.pcap", "--overhead", "14"]));
    assert_eq!((run.code, run.stdout), (0, format!("{HEADER}{fates}")), "{}", run.stderr);
    for part in ["note: 1 of 3 records skipped", "ARP", "1 super-packet cut into 3 packets"] {
        assert!(run.stderr.contains(part), "no {part} in\n{}", run.stderr);
    }
    let run = bench.run(&small(&["lan.pcap", "--mtu", "9000", "-q"]));
    assert_eq!(run.stdout.lines().count(), 3, "{}", run.stdout);

    #[cfg(unix)]
    {
        let mut command = bench.command(&small(&["/dev/stdin", "-q", "--overhead", "14"]));
        command.stdin(File::open(bench.path("lan.pcap")).unwrap());
        let output = command.output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{HEADER}{fates}"));
    }

    // Cut off in its last record.
    let whole = capture();
    bench.write("cut.pcap", &whole[..whole.len() - 1]);
    let run = bench.run(&small(&["cut.pcap"]));
    assert_eq!((run.code, run.stdout.lines().count()), (0, 2), "{}", run.stderr);
    assert!(run.stderr.matches("note: ").count() == 2, "{}", run.stderr);
}

#[test]
fn what_cannot_be_replayed_is_refused() {
    let bench = Bench::new("replay-bad");
    fs::create_dir(bench.path("folder")).unwrap();
    bench.write("empty", b"");
    bench.write("zeros", &[0; 100_000]);
    bench.write("header.csv", b"time_s,bytes\n");
    bench.write("hole.csv", b"time_s,bytes\n0,1500\n0.5,\n");
    bench.write("bare.csv", b"0.1,1500\n");
    bench.write("back.csv", b"time_s,bytes\n2,1\n1,1\n");
    bench.write("five.csv", FIVE.as_bytes());
    bench.write("short.pcap", &capture()[..20]);
    let mut lying = capture();
    lying[32..36].copy_from_slice(&u32::MAX.to_le_bytes());
    bench.write("lying.pcap", &lying);
    let files = bench.files();
    for (file, parts) in [
        ("folder", &["folder: is a folder"][..]),
        ("missing", &["missing: No such file"]),
        ("empty", &["empty: is empty", "time_s,bytes", "pcap"]),
        ("zeros", &["zeros: begins with the bytes 00 00", "time_s,bytes", "pcapng"]),
        ("header.csv", &["header.csv: holds no arrivals"]),
        ("hole.csv", &["hole.csv: line 3: column bytes", "empty"]),
        ("bare.csv", &["bare.csv: line 1: `0.1,1500` is no header", "`time_s,bytes`"]),
        ("back.csv", &["back.csv: line 3: time runs backwards", "line 2"]),
        ("short.pcap", &["short.pcap: "]),
        ("lying.pcap", &["lying.pcap: "]),
        ("good.toml", &["good.toml: line 1: ", "`time_s`"]),
        ("-", &["standard input: "]),
    ] {
        bench.run(&small(&[file, "--out", "fates.csv"])).is_refused(parts);
        bench.run(&small(&[file])).is_refused(parts);
        assert_eq!(bench.files(), files, "after {file}");
    }
    for (arguments, parts) in [
        (&["replay", "five.csv"][..], &["--queue", "--rate"][..]),
        (&["replay", "five.csv", "--queue", "codell", "--rate", "1mbit"], &["codell", "fq_codel"]),
        (&["replay", "five.csv", "--queue", "codel", "--rate", "1"], &["unit"]),
        (&["replay", "five.csv", "--queue", "codel", "--rate", "0mbit"], &["more than zero"]),
        (&["replay", "five.csv", "--queue", "codel", "--rate", "2tbit"], &["at most 1000gbit"]),
        (
            &["replay", "five.csv", "--queue", "cake nat", "--rate", "1mbit"],
            &["before address translation", "nonat"],
        ),
        (
            &["replay", "five.csv", "--queue", "cake dual-srchost", "--rate", "1mbit"],
            &["five.csv: ", "no addresses", "`flows`"],
        ),
        (
            &["replay", "five.csv", "--queue", "cake ack-filter", "--rate", "1mbit"],
            &["five.csv: ", "no TCP headers"],
        ),
        (&small(&["five.csv", "--mtu", "20"]), &["--mtu", "68"]),
        (&small(&["five.csv", "--overhead", "-1"]), &["-1"]),
        (&small(&["five.csv", "--out", "five.csv"]), &["--out would overwrite five.csv"]),
        (&small(&["five.csv", "--seed", "x"]), &["a seed is a whole number"]),
        (&SMALL, &["FILE"]),
    ] {
        bench.run(arguments).is_refused(parts);
        assert_eq!(bench.files(), files, "after {arguments:?}");
    }
    assert_eq!(bench.read("five.csv"), FIVE);
}

#[test]
fn randomness_comes_from_the_seed() {
    let bench = Bench::new("replay-seed");
    let rows: String = (0..3000).map(|n| format!("{}.{:03},1500\n", n / 1000, n % 1000)).collect();
    bench.write("steady.csv", format!("time_s,bytes\n{rows}").as_bytes());
    let ask = |seed: &str| {
        let arguments =
            ["replay", "--queue", "pie", "--rate", "9mbit", "steady.csv", "--seed", seed];
        bench.run(&arguments).stdout
    };
    let first = ask("1");
    assert!(first.contains("dropped_aqm"), "no dice were thrown");
    assert_eq!(ask("1"), first);
    assert_ne!(ask("2"), first);
}

#[test]
fn a_reader_of_fates_that_has_read_enough_is_no_error() {
    let bench = Bench::new("replay-pipe");
    let rows: String = (0..20_000).map(|n| format!("{n},1500\n")).collect();
    bench.write("long.csv", format!("time_s,bytes\n{rows}").as_bytes());
    let mut child = bench.command(&small(&["long.csv"])).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up_with_fates_is_told() {
    let bench = Bench::new("replay-full");
    bench.write("five.csv", FIVE.as_bytes());
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = bench.command(&small(&["five.csv"])).stdout(full).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("cannot write the fates: No space left"), "{stderr}");
    let run = bench.run(&small(&["five.csv", "--out", "/dev/full"]));
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    assert!(run.stderr.contains("/dev/full: No space left"), "{}", run.stderr);
}

/// Writes arrivals until the reader is gone.
fn endless(pipe: &mut impl Write) {
    let second =
        |second: u64| -> String { (0..1000).map(|n| format!("{second}.{n:03},1250\n")).collect() };
    let _ = (1..).try_for_each(|number| pipe.write_all(second(number).as_bytes()));
}

/// The program reads from a pipe that never ends, until it is interrupted.
#[test]
#[cfg(unix)]
fn interrupted_once_it_serves_what_has_come() {
    let bench = Bench::new("replay-once");
    let mut command = bench.command(&small(&["/dev/stdin", "--out", "fates.csv", "--json"]));
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // There is an arrival before the interrupt.
    pipe.write_all(b"time_s,bytes\n0,1250\n").unwrap();
    let writer = std::thread::spawn(move || endless(&mut pipe));
    // The program listens for interrupts before it begins a file.
    let partial = format!(".fates.csv.{}.partial", child.id());
    while !bench.files().contains(&partial) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it began");
        std::thread::yield_now();
    }
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(document["interrupted_s"].is_f64(), "{document}");
    let packets = document["scenario"]["replay"]["arrivals"]["packets"].as_u64().unwrap();
    assert_eq!(bench.read("fates.csv").lines().count() as u64, packets + 1);
    assert_eq!(bench.files(), ["fates.csv", "good.toml"]);
}

/// The program cannot finish, since nothing reads the fates.
#[test]
#[cfg(unix)]
fn interrupted_twice_it_leaves_nothing() {
    let bench = Bench::new("replay-twice");
    let mut command = bench.command(&small(&["/dev/stdin", "--report", "page.html"]));
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"time_s,bytes\n").unwrap();
    let writer = std::thread::spawn(move || endless(&mut pipe));
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    wait_until_asleep(&mut child);
    // Two signals of the same kind might count as one.
    signal(&child, "INT");
    signal(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    writer.join().unwrap();
    assert_eq!(bench.files(), ["good.toml"]);
}

#[test]
fn a_replay_is_drawn_as_a_simulation_is() {
    let bench = Bench::new("replay-drawn");
    bench.write("five.csv", FIVE.as_bytes());
    let drawn =
        ["five.csv", "-q", "--report", "page.html", "--plot", "delay.svg", "--only", "delay"];
    let run = bench.run(&small(&drawn));
    assert_eq!((run.code, run.stdout), (0, format!("{HEADER}{FATES}")), "{}", run.stderr);
    assert!(bench.read("page.html").contains("Replay of five.csv"));
    assert!(bench.read("delay.svg").starts_with("<svg"), "{:.200}", bench.read("delay.svg"));
}
