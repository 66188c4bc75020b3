use results::{Completion, FlowDelay, FlowKind, FlowResult};

use super::*;
use crate::example::home;
use crate::text::{WIDTH, width};

fn run(label: &str, wait_ms: f64) -> (String, Document) {
    (label.into(), home(label, wait_ms))
}

fn without_flow(mut run: (String, Document), flow: &str) -> (String, Document) {
    run.1.flows.shift_remove(flow);
    run
}

#[test]
fn three_queues() {
    let text = comparison(
        &[run("pfifo limit 1000", 1000.0), run("codel", 15.0), run("fq_codel", 5.0)],
        &[],
    );
    let expected = [
        "One upload over a bloated uplink",
        "60s, statistics after 10s, seed 1",
        "the queue of uplink",
        "",
        "                  goodput  used          others  ─ sojourn ms ─         ─ ping ms ──",
        "queue              Mbit/s     %  grade  wait ms      p50    p95  drops    p50    p95",
        "pfifo limit 1000     1.97  99.8      F    1,250    1,000  1,250     12  1,020  1,270",
        "codel                1.97  99.8      A     18.8     15.0   18.8     12   35.0   38.8",
        "fq_codel             1.97  99.8      A      6.2      5.0    6.2     12   25.0   26.2",
        "",
        "With fq_codel, 95 of 100 answers come within 26 ms. With pfifo limit 1000, this takes 1.27 s, 48",
        "times as long. fq_codel has 100 % of the goodput of pfifo limit 1000.",
        "",
    ]
    .join("\n");
    assert_eq!(text, expected);
    assert!(text.lines().all(|line| width(line) <= WIDTH), "{text}");
}

#[test]
fn each_flow_that_completes_something_has_its_row() {
    let with_work = |label: &str, factor: f64| {
        let mut run = run(label, 5.0);
        for (name, kind, count, p50, max) in
            [("photo", FlowKind::Transfer, 1, 5.5, 5.5), ("reading", FlowKind::Page, 20, 0.5, 0.7)]
        {
            let [p50, max] = [p50, max].map(|seconds| Some(seconds * factor));
            let completion = Completion { count, p50, p95: max, max, ..Default::default() };
            let completion_s = Some(completion);
            let flow = FlowResult { kind, completion_s, ..FlowResult::default() };
            run.1.flows.insert(name.into(), flow);
        }
        run
    };
    let text = comparison(&[with_work("fq_codel", 1.0), with_work("pfifo", 10.0)], &[]);
    assert!(text.contains("─ completion s ─"), "{text}");
    for row in ["photo    fq_codel     1   5.50", "reading  pfifo       20   5.00"] {
        assert!(text.contains(row), "{text}");
    }
    // The scenario is for pages, and not for the ping.
    let end = "With fq_codel, 95 of 100 pages load within 700 ms. With pfifo, this takes 7.00 s, 10 \
               times as long. The slowest page takes 700 ms instead of 7.00 s. fq_codel has 100 % of the \
               goodput of pfifo.";
    assert!(text.replace('\n', " ").contains(end), "{text}");
}

#[test]
fn a_call_is_judged_by_how_it_sounds() {
    let call = |label: &str, mos: f64| {
        let mut run = run(label, 5.0);
        run.1.flows["call"].mos = Some(mos);
        run
    };
    let first = |runs: &[(String, Document)]| {
        let scene = crate::scene::Scene::of(runs);
        remarks(&scene.runs, &[]).remove(0)
    };
    let text = first(&[call("pfifo limit 100", 2.07), call("fq_codel", 4.39), call("codel", 4.1)]);
    let end = "Calls sound best with fq_codel: a MOS of 4.39 instead of 2.07 with pfifo limit 100";
    assert!(text.starts_with(end), "{text}");
    let text = first(&[call("codel", 4.36), call("fq_codel", 4.39)]);
    assert!(text.starts_with("Calls sound about the same: the worst has a MOS of 4.36."), "{text}");
    // Who is about as good is named, too.
    let text = first(&[call("pfifo", 2.07), call("codel", 4.38), call("fq_codel", 4.39)]);
    let both = "Calls sound best with codel and fq_codel: a MOS of 4.38 or more instead of 2.07 with pfifo";
    assert!(text.starts_with(both), "{text}");
    let all = [call("pfifo", 2.07), call("codel", 4.38), call("cake", 4.4), call("fq_codel", 4.39)];
    let text = first(&all);
    assert!(text.starts_with("Calls sound best with codel, cake and fq_codel: a MOS"), "{text}");
    // The best of bad calls is not praised.
    let text = first(&[call("codel", 1.62), call("cobalt", 1.73)]);
    let bad = "Calls break up with all of these queues, least with cobalt: a MOS of 1.73, and 1.62 with codel";
    assert!(text.starts_with(bad), "{text}");
}

