use std::io::ErrorKind;
use std::net::UdpSocket;
use std::time::Duration;

use super::*;
use crate::stamp_receptions;

/// A socket that gets errors, connected to a port of this machine where nobody listens.
fn towards_nobody(address: &str) -> Option<UdpSocket> {
    let nobody = UdpSocket::bind((address, 0)).ok()?;
    let socket = UdpSocket::bind((address, 0)).unwrap();
    report_errors(&socket).unwrap();
    stamp_receptions(&socket).unwrap();
    socket.connect(nobody.local_addr().unwrap()).unwrap();
    Some(socket)
}

#[test]
fn a_host_where_nobody_listens_says_so() {
    for address in ["127.0.0.1", "::1"] {
        // A machine may have no IPv6.
        let Some(socket) = towards_nobody(address) else { continue };
        let mut payload = [0; 16];
        assert_eq!(next_error(&socket, &mut payload).unwrap_err().kind(), ErrorKind::WouldBlock);
        set_hop_limit(&socket, 3).unwrap();
        socket.send(b"which one was it").unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        assert_eq!(socket.recv(&mut payload).unwrap_err().kind(), ErrorKind::ConnectionRefused);
        let error = next_error(&socket, &mut payload).unwrap();
        assert_eq!(error.from, address.parse::<IpAddr>().unwrap());
        assert_eq!((error.meaning, error.quoted), (Meaning::PortUnreachable, 16));
        assert_eq!(&payload, b"which one was it");
        assert!(error.age.is_some_and(|age| age < Span::from_secs(1)), "{error:?}");
    }
}
