//! Traffic through a shaped interface.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::Duration;

use kernel::Clock;

use crate::ends::{exchange, pause, pings};
use crate::shaper::{Line, Shaper};

const UP: &str = "cake bandwidth 18mbit";
const DOWN: &str = "cake bandwidth 90mbit ingress";

/// The most of its limit that a rate may be: the clock is read some milliseconds beside the count.
const MOST: f64 = 1.01;

/// The most of a shaper's lateness with which its rate and its delays are judged, in microseconds. On a
/// busier machine they are the machine's.
pub(crate) const PUNCTUAL: f64 = 5_000.0;

/// The rate in Mbit/s at which the router sends the frames of a TCP flow that lasts for some seconds,
/// without the first: from the client to the server, or back. The kernel counts them.
pub(crate) fn rate(line: &Line, is_upload: bool) -> f64 {
    let nodes = &line.chain.nodes;
    let (sender, receiver, link, device) = match is_upload {
        true => (&nodes[0], &nodes[2], 1, "right"),
        false => (&nodes[2], &nodes[0], 0, "left"),
    };
    let address = (crate::chain::address(false, link, if is_upload { 2 } else { 1 }), 5001);
    let listener = receiver.run(|| TcpListener::bind(address).unwrap()).unwrap();
    let mut from = sender.run(|| TcpStream::connect(address).unwrap()).unwrap();
    let (mut to, _) = listener.accept().unwrap();
    let sending = thread::spawn(move || while from.write_all(&[0; 1 << 16]).is_ok() {});
    let receiving = to.try_clone().unwrap();
    let reading =
        thread::spawn(move || while to.read(&mut [0; 1 << 16]).is_ok_and(|len| len > 0) {});
    pause(Duration::from_secs(1));
    let (clock, before) = (Clock::start(), sent(line, device));
    pause(Duration::from_secs(3));
    let bytes = sent(line, device) - before;
    let rate = bytes as f64 * 8.0 / 1e6 / clock.now().as_secs_f64();
    receiving.shutdown(Shutdown::Both).unwrap();
    sending.join().unwrap();
    reading.join().unwrap();
    rate
}

/// True if the machine has kept the shaper from the processor for so long that packets passed by it:
/// then its rate is not judged. The shaper counts them at the end of each second, which is awaited.
fn has_hung(shaper: &Shaper<'_>, way: &str) -> bool {
    /// ARP and the like, which never come to a shaper, are some hundred bytes.
    const FEW: u64 = 20_000;
    pause(Duration::from_millis(1500));
    let missed = shaper.status()[way]["missed_bytes"].as_u64().unwrap();
    if missed > FEW {
        println!(
            "{way}: not judged, since {missed} bytes passed by a shaper that was not heard of"
        );
    }
    missed > FEW
}

/// The bytes that a device of the router has sent.
fn sent(line: &Line, device: &str) -> u64 {
    /// The column of /proc/thread-self/net/dev.
    const SENT: usize = 9;
    let list = || std::fs::read_to_string("/proc/thread-self/net/dev").unwrap();
    let list = line.chain.nodes[1].run(list).unwrap();
    let row = list.lines().find(|line| line.trim_start().starts_with(device)).unwrap();
    row.replace(':', " ").split_whitespace().nth(SENT).unwrap().parse().unwrap()
}

/// The rate of CAKE is that of frames.
#[test]
fn a_flow_gets_the_rate_and_no_more() {
    let Some(line) = Line::new() else { return };
    let shaper = line.shape(&["right", "--up", UP, "--down", DOWN]);
    for (is_upload, way, limit) in [(true, "up", 18.0), (false, "down", 90.0)] {
        let rate = rate(&line, is_upload);
        let status = shaper.status();
        if rate >= limit * MOST && has_hung(&shaper, way) {
            continue;
        }
        assert!(rate < limit * MOST, "{way}: {rate} Mbit/s");
        let late = status["lateness_us"].as_f64().unwrap_or(f64::MAX);
        if late > PUNCTUAL {
            println!("{way}: not judged, since packets were {late} us late");
            continue;
        }
        assert!(rate > limit * 0.9, "{way}: {rate} Mbit/s");
        let direction = &status[way];
        assert_eq!(direction["limit_mbit"], limit);
        assert!(direction["tc"]["packets"].as_u64().unwrap() > 1000, "{direction}");
        assert!(direction["delay_ms"]["p50"].as_f64().unwrap() < 20.0, "{direction}");
    }
}