/// The queue whose answers come first is not praised for its calls.
#[test]
fn calls_that_are_worse_are_told_beside_faster_answers() {
    let told = |slow: f64, fast: f64| {
        let runs = [("pfifo", 1000.0, slow), ("cobalt", 5.0, fast)].map(|(label, wait, mos)| {
            let mut run = run(label, wait);
            run.1.flows["call"].mos = Some(mos);
            run
        });
        let scene = crate::scene::Scene::of(&runs);
        remarks(&scene.runs, &[]).join(" ")
    };
    let worse = "But calls sound worse with cobalt: a MOS of 2.80 instead of 4.01.";
    assert!(told(4.01, 2.8).contains(worse), "{}", told(4.01, 2.8));
    for (slow, fast) in [(4.01, 4.0), (2.8, 4.01)] {
        assert!(!told(slow, fast).contains("But calls"), "{}", told(slow, fast));
    }
}

/// The used part is that of the shaper's rate, where a queue has a slower shaper than the wire.
#[test]
fn the_used_part_says_of_what() {
    let queue = "cake bandwidth 1800Kbit diffserv3";
    let mut cake = run("cake", 5.0);
    cake.1.links["uplink"].forward.queue = queue.into();
    cake.1.scenario["link"] = serde_json::json!([{ "name": "uplink", "rate": "2mbit" }]);
    let text = comparison(&[run("codel", 5.0), cake.clone()], &[]);
    assert!(text.contains("\nFor cake, used is the part of the shaper's rate.\n"), "{text}");
    assert!(!comparison(&[run("codel", 5.0)], &[]).contains("shaper"));
    let text = crate::table(&cake.1, Style::Plain);
    assert!(text.contains("\nFor uplink →, used is the part of the shaper's rate.\n"), "{text}");
    assert!(crate::verdict(&cake.1).contains("of the shaper's rate."));
}

#[test]
fn what_is_decided_is_told_first() {
    let call = |label: &str, wait_ms: f64| {
        let mut run = run(label, wait_ms);
        run.1.flows["call"].mos = Some(4.4);
        run
    };
    let runs = [call("pfifo", 1000.0), call("codel", 5.0)];
    let scene = crate::scene::Scene::of(&runs);
    let told = remarks(&scene.runs, &[]);
    assert!(told[0].starts_with("With codel, 95 of 100 answers come within 26 ms. "), "{told:?}");
    assert!(told[1].starts_with("Calls sound about the same"), "{told:?}");
    let strip = strip(&scene.runs).unwrap();
    assert_eq!(strip.title, "How long ping waits for an answer");
    let bars: Vec<_> = strip.bars.iter().map(|bar| bar.value.as_str()).collect();
    assert_eq!(bars, ["1.02 s to 1.27 s", "25 ms to 26 ms"]);
    let cards = cards(&scene.runs);
    assert_eq!(cards.len(), 2);
    assert_eq!((cards[0].title.as_str(), cards[0].grade), ("pfifo", Some(results::Grade::F)));
}

#[test]
fn packets_at_a_constant_rate_are_judged_by_their_delay() {
    let game = |label, wait_ms| {
        let mut run = without_flow(run(label, wait_ms), "ping");
        let game = run.1.flows.shift_remove("call").unwrap();
        run.1.flows.insert("game".into(), game);
        run
    };
    let runs = [game("pfifo", 1000.0), game("codel", 5.0)];
    let text = comparison(&runs, &[]).replace('\n', " ");
    let end = "With codel, 95 of 100 packets of game arrive within 16 ms. With pfifo, this takes 1.26 s, 78 \
               times as long. codel has 100 % of the goodput of pfifo.";
    assert!(text.contains(end), "{text}");
    let alike = comparison(&[game("codel", 5.0), game("pie", 5.1)], &[]);
    assert!(alike.contains("Packets of game arrive about equally fast"), "{alike}");
}

#[test]
fn equals_are_called_equal() {
    let text = comparison(&[run("codel", 5.0), run("cobalt", 5.5)], &[]);
    assert!(
        text.ends_with("\nAll answer about equally fast: 95 of 100 times within 27 ms.\n"),
        "{text}"
    );
}

#[test]
fn filtered_acknowledgements_are_no_drops() {
    let mut filters = run("cake ack-filter", 5.0);
    filters.1.links["uplink"].forward.drops.ack_filter = 52_573;
    let text = comparison(&[run("cake", 5.0), filters], &[]);
    assert!(!text.contains("52,5") && text.contains("  6.2     12   25.0"), "{text}");
}

