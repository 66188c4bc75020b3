//! Plans: from a measurement or from rates, and what is refused.

use std::path::{Path, PathBuf};

use crate::bench::Bench;
use results::{DelaySpread, LoadedDirection, Measurement};
use serde_json::{Value, json};

/// A measured direction in which others waited so long.
fn direction(mbit: f64, p95: f64) -> Option<LoadedDirection> {
    let added_delay_ms = DelaySpread { p95: Some(p95), ..DelaySpread::default() };
    let rate_mbit = Some(mbit);
    Some(LoadedDirection { rate_mbit, added_delay_ms, saturated: true, ..Default::default() })
}

fn measurement() -> Vec<u8> {
    let (upload, download) = (direction(2.0, 900.0), direction(20.0, 3.0));
    let measurement = Measurement { upload, download, ..Measurement::default() };
    serde_json::to_vec(&measurement).unwrap()
}

#[test]
fn a_measurement_becomes_a_plan() {
    let bench = Bench::new("fix");
    bench.write("before.json", &measurement());
    let run = bench.run(&["fix", "before.json", "--for", "tc", "--wan", "eth0", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let plan: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&plan["schema"], &plan["version"]), (&json!("unbloat.plan"), &json!(1)));
    let [up, down] = [&plan["rates"]["upload"], &plan["rates"]["download"]];
    // So slow a line may be ADSL, and packets count as cells.
    assert_eq!(up["shaped"]["bandwidth_mbit"], 2.21);
    assert_eq!(down["left"], json!({ "reason": "short_already", "added_p95_ms": 3.0 }));
    let text = bench.run(&["fix", "before.json", "--for", "tc", "--wan", "eth0"]).stdout;
    assert!(text.starts_with("Shape the upload to 1.9 Mbit/s of packets"));
    for step in plan["steps"].as_array().unwrap() {
        for line in step["commands"].as_array().unwrap() {
            assert!(text.contains(line.as_str().unwrap()), "{line} is not in the text");
        }
    }
    assert!(!text.contains("ifb"), "the download is left as it is");
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let bench = Bench::new("fix-refused");
    bench.write("before.json", &measurement());
    let refused = |arguments: &[&str], parts: &[&str]| {
        bench.run(&[&["fix"], arguments].concat()).is_refused(parts);
    };
    refused(&["before.json"], &["--for"]);
    refused(&["before.json", "--for", "windows"], &["'windows'", "openwrt", "vyos-1.5"]);
    for (word, meant) in [
        ("vyos", "similar values exist: 'vyos-1.4', 'vyos-1.5'"),
        ("VyOS-15", "a similar value exists: 'vyos-1.5'"),
        ("mikrotik", "a similar value exists: 'routeros'"),
        ("openwr", "a similar value exists: 'openwrt'"),
    ] {
        refused(&["before.json", "--for", word], &[meant]);
    }
    refused(&["before.json", "--link", "cable"], &["a similar value exists: 'docsis'"]);
    refused(&["before.json", "--link", "vdsl"], &["'vdsl2', 'vdsl2-vlan'"]);
    let rates = ["--up", "1mbit", "--down", "9mbit", "--for", "vyos-1.4"];
    refused(&[&rates[..], &["--wan", "ppp0"]].concat(), &["no interface \"ppp0\"", "pppoe0"]);
    refused(&[&rates[..], &["--wan", "sstpc0"]].concat(), &["download of sstpc0", "--up 10mbit"]);
    refused(&["--for", "tc", "--wan", "eth0"], &["--up 10mbit --down 50mbit"]);
    refused(&["before.json", "--for", "tc"], &["--wan eth0"]);
    refused(&["before.json", "--for", "routeros"], &["--wan ether1"]);
    refused(&["before.json", "--for", "tc", "--wan", "a;b"], &["\"a;b\" is not the name"]);
    refused(&["--up", "10", "--for", "openwrt"], &["`10` has no unit"]);
    refused(&["--up", "1kbit", "--for", "openwrt"], &["64kbit to 100gbit"]);
    refused(&["--up", "1mbit", "--for", "openwrt", "--link", "cable"], &["'cable'", "docsis"]);
    let fast = ["--down", "100mbit", "--for", "openwrt", "--link", "adsl-pppoe-llc"];
    refused(&fast, &["25mbit", "100mbit"]);
    refused(&["--up", "1mbit", "--for", "openwrt", "--rtt", "20us"], &["1ms to 10s"]);
    refused(&["good.toml", "--for", "openwrt"], &["good.toml"]);
    refused(&["missing.json", "--for", "openwrt"], &["missing.json"]);
    let run = bench.run(&["sim", "good.toml", "--json"]);
    bench.write("sim.json", run.stdout.as_bytes());
    let wanted = "a plan needs the measurement of a path; wanted is what `unbloat test HOST --json` \
                  prints, or a file of Flent's or irtt's\n";
    refused(&["sim.json", "--for", "openwrt"], &[wanted]);
    let wanted = "a checkup needs the measurement of a path; wanted is what `unbloat test HOST --json` \
                  prints, or a file of Flent's or irtt's\n";
    bench.run(&["doctor", "sim.json"]).is_refused(&[wanted]);
    bench.write("checkup.json", b"{\"schema\":\"unbloat.checkup\"}");
    let wanted = "`unbloat.checkup` is no measurement of a path; wanted is what `unbloat test";
    refused(&["checkup.json", "--for", "openwrt"], &[wanted]);
}

