//! `guest-traffic SCHEDULE ARRIVALS DEPARTURES [COMMAND...]`: sends the packets of a schedule from
//! within a guest, runs a command after the last one, and records when packets went to the
//! network's stack, when the command began, and when packets left through a device, until none has
//! left for a while.
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
    use std::net::{Ipv4Addr, SocketAddrV4};
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::process::Command;
    use std::time::{Duration, SystemTime};

    use guest::Record;
    use nix::errno::Errno;
    use nix::sys::socket::sockopt::{RcvBufForce, ReceiveTimeout, ReceiveTimestampns, SndBufForce};
    use nix::sys::socket::{
        AddressFamily, ControlMessageOwned, LinkAddr, MsgFlags, SockFlag, SockProtocol, SockType,
        SockaddrIn, recvmsg, sendto, setsockopt, socket,
    };
    use nix::sys::time::{TimeSpec, TimeVal};

    /// Room for all packets that wait, in bytes as the kernel counts them.
    const BUFFER: usize = 512 << 20;
    /// The seconds without a departure after which none is expected.
    const QUIET: i64 = 10;
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
        let mut sent = send(&schedule)?;
        sent.push(Record { nanos: now(), packet: Vec::new() });
        fs::write(arrivals, Record::write(&sent))?;
        if let [program, arguments @ ..] = command {
            let status = Command::new(program).args(arguments).status()?;
            if !status.success() {
                return Err(format!("{program}: {status}").into());
            }
        }
        fs::write(departures, Record::write(&departed(&tap)?))?;
        Ok(())
    }

    /// Sends each packet at its time, and returns when that was.
    fn send(schedule: &[Record]) -> Result<Vec<Record>, Box<dyn Error>> {
        let (domain, raw) = (AddressFamily::Inet, SockType::Raw);
        let socket = socket(domain, raw, SockFlag::empty(), SockProtocol::Raw)?;
        setsockopt(&socket, SndBufForce, &BUFFER)?;
        let start = now() + 1_000_000;
        let mut arrivals = Vec::new();
        for Record { nanos, packet } in schedule {
            let to = packet.get(16..20).and_then(|it| <[u8; 4]>::try_from(it).ok());
            let to = SocketAddrV4::new(Ipv4Addr::from(to.ok_or("a packet is cut off")?), 0);
            wait_until(start + nanos);
            arrivals.push(Record { nanos: now(), packet: Vec::new() });
            sendto(socket.as_raw_fd(), packet, &SockaddrIn::from(to), MsgFlags::empty())?;
        }
        Ok(arrivals)
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
