//! The TCP connections of a network namespace, and what each has sent and received. No privilege is needed.
//!
//! Specification: sock_diag(7); Linux `include/uapi/linux/inet_diag.h`, `sock_diag.h`, and
//! `net/core/sock_diag.c` (`sock_diag_broadcast_destroy`).

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use netlink_packet_core::NLM_F_DUMP;
use netlink_sys::protocols::NETLINK_SOCK_DIAG;

use crate::attributes::value;
use crate::info::{TcpInfo, read};
use crate::message::Plain;
use crate::netlink::Netlink;

/// `TCPDIAG_GETSOCK`: unlike the newer `SOCK_DIAG_BY_FAMILY`, it lists IPv4 and IPv6 in one pass over the kernel's
/// table of all connections, which is what a list costs.
const LIST: u16 = 18;
/// `INET_DIAG_INFO`, as an attribute, and as a bit of those that are asked for.
const INFO: u16 = 2;
const ASK_INFO: u8 = 1 << (INFO - 1);
/// The states of connections that data may pass (`enum tcp_state` of linux/tcp_states.h): `ESTABLISHED`, `FIN_WAIT1`,
/// `FIN_WAIT2`, `CLOSE_WAIT`, `LAST_ACK`, `CLOSING`.
const STATES: u32 = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 11;
/// `SKNLGRP_INET_TCP_DESTROY`, `SKNLGRP_INET6_TCP_DESTROY`: since Linux 4.2.
const ENDED: [u32; 2] = [1, 3];
/// The lengths in bytes of `struct inet_diag_sockid`, and of what follows it in `struct inet_diag_msg`.
const ID: usize = 48;
const MESSAGE: usize = 4 + ID + 20;

/// A TCP connection of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The kernel's number of its socket, which no other socket gets.
    pub cookie: u64,
    /// The address of its other end.
    pub remote: IpAddr,
    /// The index of the device that it is bound to; 0 if it is bound to none.
    pub device: u32,
    /// What it has done so far.
    pub info: TcpInfo,
}

/// The connections of the network namespace in which this was opened.
#[derive(Debug)]
pub struct Connections {
    list: Netlink,
    ended: Netlink,
}

impl Connections {
    /// Opens the connections of the calling thread's network namespace.
    ///
    /// # Errors
    /// If the kernel does not tell of sockets.
    pub fn open() -> io::Result<Self> {
        let (protocol, groups) = (NETLINK_SOCK_DIAG, &ENDED);
        Ok(Self { list: Netlink::to(protocol)?, ended: Netlink::listen(protocol, groups)? })
    }

    /// The connections that there are now.
    ///
    /// # Errors
    /// If the kernel does not tell of connections.
    pub fn list(&self) -> io::Result<Vec<Connection>> {
        // `struct inet_diag_req`: the family and two lengths that do not matter, and the attributes; the socket;
        // the states; and a field for other programs.
        let states = [STATES.to_ne_bytes(), [0; 4]].concat();
        let bytes = [&[0, 0, 0, ASK_INFO][..], &[0; ID], &states].concat();
        let answers = self.list.exchange(Plain { kind: LIST, bytes }, NLM_F_DUMP)?;
        Ok(answers.iter().filter_map(|it| Connection::parse(&it.bytes)).collect())
    }

    /// The connections that have ended since the call before, as they were at their end.
    ///
    /// # Errors
    /// If more have ended than the kernel keeps for this socket.
    pub fn ended(&self) -> io::Result<Vec<Connection>> {
        let heard: Vec<Plain> = self.ended.heard()?;
        Ok(heard.iter().filter_map(|it| Connection::parse(&it.bytes)).collect())
    }
}

impl Connection {
    /// The connection in a `struct inet_diag_msg` with its attributes; `None` if the kernel left something out.
    fn parse(bytes: &[u8]) -> Option<Self> {
        /// The offsets of the other end's address, of the device, and of the cookie.
        const REMOTE: usize = 24;
        const DEVICE: usize = 40;
        const COOKIE: usize = 44;
        let octets: [u8; 16] = *bytes.get(REMOTE..)?.first_chunk()?;
        let remote = match i32::from(bytes[0]) {
            libc::AF_INET => Ipv4Addr::from(*octets.first_chunk()?).into(),
            _ => Ipv6Addr::from(octets).to_canonical(),
        };
        Some(Self {
            cookie: u64::from_ne_bytes(*bytes.get(COOKIE..)?.first_chunk()?),
            remote,
            device: u32::from_ne_bytes(*bytes.get(DEVICE..)?.first_chunk()?),
            info: read(value(bytes.get(MESSAGE..)?, INFO)?),
        })
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the kernel's time is real")]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// The connection with this number of bytes sent.
    fn with_sent(connections: &[Connection], sent: u64) -> Option<Connection> {
        connections.iter().copied().find(|it| it.info.sent == sent)
    }

    #[test]
    fn connections_tell_their_bytes_while_they_last_and_at_their_end() {
        const BYTES: [usize; 2] = [40_961, 40_963];
        let connections = Connections::open().unwrap();
        for (address, bytes) in ["127.0.0.1:0", "[::1]:0"].into_iter().zip(BYTES) {
            let listener = TcpListener::bind(address).unwrap();
            let address = listener.local_addr().unwrap();
            let mut sender = TcpStream::connect(address).unwrap();
            let mut receiver = listener.accept().unwrap().0;
            sender.write_all(&vec![1; bytes]).unwrap();
            receiver.read_exact(&mut vec![0; bytes]).unwrap();
            let listed = with_sent(&connections.list().unwrap(), bytes as u64).unwrap();
            assert_eq!((listed.remote, listed.device), (address.ip(), 0));
            assert!(listed.info.all_segments_sent >= 2);
            drop((sender, receiver));
            // The kernel tells of an end a little later.
            let told = (0..100).find_map(|_| {
                thread::sleep(Duration::from_millis(20));
                with_sent(&connections.ended().unwrap(), bytes as u64)
            });
            let ended = told.unwrap();
            assert_eq!((ended.cookie, ended.remote), (listed.cookie, listed.remote));
            assert_eq!(with_sent(&connections.list().unwrap(), bytes as u64), None);
        }
    }

    #[test]
    fn a_message_that_is_cut_off_is_no_connection() {
        assert_eq!((0..MESSAGE).find_map(|len| Connection::parse(&vec![0; len])), None);
    }
}