#[test]
fn a_named_rate_far_from_the_measured_one_is_a_doubt() {
    let bench = Bench::new("fix-named");
    bench.write("before.json", &measurement());
    let plan = |up: &str| {
        let plan = ["fix", "before.json", "--for", "tc", "--wan", "eth0", "--up", up];
        (bench.run(&plan).stdout, bench.run(&[&plan[..], &["--json"]].concat()).stdout)
    };
    let (text, document) = plan("2.5mbit");
    let document: Value = serde_json::from_str(&document).unwrap();
    let caution = json!({
        "name": "rate_above", "heading": "up", "named_mbit": 2.5, "measured_mbit": 2.0
    });
    assert!(document["cautions"].as_array().unwrap().contains(&caution), "{document}");
    let text = text.replace('\n', " ");
    let said = "Note: 2.5 Mbit/s was named for the upload, and the test measured 2 Mbit/s.";
    assert!(text.contains(said), "{text}");
    assert!(!plan("2.4mbit").1.contains("rate_above"));
    let (text, document) = plan("200kbit");
    let document: Value = serde_json::from_str(&document).unwrap();
    let caution = json!({
        "name": "rate_below", "heading": "up", "named_mbit": 0.2, "measured_mbit": 2.0
    });
    assert!(document["cautions"].as_array().unwrap().contains(&caution), "{document}");
    let text = text.replace('\n', " ");
    let said = "Note: 200 kbit/s was named for the upload, and the test measured 2 Mbit/s, more";
    assert!(text.contains(said), "{text}");
    assert!(!plan("1.7mbit").1.contains("rate_below"));
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_applied_is_refused_before_anything_is_changed() {
    let bench = Bench::new("fix-apply");
    bench.write("before.json", &measurement());
    let refused = |arguments: &[&str], parts: &[&str]| {
        bench.run(&[&["fix"], arguments].concat()).is_refused(parts);
    };
    let apply = |platform, more: &[&'static str]| {
        let first = ["before.json", "--for", platform, "--wan", "not-there", "--apply"];
        [&first[..], more].concat()
    };
    refused(&apply("tc", &[]), &["nobody can answer", "--yes"]);
    refused(&apply("vyos-1.4", &["--yes"]), &["VyOS", "type it there", "nothing was changed"]);
    refused(&apply("openwrt", &["--yes"]), &["this is not OpenWrt", "nothing was changed"]);
    refused(&apply("tc", &["--yes"]), &["there is no interface not-there", "nothing was changed"]);
    refused(&apply("unbloat", &["--yes"]), &["interface not-there", "nothing was changed"]);
    refused(&apply("tc", &["--yes", "--over", "router"]), &["ssh://router"]);
    refused(&apply("tc", &["--yes", "--undo-after", "5s"]), &["2min to 1h"]);
    refused(&["--for", "tc", "--up", "1mbit", "--apply", "--yes"], &["unbloat serve"]);
    refused(&["before.json", "--for", "tc", "--replace"], &["--apply"]);
    refused(&["--undo", "--for", "tc"], &["cannot be used with"]);
    let over = apply("tc", &["--yes", "--over", "ssh://127.0.0.1:1"]);
    let unreached = bench.run(&[&["fix"], &over[..]].concat());
    assert_eq!(unreached.code, 1, "{}", unreached.stderr);
    assert!(unreached.stderr.ends_with("its reason is above; nothing was changed\n"));
}

#[test]
fn what_a_router_shows_is_compared_with_the_plan() {
    let bench = Bench::new("fix-verify");
    let plan = ["fix", "--up", "10mbit", "--down", "50mbit", "--for", "vyos-1.5", "--wan", "eth0"];
    let verify = |shown: &str, more: &[&str]| {
        bench.write("shown", shown.as_bytes());
        bench.run(&[&plan[..], &["--verify", "shown"], more].concat())
    };
    let text = bench.run(&plan).stdout;
    let (shown, _) = text.split_once("commit-confirm").unwrap();
    // What is configured may not be at work.
    let configured = verify(shown, &[]);
    let expected = "The plan is not seen in force: 1 of 13 settings differ or are missing.\n\
                    - queues of the kernel: missing; planned: `cake`\n";
    assert_eq!((configured.code, configured.stdout.as_str()), (4, expected));

    let wrong = verify(&shown.replace("UNBLOAT-UP rtt 100", "UNBLOAT-UP rtt '20'"), &["--json"]);
    let document: Value = serde_json::from_str(&wrong.stdout).unwrap();
    assert_eq!((wrong.code, &document["in_force"]), (4, &json!(false)));
    let setting =
        json!({ "name": "qos policy cake UNBLOAT-UP rtt", "planned": "100", "shown": "20" });
    assert!(document["settings"].as_array().unwrap().contains(&setting), "{}", wrong.stdout);
    let missing = verify(&shown.replace("set qos interface ifb0", "set nothing"), &[]);
    assert_eq!(missing.code, 4);
    assert!(missing.stdout.contains("qos interface ifb0 egress: missing; planned: `UNBLOAT-DOWN`"));

    verify("bash: tc: command not found\n", &[]).is_refused(&["shown", "VyOS 1.5"]);
    bench.run(&[&plan[..], &["--verify", "nowhere"]].concat()).is_refused(&["nowhere"]);
    bench.run(&[&plan[..], &["--verify", "-", "--apply"]].concat()).is_refused(&["--apply"]);
    let page = ["--verify", "shown", "--report", "page.html"];
    bench.run(&[&plan[..], &page].concat()).is_refused(&["--verify", "--report"]);
    assert!(!bench.path("page.html").exists());
}

/// The queues that a plan's script adds, as the kernel shows them.
fn queues(plan: &str) -> String {
    let added = plan.lines().filter_map(|line| line.split_once(" root cake "));
    let shown = added.map(|(before, words)| {
        let device = if before.contains("$ifb") { "ifb-eth0" } else { "eth0" };
        let words = words.trim_end_matches(" &&");
        format!("qdisc cake 8001: dev {device} root refcnt 2 {words}\n Sent 0 bytes 0 pkt\n")
    });
    shown.collect()
}

#[test]
fn queues_without_a_redirect_are_not_in_force() {
    let bench = Bench::new("fix-verify-tc");
    let plan = ["fix", "--up", "10mbit", "--down", "50mbit", "--for", "tc", "--wan", "eth0"];
    let verify = |shown: &str| {
        bench.write("shown", shown.as_bytes());
        bench.run(&[&plan[..], &["--verify", "shown"]].concat())
    };
    let queues = queues(&bench.run(&plan).stdout);
    let redirect = "qdisc ingress ffff: dev eth0 parent ffff:fff1 ---------------- \n\
                    filter protocol all pref 49152 matchall chain 0 \n\t\
                    action order 1: mirred (Egress Redirect to device ifb-eth0) stolen\n";
    let right = verify(&(queues.clone() + redirect));
    assert_eq!(right.code, 0, "{}", right.stdout);
    let wrong = verify(&queues);
    assert_eq!(wrong.code, 4, "{}", wrong.stdout);
    assert!(wrong.stdout.contains("- redirect of what comes in: missing"), "{}", wrong.stdout);
}

/// Commands in a page of the documentation, with the text that the page shows below each.
fn shown(page: &str) -> Vec<(Vec<String>, String)> {
    let blocks: Vec<&str> = page.split("```").skip(1).step_by(2).collect();
    let plans = blocks.windows(2).filter_map(|pair| {
        let command = pair[0].strip_prefix("sh\nunbloat fix ")?.trim_end();
        let text = pair[1].strip_prefix("text\n")?;
        Some((command.split_whitespace().map(str::to_owned).collect(), text.to_owned()))
    });
    plans.filter(|(command, _): &(Vec<String>, _)| command[0].starts_with("--")).collect()
}

/// A router that cannot shape has a way out, and so has one that was mistyped.
#[test]
fn a_router_that_is_no_platform_has_a_way_out() {
    let bench = Bench::new("fix-another-router");
    let refused = |name: &str, parts: &[&str]| {
        bench.run(&["fix", "--up", "10mbit", "--for", name]).is_refused(parts);
    };
    refused("fritzbox", &["put an OpenWrt router between it and all", "docs/fix.md"]);
    refused("opnwrt", &["'openwrt'"]);
}

#[test]
fn pages_of_platforms_show_what_the_program_prints() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let bench = Bench::new("fix-pages");
    let is_platform =
        |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("fix-");
    let entries = std::fs::read_dir(docs).unwrap().map(|entry| entry.unwrap().path());
    let pages: Vec<PathBuf> = entries.filter(is_platform).collect();
    assert!(pages.len() >= 6, "{pages:?}");
    for path in pages {
        let page = std::fs::read_to_string(&path).unwrap();
        let shown = shown(&page);
        assert!(!shown.is_empty(), "{} shows no plan", path.display());
        for (command, text) in shown {
            let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
            let run = bench.run(&[&["fix"], &arguments[..]].concat());
            assert_eq!(run.stdout, text, "{}: {command:?}", path.display());
        }
    }
}