#[test]
fn who_gets_how_much_is_told_where_it_differs() {
    let shared = |label: &str, film: f64, seeds: f64| {
        let mut run = without_flow(run(label, 5.0), "backup");
        let flow = |goodput| FlowResult { goodput_mbit: Some(goodput), ..FlowResult::default() };
        run.1.flows.insert("film".into(), flow(film));
        for member in 0..3 {
            run.1.flows.insert(format!("seed[{member}]"), flow(seeds / 3.0));
        }
        run
    };
    let remarks = |runs: &[(String, Document)]| {
        let text = comparison(runs, &[]);
        let remarks = text.split("\n\n").skip(2).map(|remark| remark.trim().replace('\n', " "));
        remarks.collect::<Vec<_>>()
    };
    let alike = "All answer about equally fast: 95 of 100 times within 26 ms.";
    let runs = [shared("plain", 2.6, 30.0), shared("hosts", 20.0, 12.6), shared("both", 9.0, 9.0)];
    // The film's ratio is 7.7 and its difference 17.4 Mbit/s; those of the three are 3.3 and 21.
    let told = remarks(&runs);
    assert_eq!(told, [alike, "film gets 20.0 Mbit/s with hosts, and 2.60 with plain."]);
    let told = remarks(&[shared("plain", 9.0, 30.0), shared("both", 9.0, 9.0)]);
    assert_eq!(told, [alike, "seed (3 flows) get 30.0 Mbit/s with plain, and 9.00 with both."]);
    // Half as much again is little, and so is a twentieth of all.
    for (film, is_told) in [(14.9, false), (15.1, true)] {
        let told = remarks(&[shared("plain", 10.0, 30.0), shared("hosts", film, 30.0)]);
        assert_eq!(told.len() == 2, is_told, "{told:?}");
    }
    for (film, is_told) in [(1.9, false), (2.2, true)] {
        let told = remarks(&[shared("plain", 0.4, 30.0), shared("hosts", film, 30.0)]);
        assert_eq!(told.len() == 2, is_told, "{told:?}");
    }
    // A flow that only one of them has cannot be compared.
    let lone = without_flow(shared("plain", 2.6, 30.0), "film");
    assert_eq!(remarks(&[lone, shared("hosts", 20.0, 30.0)]), [alike]);
}

#[test]
fn one_alone_has_no_rival() {
    let text = comparison(&[run("codel", 5.0)], &[]);
    assert!(text.lines().last().unwrap().starts_with("codel "), "{text}");
}

#[test]
fn all_are_judged_by_what_all_have() {
    // Without a ping in one of the runs, others' delay is compared.
    let runs = [run("pfifo", 1000.0), without_flow(run("codel", 8.0), "ping")];
    let runs = runs.map(|run| without_flow(run, "call"));
    let text = comparison(&runs, &[]).replace('\n', " ");
    let others = "With codel a packet of a new flow waits 125 times less than with pfifo, at 100 % of its \
        goodput: at most 10 ms in 95 % of the time, instead of 1.25 s.";
    assert!(text.contains(others), "{text}");
    // If one was not filled, the delay in the queue is compared.
    let mut runs = runs;
    runs[1].1.links["uplink"].forward.others_wait_ms = results::DelaySpread::default();
    let text = comparison(&runs, &[]).replace('\n', " ");
    assert!(text.contains("With codel packets wait 125 times less than with pfifo"), "{text}");
}

#[test]
fn an_empty_queue_is_not_infinitely_fast() {
    let runs = [run("pfifo", 1000.0), run("codel", 0.0)];
    let runs = runs.map(|run| ["ping", "backup", "call"].into_iter().fold(run, without_flow));
    let text = comparison(&runs, &[]).replace('\n', " ");
    let others = "With codel a packet of a new flow waits not at all, unlike with pfifo";
    assert!(text.contains(others), "{text}");
}

#[test]
fn nothing_to_compare() {
    let nothing = "Nothing to compare: no link carried a packet.\n";
    assert_eq!(comparison(&[], &[]), nothing);
    assert_eq!(comparison(&[("codel".into(), Document::default())], &[]), nothing);
    let text = comparison(&[run("pfifo", 1000.0), ("broken".into(), Document::default())], &[]);
    let broken = text.lines().rfind(|line| line.starts_with("broken")).unwrap();
    assert!(broken.split_whitespace().skip(1).all(|cell| cell == "–"), "{text}");
}

/// Each run says of itself what the runs do not share.
#[test]
fn runs_that_differ_in_more_than_their_queues_have_their_own_headings() {
    let mut long = run("long", 15.0);
    long.1.scenario["duration"] = "600s".into();
    long.1.scenario["seed"] = 3.into();
    let text = comparison(&[run("short", 1000.0), long], &[]);
    let expected = "short: One upload over a bloated uplink: 60s, statistics after 10s, seed 1\n\
                    long: One upload over a bloated uplink: 600s, statistics after 10s, seed 3\n";
    assert!(text.starts_with(expected), "{text}");
    // Statistics of a run that ended within its warm-up include it.
    let early = comparison(&[run("pfifo", 1000.0), cut(run("codel", 15.0), 5.0)], &[]);
    assert!(
        early.contains("codel: One upload over a bloated uplink: 60s, interrupted, seed 1\n"),
        "{early}"
    );
}

