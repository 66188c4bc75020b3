//! `unbloat race`.

use serde_json::Value;

use crate::bench::Bench;

const SHORT: [&str; 6] = ["race", "autorate", "--seeds", "1", "--time", "12s"];

#[test]
fn a_race_has_all_rules_on_all_lines_and_the_same_bytes_on_one_processor() {
    let bench = Bench::new("race");
    let arguments = [&SHORT[..], &["--json"]].concat();
    let run = bench.run(&arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let lines = document["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 8);
    for line in lines {
        assert_eq!(line["entries"].as_array().unwrap().len(), 5);
        assert_eq!(line["curves"]["rules"].as_array().unwrap().len(), 5);
    }
    #[cfg(target_os = "linux")]
    {
        let program = env!("CARGO_BIN_EXE_unbloat");
        let alone = std::process::Command::new("taskset")
            .args(["-c", "0", program])
            .args(&arguments)
            .output();
        // Where there is no taskset, `crates/race` has the same test.
        if let Ok(alone) = alone.map(|output| String::from_utf8(output.stdout).unwrap()) {
            assert!(alone == run.stdout, "one processor gives other bytes");
        }
    }
}

#[test]
fn a_race_on_a_trace_writes_a_page_with_its_curves() {
    let bench = Bench::new("race-trace");
    let trace: String = (1..=2000).map(|millis| format!("{millis}\n")).collect();
    bench.write("line.trace", trace.as_bytes());
    let rules = ["--rules", "qosmate,unbloat", "--trace", "line.trace", "--report", "race.html"];
    let run = bench.run(&[&SHORT[..], &rules].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in ["trace", "oracle", "unbloat", "qosmate"] {
        assert!(run.stdout.contains(part), "{}", run.stdout);
    }
    assert!(!run.stdout.contains("stormguard"), "{}", run.stdout);
    assert!(bench.read("race.html").contains("trace: download"));
}

#[test]
fn what_cannot_be_raced_is_refused() {
    let bench = Bench::new("race-bad");
    bench.write("bad.trace", b"1\nsoon\n");
    bench.write("late.trace", b"500000\n");
    let refused: [(&[&str], &str); 9] = [
        (&["race"], "<WHAT>"),
        (&["race", "horses"], "autorate"),
        (&["race", "autorate", "--rules", "theirs"], "cake-autorate"),
        (&["race", "autorate", "--time", "1s"], "10s"),
        (&["race", "autorate", "--seeds", "0"], "from 1 to 10000"),
        (&["race", "autorate", "--seeds", "-1"], "from 1 to 10000"),
        (&["race", "autorate", "--seed", "-1"], "a seed is a whole number from 0"),
        (&["race", "autorate", "--trace", "bad.trace"], "line 2"),
        (&["race", "autorate", "--trace", "late.trace"], "carries no packet in the 120s"),
    ];
    for (arguments, word) in refused {
        bench.run(arguments).is_refused(&[word]);
    }
    bench.run(&["race", "autorate", "--trace", "none.trace"]).is_refused(&["none.trace"]);
}
