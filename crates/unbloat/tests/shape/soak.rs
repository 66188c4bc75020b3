//! A shaper at work while everything around it goes wrong: TCP in both directions over both families,
//! whose bytes are compared, and pings; a fault every few seconds. `SOAK=3600` does so for an hour;
//! without it, each fault comes once.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Scope};
use std::time::Duration;

use kernel::Clock;
use rustix::process::Signal;

use crate::chain::address;
use crate::ends::{lost, pause, pings};
use crate::shaper::{Line, Shaper};

const QUEUES: [&str; 5] =
    ["right", "--up", "cake bandwidth 60mbit", "--down", "cake bandwidth 60mbit ingress"];

/// What a connection carries, again and again: no packet has a whole number of rounds.
const ROUND: usize = 251;

/// The bytes that a connection moves between two faults; less, and it stands still.
const GOES_ON: u64 = 100_000;

/// The time within which a connection goes on after a fault, in seconds. TCP's timer doubles while the
/// interface is away (RFC 6298, section 5.5).
const WITHIN: f64 = 20.0;

/// The pings around a fault, and the time between them.
const PINGS: usize = 60;
const EVERY: Duration = Duration::from_millis(25);

/// A fault, with its name in what is printed.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    Killed,
    Stopped,
    Hanging,
    Down,
    Removed,
    Renamed,
    Mtu,
    OtherRates,
    Asked,
    Flooded,
}

use Fault::{Asked, Down, Flooded, Hanging, Killed, Mtu, OtherRates, Removed, Renamed, Stopped};

const FAULTS: [Fault; 10] =
    [Killed, Mtu, Hanging, Stopped, Down, Flooded, Removed, OtherRates, Renamed, Asked];

impl Fault {
    /// True if a new process follows.
    fn ends_the_process(self) -> bool {
        matches!(self, Killed | Stopped)
    }

    /// True if the fault takes nothing from a shaper that works, so that a ping can only be lost by it.
    fn is_harmless(self) -> bool {
        matches!(self, Stopped | Renamed | OtherRates | Asked)
    }

    /// Happens for this time, where that can be chosen. Returns the shaper that is at work then.
    fn happen<'a>(self, line: &'a Line, shaper: Shaper<'a>, time: Duration) -> Shaper<'a> {
        match self {
            Killed | Stopped => return ended(self, line, shaper),
            Hanging => {
                shaper.signal(Signal::STOP);
                pause(time);
                shaper.signal(Signal::CONT);
            }
            Down => {
                line.ip(1, &["link", "set", "right", "down"]);
                pause(time);
                line.ip(1, &["link", "set", "right", "up"]);
                // The kernel forgets the addresses of IPv6 with the link.
                line.ip(1, &["addr", "replace", "fd00:1::1/64", "dev", "right", "nodad"]);
            }
            Removed => {
                line.remove();
                pause(time);
                line.make_again();
                shaper.wait_for("shaping right");
            }
            Renamed => {
                for (from, to) in [("right", "elsewhere"), ("elsewhere", "right")] {
                    line.ip(1, &["link", "set", from, "name", to]);
                    shaper.wait_for(&format!("{from} has the name {to} now"));
                }
            }
            Mtu => {
                for mtu in ["1280", "9000", "1500"] {
                    line.ip(1, &["link", "set", "right", "mtu", mtu]);
                    pause(time / 3);
                }
            }
            OtherRates => {
                for rate in ["20mbit", "100mbit", "60mbit"] {
                    let queue = format!("cake bandwidth {rate}");
                    let set = line.output(&["set", "right", "--up", &queue, "--down", &queue]);
                    assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
                }
            }
            Asked => (0..30).for_each(|_| assert!(shaper.status()["up"].is_object())),
            Flooded => flood(line, time),
        }
        shaper
    }
}

/// Ends the process, and starts another one.
fn ended<'a>(fault: Fault, line: &'a Line, shaper: Shaper<'a>) -> Shaper<'a> {
    shaper.signal(if fault == Killed { Signal::KILL } else { Signal::TERM });
    let code = shaper.end();
    assert_eq!(code, if fault == Killed { None } else { Some(0) });
    line.wait_for_no_devices();
    line.shape(&QUEUES)
}

/// Sends twice as many datagrams as the queue of uploads takes.
fn flood(line: &Line, time: Duration) {
    let socket = line.chain.nodes[0].run(|| UdpSocket::bind("0.0.0.0:0").unwrap()).unwrap();
    let (clock, packet) = (Clock::start(), [0; 1400]);
    while Duration::from_nanos(clock.now().as_nanos()) < time {
        for _ in 0..11 {
            let _ = socket.send_to(&packet, (address(false, 1, 2), 9));
        }
        pause(Duration::from_millis(1));
    }
}

/// A connection between the two ends of the line, whose bytes are compared.
struct Connection {
    from: TcpStream,
    to: TcpStream,
    /// The bytes that have arrived as they were sent.
    moved: AtomicU64,
}

impl Connection {
    /// A connection whose data goes up, or down.
    fn new(line: &Line, is_upload: bool, is_ipv6: bool) -> Self {
        let [client, _, server] = &line.chain.nodes[..] else { panic!("three nodes") };
        let to = (address(is_ipv6, 1, 2), 6001);
        let listener = server.run(|| TcpListener::bind(to).unwrap()).unwrap();
        let near = client.run(|| TcpStream::connect(to).unwrap()).unwrap();
        let (far, _) = listener.accept().unwrap();
        let (from, to) = if is_upload { (near, far) } else { (far, near) };
        Self { from, to, moved: AtomicU64::new(0) }
    }

