//! `unbloat serve`, from its first line to its end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr};

use crate::bench::Bench;
use crate::interrupts::signal;

/// A server at a free port, and its first line.
pub(crate) fn serving(bench: &Bench, also: &[&str]) -> (Child, BufReader<ChildStderr>, u16) {
    let mut child = bench.command(&[&["serve", "--port", "0"], also].concat()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let (_, port) = line.trim_end().rsplit_once(':').unwrap_or_else(|| panic!("{line}"));
    let port = port.parse().unwrap_or_else(|_| panic!("{line}"));
    assert!(line.ends_with(&format!("unbloat test HOST:{port}\n")), "{line}");
    (child, stderr, port)
}

#[test]
fn it_serves_until_it_is_told_to_stop() {
    let bench = Bench::new("serve");
    for name in ["INT", "TERM"] {
        let (mut child, mut stderr, port) = serving(&bench, &["-v"]);
        let mut tests = 1;
        for family in ["127.0.0.1", "::1"] {
            let Ok(control) = TcpStream::connect((family, port)) else {
                assert_eq!(family, "::1", "nobody listens");
                continue;
            };
            welcomed(&control);
            tests += 1;
        }
        let mut told = String::new();
        stderr.read_line(&mut told).unwrap();
        assert!(told.contains("test): ") && !told.contains('\u{1b}'), "{told:?}");
        let begun = TcpStream::connect(("127.0.0.1", port)).unwrap();
        welcomed(&begun);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(0), "SIG{name}");
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).unwrap();
        assert!(!rest.contains("error"), "{rest}");
        // The test that was cut off is told as well.
        assert_eq!((told + &rest).matches("test): ").count(), tests, "{rest:?}");
        drop(begun);
    }
}

/// Asks for a test on a control connection, and reads the welcome.
fn welcomed(mut control: &TcpStream) {
    let version = measure::protocol::PROTOCOL;
    let program = "a \\u001b[31mtest";
    writeln!(control, "{{\"hello\":{{\"protocol\":{version},\"program\":\"{program}\"}}}}")
        .unwrap();
    let mut answer = String::new();
    BufReader::new(control).read_line(&mut answer).unwrap();
    assert!(answer.starts_with("{\"welcome\":"), "{answer}");
}

#[test]
fn a_port_that_is_taken_is_told() {
    let bench = Bench::new("serve-taken");
    let (mut child, _, port) = serving(&bench, &[]);
    let run = bench.run(&["serve", "--port", &port.to_string()]);
    signal(&child, "INT");
    child.wait().unwrap();
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("cannot listen on TCP"), "{}", run.stderr);
    assert!(run.stderr.contains("--port"), "{}", run.stderr);
}

#[test]
fn what_cannot_be_served_is_bad_input() {
    let bench = Bench::new("serve-bad");
    bench.write("empty.txt", b" \n");
    for (arguments, problem) in [
        (&["--bind", "localhost"][..], "write an address of this machine"),
        (&["--max-time", "5"], "has no unit"),
        (&["--max-rate", "5kbit"], "too slow"),
        (&["--tests", "0"], "not in 1..=10000"),
        (&["--port", "70000"], "70000"),
        (&["--token-file", "missing.txt"], "missing.txt: cannot read the token"),
        (&["--token-file", "empty.txt"], "empty.txt: there is no token in it"),
        (&["--clock-fault", "late"], "write `drift 100ppm`"),
        (&["--congestion", "new reno"], "write a name such as cubic"),
        (&["--port", "0", "--congestion", "none-such"], "cannot use the congestion control"),
        (&["--idle", "0s"], "no time for this"),
    ] {
        bench.run(&[&["serve"], arguments].concat()).is_refused(&[problem]);
    }
}
