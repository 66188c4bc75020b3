use super::*;

/// A number of packets of 1000 bytes each.
fn piece(packets: u64) -> Tag {
    Tag { flow: 0, packets, bytes: Bytes(1000 * packets), is_marked: false }
}

fn depart(meter: &mut Meter, tag: Tag, sojourn: Span) {
    meter.departed(tag.packets, tag.bytes, sojourn);
}

#[test]
fn a_piece_of_several_packets_counts_as_several() {
    let mut meter = Meter::new(Time::ZERO);
    let three = piece(3);
    depart(&mut meter, three, Span::from_nanos(100));
    depart(&mut meter, piece(1), Span::from_nanos(500));
    meter.delivered(three.packets, three.bytes);
    meter.lost(&piece(1));
    meter.marked(&three, Cause::Congestion);
    meter.marked(&piece(2), Cause::Threshold);
    meter.dropped(&three, Cause::Overflow);
    meter.dropped(&piece(2), Cause::Discarded);
    meter.dropped(&piece(2), Cause::Congestion);
    meter.dropped(&piece(2), Cause::Threshold);
    let counters = Counters {
        delivered_packets: 3,
        delivered_bytes: 3000,
        departed: 4,
        departed_bytes: 4000,
        waited_nanos: 800,
        drops: results::Drops { full: 5, aqm: 4, loss: 1, ack_filter: 0 },
        discarded: 2,
        discarded_bytes: 2000,
        marks: 5,
        threshold_marks: 2,
    };
    assert_eq!(meter.counters(), counters);
    assert_eq!((meter.sojourn().count(), meter.sojourn().mean()), (4, Some(200.0)));
    assert_eq!(meter.sojourn().quantile(0.75), Some(100));
}

#[test]
fn statistics_begin_anew_and_what_waits_goes_on_waiting() {
    let mut meter = Meter::new(Time::ZERO);
    meter.waits(Backlog { packets: 4, bytes: Bytes(4000) }, Time::ZERO);
    meter.delivered(piece(1).packets, piece(1).bytes);
    depart(&mut meter, piece(1), Span::from_millis(9));
    meter.reset(Time::from_secs(1));
    meter.delivered(piece(2).packets, piece(2).bytes);
    depart(&mut meter, piece(2), Span::from_millis(1));
    meter.waits(Backlog { packets: 0, bytes: Bytes(0) }, Time::from_secs(2));
    let direction = meter.direction(Time::from_secs(1), Time::from_secs(5), Some(Bytes(8000)));
    assert_eq!((direction.delivered_packets, direction.delivered_bytes), (2, 2000));
    assert_eq!((direction.rate_mbit, direction.utilisation), (Some(0.004), Some(0.25)));
    assert_eq!(direction.sojourn_ms.max, Some(1.0));
    assert_eq!(direction.backlog_packets, MeanMax { mean: Some(1.0), max: Some(4) });
    assert_eq!(direction.backlog_bytes, MeanMax { mean: Some(1000.0), max: Some(4000) });
    assert_eq!((meter.counters().delivered_packets, meter.counted().departed), (3, 2));
}

/// Without a limit, or without time, a wire has no utilisation.
#[test]
fn nothing_is_divided_by_nothing() {
    let meter = Meter::new(Time::from_secs(7));
    for capacity in [None, Some(Bytes(0))] {
        let direction = meter.direction(Time::from_secs(7), Time::from_secs(7), capacity);
        assert_eq!((direction.utilisation, direction.rate_mbit), (None, None));
        assert_eq!(direction.backlog_packets.mean, None);
    }
}
