//! The book of a watch: what came of the probes of the last minutes, target by target.

use std::collections::VecDeque;

use observation::{ProbeOutcome, WatchedProbe};
use report::WatchedRow;
use results::{WatchedCounts, WatchedMinute, is_watched_target};
use stats::Histogram;
use units::{Span, Time};

use super::time::minute;

/// The minutes that are shown.
const SHOWN: usize = 10;
/// The seconds of a sparkline.
const LATEST: usize = 30;
/// A minute.
const MINUTE: Span = Span::from_secs(60);
/// The time after the end of a minute until all is known about its probes: the patience with answers, and
/// a little more.
const SETTLED: Span = Span::from_secs(65);

/// The regular probes of some time.
#[derive(Clone, Debug, Default)]
struct Tally {
    sent: u64,
    late: u64,
    lost: u64,
    failed: u64,
    round_trips: Histogram,
}

impl Tally {
    fn take(&mut self, outcome: ProbeOutcome) {
        self.sent += 1;
        self.late += u64::from(outcome.is_late());
        match outcome {
            ProbeOutcome::Answered { round_trip, .. } => {
                self.round_trips.record(round_trip.as_nanos());
            }
            ProbeOutcome::Lost => self.lost += 1,
            ProbeOutcome::Failed(_) => self.failed += 1,
        }
    }

    fn merge(&mut self, other: &Self) {
        self.sent += other.sent;
        self.late += other.late;
        self.lost += other.lost;
        self.failed += other.failed;
        self.round_trips.merge(&other.round_trips);
    }

    fn counts(&self) -> WatchedCounts {
        let ms = |nanos: Option<u64>| nanos.map(|it| it as f64 / 1e6);
        let quantile = |part| ms(self.round_trips.quantile(part));
        WatchedCounts {
            sent: self.sent,
            late: self.late,
            lost: self.lost,
            failed: self.failed,
            min_ms: ms(self.round_trips.min()),
            p50_ms: quantile(0.5),
            p95_ms: quantile(0.95),
            max_ms: ms(self.round_trips.max()),
        }
    }
}

/// A minute of a target.
#[derive(Clone, Debug)]
struct Minute {
    start: Time,
    is_told: bool,
    tally: Tally,
}

/// The page of a target.
#[derive(Clone, Debug, Default)]
struct Page {
    name: String,
    minutes: VecDeque<Minute>,
    /// The latest seconds in which probes were sent, each with its longest round trip in milliseconds,
    /// `None` if a probe had no answer.
    latest: VecDeque<(u64, Option<f64>)>,
}

impl Page {
    fn note_latest(&mut self, probe: WatchedProbe) {
        let second = probe.sent.as_nanos() / Span::from_secs(1).as_nanos();
        let round_trip = probe.outcome.round_trip().map(Span::as_millis_f64);
        let worse = |it: Option<f64>| Some(it?.max(round_trip?));
        match self.latest.iter_mut().rfind(|it| it.0 <= second) {
            Some(it) if it.0 == second => it.1 = worse(it.1),
            _ => self.latest.push_back((second, round_trip)),
        }
        if self.latest.len() > LATEST {
            self.latest.pop_front();
        }
    }
}

/// The book. Times are since 1970 (UTC).
#[derive(Clone, Debug)]
pub(super) struct Book {
    /// The begin of the watch.
    begin: Time,
    pages: Vec<Page>,
}

impl Book {
    pub(super) fn new(begin: Time, names: impl Iterator<Item = String>) -> Self {
        Self { begin, pages: names.map(|name| Page { name, ..Page::default() }).collect() }
    }

    /// Writes down a probe to the target of this index.
    pub(super) fn take(&mut self, index: usize, probe: WatchedProbe) {
        let page = &mut self.pages[index];
        page.note_latest(probe);
        if probe.is_extra {
            return;
        }
        let start = minute(probe.sent);
        let place = page.minutes.iter().rposition(|it| it.start == start);
        let place = place.unwrap_or_else(|| {
            page.minutes.push_back(Minute { start, is_told: false, tally: Tally::default() });
            page.minutes.len() - 1
        });
        page.minutes[place].tally.take(probe.outcome);
        if page.minutes.len() > SHOWN + 2 {
            page.minutes.pop_front();
        }
    }

