//! `unbloat watch`, whose last event comes as it ends: what becomes of it is told.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use crate::bench::Bench;

/// The store of a watch that ended a long while ago: the next one begins with an event.
fn kept(bench: &Bench) {
    let mut store = store::Store::open(&bench.path("home")).unwrap();
    let id = store.target("hop 1").unwrap();
    let sent = units::Time::from_secs(1_790_000_000);
    let outcome = observation::ProbeOutcome::Lost;
    store.keep(id, observation::WatchedProbe { sent, is_extra: false, outcome });
    store.commit().unwrap();
}

#[expect(clippy::disallowed_methods, reason = "the watch is real")]
fn pause() {
    thread::sleep(Duration::from_secs(3));
}

#[test]
fn what_fails_while_a_watch_ends_is_told() {
    let bench = Bench::new("watch-hooks");
    kept(&bench);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook", listener.local_addr().unwrap());
    let target = format!("tcp:{}", listener.local_addr().unwrap());
    // The probes connect as well, and say nothing.
    let refuse = move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut bytes = [0; 64];
            if stream.read(&mut bytes).is_ok_and(|it| it > 0) {
                // The watch is over meanwhile.
                pause();
                stream.write_all(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n").unwrap();
            }
        }
    };
    thread::spawn(refuse);
    let watch = ["watch", &target, "--store", "home", "--for", "1s"];
    let hooks = ["--webhook", &address, "--on-event", "sleep 3; exit 3"];
    let run = bench.run(&[&watch[..], &hooks].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("--webhook: 127.0.0.1:"), "{}", run.stderr);
    assert!(run.stderr.contains("the answer was 404"), "{}", run.stderr);
    let ended = "--on-event: the command ended with exit status: 3";
    assert!(run.stderr.contains(ended), "{}", run.stderr);
}
