//! Verdicts on captures.

use results::{
    CaptureAnomaly, CapturedConnection, CapturedCounts, CapturedEnd, CapturedQueue, Grade,
    Unmeasured,
};

use super::super::captured_table;
use super::super::sender::senders;
use super::*;
use crate::style::Style;

/// A capture of a connection whose ends have sent so many packets with data, and so many in all. For this reason it is
/// not known how long the first end's data waited.
fn capture(ends: [(u64, u64); 2], added_reason: Option<Unmeasured>) -> Capture {
    let end = |(data_packets, packets)| CapturedEnd {
        counts: CapturedCounts {
            data_packets,
            packets,
            acks: packets,
            sacks: packets / 10,
            ..CapturedCounts::default()
        },
        ..CapturedEnd::default()
    };
    let [mut one, other] = ends.map(end);
    one.queue = added_reason.map(|_| CapturedQueue { added_reason, ..CapturedQueue::default() });
    let connection = CapturedConnection { ends: [one, other], ..CapturedConnection::default() };
    Capture { connections: vec![connection], ..Capture::default() }
}

#[test]
fn what_a_capture_cannot_show_is_told() {
    let told = |capture: &Capture| captured_table(capture, Style::Plain).replace('\n', " ");
    let nothing = "No TCP connection has carried data.";
    assert!(told(&Capture::default()).contains(nothing));
    assert!(told(&capture([(0, 3), (0, 2)], None)).contains(nothing));
    assert!(told(&capture([(0, 3), (0, 0)], None)).contains("only one direction"));
    for it in [CaptureAnomaly::CutHeaders { count: 7 }, CaptureAnomaly::CutIpHeaders { count: 7 }] {
        let cut = told(&Capture { anomalies: vec![it], ..Capture::default() });
        assert!(cut.contains("tcpdump -s 108") && !cut.contains(nothing), "{cut}");
    }
}

#[test]
fn the_reason_for_an_unknown_wait_is_told() {
    for (ends, reason, expected) in [
        ([(3, 3), (0, 0)], Unmeasured::OneDirection, "only the packets from"),
        ([(0, 0), (0, 30)], Unmeasured::OneDirection, "only the acknowledgements from"),
        ([(0, 0), (0, 30)], Unmeasured::OneDirection, "3 of 30 acknowledgements told"),
        ([(3, 3), (0, 3)], Unmeasured::CutOptions, "108 bytes of each packet or more"),
        ([(3, 3), (0, 3)], Unmeasured::NoTimestamps, "Capture at the sender."),
        ([(3, 3), (0, 3)], Unmeasured::WayBack, "may have waited in its place"),
        ([(3, 3), (0, 3)], Unmeasured::FewRoundTrips, "enough round trips"),
        ([(3, 3), (0, 3)], Unmeasured::Gaps, "because of losses"),
    ] {
        let told = captured_table(&capture(ends, Some(reason)), Style::Plain);
        assert!(told.replace('\n', " ").contains(expected), "{expected}: {told}");
    }
}

/// UDP has no round trips: that it passed at the same time is no proof.
#[test]
fn udp_beside_a_queue_is_told() {
    let told = |whose, udp_mbit| {
        let mut connection = waiting(1, 159.0, None, 0);
        let queue = connection.ends[0].queue.as_mut().unwrap();
        (queue.whose, queue.udp_mbit) = (whose, udp_mbit);
        let capture = Capture { connections: vec![connection], ..Capture::default() };
        captured_table(&capture, Style::Plain).replace('\n', " ")
    };
    let fact =
        "UDP of the same hosts took 3.70 Mbit/s on average meanwhile, more than this connection";
    let filled = format!("{fact}, and may be what fills the queue.");
    assert!(told(QueueOwner::Unknown, Some(3.7)).contains(&filled));
    assert!(told(QueueOwner::Own, Some(3.7)).contains(&format!("{fact}.")));
    assert!(!told(QueueOwner::Unknown, None).contains("UDP"));
}