/// Super-packets are cut, and their checksums completed by whoever receives them.
#[test]
fn data_arrives_as_it_was_sent() {
    let Some(line) = Line::new() else { return };
    let data: Vec<u8> = (0..6_000_000_u32).map(|n| (n ^ n >> 8 ^ n >> 16) as u8).collect();
    let queues = ["cake bandwidth 200mbit", "cake bandwidth 1gbit", "fq_codel"];
    for queue in queues {
        let _shaper = line.shape(&["right", "--up", queue, "--down", queue]);
        for is_ipv6 in [false, true] {
            let back = exchange(&line, is_ipv6, &data);
            assert!(back == data, "{queue}: {} bytes came back", back.len());
        }
    }
}

/// A kind that has no rate of its own gets one.
#[test]
fn any_queue_can_shape() {
    let Some(line) = Line::new() else { return };
    for queue in ["fq_codel", "pie", "codel", "cobalt", "pfifo limit 100"] {
        let shaper = line.shape(&["right", "--up", queue, "--up-rate", "20mbit"]);
        let rate = rate(&line, true);
        let status = shaper.status();
        if rate >= 20.0 * MOST && has_hung(&shaper, "up") {
            continue;
        }
        assert!(rate < 20.0 * MOST, "{queue}: {rate} Mbit/s");
        assert_eq!(status["up"]["limit_mbit"], 20.0, "{queue}");
        assert!(status["down"].is_null());
    }
}

/// What is for several stations, and what keeps the neighbours known, goes past the queue.
#[test]
fn what_keeps_the_interface_alive_passes() {
    let Some(line) = Line::new() else { return };
    let shaper = line.shape(&["right", "--up", "pfifo limit 1", "--up-rate", "64kbit"]);
    let [_, router, server] = &line.chain.nodes[..] else { panic!("three nodes") };
    // The queue is full all the time.
    let flood = router.run(|| UdpSocket::bind("0.0.0.0:0").unwrap()).unwrap();
    let listener = server
        .run(|| {
            let socket = UdpSocket::bind("0.0.0.0:5353").unwrap();
            let here = "10.0.1.2".parse().unwrap();
            socket.join_multicast_v4(&"239.1.2.3".parse().unwrap(), &here).unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
            socket
        })
        .unwrap();
    let many = router.run(|| UdpSocket::bind("10.0.1.1:0").unwrap()).unwrap();
    for number in 0..50_u8 {
        for _ in 0..20 {
            let _ = flood.send_to(&[0; 1200], "10.0.1.2:9");
        }
        many.send_to(&[number], "239.1.2.3:5353").unwrap();
        let mut buffer = [0; 100];
        assert_eq!(listener.recv(&mut buffer).unwrap(), 1);
        assert_eq!(buffer[0], number);
    }
    assert!(shaper.status()["up"]["tc"]["drops"].as_u64().unwrap() > 100);
}

/// The queue of a flow that overloads it does not delay another flow.
#[test]
fn a_ping_beside_a_load_does_not_wait() {
    let Some(line) = Line::new() else { return };
    let shaper = line.shape(&["right", "--up", UP, "--down", DOWN]);
    thread::scope(|scope| {
        let load = scope.spawn(|| rate(&line, true));
        pause(Duration::from_millis(1500));
        let pings = pings(&line, 100, Duration::from_millis(10));
        let late = shaper.status()["lateness_us"].as_f64().unwrap_or(f64::MAX);
        load.join().unwrap();
        if late > PUNCTUAL {
            return println!("not judged, since packets were {late} us late");
        }
        let mut waits: Vec<_> = pings.iter().flatten().collect();
        waits.sort();
        assert!(waits.len() > 95, "{} of 100 pings came back", waits.len());
        // Without the queue of its own, a ping would wait for a window of hundreds of milliseconds.
        assert!(*waits[waits.len() / 2] < Duration::from_millis(30), "{waits:?}");
    });
}
