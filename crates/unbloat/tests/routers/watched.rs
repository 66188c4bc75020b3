//! `unbloat watch --test-at` and `--test-on-spike`: tests among the probes.

use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use results::{SpikeCause, WatchEvent, WatchEventKind, WatchLine, WatchNews, WatchedTest};
use units::{Bytes, Rate};

use super::PROGRAM;
use super::serving::Serving;
use crate::chain::Chain;

/// The router's rates, and its buffer in each direction: 205 ms up, 51 ms down.
const UP: Rate = Rate::from_mbit(10);
const DOWN: Rate = Rate::from_mbit(40);
const BUFFER: Bytes = Bytes(256_000);

/// Sleeps while the kernels work.
#[expect(clippy::disallowed_methods, reason = "the kernels are real")]
fn pause(millis: u64) {
    thread::sleep(Duration::from_millis(millis));
}

/// Own datagrams fill the line for a time: a test is made after 5 s. Another one is made at its time of the day,
/// and no third one, since two a day were asked for.
pub(crate) fn a_watch_tests_at_its_time_and_when_answers_are_late() {
    let path = Chain::new(1);
    path.add_bucket(1, "right", UP, BUFFER);
    path.add_bucket(1, "left", DOWN, BUFFER);
    let server = path.server(false).to_string();
    let _serving = Serving::begin(&path, &server);
    let target = format!("server:{server}");
    let mut watch = Command::new(PROGRAM);
    watch.args(["watch", &target, "--every", "50ms", "--json", "--quiet", "--for", "75s"]);
    watch.args(["--test-on-spike", "--test-at", "04:00", "--tests-a-day", "2"]);
    let output = thread::scope(|scope| {
        let watched = scope.spawn(|| {
            // It is 03:59:15 here.
            watch.env("TZ", zone((4 * 60 - 1) * 60 + 15)).stdout(Stdio::piped());
            path.at_client(|| watch.output().unwrap())
        });
        pause(5_000);
        path.at_client(|| fill(&server));
        watched.join().unwrap()
    });
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let events: Vec<WatchEvent> = lines
        .lines()
        .filter_map(|line| match serde_json::from_str::<WatchLine>(line).unwrap().news {
            WatchNews::Event(event) => Some(event),
            WatchNews::Minute(_) => None,
        })
        .collect();
    let spikes: Vec<_> = events.iter().filter_map(spike).collect();
    let [(cause, end, added)] = spikes[..] else { panic!("{events:#?}") };
    assert_eq!(cause, SpikeCause::OwnUpload, "{events:#?}");
    assert!(added > 150.0, "{events:#?}");
    let tests: Vec<_> = events.iter().filter_map(test).collect();
    let [(first, on_spike), (second, at_time)] = tests[..] else { panic!("{events:#?}") };
    println!("{on_spike:?}\n{at_time:?}");
    assert!(end <= first, "the load of the test is in the spike: {events:#?}");
    // From about 11 s on, and at 45 s.
    assert!((29.0..37.0).contains(&(second - first)), "{first} {second}");
    // The other test had the line for itself.
    assert_eq!((&on_spike.failure, &at_time.failure), (&None, &None));
    let near =
        |value: Option<f64>, line: f64| value.is_some_and(|it| (0.85..1.0).contains(&(it / line)));
    assert!(near(at_time.up_mbit, 10.0) && near(at_time.down_mbit, 40.0), "{at_time:?}");
}

/// The cause of a spike, its end, and the most that it added in milliseconds.
fn spike(event: &WatchEvent) -> Option<(SpikeCause, f64, f64)> {
    match &event.what {
        WatchEventKind::Spike(it) => {
            Some((it.cause, event.start_s + event.duration_s, it.added_most_ms?))
        }
        _ => None,
    }
}

fn test(event: &WatchEvent) -> Option<(f64, &WatchedTest)> {
    match &event.what {
        WatchEventKind::Test(it) => Some((event.start_s, it)),
        _ => None,
    }
}

/// Sends a third more than the line carries, so that its buffer is full.
fn fill(server: &str) {
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    // 16 datagrams of 1,042 bytes each 10 ms, for 8 s.
    for _ in 0..800 {
        for _ in 0..16 {
            let _ = socket.send_to(&[0; 1000], (server, 9));
        }
        pause(10);
    }
}

/// The time zone in which it is now so many seconds after midnight, as POSIX writes it.
#[expect(clippy::disallowed_methods, reason = "the time of the day is the user's")]
fn zone(seconds: i64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let west = (now.as_secs() as i64 % 86_400 - seconds + 43_200).rem_euclid(86_400) - 43_200;
    let (sign, west) = if west < 0 { ("-", -west) } else { ("", west) };
    format!("XXX{sign}{}:{:02}:{:02}", west / 3600, west / 60 % 60, west % 60)
}
