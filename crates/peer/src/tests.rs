use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};

use super::*;

/// A client of this port.
fn client(peer: &mut Peer, port: u16) -> io::Result<TcpStream> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let client = TcpStream::connect(listener.local_addr()?)?;
    client.set_read_timeout(Some(Duration::from_secs(30)))?;
    peer.serve(listener.accept()?.0, port)?;
    Ok(client)
}

#[test]
fn small_services_do_what_their_standards_say() {
    let mut peer = Peer::default();
    let mut echo = client(&mut peer, ECHO).unwrap();
    echo.write_all(b"hello").unwrap();
    let mut heard = [0; 5];
    echo.read_exact(&mut heard).unwrap();
    assert_eq!(&heard, b"hello");
    let mut chargen = client(&mut peer, CHARGEN).unwrap();
    let mut lines = [0; 2 * 74];
    chargen.read_exact(&mut lines).unwrap();
    assert!(lines.starts_with(b" !\"#$%&'()*") && lines[72..].starts_with(b"\r\n!\"#"));
    let mut discard = client(&mut peer, DISCARD).unwrap();
    discard.write_all(&[0; 100_000]).unwrap();
    discard.shutdown(Shutdown::Write).unwrap();
    assert_eq!(discard.read(&mut heard).unwrap(), 0);
}

#[test]
fn a_client_that_reads_nothing_keeps_nobody_waiting() {
    let mut peer = Peer::default();
    let mut greedy: Vec<_> = (0..10).map(|_| client(&mut peer, CHARGEN).unwrap()).collect();
    let mut echo = client(&mut peer, ECHO).unwrap();
    echo.write_all(b"hello").unwrap();
    echo.read_exact(&mut [0; 5]).unwrap();
    greedy.iter_mut().for_each(|client| client.read_exact(&mut [0; 1000]).unwrap());
}

#[test]
fn a_connection_that_is_over_makes_room_for_another() {
    let mut peer = Peer::default();
    let mut client = client(&mut peer, ECHO).unwrap();
    assert_eq!(peer.permits.available_permits(), MOST_CLIENTS - 1);
    client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(client.read(&mut [0; 1]).unwrap(), 0);
    drop(client);
    while peer.permits.available_permits() < MOST_CLIENTS {
        std::thread::yield_now();
    }
}

#[test]
fn nobody_is_waited_for() {
    let mut peer = Peer::default();
    let silent = client(&mut peer, HTTP).unwrap();
    drop(peer);
    assert_eq!((&silent).read(&mut [0; 1]).unwrap_or(0), 0);
}

#[test]
fn clients_beyond_the_bound_are_sent_away() {
    let mut peer = Peer::default();
    let clients: Vec<_> = (0..MOST_CLIENTS).map(|_| client(&mut peer, ECHO).unwrap()).collect();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut one_more = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    assert!(peer.serve(listener.accept().unwrap().0, ECHO).is_err());
    let error = one_more.read(&mut [0; 1]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    drop(clients);
}
