//! Graphs for xplot, held beside those of a real tcptrace.

use std::collections::BTreeMap;

use crate::bench::Bench;
use crate::captures::ask;

/// An upload that loses packets: by a full queue, by a lossy wire, with marks, with a small window.
pub(crate) fn upload(queue: &str, flow: &str) -> String {
    format!(
        "duration = \"6s\"\n\
         [[link]]\nname = \"uplink\"\nfrom = \"home\"\nto = \"isp\"\nrate = \"4mbit\"\ndelay = \"10ms\"\n{queue}\n\
         [link.reverse]\nrate = \"20mbit\"\n\
         [[flow]]\nname = \"up\"\nfrom = \"home\"\nto = \"isp\"\ntraffic = \"transfer\"\nbytes = \"1MB\"\n{flow}\n"
    )
}

/// The marks of a graph with their colours, each as often as it is there. The order does not count, nor does what a
/// number of xplot has behind its point: tcptrace draws whole numbers.
fn marks(text: &str) -> BTreeMap<String, u64> {
    let mut marks = BTreeMap::new();
    let mut pen = "white".to_owned();
    let mut lines = text.lines().skip(7);
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [kind, rest @ ..] = &words[..] else { continue };
        if rest.is_empty() {
            pen = (*kind).to_owned();
            continue;
        }
        let places = rest.iter().filter(|word| word.starts_with(|it: char| it.is_ascii_digit()));
        let whole = |(index, word): (usize, &&str)| match index % 2 {
            0 => (*word).to_owned(),
            _ => word.split('.').next().unwrap_or_default().to_owned(),
        };
        let mut places: Vec<String> = places.enumerate().map(whole).collect();
        if *kind == "line" && places[..2] > places[2..] {
            places.rotate_left(2);
        }
        let colour = rest.iter().find(|word| word.starts_with(|it: char| it.is_alphabetic()));
        let letters = if kind.ends_with("text") { lines.next().unwrap_or_default() } else { "" };
        // The name of a curve, whose place each rounds differently.
        if *kind == "ltext" {
            continue;
        }
        let mark = format!("{} {kind} {} {letters}", colour.unwrap_or(&&*pen), places.join(" "));
        *marks.entry(mark).or_default() += 1;
    }
    marks.remove(&format!("{pen} go  "));
    marks
}

/// Marks of one that the other does not have.
fn missing<'a>(
    one: &'a BTreeMap<String, u64>,
    other: &'a BTreeMap<String, u64>,
) -> Vec<(&'a String, u64, u64)> {
    let there = |mark: &String| other.get(mark).copied().unwrap_or(0);
    let differ = one.iter().filter(|(mark, count)| there(mark) < **count);
    differ.map(|(mark, count)| (mark, *count, there(mark))).collect()
}

#[test]
fn needs_tcptrace_graphs_have_the_same_marks() {
    for (name, queue, flow) in [
        ("full", "queue = \"pfifo limit 30\"", ""),
        ("lossy", "queue = \"pfifo limit 1000\"\nloss = \"1%\"", "sack = false"),
        ("marked", "queue = \"codel\"", "ecn = true"),
        ("small", "queue = \"pfifo limit 1000\"", "receive_window = \"20kB\""),
    ] {
        let bench = Bench::new(&format!("needs-tcptrace-graphs-{name}"));
        bench.write("up.toml", upload(queue, flow).as_bytes());
        assert_eq!(bench.run(&["sim", "up.toml", "--pcap", "up.pcapng"]).code, 0);
        let run = bench.run(&["pcap", "up.pcapng", "--xplot", "ours"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        ask(&bench, "tcptrace", &["-n", "-S", "-R", "-T", "-N", "up.pcapng"]);
        for graph in ["a2b_tsg", "b2a_tsg", "a2b_rtt", "a2b_owin", "b2a_owin", "a2b_tput"] {
            let read = |path: String| std::fs::read_to_string(bench.path(&path)).unwrap();
            let [mut theirs, mut ours] =
                ["", "ours/"].map(|folder| marks(&read(format!("{folder}{graph}.xpl"))));
            // Of the mean over time tcptrace drops a fraction at each segment.
            let is_mean = |mark: &String| graph.ends_with("owin") && mark.starts_with("green");
            theirs.retain(|mark, _| !is_mean(mark));
            ours.retain(|mark, _| !is_mean(mark));
            assert!(theirs.len() > 100, "{name} {graph}: {}", theirs.len());
            let [less, more] = [missing(&theirs, &ours), missing(&ours, &theirs)];
            let few = |list: &[(&String, u64, u64)]| {
                format!("{}: {:#?}", list.len(), &list[..list.len().min(12)])
            };
            assert!(
                less.is_empty() && more.is_empty(),
                "{name} {graph}, missing {}\nmore {}",
                few(&less),
                few(&more)
            );
        }
    }
}

#[test]
fn graphs_are_put_into_a_new_folder() {
    let bench = Bench::new("pcap-graphs");
    bench.write("up.toml", upload("queue = \"pfifo limit 30\"", "").as_bytes());
    assert_eq!(bench.run(&["sim", "up.toml", "--pcap", "up.pcapng"]).code, 0);
    assert_eq!(bench.run(&["pcap", "up.pcapng", "--xplot", "graphs", "-q"]).code, 0);
    let names = || {
        let folder = std::fs::read_dir(bench.path("graphs")).unwrap();
        let mut names: Vec<_> =
            folder.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    // The receiver has sent no data, and has no throughput.
    let all = ["a2b_owin", "a2b_rtt", "a2b_tput", "a2b_tsg", "b2a_owin", "b2a_rtt", "b2a_tsg"];
    assert_eq!(names(), all.map(|name| format!("{name}.xpl")));
    let graph = std::fs::read_to_string(bench.path("graphs/a2b_tsg.xpl")).unwrap();
    assert!(graph.starts_with(
        "timeval double\ntitle\n10.0.0.1:32768_==>_10.0.0.2:9 (time sequence graph)\n"
    ));
    assert!(graph.ends_with("\ngo\n"), "{}", &graph[graph.len() - 80..]);
    // What is there is left alone.
    for (arguments, words) in [
        (&["pcap", "up.pcapng", "--xplot", "graphs"][..], "there is something in this folder"),
        (&["pcap", "up.pcapng", "--xplot", "up.toml"], "up.toml"),
        (&["pcap", "up.pcapng", "--xplot", "nowhere/graphs"], "does not exist"),
        (&["pcap", "up.toml", "--xplot", "more"], "the file is a text"),
        (&["pcap", "up.pcapng", "up.pcapng", "--xplot", "more"], "one capture"),
    ] {
        let run = bench.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(names().len(), all.len());
    assert_eq!(bench.files(), ["good.toml", "graphs", "up.pcapng", "up.toml"]);
}
