use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, UdpSocket};
use std::thread;

use super::*;
use crate::dns_relay::tests::message;
use crate::ingress::Destination;

fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (one, listener.accept().unwrap().0)
}

/// Proxies a connection to `world`, on a thread that ends when both directions have ended.
fn proxied(world: SocketAddr) -> (TcpStream, thread::JoinHandle<io::Result<()>>) {
    let (client, inside) = connection();
    let mut connection = ProxyConnection::dial(inside, world, Time::ZERO).unwrap();
    let working = thread::spawn(move || {
        let (poll, mut scratch) = (Poll::new()?, vec![0; PIECE]);
        connection.register(&poll, 0)?;
        loop {
            for (token, flags) in poll.wait(Duration::from_secs(10))? {
                match connection.turn(&poll, &mut scratch, token, flags, Time::ZERO) {
                    Ok(false) => {}
                    Ok(true) => return Ok(()),
                    Err(error) => {
                        connection.reset();
                        return Err(error);
                    }
                }
            }
        }
    });
    (client, working)
}

#[test]
fn a_proxied_connection_is_one_with_halves_that_close_apart() {
    let world = TcpListener::bind("127.0.0.1:0").unwrap();
    let (mut client, working) = proxied(world.local_addr().unwrap());
    let (mut server, _) = world.accept().unwrap();
    let upload = vec![1; 5_000_000];
    let sending = thread::spawn(move || {
        client.write_all(&upload).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer
    });
    let mut got = Vec::new();
    server.read_to_end(&mut got).unwrap();
    assert_eq!(got.len(), 5_000_000);
    server.write_all(b"thanks").unwrap();
    drop(server);
    assert_eq!(sending.join().unwrap(), "thanks");
    working.join().unwrap().unwrap();
}

#[test]
fn a_reset_goes_through_in_both_directions() {
    let world = TcpListener::bind("127.0.0.1:0").unwrap();
    let (mut client, working) = proxied(world.local_addr().unwrap());
    let (server, _) = world.accept().unwrap();
    reset(&server);
    drop(server);
    assert_eq!(client.read(&mut [0; 1]).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    assert!(working.join().unwrap().is_err());

    let (client, working) = proxied(world.local_addr().unwrap());
    let (mut server, _) = world.accept().unwrap();
    reset(&client);
    drop(client);
    assert_eq!(server.read(&mut [0; 1]).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    assert!(working.join().unwrap().is_err());
}

#[test]
fn whoever_cannot_be_reached_is_reset() {
    let world = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (mut client, working) = proxied(world);
    assert!(working.join().unwrap().is_err());
    assert_eq!(client.read(&mut [0; 1]).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
}

/// A socket of the world, and the destination that leads to it.
fn udp() -> (UdpSocket, Destination) {
    let world = UdpSocket::bind("127.0.0.1:0").unwrap();
    world.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let address = world.local_addr().unwrap();
    (world, Destination { is_udp: true, address })
}

fn client(port: u16) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, 1], port))
}

/// A client of this destination, at this port.
fn through(destination: Destination, port: u16) -> Parties {
    Parties { destination, client: client(port), world: destination.address }
}

#[test]
fn datagrams_go_there_and_answers_come_back_from_there_only() {
    let (world, destination) = udp();
    let poll = Poll::new().unwrap();
    let mut datagrams = Datagrams::new(2);
    datagrams.send(through(destination, 1), b"hello", &poll, Time::ZERO).unwrap();
    let mut buffer = [0; 100];
    let (length, gateway) = world.recv_from(&mut buffer).unwrap();
    assert_eq!(&buffer[..length], b"hello");

    UdpSocket::bind("127.0.0.1:0").unwrap().send_to(b"stranger", gateway).unwrap();
    world.send_to(b"answer", gateway).unwrap();
    let events = poll.wait(Duration::from_secs(10)).unwrap();
    let [(Token::Datagrams(slot), _)] = events[..] else { panic!("{events:?}") };
    let mut heard = Vec::new();
    datagrams.receive(slot, &mut buffer, Time::ZERO, |parties, bytes| {
        heard.push((parties, bytes.to_vec()));
    });
    assert_eq!(heard, [(through(destination, 1), b"answer".to_vec())]);
}

#[test]
fn the_silent_and_the_oldest_are_forgotten() {
    let (_world, destination) = udp();
    let poll = Poll::new().unwrap();
    let at = |seconds| Time::ZERO + Span::from_secs(seconds);
    let mut datagrams = Datagrams::new(2);
    for (port, seconds) in [(1, 1), (2, 2), (3, 3)] {
        datagrams.send(through(destination, port), b"x", &poll, at(seconds)).unwrap();
    }
    let known =
        |datagrams: &Datagrams| [1, 2, 3].map(|port| datagrams.knows(through(destination, port)));
    assert_eq!(known(&datagrams), [false, true, true]);
    datagrams.sweep(at(62));
    assert_eq!(known(&datagrams), [false, true, true]);
    datagrams.sweep(at(63));
    assert_eq!(known(&datagrams), [false, false, true]);
}

