//! `guest-traffic SCHEDULE ARRIVALS DEPARTURES [COMMAND...]`: sends the packets of a schedule from
//! within a guest, runs a command where the schedule has an empty packet, and records when packets
//! went to the network's stack, when the command began, and when packets left through a device,
//! until none has left for a while.
//!
//! A packet's departure is stamped by the kernel behind the queue of the device (packet(7),
//! `PACKET_OUTGOING`). Its arrival at the queue comes some microseconds after the call that sends
//! it, whose beginning is recorded.
#![cfg_attr(not(target_os = "linux"), expect(unused, reason = "only Linux has packet sockets"))]

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    traffic::main()
}

#[cfg(target_os = "linux")]
mod traffic {
    use std::error::Error;
    use std::fs;
    use std::io::IoSliceMut;
    use std::net::SocketAddr;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::process::Command;
    use std::time::{Duration, SystemTime};

    use guest::Record;
    use nix::errno::Errno;
    use nix::sys::socket::sockopt::{
        Mark, Priority, RcvBufForce, ReceiveTimeout, ReceiveTimestampns, SndBufForce,
    };
    use nix::sys::socket::{
        AddressFamily, ControlMessageOwned, LinkAddr, MsgFlags, SockFlag, SockProtocol, SockType,
        SockaddrStorage, recvmsg, sendto, setsockopt, socket,
    };
    use nix::sys::time::{TimeSpec, TimeVal};

    /// Room for all packets that wait, in bytes as the kernel counts them.
    const BUFFER: usize = 512 << 20;
    /// The seconds without a departure after which none is expected.
    const QUIET: i64 = 10;
    /// The handle 10: as the kernel has it.
    const HANDLE: i32 = 0x10 << 16;
    /// The bytes of a packet that are recorded: those of all headers.
    const RECORDED: usize = 100;
    /// The bytes of an Ethernet header.
    const ETHERNET: usize = 14;
    /// The type of a packet that leaves (`PACKET_OUTGOING`, packet(7)).
    const OUTGOING: u8 = 4;

    pub(super) fn main() -> Result<(), Box<dyn Error>> {
        let arguments: Vec<_> = std::env::args().skip(1).collect();
        let [schedule, arrivals, departures, command @ ..] = &arguments[..] else {
            return Err("wanted are SCHEDULE ARRIVALS DEPARTURES [COMMAND...]".into());
        };
        let schedule = Record::read(&fs::read(schedule)?).ok_or("the schedule is cut off")?;
        let tap = open_tap()?;
        let arrived = follow(&schedule, command)?;
        fs::write(arrivals, Record::write(&arrived))?;
        fs::write(departures, Record::write(&departed(&tap)?))?;
        Ok(())
    }

    /// Sends each packet, or runs the command, at its time, and returns when that was.
    fn follow(schedule: &[Record], command: &[String]) -> Result<Vec<Record>, Box<dyn Error>> {
        let sockets = [open_sender(AddressFamily::Inet)?, open_sender(AddressFamily::Inet6)?];
        let start = now() + 1_000_000;
        let mut arrivals = Vec::new();
        for Record { nanos, packet } in schedule {
            wait_until(start + nanos);
            arrivals.push(Record { nanos: now(), packet: Vec::new() });
            match packet.is_empty() {
                true => run(command)?,
                false => send(&sockets, packet)?,
            }
        }
        Ok(arrivals)
    }

    /// Sends a packet, marked with its port. A queue with the handle 10: that divides packets among
    /// queues takes the one of that number, and draws none (`fq_codel_classify`).
    fn send(sockets: &[OwnedFd; 2], packet: &[u8]) -> Result<(), Box<dyn Error>> {
        let is_v6 = packet.first().is_some_and(|first| first >> 4 == 6);
        let socket = &sockets[usize::from(is_v6)];
        let (to, port) = destination(packet, is_v6).ok_or("a packet is cut off")?;
        setsockopt(socket, Mark, &port)?;
        setsockopt(socket, Priority, &(HANDLE | (port + 1) as i32))?;
        sendto(socket.as_raw_fd(), packet, &to, MsgFlags::empty())?;
        Ok(())
    }

    fn run(command: &[String]) -> Result<(), Box<dyn Error>> {
        let [program, arguments @ ..] = command else { return Err("wanted is a command".into()) };
        let status = Command::new(program).args(arguments).status()?;
        if status.success() { Ok(()) } else { Err(format!("{program}: {status}").into()) }
    }

    /// Opens a socket that sends packets with their IP headers.
    fn open_sender(domain: AddressFamily) -> Result<OwnedFd, Errno> {
        let socket = socket(domain, SockType::Raw, SockFlag::empty(), SockProtocol::Raw)?;
        setsockopt(&socket, SndBufForce, &BUFFER)?;
        Ok(socket)
    }

    /// The destination of a packet, and its source's port; `None` if it is cut off.
    fn destination(packet: &[u8], is_v6: bool) -> Option<(SockaddrStorage, u32)> {
        let (to, transport): (SocketAddr, _) = match is_v6 {
            false => ((*packet[16..].first_chunk::<4>()?, 0).into(), 20),
            true => ((*packet[24..].first_chunk::<16>()?, 0).into(), 40),
        };
        let port = u16::from_be_bytes(*packet.get(transport..)?.first_chunk()?);
        Some((to.into(), port.into()))
    }

    /// Opens a socket that gets a copy of each packet that leaves through any device.
    fn open_tap() -> Result<OwnedFd, Errno> {
        let (domain, raw) = (AddressFamily::Packet, SockType::Raw);
        let tap = socket(domain, raw, SockFlag::empty(), SockProtocol::EthAll)?;
        setsockopt(&tap, RcvBufForce, &BUFFER)?;
        setsockopt(&tap, ReceiveTimestampns, &true)?;
        setsockopt(&tap, ReceiveTimeout, &TimeVal::new(QUIET, 0))?;
        Ok(tap)
    }

    /// The packets that have left, each with its time, until none has for a while.
    fn departed(tap: &OwnedFd) -> Result<Vec<Record>, Errno> {
        let mut departures = Vec::new();
        loop {
            let (mut frame, mut control) = ([0; RECORDED], nix::cmsg_space!(TimeSpec));
            let mut parts = [IoSliceMut::new(&mut frame)];
            let received = recvmsg::<LinkAddr>(
                tap.as_raw_fd(),
                &mut parts,
                Some(&mut control),
                MsgFlags::empty(),
            );
            let (len, stamp, kind) = match received {
                Ok(message) => {
                    let stamp = message.cmsgs()?.find_map(|part| match part {
                        ControlMessageOwned::ScmTimestampns(time) => Some(time),
                        _ => None,
                    });
                    (message.bytes, stamp, message.address.map(|address| address.pkttype()))
                }
                Err(Errno::EAGAIN) => return Ok(departures),
                Err(error) => return Err(error),
            };
            if kind == Some(OUTGOING)
                && let (Some(stamp), Some(packet)) = (stamp, frame[..len].get(ETHERNET..))
            {
                let nanos = stamp.tv_sec() as u64 * 1_000_000_000 + stamp.tv_nsec() as u64;
                departures.push(Record { nanos, packet: packet.to_vec() });
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the guest's clock is what a test observes")]
    fn now() -> u64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        since.map_or(0, |since| since.as_nanos() as u64)
    }

    #[expect(clippy::disallowed_methods, reason = "packets are sent at their times")]
    fn wait_until(nanos: u64) {
        let left = nanos.saturating_sub(now());
        if left > 0 {
            std::thread::sleep(Duration::from_nanos(left));
        }
    }
}
