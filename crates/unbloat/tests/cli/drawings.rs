//! Pages and pictures: `--report`, `--plot`, and `unbloat report`.

use crate::bench::Bench;
use serde_json::Value;

const COMPARE: [&str; 5] = ["sim", "good.toml", "--compare", "pfifo limit 100", "fq_codel"];

/// A result, and a comparison, kept in files.
fn kept(name: &str) -> Bench {
    let bench = Bench::new(name);
    for (file, arguments) in [
        ("one.json", &["sim", "good.toml", "--json"][..]),
        ("two.json", &[&COMPARE[..], &["--json"]].concat()),
    ] {
        bench.write(file, bench.run(arguments).stdout.as_bytes());
    }
    bench
}

/// The page's figures, as its scripts read them.
fn figures(page: &str) -> Value {
    let (_, rest) = page.split_once("application/json\" id=\"data\"").expect("figures");
    let (_, rest) = rest.split_once('>').unwrap();
    let (json, _) = rest.split_once("</script>").expect("their end");
    serde_json::from_str(json).expect("figures are JSON")
}

/// The page without the queues that can be watched, whose packets no document has.
fn without_queues(page: &str) -> String {
    let queue = page.find("<div class=\"queues\">").expect("queues");
    let begin = page[..queue].rfind("<section>").expect("their section");
    let length = page[begin..].find("</section>\n").expect("its end") + "</section>\n".len();
    format!("{}{}", &page[..begin], &page[begin + length..])
}

fn ids(page: &str) -> Vec<String> {
    let id = |figure: &Value| figure["id"].as_str().unwrap().to_owned();
    figures(page).as_array().unwrap().iter().map(id).collect()
}

#[test]
fn a_run_ends_in_a_page() {
    let bench = Bench::new("page");
    let plain = bench.run(&["sim", "good.toml"]);
    let run = bench.run(&["sim", "good.toml", "--report", "page.html"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, "wrote page.html\n"));
    let quiet = bench.run(&["sim", "good.toml", "--report", "page.html", "--quiet"]);
    assert_eq!(quiet.stderr, "");
    assert_eq!(run.stdout, plain.stdout, "the table is the same");
    let page = bench.read("page.html");
    for part in ["Bufferbloat, grade F", "A test", "pfifo limit 100p", "<table", "uplink"] {
        assert!(page.contains(part), "no {part}");
    }
    for id in ["delay", "rtt", "goodput", "window", "backlog", "cdf"] {
        assert!(ids(&page).contains(&id.to_owned()), "no {id} in {:?}", ids(&page));
    }
    for address in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!page.contains(address), "{address}: a page needs no network");
    }
    assert_eq!(bench.files(), ["good.toml", "page.html"]);
}

