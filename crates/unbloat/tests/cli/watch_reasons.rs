//! Why targets of `unbloat watch` do not answer, in words.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use crate::bench::Bench;

/// A server that answers each connection as one of plain HTTP does to what it does not understand.
fn plain() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 1000]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    port
}

#[test]
fn a_server_without_https_is_told_as_such() {
    let bench = Bench::new("watch-reasons");
    let absent = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let [refusing, other] = [absent, plain()].map(|port| format!("https://127.0.0.1:{port}"));
    let run = bench.run(&["watch", &refusing, &other, "--every", "1s", "--for", "4s"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for told in [
        format!("{refusing}: it gave no good answer: it refused the connection"),
        format!("{other}: it gave no good answer: what answers at this port does not speak TLS"),
    ] {
        assert!(run.stderr.contains(&told), "{told}: {}", run.stderr);
    }
}

/// A server that is not there is asked each 5 s, and all regular probes meanwhile have failed: the part of failed
/// probes is that of the time.
#[test]
fn a_server_that_refuses_fails_all_the_time() {
    let bench = Bench::new("watch-refusing");
    let absent = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let target = format!("server:127.0.0.1:{absent}");
    let run = bench.run(&[
        "watch", &target, "--every", "100ms", "--hops", "0", "--store", "home", "--for", "4s",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let table = bench.run(&["watch", "export", "home"]).stdout;
    let failed = |line: &str| line.split(',').nth(6).and_then(|it| it.parse::<u64>().ok());
    let failed = table.lines().filter(|it| it.starts_with("server:")).filter_map(failed);
    assert!((30..=41).contains(&failed.sum::<u64>()), "{table}");
}
