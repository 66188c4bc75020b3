use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};

use units::{Rate, Span};

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
    stamp_receptions(&receiver).unwrap();
    sender.send_to(b"stamped", to).unwrap();
    let (len, age) = receive_stamped(&receiver, &mut bytes).unwrap();
    assert_eq!((len, &bytes), (7, b"stam"));
    assert!(age.is_some_and(|age| age <= Span::from_secs(1)));
}

#[test]
fn it_is_known_when_each_datagram_left() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        // A machine may have no IPv6.
        let Ok(receiver) = UdpSocket::bind(address) else { continue };
        let sender = UdpSocket::bind(address).unwrap();
        stamp_receptions(&sender).unwrap();
        stamp_departures(&sender).unwrap();
        let mut packet = [0; 128];
        let none = next_departure(&sender, &mut packet).unwrap_err();
        assert_eq!(none.kind(), ErrorKind::WouldBlock);
        for said in [b"one after", b"the other"] {
            sender.send_to(said, receiver.local_addr().unwrap()).unwrap();
        }
        for said in [b"one after", b"the other"] {
            let left = next_departure(&sender, &mut packet).unwrap();
            assert!(packet[..left.len].ends_with(said), "{left:?}");
            assert!(left.age < Span::from_secs(1), "{left:?}");
        }
        // Receptions are stamped as before, and no send fails because of the stamps.
        receiver.send_to(b"answer", sender.local_addr().unwrap()).unwrap();
        let (len, age) = receive_stamped(&sender, &mut packet).unwrap();
        assert!(len == 6 && age.is_some_and(|age| age < Span::from_secs(1)));
    }
}

#[test]
fn answers_come_from_the_address_that_was_asked() {
    for (wildcard, asked) in [("0.0.0.0:0", "127.0.0.3"), ("[::]:0", "::1")] {
        let Ok(server) = UdpSocket::bind(wildcard) else { continue };
        report_local_address(&server).unwrap();
        report_class(&server).unwrap();
        stamp_receptions(&server).unwrap();
        let asked: std::net::IpAddr = asked.parse().unwrap();
        let client = UdpSocket::bind(wildcard).unwrap();
        client.send_to(b"hello", (asked, server.local_addr().unwrap().port())).unwrap();
        let mut bytes = [0; 8];
        let envelope = receive_from(&server, &mut bytes).unwrap();
        assert_eq!((envelope.len, envelope.to), (5, Some(asked)));
        assert!(envelope.age.is_some_and(|age| age <= Span::from_secs(1)));
        send_from(&server, b"answer", envelope.from, envelope.to, 46 << 2 | 1).unwrap();
        report_class(&client).unwrap();
        let answer = receive_from(&client, &mut bytes).unwrap();
        assert_eq!((envelope.class, answer.class), (Some(0), Some(46 << 2 | 1)));
        assert_eq!((answer.len, answer.from.ip()), (6, asked));
        let none = receive_from(&server, &mut bytes).unwrap_err();
        assert_eq!(none.kind(), ErrorKind::WouldBlock);
    }
}

#[test]
fn a_connection_has_the_congestion_control_of_its_listener() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let usual = congestion_control(&listener).unwrap();
    assert_eq!(choose_congestion_control(&listener, &["no such thing"]).unwrap(), usual);
    assert_eq!(choose_congestion_control(&listener, &["none", "reno"]).unwrap(), "reno");
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    assert_eq!(congestion_control(&listener.accept().unwrap().0).unwrap(), "reno");
    assert_eq!(congestion_control(&client).unwrap(), usual);
}

#[test]
fn a_listener_has_the_control_that_was_chosen_or_the_usual_one() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    control_congestion(&listener, Some("reno")).unwrap();
    assert_eq!(congestion_control(&listener).unwrap(), "reno");
    let error = control_congestion(&listener, Some("no such thing")).unwrap_err().to_string();
    assert!(error.starts_with("cannot use the congestion control \"no such thing\": "), "{error}");
    assert!(error.contains("tcp_available_congestion_control"), "{error}");
    control_congestion(&listener, None).unwrap();
    let usual = choose_congestion_control(&listener, &[USUAL_CONGESTION]).unwrap();
    assert_eq!(congestion_control(&listener).unwrap(), usual);
}

#[test]
fn small_records_are_small_segments_that_need_not_be_read() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (receiver, _) = listener.accept().unwrap();
    sender.set_nodelay(true).unwrap();
    set_dscp(&sender, 46).unwrap();
    set_max_pace(&sender, Rate::from_mbit(1_000)).unwrap();
    set_congestion_control(&sender, "reno").unwrap();
    assert_eq!(congestion_control(&sender).unwrap(), "reno");
    assert!(set_congestion_control(&sender, "no such thing").is_err());
    for _ in 0..50 {
        assert_eq!(send_record(&sender, &[7; 200]).unwrap(), 200);
    }
    let mut taken = 0;
    while taken < 10_000 {
        match discard(&receiver, 1 << 20) {
            Ok(len) => taken += len,
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
    }
    let info = tcp_info(&receiver).unwrap();
    assert_eq!((info.received, info.segments_received), (10_000, 50), "{info:?}");
    let info = tcp_info(&sender).unwrap();
    assert!(info.segments_sent >= 50 && info.mss > 0 && info.min_rtt.is_some(), "{info:?}");
}
