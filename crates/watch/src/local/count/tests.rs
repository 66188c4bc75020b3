use std::net::Ipv4Addr;

use kernel::TcpInfo;

use super::*;

/// Hosts: on the link, behind it, and this machine itself.
const NAS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));
const FAR: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 1));
const SELF: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const INTERFACE: u32 = 3;
/// The bytes of a beat of 200 ms at 80 Mbit/s.
const BEAT: u64 = 2_000_000;

/// A connection that has sent these bytes, without headers.
fn sent(cookie: u64, remote: IpAddr, sent: u64) -> Connection {
    let info = TcpInfo { sent, ..TcpInfo::default() };
    Connection { cookie, remote, device: 0, info }
}

fn part_of(address: IpAddr) -> io::Result<NetworkPart> {
    Ok(match address {
        NAS => NetworkPart::Local,
        FAR => NetworkPart::Behind,
        _ => NetworkPart::Elsewhere,
    })
}

/// The bytes up that are local in the next beat, in which so many passed the interface.
fn local(count: &mut Count, passed: u64, listed: &[Connection], ended: &[Connection]) -> u64 {
    let (up, down) = (Bytes(passed), Bytes::ZERO);
    let during = Span::from_millis(200);
    let at = Time::from_secs(count.lists);
    let beat = Beat { at, during, interface: INTERFACE, passed: Traffic { up, down } };
    count.take(beat, listed, ended, part_of).up.0
}

#[test]
fn bytes_of_hosts_on_the_link_are_local() {
    let mut count = Count::new(&[sent(1, NAS, 500), sent(2, FAR, 500)]);
    let listed = [sent(1, NAS, BEAT + 500), sent(2, FAR, 500), sent(3, SELF, 9 * BEAT)];
    assert_eq!(local(&mut count, BEAT, &listed, &[]), BEAT);
    count.pass();
    // What is a little more than the connection counts may be of it too; the rest that passed is not.
    let most = BEAT + BEAT / 20;
    assert_eq!(local(&mut count, most, &[sent(1, NAS, 2 * BEAT + 500)], &[]), most);
    assert_eq!(local(&mut count, 3 * BEAT, &[sent(1, NAS, 3 * BEAT + 500)], &[]), most);
}

#[test]
fn bytes_of_other_hosts_are_never_local() {
    let mut count = Count::new(&[]);
    let listed = [sent(1, NAS, BEAT), sent(2, FAR, BEAT / 4)];
    assert_eq!(local(&mut count, BEAT, &listed, &[]), BEAT - BEAT / 4);
    // After a pause, nobody knows when they passed.
    count.pass();
    let listed = [sent(1, NAS, 2 * BEAT), sent(2, FAR, 9 * BEAT)];
    assert_eq!(local(&mut count, BEAT, &listed, &[]), BEAT);
}

#[test]
fn the_last_bytes_of_a_connection_count_once() {
    let mut count = Count::new(&[]);
    let half = BEAT / 2;
    assert_eq!(local(&mut count, BEAT, &[sent(1, NAS, BEAT)], &[]), BEAT);
    // It is not listed any more, and its end is told a beat later.
    count.awaited = Both::default();
    assert_eq!(local(&mut count, BEAT, &[], &[]), 0);
    assert_eq!(local(&mut count, BEAT, &[], &[sent(1, NAS, BEAT + half)]), half + half / 20);
    // One that began and ended within a beat.
    assert_eq!(local(&mut count, BEAT, &[], &[sent(2, NAS, half)]), half + half / 20);
}

#[test]
fn bytes_that_the_interface_has_not_counted_yet_are_awaited_for_a_beat() {
    let mut count = Count::new(&[]);
    assert_eq!(local(&mut count, 0, &[sent(1, NAS, BEAT)], &[]), 0);
    assert_eq!(local(&mut count, BEAT, &[sent(1, NAS, BEAT)], &[]), BEAT);
    assert_eq!(local(&mut count, BEAT, &[sent(1, NAS, BEAT)], &[]), 0);
}

#[test]
fn a_connection_that_is_bound_to_another_interface_is_elsewhere() {
    let mut count = Count::new(&[]);
    let bound = |device| Connection { device, ..sent(device.into(), NAS, BEAT) };
    assert_eq!(local(&mut count, BEAT, &[bound(INTERFACE + 1)], &[]), 0);
    assert_eq!(local(&mut count, BEAT, &[bound(INTERFACE)], &[]), BEAT);
}
