use super::*;

impl Scoreboard {
    /// Counts everything anew and compares.
    pub(crate) fn check(&self) {
        let ids = || (0..self.ring.len()).map(|offset| self.ring.first().wrapping_add(offset));
        let count = |mark| ids().filter(|&id| self.get(id).is(mark)).count() as u32;
        assert_eq!(self.sacked, count(Mark::SACKED), "sacked");
        assert_eq!(self.lost, count(Mark::LOST), "lost");
        assert_eq!(self.retransmitted, count(Mark::RETRANSMITTED), "retransmitted");
        assert!(self.sacked + self.lost <= self.ring.len());
        let highest = ids().rfind(|&id| self.get(id).is(Mark::SACKED));
        assert_eq!(self.highest_sacked(), highest.map(|id| self.get(id).end()));
        let mut end = None;
        for record in ids().map(|id| self.get(id)) {
            assert_eq!(end.unwrap_or(record.seq), record.seq, "no gap");
            end = Some(record.end());
            assert!(!(record.is(Mark::SACKED) && record.is(Mark::LOST)));
            assert!(!(record.is(Mark::SACKED) && record.is(Mark::RETRANSMITTED)));
            assert!(!record.is(Mark::RETRANSMITTED) || record.is(Mark::AMBIGUOUS));
            // A probe may send a delivered segment again: then RACK passes it once more.
            let (delivered, probed) = (record.is(Mark::SACKED), record.is(Mark::AMBIGUOUS));
            let may_be_listed = !record.waits() && (!delivered || probed);
            let must_be_listed = !record.waits() && !delivered;
            assert!(record.is(Mark::LISTED) <= may_be_listed, "listed");
            assert!(record.is(Mark::LISTED) >= must_be_listed, "not listed");
        }
        let listed = self.order.check(&self.ring);
        assert_eq!(listed, count(Mark::LISTED));
    }

    /// The number of places visited so far.
    pub(crate) fn steps(&self) -> u64 {
        self.ring.steps
    }
}

/// `lens` sent at time 0, from sequence number 1 on.
fn board(lens: &[u32]) -> Scoreboard {
    let mut board = Scoreboard::new(u32::MAX - 2);
    board.set_mss(10);
    let mut seq = 1;
    for &len in lens {
        board.push(&Piece { seq, len, fin: false, push: false }, Time::ZERO);
        seq += u64::from(len);
    }
    board
}

#[test]
fn a_record_is_small() {
    assert!(size_of::<Record>() <= 48, "{}", size_of::<Record>());
}

#[test]
fn finds_segments_of_any_length() {
    let lens: Vec<u32> = (0..200).map(|i| if i % 7 == 3 { 1 + i % 9 } else { 10 }).collect();
    let mut board = board(&lens);
    let mut seq = 1;
    for (offset, &len) in lens.iter().enumerate() {
        let id = board.find(seq);
        assert_eq!(board.ring.offset(id), offset as u32);
        if len > 1 {
            let inside = board.find(seq + 1);
            assert_eq!(board.ring.offset(inside), offset as u32 + 1);
        }
        seq += u64::from(len);
    }
    assert_eq!(board.find(seq), board.end());
    assert_eq!(board.find(seq + 1_000_000), board.end());
    assert_eq!(board.find(0), board.ring.first());
}

#[test]
fn finds_full_segments_at_once_and_others_by_halving() {
    let mut full = board(&[10; 20_000]);
    full.find(150_001);
    assert_eq!(full.steps(), 1);
    let lens: Vec<u32> = (0..20_000).map(|i| if i % 2 == 0 { 10 } else { 3 }).collect();
    let mut mixed = board(&lens);
    mixed.find(1 + 13 * 9_000);
    assert!(mixed.steps() <= 15, "{}", mixed.steps());
}

#[test]
fn reports_are_told_once() {
    let mut board = board(&[10; 100]);
    let mut told = Vec::new();
    for (start, end) in [(101, 201), (101, 301), (51, 301), (57, 325), (1, 11)] {
        let mut new = 0;
        board.sack(start, end, |_, _| new += 1);
        board.check();
        told.push(new);
    }
    assert_eq!(told, [10, 10, 5, 2, 1]);
    assert_eq!((board.sacked(), board.pipe()), (28, 72));
    assert_eq!(board.highest_sacked(), Some(321));
}

