//! `unbloat watch`, on targets of this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use results::{
    SpikeCause, SpikeEvidence, WatchChange, WatchEvent, WatchEventKind, WatchGap, WatchLine,
    WatchNews, WatchReport,
};

use crate::bench::Bench;
use crate::interrupts::signal;
use crate::serve::serving;

/// A target of TCP at this machine, at which somebody listens as long as the listener lives.
fn target() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let name = format!("tcp:{}", listener.local_addr().unwrap());
    (listener, name)
}

fn ends(mut child: Child) -> String {
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    stdout
}

/// Sleeps while the watch works.
#[expect(clippy::disallowed_methods, reason = "the watch is real")]
pub(crate) fn pause(millis: u64) {
    thread::sleep(Duration::from_millis(millis));
}

#[test]
fn what_is_seen_is_kept_exported_and_drawn() {
    let bench = Bench::new("watch-kept");
    let (_listener, target) = target();
    let run = bench.run(&["watch", &target, "--every", "100ms", "--store", "home", "--for", "3s"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert!(run.stderr.contains(&format!("{target}: a probe every 100 ms")), "{}", run.stderr);
    assert!(run.stderr.contains("start a load after 1 s"), "{}", run.stderr);
    assert_eq!(bench.run(&["watch", "mark", "home", "CAKE at 18 Mbit/s"]).code, 0);

    let table = bench.run(&["watch", "export", "home", "--what", "probes"]).stdout;
    let own = table.lines().filter(|it| it.starts_with(&target) && it.ends_with("answered,0"));
    let probes = own.count();
    assert!((15..=33).contains(&probes), "{table}");
    let run = bench.run(&["watch", "export", "home", "--what", "events", "-o", "events.jsonl"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(bench.read("events.jsonl").contains("CAKE at 18 Mbit/s"));
    let strange = ["watch", "export", "home", "-o", "table.foo"];
    bench.run(&strange).is_refused(&["table.foo", ".csv, .parquet or .jsonl", "--format"]);
    assert!(!bench.path("table.foo").exists());
    assert_eq!(bench.run(&[&strange[..], &["--format", "csv"]].concat()).code, 0);
    assert!(bench.read("table.foo").starts_with("target,"));

    let report = bench.run(&["report", "home", "--json"]).stdout;
    let report: WatchReport = serde_json::from_str(&report).unwrap();
    let [first, ..] = &report.targets[..] else { panic!("{report:?}") };
    assert_eq!((&first.name, first.counts.sent), (&target, probes as u64));
    let steps: u64 = report.layers[0].targets[0].sent.iter().sum();
    assert_eq!(steps, probes as u64);
    let mark = WatchEventKind::Change(WatchChange::Mark { text: "CAKE at 18 Mbit/s".into() });
    assert!(report.events.iter().any(|it| it.what == mark), "{:?}", report.events);
    let run = bench.run(&["report", "home", "--out", "home.html"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    bench.run(&["watch", "exprot", "home"]).is_refused(&["`unbloat watch export home`?"]);
    bench.run(&["watch", "home"]).is_refused(&["no target", "--store home"]);
    bench.run(&["report", "home", "home"]).is_refused(&["home", "of a watch", "name it alone"]);
    let page = bench.read("home.html");
    assert!(page.contains("<title>Watch of tcp:127.0.0.1:") && !page.contains("connect-src"));
}

#[test]
fn the_page_and_the_figures_are_served() {
    let bench = Bench::new("watch-page");
    let (_listener, target) = target();
    let mut child = bench
        .command(&["watch", &target, "--every", "100ms", "--page", "127.0.0.1:0"])
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("page: http://").unwrap().trim_end_matches('/');
    // A commit is made each 5 s where a page is served.
    pause(6_500);
    let page = asked(address, "/");
    assert!(page.contains("connect-src 'self'") && page.contains("data-live=\"true\""), "{page}");
    let part = asked(address, "/data?from=0&to=9999999999");
    assert!(part.contains("\"step_s\":1.0") && part.contains("\"p50_ms\":["), "{part}");
    let part = asked(address, "/data?from=0&to=9999999999&targets=0,77");
    assert_eq!(part.matches("\"p50_ms\":[").count(), 1, "{part}");
    assert!(asked(address, "/?target=0").contains("\"drawn\":[{\"id\":0,"));
    assert!(asked(address, "/?target=77").contains("data-live=\"true\""));
    let figures = asked(address, "/metrics");
    assert!(figures.contains("smokeping_requests_total{host=\"tcp:127.0.0.1:"), "{figures}");
    assert!(figures.contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    assert!(!figures.contains("# EOF"), "{figures}");
    let accept = "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n";
    let figures = asked_with(address, "/metrics", accept);
    assert!(figures.contains("content-type: application/openmetrics-text; version=1.0.0;"));
    assert!(figures.ends_with("# EOF\n"), "{figures}");
    for wrong in ["/data", "/data?from=x&to=1", "/data?from=-1&to=1", "/../etc/passwd"] {
        assert!(asked(address, wrong).starts_with("HTTP/1.1 404 "), "{wrong}");
    }
    ends(child);
}

pub(crate) fn asked(address: &str, path: &str) -> String {
    asked_with(address, path, "")
}

fn asked_with(address: &str, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// What is posted to an address: the body of the first request.
fn posted() -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook", listener.local_addr().unwrap());
    let take = move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = String::new();
        let mut bytes = BufReader::new(stream.try_clone().unwrap());
        while !request.ends_with('}') {
            bytes.read_line(&mut request).unwrap();
            let has_head = request.ends_with("\r\n\r\n");
            let length = request.to_ascii_lowercase();
            if has_head && let Some((_, length)) = length.split_once("content-length: ") {
                let mut body = vec![0; length.lines().next().unwrap().parse().unwrap()];
                bytes.read_exact(&mut body).unwrap();
                request.push_str(std::str::from_utf8(&body).unwrap());
            }
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
        request
    };
    (address, thread::spawn(take))
}

/// A process that stands still loses no probe, and says so; its events go to the command, and to the address.
#[test]
fn a_standstill_is_a_gap_and_no_loss() {
    let bench = Bench::new("watch-gap");
    let (_listener, target) = target();
    let arguments = ["watch", &target, "--every", "100ms", "--json", "--store", "home"];
    let hook = ["--on-event", "cat >> hooked.jsonl; echo \"$UNBLOAT_EVENT\" >> words"];
    let (address, taken) = posted();
    let webhook = ["--webhook", &address];
    let child = bench.command(&[&arguments[..], &hook, &webhook].concat()).spawn().unwrap();
    pause(2_000);
    let stop = |name| {
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    };
    stop("STOP");
    pause(3_500);
    stop("CONT");
    pause(2_000);
    let lines = ends(child);
    let events: Vec<WatchEvent> = lines
        .lines()
        .map(|line| serde_json::from_str::<WatchLine>(line).unwrap().news)
        .filter_map(|news| match news {
            WatchNews::Event(event) => Some(event),
            WatchNews::Minute(_) => None,
        })
        .collect();
    let [event] = &events[..] else { panic!("{events:?}") };
    assert_eq!(event.what, WatchEventKind::Gap { reason: WatchGap::Starved });
    assert!((2.5..6.0).contains(&event.duration_s), "{event:?}");
    assert_eq!(serde_json::from_str::<WatchEvent>(&bench.read("hooked.jsonl")).unwrap(), *event);
    assert!(bench.read("words").contains("the watch got no processor"), "{}", bench.read("words"));
    let request = taken.join().unwrap();
    assert!(request.starts_with("POST /hook HTTP/1.1\r\n"), "{request}");
    let (_, body) = request.split_once("\r\n\r\n").unwrap();
    assert_eq!(serde_json::from_str::<WatchEvent>(body).unwrap(), *event);
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert!(body["text"].as_str().unwrap().contains("the watch got no processor"), "{body}");
    let report = bench.run(&["report", "home", "--json"]).stdout;
    let report: WatchReport = serde_json::from_str(&report).unwrap();
    let counts = report.targets[0].counts;
    assert_eq!((counts.late, counts.lost, counts.failed), (0, 0, 0), "{counts:?}");
}

/// An event that was printed is in the store, even if the watch is killed the next moment.
#[test]
fn an_event_that_was_told_is_kept() {
    let bench = Bench::new("watch-told");
    let (_listener, target) = target();
    let arguments = ["watch", &target, "--every", "100ms", "--json", "--store", "home"];
    let mut child = bench.command(&arguments).spawn().unwrap();
    pause(1_500);
    signal(&child, "STOP");
    pause(3_500);
    signal(&child, "CONT");
    let told = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let is_event = |line: &String| {
        matches!(serde_json::from_str::<WatchLine>(line).unwrap().news, WatchNews::Event(_))
    };
    assert!({ told }.any(|line| is_event(&line)), "the standstill is told");
    signal(&child, "KILL");
    child.wait().unwrap();
    let kept = bench.run(&["watch", "export", "home", "--what", "events", "--format", "jsonl"]);
    assert_eq!(kept.stdout.lines().count(), 1, "{}", kept.stdout);
    assert!(kept.stdout.contains("starved"), "{}", kept.stdout);
}

/// A server that hangs answers what it received before, and tells for how long it kept that.
#[test]
fn a_server_that_hangs_is_late() {
    let bench = Bench::new("watch-hung");
    let (server, _stderr, port) = serving(&bench, &[]);
    let target = format!("server:127.0.0.1:{port}");
    let arguments = ["watch", &target, "--every", "200ms", "--json", "--for", "18s"];
    let watch = bench.command(&arguments).spawn().unwrap();
    pause(5_000);
    signal(&server, "STOP");
    pause(3_000);
    signal(&server, "CONT");
    let run = watch.wait_with_output().unwrap();
    ends(server);
    let lines = String::from_utf8(run.stdout).unwrap();
    let news = lines.lines().map(|line| serde_json::from_str::<WatchLine>(line).unwrap().news);
    let spikes: Vec<_> = news
        .filter_map(|it| match it {
            WatchNews::Event(WatchEvent { what: WatchEventKind::Spike(spike), .. }) => Some(spike),
            _ => None,
        })
        .collect();
    let [spike] = &spikes[..] else { panic!("{lines}") };
    assert_eq!((spike.cause, spike.direction), (SpikeCause::Target, None), "{spike:?}");
    assert!(spike.added_most_ms.is_some_and(|it| it > 2000.0), "{spike:?}");
    let is_kept =
        |it: &SpikeEvidence| matches!(it, SpikeEvidence::Kept { most_ms } if *most_ms > 2000.0);
    assert!(spike.evidence.iter().any(is_kept), "{spike:?}");
}

/// A server ends each test after its longest time, and the watch begins another one.
#[test]
fn a_server_is_watched_for_longer_than_it_allows_a_test() {
    let bench = Bench::new("watch-server");
    let (server, _stderr, port) = serving(&bench, &["--max-time", "2s"]);
    let target = format!("server:127.0.0.1:{port}");
    let run = bench.run(&["watch", &target, "--every", "100ms", "--store", "home", "--for", "7s"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let table = bench.run(&["watch", "export", "home", "--what", "probes"]).stdout;
    let told = table.lines().filter(|it| it.starts_with(&target)).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[1].parse::<f64>().unwrap(), !cells[3].is_empty(), cells[4] == "answered")
    });
    let told: Vec<(f64, bool, bool)> = told.collect();
    assert!(told.iter().all(|(_, _, is_answered)| *is_answered), "{table}");
    // But for the answers that give the proof of our address, all tell the time of arrival.
    assert!(told.iter().filter(|(_, tells, _)| !tells).count() <= 4, "{table}");
    let lasted = told.last().unwrap().0 - told[0].0;
    assert!(lasted > 5.0 && told.len() > 40, "{lasted} s: {table}");
    ends(server);
}

/// A real server of irtt answers, and tells when each probe reached it.
#[test]
fn needs_irtt_a_server_of_irtt_is_watched() {
    let bench = Bench::new("watch-needs-irtt");
    let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let server = ["server", "-b", &address];
    let mut server = Command::new("irtt").args(server).stdout(Stdio::null()).spawn().unwrap();
    let target = format!("irtt:{address}");
    let run = bench.run(&["watch", &target, "--every", "100ms", "--store", "home", "--for", "5s"]);
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let table = bench.run(&["watch", "export", "home", "--what", "probes"]).stdout;
    let told: Vec<&str> = table.lines().filter(|it| it.starts_with(&target)).collect();
    let is_whole = |line: &&&str| line.ends_with(",answered,0") && !line.contains(",,");
    let whole = told.iter().filter(is_whole).count();
    assert!(whole > 30 && whole == told.len(), "{table}");
}

/// A server that does not let requests be sent is lost, and one that is not there fails.
#[test]
fn a_server_of_irtt_that_is_silent_is_counted() {
    let bench = Bench::new("watch-irtt-silent");
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let absent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let [one, other] = [&silent, &absent].map(|it| format!("irtt:{}", it.local_addr().unwrap()));
    drop(absent);
    let run = bench.run(&["watch", &one, &other, "--every", "100ms", "--json", "--for", "4s"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains(&format!("{other}: it cannot be reached")), "{}", run.stderr);
    let counts = |name: &str| -> (u64, u64) {
        let minutes =
            run.stdout.lines().filter_map(|line| {
                match serde_json::from_str::<WatchLine>(line).unwrap().news {
                    WatchNews::Minute(it) if it.target == name => Some(it.counts),
                    _ => None,
                }
            });
        minutes.fold((0, 0), |sum, it| (sum.0 + it.lost, sum.1 + it.failed))
    };
    assert!(counts(&one).0 >= 10 && counts(&one).1 == 0, "{}", run.stdout);
    assert!(counts(&other).1 >= 10, "{}", run.stdout);
}

#[test]
fn a_second_watch_of_a_folder_is_refused() {
    let bench = Bench::new("watch-two");
    let (_listener, target) = target();
    let child = bench.command(&["watch", &target, "--store", "home"]).spawn().unwrap();
    pause(1_500);
    let run = bench.run(&["watch", &target, "--store", "home", "--for", "1s"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("another watch writes here"), "{}", run.stderr);
    ends(child);
}

#[test]
fn bad_input_is_refused_with_what_would_be_right() {
    let bench = Bench::new("watch-bad");
    bench.write("a-file", b"no store");
    bench.write("twice", b"a=::1\nb=::1");
    bench.write("names", b"# two\na=::1\na=127.0.0.1");
    bench.write("bytes", b"::1\n\xff\xfe");
    for (arguments, told) in [
        (&["watch"][..], "name a target"),
        (&["watch", "http://x"], "write HOST"),
        (&["watch", "tcp:x"], "names no port"),
        (&["watch", "::1", "::1"], "::1 is there twice"),
        (&["watch", "::1", "--every", "1"], "unit"),
        (&["watch", "::1", "--every", "1ms"], "10ms to 1h"),
        (&["watch", "::1", "--hops", "9"], "0..=8"),
        (&["watch", "::1", "--test-at", "4"], "04:00"),
        (&["watch", "::1", "--test-at", "04:00"], "--test-server"),
        (&["watch", "::1", "--test-server", "::1"], "add --test-at HH:MM or --test-on-spike"),
        (&["watch", "::1", "--tests-a-day", "0"], "1..=255"),
        (
            &[
                "watch",
                "::1",
                "--test-server",
                "::1",
                "--test-at",
                "04:00",
                "--test-at",
                "16:00",
                "--tests-a-day",
                "1",
            ],
            "write --tests-a-day 2 or more",
        ),
        (&["watch", "dns:::1/a b"], "asks for no name of DNS"),
        (&["watch", "::1", "--page", "8080"], "127.0.0.1:8080"),
        (&["watch", "::1", "--webhook", "example.net"], "write https://HOST/PATH"),
        (&["watch", "::1", "--webhook", "http://me:it@example.net"], "a user is not supported"),
        (&["watch", "a=::1", "a=127.0.0.1"], "two targets have the name a"),
        (&["watch", ""], "the target is empty"),
        (&["watch", "this machine=::1"], "write NAME=TARGET"),
        (&["watch", "--targets", "missing"], "--targets missing: No such file"),
        (&["watch", "--targets", "a-file"], "--targets a-file, line 1: `no store` names no host"),
        (&["watch", "--targets", "."], "--targets .: it is a folder; name a file"),
        (&["watch", "--targets", "bytes"], "--targets bytes: it is no text in UTF-8"),
        (&["watch", "--targets", "twice"], "--targets twice, line 2: ::1 is there twice"),
        (&["watch", "--targets", "names"], "--targets names, line 3: two targets have the name a"),
        (&["watch", "::1", "--store", "a-file"], "a-file: this is a file, and a store is a folder"),
        (
            &["watch", "::1", "--store", "/dev/null"],
            "/dev/null: this is a file, and a store is a folder",
        ),
        (
            &["watch", "::1", "--store", "a-file/b"],
            "a-file: this is a file, and a store is a folder",
        ),
        (&["watch", "::1", "--every", "-1s"], "`-1s` is not a time; write `5ms`"),
        (&["watch", "::1", "--for", "-1s"], "`-1s` is not a time"),
        (&["watch", "server:"], "`server:` names no host"),
        (&["watch", "[::1"], "`[::1` has no `]`"),
        (&["watch", "999.1.1.1"], "`999.1.1.1` is no IPv4 address"),
        (&["watch", "::1", "--token-file", "missing"], "missing"),
        (&["watch", "::1", "--metrics", "9819"], "127.0.0.1:9819"),
        (&["watch", "foo:192.0.2.1"], "`foo:192.0.2.1` is no kind of target; write HOST"),
        (&["watch", "severr:x"], "did you mean `server:x`?"),
        (&["watch", "export", "missing"], "unbloat watch"),
        (&["watch", "export", ".", "--from", "yesterday"], "2026-11-27T04:00Z"),
        (&["watch", "mark", ".", "x"], "--store"),
        (&["watch", "mark", ".", " "], "a mark has words"),
    ] {
        let run = bench.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(told), "{arguments:?}: {}", run.stderr);
    }
    assert!(!bench.path("missing").exists());
}
