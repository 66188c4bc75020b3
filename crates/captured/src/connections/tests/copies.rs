//! Captures of all interfaces of a router, beside those of the packets as they come to it.

use results::{CaptureAnomaly, CapturedEnd};

use super::*;

/// The length of a segment, and the time that it waits in the router, in steps of a millisecond.
const LEN: u32 = 100;
const WAIT: u64 = 20;

/// A packet at a place, at a time in steps.
struct Seen {
    at: u64,
    is_first: bool,
    packet: Vec<u8>,
}

/// The packet of a segment of the first end (1) or an acknowledgement of the second one (2). Each packet has the next
/// identification, or none has one.
fn passing(at: u64, from: u8, number: u32, identification: u16) -> [Seen; 2] {
    let (numbers, len) = match from {
        1 => ([1 + number * LEN, 1], LEN as u16),
        _ => ([1, 1 + number * LEN], 0),
    };
    let mut packet = packet(from, numbers, ACK, 60_000, len);
    packet[4..6].copy_from_slice(&identification.to_be_bytes());
    let mut forwarded = packet.clone();
    forwarded[8] -= 1;
    let wait = if from == 1 { WAIT } else { 0 };
    [
        Seen { at, is_first: true, packet },
        Seen { at: at + wait, is_first: false, packet: forwarded },
    ]
}

/// An upload whose every fiftieth segment the router drops; it is sent again thirty steps later.
fn upload(has_identification: bool) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut identifications = (65_000..=u16::MAX).chain(1..);
    let mut identification =
        || identifications.next().filter(|_| has_identification).unwrap_or_default();
    for step in 0..1000 {
        let is_lost = |number: u32| number % 50 == 49;
        let number = step as u32;
        let [before, behind] = passing(step, 1, number, identification());
        seen.push(before);
        seen.extend((!is_lost(number)).then_some(behind));
        if let Some(lost) = number.checked_sub(30).filter(|number| is_lost(*number)) {
            seen.extend(passing(step, 1, lost, identification()));
        }
        // What has arrived five steps behind the router is acknowledged, up to what is missing.
        let Some(arrived) = number.checked_sub(WAIT as u32 + 5) else { continue };
        let missing = (0..=arrived).find(|it| is_lost(*it) && it + 30 > arrived);
        seen.extend(passing(step, 2, missing.unwrap_or(arrived + 1), identification()));
    }
    seen.sort_by_key(|seen| seen.at);
    seen
}

/// The document of these packets.
fn told<'a>(packets: impl Iterator<Item = &'a Seen>) -> results::Capture {
    let mut connections = Connections::default();
    for seen in packets {
        connections.take(&record(seen.at, &seen.packet), &mut ());
    }
    connections.document(String::new())
}

/// What was sent again counts, and what was only seen again does not; with identifications of packets and without.
#[test]
fn a_capture_of_all_interfaces_of_a_router_tells_what_one_of_the_first_tells() {
    for has_identification in [true, false] {
        let upload = upload(has_identification);
        let all = told(upload.iter());
        let once = told(upload.iter().filter(|seen| seen.is_first));
        let copies = all.packets - once.packets;
        let records = all.packets;
        assert_eq!(all.anomalies, [CaptureAnomaly::Copies { count: copies, records }]);
        assert_eq!((all.segments, once.anomalies.is_empty()), (once.packets, true));
        let between = all.connections[0].ends[0].waits_between.unwrap();
        assert_eq!(between.most_ms.map(f64::round), Some(WAIT as f64));
        assert_eq!(once.connections[0].ends[0].counts.retransmitted_packets, 19);
        // The capture of both places ends later.
        let alike = |end: &CapturedEnd| CapturedEnd {
            waits_between: None,
            longest_idle_ms: None,
            ..end.clone()
        };
        let ends = |of: &results::Capture| of.connections[0].ends.each_ref().map(alike);
        assert_eq!(ends(&all), ends(&once));
    }
}

/// tcptrace takes each copy for a packet that was sent again.
#[test]
fn copies_count_where_tcptrace_is_followed() {
    let mut connections = Connections::with_copies();
    let upload = upload(true);
    upload.iter().for_each(|seen| connections.take(&record(seen.at, &seen.packet), &mut ()));
    let document = connections.document(String::new());
    let [first, _] = &document.connections[0].ends;
    assert_eq!((document.segments, document.anomalies.is_empty()), (upload.len() as u64, true));
    // 980 copies, and what was sent again with its 19 copies.
    assert!(first.counts.retransmitted_packets > 900, "{first:?}");
}

/// A capture that begins while packets wait sees those behind the queue first, which are no copies.
#[test]
fn a_capture_of_a_full_queue_soon_tells_its_copies() {
    let upload = upload(true);
    let late: Vec<&Seen> = upload.iter().filter(|seen| seen.at >= 300).collect();
    let again = |of: results::Capture| {
        let [first, _] = &of.connections[0].ends;
        first.counts.retransmitted_packets + first.counts.out_of_order
    };
    let all = again(told(late.iter().copied()));
    let once = again(told(late.iter().copied().filter(|seen| seen.is_first)));
    assert!((once..=once + WAIT + 10).contains(&all), "{all} {once}");
}

/// A reset that somebody on the way has made has other hops left, and was not seen before.
#[test]
fn the_reset_of_another_machine_counts() {
    let mut packets = vec![packet(1, [100, 500], ACK, 900, 50), packet(1, [150, 500], RST, 900, 0)];
    packets[1][8] = 9;
    assert_eq!(first_end(&packets).counts.resets, 1);
}
