//! `unbloat report DIR`: plots of a sweep's runs.

use crate::bench::Bench;

/// Two rates, two queues, two seeds, kept in `runs`.
fn swept(name: &str) -> Bench {
    let bench = Bench::new(name);
    let vary =
        ["link.uplink.rate=1mbit,2mbit", "link.uplink.queue=pfifo limit 50,codel", "seed=1..2"];
    let run = bench.run(&[
        "sweep",
        "good.toml",
        "--vary",
        vary[0],
        "--vary",
        vary[1],
        "--vary",
        vary[2],
        "--out",
        "runs",
        "-q",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    bench
}

#[test]
fn a_sweep_is_drawn() {
    let bench = swept("swept");
    // Without options: a page with all plots that are possible.
    let run = bench.run(&["report", "runs"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, "wrote report.html\n"));
    let page = bench.read("report.html");
    for part in
        ["8 runs; varied: ", "By link.uplink.rate, link.uplink.queue", "\"tradeoff\"", "\"box\""]
    {
        assert!(page.contains(part), "no {part}");
    }
    // One plot, with the shortest possible names, in the file that is asked for.
    let plot = ["report", "runs", "--plot", "box", "--x", "link.uplink.rate", "--y"];
    let plot = [&plot[..], &["sojourn_ms.p50", "--by", "queue"]].concat();
    assert_eq!(bench.run(&plot).stderr, "wrote box.svg\n");
    let svg = bench.read("box.svg");
    for part in ["1mbit", "2mbit", "pfifo limit 50", "codel", "Median wait in the queue"] {
        assert!(svg.contains(part), "no {part}");
    }
    assert_eq!(bench.run(&["report", "runs", "--plot", "heat"]).stderr, "wrote heat.svg\n");
    for file in ["one.png", "one.html", "one.svg"] {
        let run = bench.run(&[&plot[..], &["--out", file]].concat());
        assert_eq!(run.stderr, format!("wrote {file}\n"));
    }
    assert_eq!(bench.read("one.svg"), svg, "the same runs give the same bytes");
    // Files, as of other results.
    let run = bench.run(&["report", "runs", "--plot", "all.svg", "--only", "cdf,tradeoff"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, "wrote all.svg\n"));
}

#[test]
fn what_a_sweep_does_not_have_is_told_with_what_it_has() {
    let bench = swept("swept-wrong");
    for (arguments, wanted) in [
        (
            &["--x", "delay"][..],
            "--x: there is no varied field `delay`; there are: link.uplink.rate",
        ),
        (
            &["--y", "sojourn"],
            "--y: there is no metric `sojourn`; did you mean `sojourn_ms.p50`? there \
             are:\n  sojourn_ms.mean, ",
        ),
        (&["--by", "qeue"], "did you mean `link.uplink.queue`?"),
        (&["--plot", "box", "--x", "utilisation"], "it is a metric, as --y takes one"),
        (&["--plot", "pie"], "there are the plots box, cdf, tradeoff, heat, line"),
        (&["--plot", "heat", "--x", "rate", "--by", "rate"], "is already on the horizontal axis"),
        (&["--plot", "box", "--out", "box.pdf"], "must end in .svg, .png or .html"),
        (&["--plot", "all.svg", "--only", "delay"], "there is no plot `delay` here"),
        (&["good.toml"], "name only its folder"),
    ] {
        let run = bench.run(&[&["report", "runs"][..], arguments].concat());
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(wanted), "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(bench.files(), ["good.toml", "runs"], "nothing half written");
    // Other results have no fields.
    bench.write("one.json", bench.run(&["sim", "good.toml", "--json"]).stdout.as_bytes());
    for wish in [["--plot", "box"], ["--by", "queue"]] {
        let run = bench.run(&[&["report", "one.json"][..], &wish[..]].concat());
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("of a sweep: name the folder"), "{}", run.stderr);
    }
}
