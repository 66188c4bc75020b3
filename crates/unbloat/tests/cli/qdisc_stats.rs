//! Statistics of queues as tc prints them.

use crate::bench::Bench;

/// At 10 Mbit/s 1250 bytes take 1 ms; of five packets, three fit.
const FIVE: &str = "time_s,bytes\n0,1250\n0,1250\n0,1250\n0,1250\n0,1250\n";

/// The options of both directions of the one link, changed at 2 s; the ping's answers come back.
const CHANGED: &str = "\
[[change]]\nat = \"2s\"\nlink = \"uplink\"\nqueue = \"codel target 10ms\"\n";

#[test]
fn a_replay_is_printed_as_tc_would() {
    let bench = Bench::new("stats-replay");
    bench.write("five.csv", FIVE.as_bytes());
    let replay = |form: &str| {
        let all = ["replay", "--queue", "codel limit 2", "--rate", "10mbit", "five.csv"];
        let run = bench.run(&[&all[..], &["--qdisc-stats", form]].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        run.stdout
    };
    let text = "\
        qdisc codel 8001: dev replay root refcnt 2 limit 2p target 5ms interval 100ms \n \
        Sent 3750 bytes 3 pkt (dropped 2, overlimits 0 requeues 0) \n \
        backlog 0b 0p requeues 0\n  \
        count 0 lastcount 0 ldelay 2ms drop_next 0us\n  \
        maxpacket 1250 ecn_mark 0 drop_overlimit 2\n";
    assert_eq!(replay("text"), text);
    let json = r#"[{"kind":"codel","handle":"8001:","dev":"replay","root":true,"refcnt":2,"options":{"limit":2,"target":5000,"interval":100000},"bytes":3750,"packets":3,"drops":2,"overlimits":0,"requeues":0,"backlog":0,"qlen":0,"count":0,"lastcount":0,"ldelay":2000,"drop_next":0,"maxpacket":1250,"ecn_mark":0,"drop_overlimit":2}]"#;
    assert_eq!(replay("json"), format!("{json}\n"));
    let out = bench.run(&[
        "replay",
        "--queue",
        "codel",
        "--rate",
        "10mbit",
        "five.csv",
        "--out",
        "fates.csv",
        "--qdisc-stats",
        "text",
    ]);
    assert!(out.stdout.starts_with("qdisc codel 8001: "), "{}", out.stdout);
    assert!(bench.read("fates.csv").starts_with("index,"));
}

#[test]
fn each_queue_of_a_simulation_is_printed_with_its_last_settings() {
    let bench = Bench::new("stats-sim");
    let scenario = format!("{}\n{CHANGED}", crate::bench::SCENARIO);
    bench.write("changed.toml", scenario.replace("pfifo limit 100", "codel").as_bytes());
    let run = bench.run(&["sim", "changed.toml", "--qdisc-stats", "text"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let first: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("qdisc ")).collect();
    assert!(
        first[0].starts_with("qdisc codel 8001: dev uplink root refcnt 2 limit 1000p target 10ms "),
        "{}",
        first[0]
    );
    assert!(first[1].contains(" 8002: dev uplink.reverse root refcnt 2 "), "{}", first[1]);
    let run = bench.run(&["sim", "changed.toml", "--qdisc-stats", "json"]);
    let queues: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(queues[0]["options"]["target"], 10_000);
    // The counts are of the whole run, those of the result document from the warm-up on.
    let document = bench.run(&["sim", "changed.toml", "--json", "--set", "warmup=0s"]);
    let document: serde_json::Value = serde_json::from_str(&document.stdout).unwrap();
    let uplink = &document["links"]["uplink"]["forward"];
    assert_eq!(queues[0]["drops"], uplink["drops"]["aqm"]);
    let sent = queues[0]["packets"].as_u64().unwrap();
    let delivered = uplink["delivered_packets"].as_u64().unwrap();
    assert!(sent >= delivered && sent < delivered + 100, "{sent} sent, {delivered} delivered");
}

/// A page has the tins that tc would print: of the queues that have tins, folded.
#[test]
fn a_page_has_the_tins() {
    let bench = Bench::new("stats-page");
    let cake = ["--set", "link.uplink.queue=cake bandwidth 1900kbit"];
    let run = |more: &[&str]| bench.run(&[&["sim", "good.toml"], &cake[..], more].concat());
    assert_eq!(run(&["--report", "page.html"]).code, 0);
    let queues: serde_json::Value =
        serde_json::from_str(&run(&["--qdisc-stats", "json"]).stdout).unwrap();
    let packets: Vec<&serde_json::Value> =
        queues[0]["tins"].as_array().unwrap().iter().map(|tin| &tin["sent_packets"]).collect();
    assert!(packets[1].as_u64() > Some(100), "{packets:?}");
    let cells = packets.iter().map(|packets| format!("<td class=\"number\">{packets}</td>"));
    let row = format!("<tr><th scope=\"row\">pkts</th>{}</tr>", cells.collect::<String>());
    let page = bench.read("page.html");
    assert!(page.contains(&row), "{row}");
    assert_eq!(page.matches("<summary><h2>Tins of cake: uplink").count(), 1);
}

#[test]
fn a_form_that_does_not_exist_or_does_not_fit_is_refused() {
    let bench = Bench::new("stats-refused");
    for (arguments, parts) in [
        (&["sim", "good.toml", "--qdisc-stats", "yaml"][..], &["yaml", "text", "json"][..]),
        (&["sim", "good.toml", "--qdisc-stats"], &["--qdisc-stats"]),
        (&["sim", "good.toml", "--qdisc-stats", "text", "--json"], &["--json"]),
        (&["sim", "good.toml", "--qdisc-stats", "text", "--compare", "codel"], &["--compare"]),
        (&["lab", "good.toml", "--qdisc-stats", "text", "--against", "sim"], &["--against"]),
        (
            &["replay", "--queue", "codel", "--rate", "1mbit", "a.csv", "--qdisc-stats", "xml"],
            &["xml"],
        ),
    ] {
        let run = bench.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "no {part} in\n{}", run.stderr);
        }
    }
}
