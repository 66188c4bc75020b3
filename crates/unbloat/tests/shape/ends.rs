//! Programs at the two ends of a line.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use kernel::Clock;

use crate::chain::address;
use crate::shaper::Line;

/// The time after which an answer is lost.
const LOST: Duration = Duration::from_secs(1);

/// Waits for this time. (A thread that parks may be woken by what it has waited for before.)
#[expect(clippy::disallowed_methods, reason = "the time is that of real packets")]
pub(crate) fn pause(time: Duration) {
    thread::sleep(time);
}

/// Sends data from the client to the server, which sends it back. Returns what comes back.
pub(crate) fn exchange(line: &Line, is_ipv6: bool, data: &[u8]) -> Vec<u8> {
    let [client, _, server] = &line.chain.nodes[..] else { panic!("three nodes") };
    let to = (address(is_ipv6, 1, 2), 5002);
    let listener = server.run(|| TcpListener::bind(to).unwrap()).unwrap();
    let mut stream = client.run(|| TcpStream::connect(to).unwrap()).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            let (mut from, _) = listener.accept().unwrap();
            let mut all = Vec::new();
            from.read_to_end(&mut all).unwrap();
            from.write_all(&all).unwrap();
        });
        let mut sender = stream.try_clone().unwrap();
        scope.spawn(move || {
            sender.write_all(data).unwrap();
            sender.shutdown(Shutdown::Write).unwrap();
        });
        let mut back = Vec::new();
        stream.read_to_end(&mut back).unwrap();
        back
    })
}

/// Sends datagrams from the client to the server, which sends them back. Returns for each how long that
/// took; `None` for those that were lost.
pub(crate) fn pings(line: &Line, count: usize, every: Duration) -> Vec<Option<Duration>> {
    let [client, _, server] = &line.chain.nodes[..] else { panic!("three nodes") };
    let to = (address(false, 1, 2), 7);
    let echo = server.run(|| UdpSocket::bind(to).unwrap()).unwrap();
    echo.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let socket = client.run(|| UdpSocket::bind("0.0.0.0:0").unwrap()).unwrap();
    socket.set_read_timeout(Some(LOST)).unwrap();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut buffer = [0; 100];
            while !is_over.load(Ordering::Relaxed) {
                if let Ok((len, from)) = echo.recv_from(&mut buffer) {
                    let _ = echo.send_to(&buffer[..len], from);
                }
            }
        });
        let clock = Clock::start();
        let elapsed = move || Duration::from_nanos(clock.now().as_nanos());
        let receiver = socket.try_clone().unwrap();
        let receiving = scope.spawn(move || {
            let (mut waits, mut buffer) = (vec![None; count], [0; 8]);
            while let Ok(8) = receiver.recv(&mut buffer) {
                let index = u64::from_ne_bytes(buffer) as usize;
                waits[index] = Some(elapsed() - every * index as u32);
            }
            waits
        });
        for index in 0..count {
            pause((every * index as u32).saturating_sub(elapsed()));
            let _ = socket.send_to(&(index as u64).to_ne_bytes(), to);
        }
        let waits = receiving.join().unwrap();
        is_over.store(true, Ordering::Relaxed);
        waits
    })
}

/// The number of pings that were lost.
pub(crate) fn lost(pings: &[Option<Duration>]) -> usize {
    pings.iter().filter(|ping| ping.is_none()).count()
}