#[test]
fn who_could_not_be_heard_is_forgotten() {
    let (world, destination) = udp();
    let poll = Poll::new().unwrap();
    let mut datagrams = Datagrams::new(2);
    let unwatched = Poll::broken();
    datagrams.send(through(destination, 1), b"x", &unwatched, Time::ZERO).unwrap_err();
    assert!(!datagrams.knows(through(destination, 1)));
    datagrams.send(through(destination, 1), b"again", &poll, Time::ZERO).unwrap();
    let mut buffer = [0; 100];
    let (length, _) = world.recv_from(&mut buffer).unwrap();
    assert_eq!(&buffer[..length], b"again");
}

/// The peer.
fn peer() -> IpAddr {
    IpAddr::from([10, 0, 0, 2])
}

/// A gateway with one socket, until it is dropped.
struct Serving {
    stop: Arc<AtomicBool>,
    waker: Waker,
    thread: Option<thread::JoinHandle<()>>,
}

impl Serving {
    fn behind(destination: Destination, socket: OwnedFd, resolvers: Vec<SocketAddr>) -> Self {
        let mut world = World::new([peer(), peer()], Vec::new());
        world.resolvers = resolvers;
        let (gateway, waker) = Gateway::new(world, 16).unwrap();
        waker.opened.send(Opened { destination, socket, instead_of: None }).unwrap();
        waker.wake();
        let stop = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&stop);
        let thread = Some(thread::spawn(move || gateway.run(&until).unwrap()));
        Self { stop, waker, thread }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.waker.wake();
        self.thread.take().unwrap().join().unwrap();
    }
}

/// A gateway with these resolvers, and a client of its DNS socket.
fn asking(resolvers: &[&UdpSocket]) -> (Serving, UdpSocket) {
    let (socket, stand_in) = udp();
    socket.set_nonblocking(true).unwrap();
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    client.connect(stand_in.address).unwrap();
    let destination = Destination { is_udp: true, address: (peer(), DNS).into() };
    let resolvers = resolvers.iter().map(|socket| socket.local_addr().unwrap()).collect();
    (Serving::behind(destination, socket.into(), resolvers), client)
}

fn next(socket: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut buffer = vec![0; 512];
    let (length, from) = socket.recv_from(&mut buffer).unwrap();
    buffer.truncate(length);
    (buffer, from)
}

#[test]
fn two_questions_of_one_client_are_both_answered() {
    let (resolver, other) = (udp().0, udp().0);
    let (_gateway, client) = asking(&[&resolver, &other]);
    let questions = [message(1, b'x', 1), message(2, b'x', 28)];
    for question in &questions {
        client.send(question).unwrap();
    }
    let asked = [next(&resolver), next(&resolver)];
    for (question, (heard, gateway)) in questions.iter().zip(&asked) {
        assert_eq!(heard, question);
        resolver.send_to(heard, gateway).unwrap();
    }
    assert_eq!([next(&client).0, next(&client).0], questions);
}

#[test]
fn who_asks_again_is_answered_by_the_next_resolver_or_late_by_the_first() {
    let (resolver, other) = (udp().0, udp().0);
    let (_gateway, client) = asking(&[&resolver, &other]);
    let question = message(1, b'x', 1);
    client.send(&question).unwrap();
    let (_, first) = next(&resolver);
    // A true repeat comes after a while.
    client.set_read_timeout(Some(Duration::from_millis(700))).unwrap();
    client.recv(&mut [0; 1]).unwrap_err();
    client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    client.send(&question).unwrap();
    let (heard, second) = next(&other);
    assert_eq!(heard, question);
    resolver.send_to(b"late answer", first).unwrap();
    assert_eq!(next(&client).0, b"late answer");
    other.send_to(b"answer", second).unwrap();
    assert_eq!(next(&client).0, b"answer");
}

#[test]
fn the_peer_asks_the_resolvers_of_the_host_and_is_reached_itself() {
    let [peer, other]: [IpAddr; 2] = [[10, 0, 0, 2].into(), [9, 9, 9, 9].into()];
    let mut world = World::new([peer, "fd00::2".parse().unwrap()], vec![other, [8; 4].into()]);
    let found = |world: &World, ip, port| {
        world.destination(SocketAddr::new(ip, port)).map(|to| to.to_string())
    };
    assert_eq!(found(&world, peer, 80), None);
    assert_eq!(found(&world, peer, 53).as_deref(), Some("9.9.9.9:53"));
    assert_eq!(found(&world, other, 443).as_deref(), Some("9.9.9.9:443"));
    world.resolver += 1;
    assert_eq!(found(&world, peer, 53).as_deref(), Some("8.8.8.8:53"));
    world.resolvers.clear();
    assert_eq!(found(&world, peer, 53), None);
}

#[test]
fn only_a_shortage_ends_a_connection_of_somebody_else() {
    for (errno, is) in [(Errno::MFILE, true), (Errno::NOMEM, true), (Errno::PERM, false)] {
        assert_eq!(is_shortage(&errno.into()), is, "{errno}");
    }
}

#[test]
fn nobody_is_put_through_to_the_loopback_of_the_host() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let destination = Destination { is_udp: false, address: listener.local_addr().unwrap() };
    listener.set_nonblocking(true).unwrap();
    let _gateway = Serving::behind(destination, listener.into(), Vec::new());
    let mut client = TcpStream::connect(destination.address).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert_eq!(client.read(&mut [0; 1]).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
}
