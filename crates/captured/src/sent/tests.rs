use super::*;

const fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

const fn ack(ack: u64, millis: u64) -> Acknowledgement {
    Acknowledgement { ack, at: at(millis), is_duplicate: false, tells_hole: false, window: 65_535 }
}

fn millis(round_trips: &RoundTrips) -> Vec<f64> {
    let all = [round_trips.min(), round_trips.max(), round_trips.mean()];
    all.into_iter().flatten().map(|span| span.as_secs_f64() * 1e3).collect()
}

#[test]
fn data_that_is_sent_once_gives_a_round_trip_for_each_acknowledgement() {
    let mut sent = Sent::default();
    for number in 0..4 {
        assert_eq!(sent.send(1000 + 100 * number, 100, at(number)), Sending::default());
    }
    // Of two segments at once, the newer one counts.
    sent.acknowledge(ack(1200, 11));
    sent.acknowledge(ack(1400, 23));
    assert_eq!(millis(&sent.round_trips), [10.0, 20.0, 15.0]);
    assert_eq!(sent.cumulatively_acked, 2);
    assert_eq!(sent.ranges.len(), 1, "what is acknowledged is one range");
}

#[test]
fn what_is_sent_again_is_ambiguous() {
    let mut sent = Sent::default();
    sent.send(1000, 100, at(0));
    assert_eq!(
        sent.send(1000, 100, at(300)),
        Sending { again: 100, lost_at: Some(at(0)), ..Sending::default() }
    );
    sent.acknowledge(ack(1100, 310));
    assert_eq!(sent.round_trips.count(), 0);
    assert_eq!(millis(&sent.ambiguous), [10.0, 10.0, 10.0]);
    assert_eq!(
        (sent.most_again, sent.retransmission_times.max()),
        (1, Some(Span::from_millis(300)))
    );
    // Also when it has been acknowledged long since.
    assert_eq!(sent.send(1050, 100, at(400)).again, 50);
    assert_eq!(sent.most_again, 1);
}

/// The acknowledgement tells when the gap was filled, not how long the later data took.
#[test]
fn data_behind_a_loss_gives_no_round_trip() {
    let mut sent = Sent::default();
    sent.send(1000, 100, at(0));
    sent.send(1100, 100, at(1));
    sent.send(1000, 100, at(300));
    sent.acknowledge(ack(1200, 310));
    assert_eq!((sent.after_loss, sent.round_trips.count()), (1, 0));
}

#[test]
fn data_before_later_data_is_out_of_order() {
    let mut sent = Sent::default();
    sent.send(1000, 100, at(0));
    sent.send(1200, 100, at(1));
    assert_eq!(
        sent.send(1100, 100, at(2)),
        Sending { is_out_of_order: true, ..Sending::default() }
    );
    // From before the first data to behind the last: neither order is known.
    assert_eq!(
        sent.send(900, 500, at(3)),
        Sending { again: 300, lost_at: Some(at(0)), ..Sending::default() }
    );
    assert_eq!(sent.ranges.len(), 5);
}

#[test]
fn duplicates_count_where_the_range_ends() {
    let mut sent = Sent::default();
    sent.send(1000, 100, at(0));
    sent.send(1100, 100, at(0));
    sent.acknowledge(ack(1100, 10));
    for _ in 0..3 {
        sent.acknowledge(Acknowledgement { is_duplicate: true, ..ack(1100, 11) });
    }
    assert_eq!((sent.duplicate_acks, sent.triple_duplicates), (3, 1));
}

/// Each packet that was not captured leaves a gap, and each acknowledgement looks at all of them.
#[test]
fn gaps_have_a_bound() {
    let mut sent = Sent::default();
    for number in 0..10_000 {
        sent.send(1000 + 200 * number, 100, at(number));
        sent.acknowledge(ack(1200 + 200 * number, number + 10));
        assert!(sent.ranges.len() <= MOST_GAPS + 2);
    }
    assert_eq!(sent.cumulatively_acked, 10_000);
}

/// Where no acknowledgements were captured, what is old is forgotten, and is still known to have been sent.
#[test]
fn memory_has_a_bound() {
    let mut sent = Sent::default();
    for number in 0..3 * MOST as u64 {
        sent.send(1000 + 100 * number, 100, at(number));
        assert!(sent.ranges.len() <= MOST);
    }
    assert_eq!(sent.send(1000, 100, at(0)).again, 100);
    assert!(
        sent.ranges.iter().zip(sent.ranges.iter().skip(1)).all(|(one, two)| one.end <= two.start)
    );
}

/// While a segment is missing, blocks tell how long later data took: the first block what came last, each place once.
#[test]
fn data_behind_a_loss_gives_a_round_trip_by_its_selective_acknowledgement() {
    let mut sent = Sent::default();
    for step in 0..5 {
        sent.send(1000 + 100 * step, 100, at(step));
    }
    sent.acknowledge(ack(1100, 10));
    let span = |sample: Option<Sample>| sample.map(|it| it.span);
    assert_eq!(span(sent.acknowledge_selectively(1300, at(22))), Some(Span::from_millis(20)));
    assert_eq!(sent.acknowledge_selectively(1300, at(23)), None, "told before");
    assert_eq!(sent.acknowledge_selectively(1350, at(23)), None, "a part of a segment");
    sent.send(1400, 100, at(30));
    assert_eq!(sent.acknowledge_selectively(1500, at(40)), None, "sent again");
    assert_eq!(sent.acknowledge_selectively(1100, at(41)), None, "acknowledged");
    assert_eq!(sent.round_trips.count(), 1, "tcptrace counts none of them");
}
