//! Client and server over the loopback, and attacks on the server.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use observation::Heading;
use responsiveness::{Error, Identity, Limits, Parameters, Server, Test, Trust, serve, test};
use results::{Confidence, IncompleteResponsiveness, Responsiveness};
use units::{Rate, Span};

/// A server that ends with the test.
struct Running {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn with(limits: Limits) -> Self {
        Self::choosing(None, limits)
    }

    /// A server with this congestion control.
    fn choosing(congestion: Option<String>, limits: Limits) -> Self {
        let identity = Identity::SelfSigned { names: vec!["127.0.0.1".into()] };
        let server =
            Server { listen: vec!["127.0.0.1:0".parse().unwrap()], identity, congestion, limits };
        let stop = Arc::new(AtomicBool::new(false));
        let (told, address) = mpsc::channel();
        let asked = stop.clone();
        let thread = thread::spawn(move || {
            let mut ready = |addresses: &[SocketAddr]| told.send(addresses[0]).unwrap();
            serve(&server, &|| asked.load(Ordering::Relaxed), &mut ready).unwrap();
        });
        Self { address: address.recv().unwrap(), stop, thread: Some(thread) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(thread::panicking() || ended.is_some_and(|end| end.is_ok()));
    }
}

fn quick(address: SocketAddr, most_intervals: usize) -> Test {
    let interval = Span::from_millis(100);
    Test {
        url: format!("https://{address}"),
        trust: Trust::Anybody,
        parameters: Parameters { interval, most_intervals, ..Parameters::default() },
        headings: vec![Heading::Down, Heading::Up],
    }
}

fn measured(what: &Test) -> Responsiveness {
    test(what, &|| false, &mut |_| ()).unwrap()
}

#[test]
fn both_directions_are_measured() {
    let server = Running::with(Limits::default());
    let mut told = 0;
    let found = test(&quick(server.address, 16), &|| false, &mut |_| told += 1).unwrap();
    assert_eq!((found.partial_reason, found.tls.as_deref()), (None, Some("TLS 1.3")));
    assert!(told >= 2 * 11, "{told} intervals");
    assert!(found.idle_ms.tcp.is_some_and(|time| time > 0.0 && time < 1000.0));
    for loaded in [found.download.unwrap(), found.upload.unwrap()] {
        assert!(loaded.rpm.is_some_and(|rpm| rpm.is_finite() && rpm > 1.0), "{loaded:?}");
        assert!(loaded.goodput_mbit.is_some_and(|rate| rate > 10.0), "{loaded:?}");
        assert!(loaded.foreign_probes > 0 && loaded.loaded_probes > 0, "{loaded:?}");
        assert_ne!(loaded.goodput_confidence, Confidence::Low);
        assert!(loaded.connections > 1 && loaded.connections <= 16);
        assert_eq!(loaded.congestion, usual_congestion());
        // The definition, with the reported figures.
        let parts = [loaded.foreign_ms.tcp, loaded.foreign_ms.tls, loaded.foreign_ms.http];
        let foreign = 60_000.0 / (parts.into_iter().map(Option::unwrap).sum::<f64>() / 3.0);
        let expected = f64::midpoint(foreign, 60_000.0 / loaded.loaded_ms.unwrap());
        assert!((loaded.rpm.unwrap() / expected - 1.0).abs() < 1e-9, "{loaded:?}");
    }
}

/// CUBIC where this program may use it, else what the machine has.
fn usual_congestion() -> Option<String> {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    kernel::choose_congestion_control(socket, &["cubic"]).ok()
}

#[test]
fn the_congestion_control_of_the_server_is_told() {
    for name in ["reno", "cubic"] {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        if kernel::set_congestion_control(socket, name).is_err() {
            continue;
        }
        let server = Running::choosing(Some(name.into()), Limits::default());
        let down = vec![Heading::Down];
        let found = measured(&Test { headings: down, ..quick(server.address, 4) });
        assert_eq!(found.download.unwrap().congestion.as_deref(), Some(name));
    }
}

#[test]
fn a_test_that_is_stopped_keeps_what_it_has() {
    let server = Running::with(Limits::default());
    let asked = AtomicBool::new(false);
    let stop = || asked.load(Ordering::Relaxed);
    let mut tell = |progress: responsiveness::Progress| {
        asked.store(progress.intervals == 3, Ordering::Relaxed);
    };
    let found = test(&quick(server.address, 12), &stop, &mut tell).unwrap();
    assert_eq!(found.partial_reason, Some(IncompleteResponsiveness::Interrupted));
    let download = found.download.unwrap();
    assert!(download.goodput_mbit.is_some() && found.upload.is_none());
    assert_eq!(download.rpm_confidence, Confidence::Low);
}

#[test]
fn the_rate_of_a_server_is_bounded() {
    let limits = Limits { rate: Some(Rate::from_mbit(40)), ..Limits::default() };
    let server = Running::with(limits);
    let found = measured(&quick(server.address, 20));
    for loaded in [found.download.unwrap(), found.upload.unwrap()] {
        let rate = loaded.goodput_mbit.unwrap();
        assert!(rate < 60.0, "{rate} Mbit/s");
    }
}

#[test]
fn a_load_that_breaks_off_is_told() {
    let [lifetime, idle] = [250, 50].map(Duration::from_millis);
    let limits = Limits { lifetime, idle, ..Limits::default() };
    let server = Running::with(limits);
    let found = measured(&quick(server.address, 30));
    let Some(IncompleteResponsiveness::LoadFailed { error }) = found.partial_reason else {
        panic!("{found:?}");
    };
    assert!(error.starts_with("GET https://"), "{error}");
    assert!(found.download.unwrap().goodput_mbit.is_some());
}

#[test]
fn nobody_vouches_for_a_certificate_of_our_own() {
    let server = Running::with(Limits::default());
    let strict = Test { trust: Trust::System, ..quick(server.address, 2) };
    match test(&strict, &|| false, &mut |_| ()) {
        // A machine without certificates trusts no server, and reports that.
        Err(Error::Tls { .. } | Error::Start(_)) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_is_too_many_or_says_nothing_is_sent_away() {
    let patience = Duration::from_secs(2);
    let server = Running::with(Limits { connections_of_one: 2, patience, ..Limits::default() });
    let connect = || TcpStream::connect(server.address).unwrap();
    let end = |mut guest: TcpStream| {
        guest.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        guest.read(&mut [0; 64]).map_or(0, |read| read)
    };
    let silent = [connect(), connect()];
    assert_eq!(end(connect()), 0, "a third one is too many");
    assert_eq!(silent.map(end), [0, 0], "who says nothing has no place");
    let attempt =
        || test(&Test { headings: Vec::new(), ..quick(server.address, 1) }, &|| false, &mut |_| ());
    // A place is free a moment after its connection is closed.
    let found = (0..100).map(|_| attempt()).find(Result::is_ok);
    assert!(found.is_some(), "there is room again: {:?}", attempt());
}

#[test]
fn nonsense_does_no_harm() {
    let server = Running::with(Limits::default());
    for nonsense in [&b"GET / HTTP/1.0\r\n\r\n"[..], &[0x16, 3, 1, 0xff, 0xff], &[0; 70_000]] {
        let mut guest = TcpStream::connect(server.address).unwrap();
        let _ = guest.write_all(nonsense);
    }
    assert!(measured(&quick(server.address, 2)).download.is_some());
}

#[test]
fn a_server_that_is_none_is_named() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let failed = test(&quick(closed, 1), &|| false, &mut |_| ()).unwrap_err();
    assert!(!failed.is_input());
    assert!(failed.to_string().starts_with(&format!("cannot connect to {closed}")), "{failed}");
    let wrong = Test { url: "nq.example".into(), ..quick(closed, 1) };
    let failed = test(&wrong, &|| false, &mut |_| ()).unwrap_err();
    assert!(failed.is_input(), "{failed}");
}