#[test]
fn lost_segments_come_lowest_first_and_only_while_lost() {
    let mut board = board(&[10; 8]);
    let first = board.ring.first();
    let id = |offset| first.wrapping_add(offset);
    [5, 2, 4, 6].iter().for_each(|&offset| board.mark_lost(id(offset)));
    board.check();
    assert_eq!((board.lost(), board.pipe()), (4, 4));
    board.sack(21, 31, |_, _| {});
    assert_eq!(board.next_lost(), Some(id(4)));
    board.mark_retransmitted(id(4), Time::from_millis(1));
    board.check();
    assert_eq!((board.next_lost(), board.pipe()), (Some(id(5)), 5));
    board.mark_lost(id(4));
    board.check();
    assert_eq!((board.next_lost(), board.pipe(), board.lost_ever()), (Some(id(4)), 4, 5));
    board.forget_losses();
    board.check();
    assert_eq!((board.next_lost(), board.pipe()), (None, 7));
}

#[test]
fn a_retransmission_before_the_loss_is_certain_stays_in_flight() {
    let mut board = board(&[10; 4]);
    let first = board.ring.first();
    board.mark_retransmitted(first, Time::from_millis(1));
    assert_eq!(board.pipe(), 5, "both copies count");
    board.mark_original_lost(first);
    board.check();
    assert_eq!((board.pipe(), board.next_lost()), (4, None));
}

#[test]
fn a_receiver_that_reneges_is_not_believed() {
    let mut board = board(&[10; 4]);
    board.sack(1, 21, |_, _| {});
    assert!(board.mark_all_lost(|_| true));
    board.check();
    assert_eq!((board.sacked(), board.lost()), (0, 4));
}

/// Linux `tcp_timeout_mark_lost`: but the oldest is lost whatever its age.
#[test]
fn a_timeout_spares_what_was_sent_a_moment_ago() {
    let mut board = board(&[10; 4]);
    let first = board.ring.first();
    board.mark_retransmitted(first, Time::from_millis(9));
    board.mark_retransmitted(first.wrapping_add(2), Time::from_millis(9));
    board.sack(31, 41, |_, _| {});
    assert!(!board.mark_all_lost(|record| record.sent >= Time::from_millis(9)));
    board.check();
    assert_eq!((board.lost(), board.pipe(), board.next_lost()), (2, 2, Some(first)));
}

/// RFC 8985 section 7.3: a probe is the last segment, even if it was delivered meanwhile.
#[test]
fn a_probe_of_what_is_delivered_leaves_the_order_once_it_is_overtaken() {
    let mut board = board(&[10; 4]);
    let last = board.newest().unwrap();
    board.sack(31, 41, |_, _| {});
    board.mark_sent_again(last, Time::from_millis(1));
    board.check();
    let mut passed = 0;
    while board.overtaken(|_| true).is_some() {
        let first = board.sent_first().unwrap();
        board.mark_lost(first);
        board.check();
        passed += 1;
    }
    assert_eq!((passed, board.lost(), board.sacked()), (4, 3, 1));
}

#[test]
fn a_probe_of_what_waits_goes_on_waiting() {
    let mut board = board(&[10; 4]);
    let last = board.newest().unwrap();
    board.mark_lost(last);
    board.mark_sent_again(last, Time::from_millis(1));
    board.check();
    assert_eq!((board.next_lost(), board.pipe()), (Some(last), 3));
}

/// A segment that a probe sent again is in the order of transmission although it is delivered.
#[test]
fn losses_are_forgotten_after_a_probe_of_what_is_delivered() {
    let mut board = board(&[10; 4]);
    let (first, last) = (board.ring.first(), board.newest().unwrap());
    board.mark_lost(first);
    board.sack(31, 41, |_, _| {});
    board.mark_sent_again(last, Time::from_millis(1));
    board.forget_losses();
    board.check();
    board.sack(21, 31, |_, _| {});
    board.check();
    board.acknowledge(41, |_| {});
    board.check();
}