fn cut(mut run: (String, Document), at: f64) -> (String, Document) {
    run.1.interrupted_s = Some(at);
    run
}

#[test]
fn runs_that_ended_at_different_times_are_not_compared() {
    let runs = [run("pfifo", 1000.0), cut(run("codel", 15.0), 31.0)];
    let text = comparison(&runs, &["fq_codel".into(), "p\u{1b}ie".into()]);
    assert!(text.contains("\n60s, interrupted, statistics after 10s"), "{text}");
    assert!(text.contains("\npfifo  ") && text.contains("\ncodel (until 31.0 s)  "), "{text}");
    let end = "\n\nInterrupted: the runs ended at different times, so they are not compared with each \
               other; not run:\nfq_codel, p\u{fffd}ie.\n";
    assert!(text.ends_with(end) && !text.contains("With codel"), "{text}");
}

#[test]
fn whole_runs_are_compared_though_others_are_left_out() {
    let runs = [run("pfifo", 1000.0), run("codel", 15.0)];
    let text = comparison(&runs, &["fq_codel".into()]);
    assert!(
        text.contains("\n60s, interrupted, ") && text.contains(" With pfifo, this takes "),
        "{text}"
    );
    assert!(text.ends_with("\n\nInterrupted: not run: fq_codel.\n"), "{text}");
    let alone = comparison(&[cut(run("pfifo", 9.0), 0.5)], &["codel".into()]);
    assert!(alone.contains("\npfifo (until 500 ms) "), "{alone}");
    assert!(!alone.contains("different times"), "{alone}");
    let nothing = comparison(&[], &["codel".into()]);
    assert!(nothing.ends_with("packet.\nInterrupted: not run: codel.\n"), "{nothing}");
}

/// A run whose flows together have this goodput, in Mbit/s.
fn moving(label: &str, wait_ms: f64, goodput: f64) -> (String, Document) {
    let mut run = without_flow(run(label, wait_ms), "call");
    run.1.links["uplink"].forward.goodput_mbit = Some(goodput);
    run
}

#[test]
fn who_moves_too_little_does_not_win() {
    let last = |runs: &[(String, Document)]| {
        comparison(runs, &[]).split("\n\n").last().unwrap().to_owned()
    };
    let (dead, codel) = (moving("bfifo limit 100", 0.0, 0.0), moving("codel", 15.0, 9.6));
    let text = last(&[dead.clone(), codel.clone(), moving("pfifo", 1000.0, 9.6)]);
    assert!(text.starts_with("With codel, 95 of 100 answers come within "), "{text}");
    // The others are better than the dead run only, but not in delay, so nothing is said.
    let text = last(&[dead.clone(), codel.clone()]);
    assert!(!text.contains("answer") && text.contains("\ncodel "), "{text}");
    // If all but the dead run answer equally fast, that is not said of all.
    let text = last(&[dead, codel.clone(), moving("pie", 15.5, 9.5)]);
    assert!(!text.contains("answer"), "{text}");
    // Half of the most goodput is enough.
    for (goodput, winner) in [(4.8, "slow"), (4.79, "codel")] {
        let runs = [moving("slow", 1.0, goodput), codel.clone(), moving("pfifo", 1000.0, 9.6)];
        let text = last(&runs);
        assert!(text.starts_with(&format!("With {winner}, 95 of 100 answers ")), "{text}");
    }
}

#[test]
fn nothing_comes_through() {
    let nothing = "\n\nNothing comes through in any of these runs.\n";
    let runs = [moving("bfifo limit 1", 5.0, 0.0), moving("codel", 15.0, 0.0)];
    let silent = runs.clone().map(|mut run| {
        run.1.flows["ping"].rtt_ms = Some(FlowDelay::default());
        run
    });
    let text = comparison(&silent, &[]);
    assert!(text.ends_with(nothing), "{text}");
    let text = comparison(&silent.map(|run| without_flow(run, "ping")), &[]);
    assert!(text.ends_with(nothing), "{text}");
    // Answers to pings came.
    let text = comparison(&runs, &[]);
    assert!(text.contains("\n\nWith bfifo limit 1, 95 of 100 answers come within "), "{text}");
    // If no flow has a goodput, it is not required.
    let pings = [run("pfifo", 1000.0), run("codel", 15.0)];
    let pings = pings.map(|mut run| {
        run.1.links["uplink"].forward.goodput_mbit = None;
        run
    });
    let text = comparison(&pings, &[]);
    assert!(text.contains("\n\nWith codel, 95 of 100 answers come within "), "{text}");
}