/// A connection from this host, whose packets wait so long, with this grade, and of whose 1,000 segments so many were sent
/// again.
fn waiting(host: u8, added_ms: f64, grade: Option<Grade>, again: u64) -> CapturedConnection {
    let counts = CapturedCounts {
        data_packets: 1000,
        data_bytes: 1000,
        packets: 1000,
        retransmitted_packets: again,
        retransmitted_bytes: again,
        ..CapturedCounts::default()
    };
    let queue = CapturedQueue { added_p95_ms: Some(added_ms), grade, ..CapturedQueue::default() };
    let this = CapturedEnd {
        address: format!("10.0.0.{host}"),
        counts,
        queue: Some(queue),
        ..CapturedEnd::default()
    };
    CapturedConnection { ends: [this, CapturedEnd::default()], ..CapturedConnection::default() }
}

/// A longer wait whose grade is not known does not hide a bad grade, nor a good grade that wait.
#[test]
fn the_worst_grade_leads_the_verdict() {
    let told = |grade| {
        let connections = vec![waiting(1, 900.0, None, 0), waiting(2, 300.0, Some(grade), 0)];
        let capture = Capture { connections, ..Capture::default() };
        let senders = senders(&capture);
        let leading = leading(&senders).unwrap().names()[0].clone();
        (leading, verdict(&capture, &senders))
    };
    let (leading, verdict) = told(Grade::D);
    assert_eq!(leading, "10.0.0.2:0");
    assert!(verdict[0].starts_with("Bufferbloat, grade D: packets from 10.0.0.2"), "{verdict:?}");
    assert!(verdict.iter().any(|it| it.starts_with("No grade: packets from 10.0.0.1")));
    let (leading, verdict) = told(Grade::A);
    assert_eq!(leading, "10.0.0.1:0");
    assert!(verdict.iter().any(|it| it.starts_with("Healthy, grade A: packets from 10.0.0.2")));
}

/// What connections that do not lead the verdict sent again is told, but not that of a few segments.
#[test]
fn what_others_sent_again_is_told() {
    let few = |count| {
        let mut one = waiting(4, 0.0, None, count / 2);
        one.ends[0].counts.data_packets = count;
        one
    };
    let told = |again, also| {
        let first = waiting(1, 900.0, Some(Grade::F), 500);
        let connections =
            vec![first, waiting(2, 8.0, None, again), waiting(3, 8.0, None, also), few(6)];
        let capture = Capture { connections, ..Capture::default() };
        verdict(&capture, &senders(&capture)).join(" ")
    };
    let words = "40 % of the data from 10.0.0.2:0 to :0 was sent again.";
    assert!(told(400, 5).contains(words), "{}", told(400, 5));
    assert!(!told(5, 5).contains("from 10.0.0.2"), "{}", told(5, 5));
    let words = "2 other senders sent 1 % or more of their data again: 30 % in all, and 40 % from 10.0.0.2:0";
    assert!(told(400, 200).contains(words), "{}", told(400, 200));
}

/// Losses without a queue may be the limit: it is told, or that it is not known.
#[test]
fn what_losses_do_without_a_queue_is_told() {
    let told = |again, loss_limited_mbit, losses| {
        let mut one = waiting(1, 1.0, None, again);
        let queue = one.ends[0].queue.as_mut().unwrap();
        (queue.whose, queue.loss_limited_mbit, queue.losses) =
            (QueueOwner::None, loss_limited_mbit, losses);
        let capture = Capture { connections: vec![one], ..Capture::default() };
        verdict(&capture, &senders(&capture)).join(" ")
    };
    let unknown = "whether these losses limit the rate";
    assert!(told(30, None, LossPattern::Unknown).contains(unknown));
    assert!(!told(5, None, LossPattern::Unknown).contains(unknown));
    let limited = told(3, Some(3.0), LossPattern::Unknown);
    assert!(limited.contains("may limit"), "not captured at the sender: {limited}");
    assert!(limited.contains("TCP reaches about 3") && !limited.contains(unknown), "{limited}");
    let policed = told(30, None, LossPattern::Policer);
    assert!(policed.contains("a policer drops") && !policed.contains(unknown), "{policed}");
}
