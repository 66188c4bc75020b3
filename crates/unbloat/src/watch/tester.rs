//! Tests of the path that a watch makes: at times of the day, and while a spike is under way.

use std::path::PathBuf;
use std::thread::{self, JoinHandle};

use results::{LoadedDirection, Measurement, Spike, SpikeCause, SpikeEvidence, WatchedTest};
use units::{Span, Time};

use super::time::{TimeOfDay, next};
use crate::args::WatchArgs;
use crate::failure::Failure;
use crate::test;

/// The time in which the most tests of a day are counted.
const DAY: Span = Span::from_secs(86_400);
/// The time after a test within which spikes are still of its load.
const AFTERWARDS: Span = Span::from_secs(5);

/// The maker of tests.
pub(super) struct Tester {
    server: String,
    token_file: Option<PathBuf>,
    at: Vec<TimeOfDay>,
    on_spike: bool,
    most_a_day: usize,
    /// The next test that the clock asks for; `None` if it asks for none.
    due: Option<Time>,
    under_way: Option<(Time, JoinHandle<Result<Measurement, Failure>>)>,
    /// The tests of the last day, each with its begin and its end.
    made: Vec<(Time, Time)>,
}

impl Tester {
    /// The tests that were asked for; `None` if none were.
    ///
    /// # Errors
    /// If no server is named to make them with.
    pub(super) fn new(args: &WatchArgs, now: Time) -> Result<Option<Self>, Failure> {
        if args.test_at.is_empty() && !args.test_on_spike {
            return Ok(None);
        }
        let of_target = args.targets.iter().find_map(|it| it.strip_prefix("server:"));
        let server = args.test_server.as_deref().or(of_target).ok_or_else(|| {
            Failure::Input(
                "--test-at and --test-on-spike need a server to test with; write --test-server HOST, where \
                 `unbloat serve` runs"
                    .into(),
            )
        })?;
        test::remote_server(server, args.token_file.as_deref())?;
        Ok(Some(Self {
            server: server.to_owned(),
            token_file: args.token_file.clone(),
            on_spike: args.test_on_spike,
            most_a_day: args.tests_a_day.into(),
            due: args.test_at.iter().map(|it| next(*it, now)).min(),
            at: args.test_at.clone(),
            under_way: None,
            made: Vec::new(),
        }))
    }

    /// Begins a test if it is time, or if a spike is under way for which none was made. Returns a test that
    /// has ended, with its begin and its end. Times are since 1970 (UTC).
    pub(super) fn look(
        &mut self,
        now: Time,
        spike_since: Option<Time>,
    ) -> Result<Option<(Time, Time, WatchedTest)>, Failure> {
        self.made.retain(|(begin, _)| now.since(*begin) < DAY);
        if let Some((begin, work)) = self.under_way.take_if(|(_, work)| work.is_finished()) {
            self.made.push((begin, now));
            let done = work.join().unwrap_or_else(|_| Err(Failure::Run("it failed".into())));
            return Ok(Some((begin, now, self.watched(done))));
        }
        let is_due = self.due.is_some_and(|due| now >= due);
        if is_due {
            self.due = self.at.iter().map(|it| next(*it, now)).min();
        }
        let may = self.under_way.is_none() && self.made.len() < self.most_a_day;
        let is_spike = || spike_since.is_some_and(|since| self.is_untested(since));
        if may && (is_due || self.on_spike && is_spike()) {
            self.begin(now)?;
        }
        Ok(None)
    }

    /// True if a spike that began at this time is of a test's own load. One that began before is what the
    /// test was made for, or goes on.
    pub(super) fn has_made(&self, start: Time) -> bool {
        let running = self.under_way.iter().map(|(begin, _)| (*begin, Time::MAX));
        let past = self.made.iter().map(|(begin, end)| (*begin, *end + AFTERWARDS));
        running.chain(past).any(|(begin, over)| start >= begin && start <= over)
    }

    /// What can be told of a spike between these times: nothing of its cause if a test ran meanwhile, whose load
    /// the judge takes for that of the spike.
    pub(super) fn told(&self, spike: Spike, from: Time, to: Time) -> Spike {
        let running = self.under_way.iter().map(|(begin, _)| (*begin, Time::MAX));
        let past = self.made.iter().copied();
        let is_disturbed = running.chain(past).any(|(begin, end)| begin <= to && end >= from);
        if !is_disturbed {
            return spike;
        }
        let evidence = vec![SpikeEvidence::Test];
        Spike { cause: SpikeCause::Unknown, confidence: 0.0, direction: None, evidence, ..spike }
    }

    /// True if a spike that began at this time, and goes on, is none for which a test was made, and none that
    /// a test has made.
    fn is_untested(&self, since: Time) -> bool {
        self.made.iter().all(|(_, end)| since > *end + AFTERWARDS)
    }

    fn begin(&mut self, now: Time) -> Result<(), Failure> {
        let (server, token_file) = (self.server.clone(), self.token_file.clone());
        let work = move || test::measure(&server, token_file.as_deref(), true);
        let thread = thread::Builder::new().name("test".into()).spawn(work);
        let thread =
            thread.map_err(|error| Failure::Run(format!("cannot start a test: {error}")))?;
        self.under_way = Some((now, thread));
        Ok(())
    }

    fn watched(&self, done: Result<Measurement, Failure>) -> WatchedTest {
        let (measurement, failure) = match done {
            Ok(measurement) => (measurement, None),
            Err(failure) => (Measurement::default(), Some(failure.words())),
        };
        let of = |direction: &Option<LoadedDirection>| {
            let it = direction.clone().unwrap_or_default();
            (it.grade, it.rate_mbit, it.added_delay_ms.p95)
        };
        let (down, down_mbit, down_added_ms) = of(&measurement.download);
        let (up, up_mbit, up_added_ms) = of(&measurement.upload);
        WatchedTest {
            server: self.server.clone(),
            down,
            up,
            down_mbit,
            up_mbit,
            down_added_ms,
            up_added_ms,
            failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests on spikes, of which none was made.
    fn idle() -> Tester {
        Tester {
            server: String::new(),
            token_file: None,
            at: Vec::new(),
            on_spike: true,
            most_a_day: 4,
            due: None,
            under_way: None,
            made: Vec::new(),
        }
    }

    #[test]
    fn a_spike_before_a_test_is_not_of_its_load_and_not_tested_again() {
        let tester = Tester { made: vec![(Time::from_secs(100), Time::from_secs(130))], ..idle() };
        let made = [99, 100, 130, 135, 136].map(|at| tester.has_made(Time::from_secs(at)));
        assert_eq!(made, [false, true, true, true, false]);
        // It was tested, and only a later one is tested again.
        let untested = [99, 120, 135, 136].map(|at| tester.is_untested(Time::from_secs(at)));
        assert_eq!(untested, [false, false, false, true]);
    }

    #[test]
    fn of_a_spike_that_was_tested_no_cause_is_told() {
        let tester = Tester { made: vec![(Time::from_secs(100), Time::from_secs(130))], ..idle() };
        let spike = || Spike { cause: SpikeCause::Line, confidence: 0.95, ..Spike::default() };
        let told = |from, to| tester.told(spike(), Time::from_secs(from), Time::from_secs(to));
        for (from, to) in [(90, 110), (110, 120), (120, 140), (90, 140)] {
            let told = told(from, to);
            assert_eq!((told.cause, told.confidence), (SpikeCause::Unknown, 0.0), "{from} to {to}");
            assert_eq!(told.evidence, [SpikeEvidence::Test]);
        }
        assert_eq!([told(80, 99), told(131, 140)], [spike(), spike()]);
    }
}