    /// Sends until the soak is over, and compares what arrives.
    fn start<'a>(&'a self, scope: &'a Scope<'a, '_>, is_over: &'a AtomicBool) {
        scope.spawn(|| {
            let data: Vec<u8> = (0..ROUND * 256).map(|at| (at % ROUND) as u8).collect();
            while !is_over.load(Ordering::Relaxed) {
                (&self.from).write_all(&data).expect("the connection lives");
            }
            self.from.shutdown(Shutdown::Write).expect("the connection lives");
        });
        scope.spawn(|| {
            let data: Vec<u8> = (0..ROUND * 258).map(|at| (at % ROUND) as u8).collect();
            let (mut buffer, mut at) = (vec![0; ROUND * 256], 0);
            loop {
                let len = (&self.to).read(&mut buffer).expect("the connection lives");
                assert!(buffer[..len] == data[at..at + len], "other bytes arrive than were sent");
                at = (at + len) % ROUND;
                self.moved.fetch_add(len as u64, Ordering::Relaxed);
                if len == 0 {
                    break;
                }
            }
        });
    }

    fn moved(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }
}

/// Tells all connections that the soak is over when it is dropped, also by a test that fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What a process holds: descriptors, threads, and memory in kB.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Held {
    descriptors: usize,
    threads: usize,
    memory: usize,
}

impl Held {
    fn by(shaper: &Shaper<'_>) -> Self {
        let folder = format!("/proc/{}", shaper.id());
        let count = |name: &str| std::fs::read_dir(format!("{folder}/{name}")).unwrap().count();
        let status = std::fs::read_to_string(format!("{folder}/status")).unwrap();
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let memory = memory.split_whitespace().next().unwrap().parse().unwrap();
        Self { descriptors: count("fd"), threads: count("task"), memory }
    }
}

/// The time that the environment asks for, in seconds; none asks for one fault of each kind.
fn asked() -> f64 {
    #[expect(clippy::disallowed_methods, reason = "a test takes its length from the environment")]
    let soak = std::env::var("SOAK");
    soak.map_or(0.0, |soak| soak.parse().expect("SOAK is a number of seconds"))
}

/// Lets one fault happen among pings, and waits until every connection goes on.
fn around<'a>(
    line: &'a Line,
    shaper: Shaper<'a>,
    connections: &[Connection],
    fault: Fault,
    time: Duration,
) -> Shaper<'a> {
    let (shaper, pings) = thread::scope(|scope| {
        let pinging = scope.spawn(|| pings(line, PINGS, EVERY));
        pause(Duration::from_millis(300));
        let shaper = fault.happen(line, shaper, time);
        (shaper, pinging.join().unwrap())
    });
    let before: Vec<_> = connections.iter().map(Connection::moved).collect();
    let clock = Clock::start();
    let goes_on = |(connection, before): (&Connection, &u64)| connection.moved() > before + GOES_ON;
    while !connections.iter().zip(&before).all(goes_on) {
        let waited = clock.now().as_secs_f64();
        assert!(waited < WITHIN, "{fault:?}: a connection stands still");
        pause(Duration::from_millis(20));
    }
    println!(
        "{fault:?} for {} ms: {} of {PINGS} pings lost, all connections go on after {:.2} s",
        time.as_millis(),
        lost(&pings),
        clock.now().as_secs_f64()
    );
    // A busy machine may lose one.
    assert!(!fault.is_harmless() || lost(&pings) <= 1, "{fault:?}: {pings:?}");
    shaper
}

/// In the second half nothing ends the process, so that one process sees all of its faults.
#[test]
fn nothing_breaks_and_nothing_is_held_while_all_goes_wrong() {
    let Some(line) = Line::new() else { return };
    let (soak, clock) = (asked(), Clock::start());
    let connections = [(false, false), (false, true), (true, false), (true, true)]
        .map(|(is_upload, is_ipv6)| Connection::new(&line, is_upload, is_ipv6));
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let _over = Over(&is_over);
        connections.iter().for_each(|connection| connection.start(scope, &is_over));
        let mut shaper = line.shape(&QUEUES);
        let mut held = None;
        let mut number = 0;
        while number < FAULTS.len() || clock.now().as_secs_f64() < soak {
            let fault = FAULTS[number % FAULTS.len()];
            // The golden ratio spreads the times.
            let time = Duration::from_millis(50 + (number * 618 % 1000) as u64);
            let is_second_half = clock.now().as_secs_f64() > soak / 2.0;
            number += 1;
            if is_second_half && fault.ends_the_process() && number > FAULTS.len() {
                continue;
            }
            shaper = around(&line, shaper, &connections, fault, time);
            if is_second_half && number % FAULTS.len() == 0 {
                let now = Held::by(&shaper);
                let first = *held.get_or_insert(now);
                println!("{number} faults, {:.0} s: {now:?}", clock.now().as_secs_f64());
                assert_eq!([now.descriptors, now.threads], [first.descriptors, first.threads]);
            }
        }
    });
    let moved: Vec<_> = connections.iter().map(|it| it.moved() / 1_000_000).collect();
    println!("{moved:?} MB, of which no byte was another");
}
