use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use super::*;

/// A port, and the kernel's side of it.
fn over_a_socket() -> (Port, OwnedFd) {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let (ours, theirs) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).unwrap();
    (Port::over(ours), theirs)
}

fn packet(version: u8, destination: u8) -> Vec<u8> {
    let mut bytes = vec![0; offload::HEADER_LEN + 48];
    bytes[offload::HEADER_LEN] = version << 4 | 5;
    bytes[offload::HEADER_LEN + if version == 4 { 16 } else { 24 }] = destination;
    bytes
}

/// The port's reading of these bytes, after which nothing must follow.
fn reading(port: &Port, stack: &OwnedFd, bytes: &[u8], buffer: &mut [u8]) -> Reading {
    rustix::io::write(stack, bytes).unwrap();
    let reading = port.receive(buffer).unwrap();
    assert_eq!(port.receive(&mut [0; 100]).unwrap(), Reading::Empty);
    reading
}

#[test]
fn only_packets_to_one_host_are_received() {
    let (port, stack) = over_a_socket();
    let mut buffer = [0; 100];
    for bytes in [packet(4, 224), packet(4, 255), packet(6, 0xff)] {
        let other = Reading::Other { len: bytes.len() };
        assert_eq!(reading(&port, &stack, &bytes, &mut buffer), other, "{bytes:?}");
    }
    for bytes in [packet(4, 10), packet(6, 0xfd)] {
        let Reading::Packet(received) = reading(&port, &stack, &bytes, &mut buffer) else {
            panic!("{bytes:?}")
        };
        assert_eq!((received.ip_start, received.end), (offload::HEADER_LEN, bytes.len()));
        assert_eq!(buffer[..received.end], bytes);
    }
}

#[test]
fn what_contradicts_itself_is_told() {
    let (port, stack) = over_a_socket();
    // Segments of TCP over IPv6.
    let mut another_version = packet(4, 10);
    another_version[1] = 4;
    let malformed = [
        packet(5, 10),
        packet(4, 10)[..offload::HEADER_LEN + 19].to_vec(),
        packet(6, 0xfd)[..offload::HEADER_LEN + 39].to_vec(),
        vec![0; offload::HEADER_LEN],
        vec![0; 3],
        another_version,
    ];
    for bytes in malformed {
        let reading = reading(&port, &stack, &bytes, &mut [0; 100]);
        assert_eq!(reading, Reading::Malformed { len: bytes.len() }, "{bytes:?}");
    }
    // A packet that fills the buffer may have been longer.
    let long = [packet(4, 10), vec![0; 100]].concat();
    assert_eq!(reading(&port, &stack, &long[..100], &mut [0; 100]), Reading::Lost);
}

#[test]
fn a_frame_must_carry_what_it_says() {
    let (mut port, stack) = over_a_socket();
    port.format = Format::MadeEthernet;
    let frame = |kind: [u8; 2], version| {
        let mut bytes = packet(version, 10);
        bytes.splice(
            offload::HEADER_LEN..offload::HEADER_LEN,
            [[0; 12].to_vec(), kind.to_vec()].concat(),
        );
        bytes
    };
    let (v4, v6, arp) = ([0x08, 0x00], [0x86, 0xdd], [0x08, 0x06]);
    let read = |bytes: &[u8]| reading(&port, &stack, bytes, &mut [0; 100]);
    assert!(matches!(read(&frame(v4, 4)), Reading::Packet(Received { ip_start: 24, .. })));
    assert!(matches!(read(&frame(v6, 6)), Reading::Packet(Received { ip_start: 24, .. })));
    assert!(matches!(read(&frame(arp, 4)), Reading::Other { .. }));
    for bytes in [&frame(v4, 6)[..], &frame(v6, 4), &frame(v4, 4)[..23]] {
        assert_eq!(read(bytes), Reading::Malformed { len: bytes.len() });
    }
}

/// Linux returns EINVAL for a read of a super-packet that a virtio-net header cannot describe. Such
/// a packet of a program must not end the lab.
#[test]
fn what_the_kernel_cannot_tell_is_one_packet_lost() {
    let fd = rustix::event::eventfd(1, rustix::event::EventfdFlags::NONBLOCK).unwrap();
    // A counter of events also returns EINVAL if there is no room for its 8 bytes.
    assert_eq!(read(&fd, &mut [0; 4]), Err(Errno::INVAL));
    assert_eq!(Port::over(fd).receive(&mut [0; 4]).unwrap(), Reading::Lost);
}

#[test]
fn pieces_are_sent_as_one() {
    let (port, stack) = over_a_socket();
    let headers = &packet(4, 10)[offload::HEADER_LEN..];
    let packet = PacketSlices {
        link_header: &[],
        headers,
        payload: b"payload",
        offload: Offload::default(),
    };
    assert!(port.send(&packet).unwrap());
    let mut buffer = [0; 100];
    let len = rustix::io::read(&stack, &mut buffer).unwrap();
    assert_eq!(buffer[..len], [&[0; offload::HEADER_LEN][..], headers, b"payload"].concat());
}

#[test]
fn a_full_stack_refuses() {
    let (port, _stack) = over_a_socket();
    let packet = PacketSlices::whole(&[0x45; 1500], Offload::default());
    let sent = (0..100_000).take_while(|_| port.send(&packet).unwrap()).count();
    assert!((1..100_000).contains(&sent));
}

#[test]
fn a_port_whose_other_side_is_gone_says_so() {
    let (port, stack) = over_a_socket();
    drop(stack);
    assert!(port.receive(&mut [0; 100]).is_err());
    let packet = PacketSlices::whole(&[0x45; 20], Offload::default());
    assert!(port.send(&packet).is_err());
}