    /// The minutes about which all is known now, each once.
    pub(super) fn settled(&mut self, now: Time) -> Vec<WatchedMinute> {
        self.untold(now, |start| now.since(start) > MINUTE + SETTLED)
    }

    /// The minutes that have not been told, once nothing more will be known of them: the watch has ended now.
    pub(super) fn rest(&mut self, now: Time) -> Vec<WatchedMinute> {
        self.untold(now, |_| true)
    }

    /// The minutes of which this is true by their begin, and that have not been told.
    fn untold(&mut self, now: Time, is_known: impl Fn(Time) -> bool) -> Vec<WatchedMinute> {
        let mut told = Vec::new();
        let is_complete = |start: Time| self.begin <= start && start + MINUTE <= now;
        for page in &mut self.pages {
            for it in &mut page.minutes {
                if is_known(it.start) && !std::mem::replace(&mut it.is_told, true) {
                    told.push(WatchedMinute {
                        target: page.name.clone(),
                        start_s: it.start.as_secs_f64(),
                        is_complete: is_complete(it.start),
                        counts: it.tally.counts(),
                    });
                }
            }
        }
        told
    }

    /// The rows of a table: what came of the probes of the last minutes.
    pub(super) fn rows(&self) -> Vec<WatchedRow> {
        let row = |page: &Page| {
            let mut all = Tally::default();
            page.minutes.iter().rev().take(SHOWN).for_each(|it| all.merge(&it.tally));
            WatchedRow {
                name: page.name.clone(),
                latest: page.latest.iter().map(|it| it.1).collect(),
                counts: all.counts(),
            }
        };
        // A hop that there is not has no row.
        let is_there = |it: &WatchedRow| it.counts.sent > 0 || is_watched_target(&it.name);
        self.pages.iter().map(row).filter(is_there).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(millis: u64, round_trip: Option<u64>) -> WatchedProbe {
        let sent = Time::from_millis(millis);
        let answered =
            |it| ProbeOutcome::Answered { round_trip: Span::from_millis(it), up: None, kept: None };
        WatchedProbe {
            sent,
            is_extra: false,
            outcome: round_trip.map_or(ProbeOutcome::Lost, answered),
        }
    }

    #[test]
    fn a_minute_is_told_once_when_all_is_known() {
        let mut book = Book::new(Time::from_secs(1), ["a".to_owned()].into_iter());
        for (at, round_trip) in
            [(0, Some(20)), (59_999, None), (60_000, Some(30)), (500, Some(1500))]
        {
            book.take(0, probe(at, round_trip));
        }
        assert_eq!(book.settled(Time::from_secs(125)), []);
        let told = book.settled(Time::from_secs(126));
        let [first] = &told[..] else { panic!("{told:?}") };
        let WatchedCounts { sent, late, lost, max_ms, .. } = first.counts;
        assert_eq!((sent, late, lost, max_ms), (3, 1, 1, Some(1500.0)));
        assert_eq!(book.settled(Time::from_secs(126)), []);
        // The watch began within the first one, and ends within the third one.
        assert!(!first.is_complete);
        let told = book.settled(Time::from_secs(186));
        assert_eq!(told.iter().map(|it| it.is_complete).collect::<Vec<_>>(), [true]);
        book.take(0, probe(120_000, Some(20)));
        let end = Time::from_secs(179);
        let rest = [book.rest(end), book.rest(end)];
        let complete = rest.map(|it| it.iter().map(|it| it.is_complete).collect::<Vec<_>>());
        assert_eq!(complete, [vec![false], vec![]]);
        // An extra one is among the latest, and in no count.
        book.take(0, WatchedProbe { is_extra: true, ..probe(121_000, Some(500)) });
        let [row] = &book.rows()[..] else { panic!() };
        assert_eq!((row.counts.sent, row.latest.len()), (5, 5));
        assert_eq!((row.counts.max_ms, row.latest[4]), (Some(1500.0), Some(500.0)));
    }
}