/// The size of a page does not grow with the number of packets beyond what a screen can show.
#[test]
fn a_long_and_fast_run_has_a_small_page() {
    let bench = Bench::new("small-page");
    let fast = ["--set", "link.uplink.rate=100mbit", "--set", "duration=300s"];
    let run = bench.run(&[&["sim", "good.toml", "--report", "page.html"], &fast[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let size = bench.read("page.html").len();
    assert!(size < 5_000_000, "{size} bytes");
}

#[test]
fn what_was_kept_gives_the_same_page() {
    let bench = kept("kept");
    bench.run(&["sim", "good.toml", "--report", "now.html", "--plot", "now.svg"]);
    let run = bench.run(&["report", "one.json", "--out", "later.html", "--plot", "later.svg"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    assert_eq!(run.stderr, "wrote later.html and later.svg\n");
    assert_eq!(bench.read("now.svg"), bench.read("later.svg"));
    assert_eq!(figures(&bench.read("now.html")), figures(&bench.read("later.html")));

    bench.run(&[&COMPARE[..], &["--report", "now.html"]].concat());
    assert_eq!(bench.run(&["report", "two.json", "-q"]).stderr, "");
    assert_eq!(without_queues(&bench.read("now.html")), bench.read("report.html"));

    let run = bench.run(&["report", "one.json", "two.json", "--plot", "all.png"]);
    assert_eq!(run.stderr, "wrote all.png\n");
    let run = bench.run(&["report", "one.json", "two.json"]);
    assert_eq!(run.code, 0);
    let page = bench.read("report.html");
    for label in ["two: pfifo limit 100", "two: fq_codel"] {
        assert!(page.contains(label), "no {label}");
    }
}

#[test]
fn a_picture_shows_what_it_is_told_to() {
    let bench = Bench::new("picture");
    let all = [&COMPARE[..], &["--plot", "all.svg"]].concat();
    assert_eq!(bench.run(&all).code, 0);
    let two = [&COMPARE[..], &["--plot", "two.svg", "--only", "cdf,delay"]].concat();
    assert_eq!(bench.run(&two).code, 0);
    let (all, two) = (bench.read("all.svg"), bench.read("two.svg"));
    for picture in [&all, &two] {
        assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
        assert!(picture.contains("Delay in the queue") && picture.contains("fq_codel"));
    }
    assert!(all.contains("Congestion window") && !two.contains("Congestion window"));
    let png = [&COMPARE[..], &["--plot", "one.png", "--only", "delay"]].concat();
    assert_eq!(bench.run(&png).code, 0);
    let png = std::fs::read(bench.path("one.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
}

#[test]
fn pictures_are_the_same_each_time() {
    let bench = Bench::new("same-picture");
    for name in ["1.svg", "2.svg", "1.png", "2.png", "1.html", "2.html"] {
        let option = if name.ends_with("html") { "--report" } else { "--plot" };
        assert_eq!(bench.run(&["sim", "good.toml", option, name]).code, 0);
    }
    for ending in ["svg", "png", "html"] {
        let read = |number: u32| std::fs::read(bench.path(&format!("{number}.{ending}"))).unwrap();
        assert!(read(1) == read(2), "{ending}");
    }
}

#[test]
fn bad_options_are_refused_before_anything_runs() {
    let bench = Bench::new("bad-drawings");
    std::fs::create_dir(bench.path("folder")).unwrap();
    let endless = ["sim", "good.toml", "--set", "duration=168h"];
    for (arguments, parts) in [
        (&["--plot", "plot.gif"][..], &["--plot plot.gif", ".svg or .png"][..]),
        (&["--plot", "plot"], &["--plot plot", ".svg or .png"]),
        (&["--plot", "nowhere/plot.svg"], &["nowhere/plot.svg", "does not exist"]),
        (&["--report", "page.txt"], &["page.txt: the name of a page must end in .html"]),
        (&["--packets", "folder"], &["folder", "it is a folder"]),
        (&["--report", "good.toml"], &["--report would overwrite good.toml"]),
        (&["--report", "a.svg", "--plot", "a.svg"], &["--report and --plot both name a.svg"]),
        (&["--only", "delay"], &["--plot"]),
        (&["--plot", "a.svg", "--only", "cdf,dealy"], &["`dealy`", "there are users, delay, "]),
    ] {
        bench.run(&[&endless[..], arguments].concat()).is_refused(parts);
        assert_eq!(bench.files(), ["folder", "good.toml"], "after {arguments:?}");
    }
    let none = ["sim", "good.toml", "--report", "a.html", "--plot", "a.svg", "--only", "drops"];
    bench.run(&none).is_refused(&["`drops`", "there are delay, "]);
    assert_eq!(bench.files(), ["folder", "good.toml"]);
}

#[test]
fn what_is_no_result_is_refused() {
    let bench = kept("no-result");
    let one = bench.read("one.json");
    std::fs::create_dir(bench.path("folder.json")).unwrap();
    bench.write("empty.json", b"");
    bench.write("binary.json", &[0xff, 0xfe, 0x00]);
    bench.write("page.json", b"<!doctype html><p>Not JSON</p>");
    bench.write("list.json", b"[1, 2]");
    bench.write("nothing.json", b"{}");
    bench.write("alien.json", br#"{"schema": "flent", "version": 4}"#);
    bench.write("version.json", one.replacen("\"version\": 1", "\"version\": 2", 1).as_bytes());
    bench.write("cut.json", &one.as_bytes()[..one.len() / 2]);
    bench.write("wrong.json", one.replacen("\"flows\": {", "\"flows\": 7, \"x\": {", 1).as_bytes());
    bench.write("edited.json", one.replacen("\"step_s\": ", "\"step_s\": -", 1).as_bytes());
    let before = bench.files();
    for (file, parts) in [
        ("edited.json", &["edited.json: timeline.step_s is -", "more than 0"][..]),
        ("missing.json", &["missing.json", "No such file"]),
        ("folder.json", &["folder.json", "a folder with nothing to draw", "unbloat sweep"]),
        ("empty.json", &["empty.json", "empty", "--json"]),
        ("binary.json", &["binary.json", "not text"]),
        ("page.json", &["page.json: this is a page, and no result", "unbloat sim FILE --json"]),
        ("list.json", &["list.json", "`schema`"]),
        ("nothing.json", &["nothing.json", "`schema`", "unbloat sim"]),
        ("alien.json", &["alien.json", "`flent`", "unbloat sim"]),
        ("version.json", &["version.json:3:", "version 2", "version 1"]),
        ("cut.json", &["cut.json:", "EOF"]),
        ("wrong.json", &["wrong.json:", "invalid type"]),
    ] {
        bench.run(&["report", file, "--out", "page.html"]).is_refused(parts);
        bench.run(&["report", "one.json", file, "--out", "page.html"]).is_refused(parts);
        assert_eq!(bench.files(), before, "after {file}");
    }
    let rows = bench.run(&["reproduce", "gijsbers", "--json", "-q"]).stdout;
    bench.write("rows.json", rows.as_bytes());
    assert_eq!(bench.run(&["report", "rows.json", "--out", "rows.html"]).code, 0);
    let plot = ["report", "rows.json", "--plot", "rows.svg"];
    bench.run(&plot).is_refused(&["nothing to plot", "unbloat reproduce"]);
    bench.run(&["report", "rows.json", "one.json"]).is_refused(&["rows.json", "page of its own"]);
    bench.run(&["reproduce", "--plot", "x.svg"]).is_refused(&["name the paper", "gettys"]);
    bench.run(&["report"]).is_refused(&["RESULT.json"]);
    bench
        .run(&["report", "one.json", "--out", "one.json"])
        .is_refused(&["would overwrite one.json"]);
    assert_eq!(bench.read("one.json"), one);
}

/// A file may be stdout, which then contains nothing else.
#[test]
#[cfg(target_os = "linux")]
fn a_picture_can_be_piped() {
    let bench = Bench::new("piped");
    for other in [&[][..], &["--json"]] {
        let run = bench.run(&[&["sim", "good.toml", "--report", "/dev/stdout"], other].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout.starts_with("<!doctype html>") && run.stdout.ends_with("</html>\n"));
        assert!(run.stderr.contains("uplink"), "the result is on stderr");
    }
}

/// Links stay links, and their targets are written.
#[test]
#[cfg(unix)]
fn a_link_is_followed() {
    let bench = Bench::new("links");
    bench.write("old.svg", b"old");
    std::os::unix::fs::symlink("old.svg", bench.path("link.svg")).unwrap();
    assert_eq!(bench.run(&["sim", "good.toml", "--plot", "link.svg"]).code, 0);
    assert!(bench.read("old.svg").starts_with("<svg"));
    assert!(bench.path("link.svg").is_symlink());
}

/// Names from outside are shown and never interpreted.
#[test]
fn names_do_nothing_to_a_page() {
    let bench = Bench::new("names");
    let title = r#"title="</script><script>alert(1)</script><img src=x onerror=alert(2)>""#;
    let run =
        bench.run(&["sim", "good.toml", "--set", title, "--report", "a.html", "--plot", "a.svg"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for file in ["a.html", "a.svg"] {
        let text = bench.read(file);
        assert!(!text.contains("<script>alert") && !text.contains("<img src=x"), "{file}");
    }
}

#[test]
fn a_responsiveness_is_drawn_on_a_page_of_its_own() {
    let bench = Bench::new("responsiveness-page");
    let idle = r#"{ "tcp": 20.1, "tls": 20.9, "http": 20.4 }"#;
    let kept = format!(
        r#"{{ "schema": "unbloat.responsiveness", "version": 1, "url": "https://nq.example/nq",
        "address": "192.0.2.1:443", "tls": "TLS 1.3", "duration_s": 22.0, "interval_s": 1.0,
        "partial": null, "idle_ms": {idle}, "download": null, "upload": {{ "rpm": 57.3,
        "foreign_rpm": 60.0, "loaded_rpm": 55.0, "foreign_ms": {idle}, "loaded_ms": 1050.0,
        "goodput_mbit": 1.9, "goodput_confidence": "high", "rpm_confidence": "high",
        "connections": 11, "foreign_probes": 40, "loaded_probes": 40, "failed_probes": 0,
        "duration_s": 11.0 }} }}"#
    );
    bench.write("nq.json", kept.as_bytes());
    let run = bench.run(&["report", "nq.json", "--out", "nq.html", "--plot", "nq.svg"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = bench.read("nq.html");
    assert_eq!(ids(&page), ["parts"]);
    assert!(page.contains("57 round trips a minute, poor (confidence high)"));
    assert!(bench.read("nq.svg").contains("What a request waits for"));
    bench.write("two.json", kept.as_bytes());
    let two = bench.run(&["report", "nq.json", "two.json"]);
    assert_eq!(two.code, 2);
    assert!(two.stderr.contains("on a page of its own"), "{}", two.stderr);
}
