//! A line of real kernels: the client, the router, two more routers, the server.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use kernel::Clock;
use measure::client::Family;
use measure::server::{Options, Server};
use netlink_packet_route::link::{LinkFlags, LinkMessage};
use units::{Bytes, Rate, Span};
use watch::{News, Politeness, Settings, Target, Watcher};

use crate::chain::{Chain, address};

/// The nodes of the line.
pub(crate) const CLIENT: usize = 0;
pub(crate) const ROUTER: usize = 1;
pub(crate) const LAST_ROUTER: usize = 3;
pub(crate) const SERVER: usize = 4;

/// A second of somebody who waits for real kernels.
#[expect(clippy::disallowed_methods, reason = "the kernels in between are real")]
pub(crate) fn pause(millis: u64) {
    thread::sleep(Duration::from_millis(millis));
}

pub(crate) fn line() -> Chain {
    Chain::new(3)
}

/// The address of a node at its left side.
pub(crate) fn at(node: usize) -> IpAddr {
    address(false, node - 1, 2)
}

/// Watches targets from the client, ten times a second, while `events` happens. Returns the names of what is
/// probed, and the news.
pub(crate) fn watched(
    chain: &Chain,
    targets: &[String],
    events: impl FnOnce(&Chain) + Send,
) -> (Vec<String>, Vec<News>) {
    let targets: Vec<Target> = targets.iter().map(|it| it.parse().unwrap()).collect();
    let settings = Settings {
        targets,
        every: Some(Span::from_millis(100)),
        politeness: Politeness::Own,
        family: Family::V4,
        hops: 3,
        token: None,
    };
    let watch = || Watcher::start(settings, Clock::start()).unwrap();
    let watcher = chain.nodes[CLIENT].run(watch).unwrap();
    events(chain);
    let names = watcher.probed().iter().map(|it| it.name.clone()).collect();
    (names, watcher.news().try_iter().collect())
}

/// Runs `work` while a node sends datagrams of UDP to an address at this rate.
pub(crate) fn flooded(chain: &Chain, node: usize, to: IpAddr, rate: Rate, work: impl FnOnce()) {
    const PAYLOAD: usize = 1172;
    const FRAME: u64 = 1214;
    let stop = AtomicBool::new(false);
    let flood = || {
        let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
        let clock = Clock::start();
        let mut sent = 0;
        while !stop.load(Ordering::Relaxed) {
            let due = (rate * clock.now().since(units::Time::ZERO)).0 / FRAME;
            while sent < due {
                // What has no room is dropped here, as it is anywhere.
                let _ = socket.send_to(&[0; PAYLOAD], (to, 9));
                sent += 1;
            }
            pause(2);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| chain.nodes[node].run(flood).unwrap());
        work();
        stop.store(true, Ordering::Relaxed);
    });
}

/// Runs `work` while the client copies to the router, which is on its link, by TCP at 20 Mbit/s.
pub(crate) fn copied(chain: &Chain, work: impl FnOnce()) {
    const PART: usize = 25_000;
    let (listener, address) = listener(chain, ROUTER);
    let stop = AtomicBool::new(false);
    let copy = || {
        let mut stream = TcpStream::connect(address).unwrap();
        while !stop.load(Ordering::Relaxed) {
            stream.write_all(&[0; PART]).unwrap();
            pause(10);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| io::copy(&mut listener.accept().unwrap().0, &mut io::sink()).unwrap());
        scope.spawn(|| chain.nodes[CLIENT].run(copy).unwrap());
        work();
        stop.store(true, Ordering::Relaxed);
    });
}

/// Makes a node's end of a link carry 1 Mbit/s, with a buffer of two seconds: it does not overflow, so that
/// all is known soon.
pub(crate) fn narrow(chain: &Chain, node: usize, device: &str) {
    chain.add_bucket(node, device, Rate::from_mbit(1), Bytes(250_000));
}

/// A listening socket of TCP at a node.
pub(crate) fn listener(chain: &Chain, node: usize) -> (TcpListener, SocketAddr) {
    let listener = chain.nodes[node].run(|| TcpListener::bind((at(node), 0)).unwrap()).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Runs `work` while a server of ours runs at a node, at the address that `work` is told.
pub(crate) fn served<T>(chain: &Chain, node: usize, work: impl FnOnce(SocketAddr) -> T) -> T {
    let options = Options { addresses: vec![(at(node), 0).into()], ..Options::default() };
    let server = chain.nodes[node].run(|| Server::bind(options).unwrap()).unwrap();
    let (address, stopper) = (server.addresses()[0], server.stopper());
    thread::scope(|scope| {
        scope.spawn(|| chain.nodes[node].run(|| server.run(|_| {}).unwrap()).unwrap());
        let done = work(address);
        stopper.stop();
        done
    })
}

/// Plugs the client's cable in again, which has lost its routes with it.
pub(crate) fn mend(chain: &Chain) {
    let up = |link: &mut LinkMessage| {
        link.header.flags = LinkFlags::Up;
        link.header.change_mask = LinkFlags::Up;
    };
    chain.change(CLIENT, "right", up);
    chain.add_routes_of(CLIENT, false);
}