#[test]
fn two_measurements_are_drawn_as_before_and_after() {
    let bench = Bench::new("before-and-after");
    bench.write("one.json", &measurement());
    bench.write("two.json", &measurement());
    let run = bench.run(&["report", "one.json", "two.json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, "wrote report.html\n"));
    assert!(bench.read("report.html").contains("<h2>Before</h2>"));
    let three = ["report", "one.json", "two.json", "one.json"];
    bench.run(&three).is_refused(&["one.json is a measurement of a path", "two measurements"]);
}

#[test]
fn a_plan_has_a_page_with_commands_to_copy() {
    let bench = Bench::new("fix-page");
    bench.write("before.json", &measurement());
    let fix = ["fix", "before.json", "--for", "tc", "--wan", "eth0"];
    let run = bench.run(&[&fix[..], &["--report", "plan.html"]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, "wrote plan.html\n"));
    let page = bench.read("plan.html");
    assert!(page.contains("<h1>A plan for Linux with systemd</h1>"));
    assert!(page.contains("/usr/local/sbin/unbloat-shaper start &amp;&amp; {"));
    bench.write("plan.json", bench.run(&[&fix[..], &["--json"]].concat()).stdout.as_bytes());
    assert_eq!(bench.run(&["report", "plan.json", "--out", "again.html", "--quiet"]).code, 0);
    assert_eq!(bench.read("again.html"), page);
    let both = ["report", "plan.json", "before.json"];
    bench.run(&both).is_refused(&["plan.json is a plan or its outcome"]);
    let over = [&fix[..], &["--report", "before.json"]].concat();
    bench.run(&over).is_refused(&["--report would overwrite before.json"]);
    let named = [&fix[..], &["--report", "plan.txt"]].concat();
    bench.run(&named).is_refused(&["plan.txt", ".html"]);
    let tuned = [&fix[..], &["--autotune"]].concat();
    bench.run(&tuned).is_refused(&["--apply"]);
    let wanted = [&fix[..], &["--apply", "--yes", "--autotune", "--target", "5s"]].concat();
    bench.run(&wanted).is_refused(&["1ms to 1s"]);
}
