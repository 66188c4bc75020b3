use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};

use units::Span;

use super::*;

#[test]
fn a_connection_tells_how_it_is_doing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    set_window_clamp(&listener, 20_000).unwrap();
    set_max_segment(&listener, 1_000).unwrap();
    let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut receiver, _) = listener.accept().unwrap();
    assert_eq!(window_clamp(&receiver).unwrap(), 20_000);
    pace(&sender).unwrap();
    set_unsent_low_water(&sender, 16_384).unwrap();
    sender.write_all(&[1; 5_000]).unwrap();
    receiver.read_exact(&mut [0; 5_000]).unwrap();
    sender.shutdown(std::net::Shutdown::Write).unwrap();
    drop(receiver);
    // The peer's FIN comes after it has acknowledged everything.
    assert_eq!(sender.read(&mut [0]).unwrap_or(0), 0);
    let info = tcp_info(&sender).unwrap();
    assert!(info.acknowledged >= 5_000, "{info:?}");
    assert!(info.srtt.is_some() && info.cwnd > 0, "{info:?}");
    assert_eq!(info.marked, 0, "{info:?}");
}

#[test]
fn what_is_no_connection_tells_nothing() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    assert!(tcp_info(&socket).is_err() && window_clamp(&socket).is_err());
    assert!(set_max_segment(&socket, 1_000).is_err());
}

#[test]
fn datagrams_are_stamped_and_may_be_longer_than_the_room() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    let to = receiver.local_addr().unwrap();
    let mut bytes = [0; 4];
    let none = receive_stamped(&receiver, &mut bytes).unwrap_err();
    assert_eq!(none.kind(), ErrorKind::WouldBlock);
    sender.send_to(b"before", to).unwrap();
    assert_eq!(receive_stamped(&receiver, &mut bytes).unwrap(), (6, None));
    stamp_arrivals(&receiver).unwrap();
    sender.send_to(b"stamped", to).unwrap();
    let (len, age) = receive_stamped(&receiver, &mut bytes).unwrap();
    assert_eq!((len, &bytes), (7, b"stam"));
    assert!(age.is_some_and(|age| age <= Span::from_secs(1)));
}
