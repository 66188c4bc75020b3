//! Tests of the path that a watch makes: at times of the day, and while a spike is under way.

use std::path::PathBuf;
use std::thread::{self, JoinHandle};

use results::{LoadedDirection, Measurement, WatchedTest};
use units::{Span, Time};
use watch::{Target, TargetKind};

use super::time::{TimeOfDay, next};
use crate::args::WatchArgs;
use crate::failure::Failure;
use crate::test;

/// The time in which the most tests of a day are counted.
const DAY: Span = Span::from_secs(86_400);
/// The time after a test in which its load is still felt.
const AFTERWARDS: Span = Span::from_secs(5);
/// The time of a test before its load begins.
const IDLE: Span = Span::from_secs(2);
/// The time after that within which a spike that begins is taken for the rest of the one that was tested: a trouble
/// pauses, and a test of the time just before it tells no less.
const SAME: Span = Span::from_secs(60);

/// The maker of tests.
pub(super) struct Tester {
    server: String,
    token_file: Option<PathBuf>,
    at: Vec<TimeOfDay>,
    on_spike: bool,
    most_a_day: usize,
    /// The next test that the clock asks for; `None` if it asks for none.
    due: Option<Time>,
    under_way: Option<UnderWay>,
    /// The tests of the last day.
    made: Vec<Made>,
}

/// A test that is being made.
struct UnderWay {
    begin: Time,
    is_on_spike: bool,
    work: JoinHandle<Result<Measurement, Failure>>,
}

/// A test that was made.
#[derive(Clone, Copy)]
struct Made {
    begin: Time,
    end: Time,
    is_on_spike: bool,
    /// True if it has loaded the path, so that it counts among the tests of a day.
    has_loaded: bool,
}

/// What has become of tests.
pub(super) enum TestNews {
    /// One has begun.
    Begin,
    /// One has ended.
    End {
        /// The begin since 1970 (UTC).
        begin: Time,
        /// The time that it took.
        took: Span,
        /// The time afterwards in which its load is felt; `None` if it has loaded nothing.
        afterwards: Option<Span>,
        /// Result of the test.
        test: WatchedTest,
    },
}

impl Tester {
    /// The tests that were asked for; `None` if none were.
    ///
    /// # Errors
    /// If no server is named to make them with, if a server is named and no time, or if more times are
    /// named than tests may run in a day.
    pub(super) fn new(
        args: &WatchArgs,
        targets: &[Target],
        now: Time,
    ) -> Result<Option<Self>, Failure> {
        if args.test_at.is_empty() && !args.test_on_spike {
            return match args.test_server {
                None => Ok(None),
                Some(_) => Err(Failure::Input(
                    "--test-server names a server and no time; add --test-at HH:MM or --test-on-spike".into(),
                )),
            };
        }
        let of_target = || {
            let server = targets.iter().find(|it| it.kind == TargetKind::Server)?.to_string();
            server.strip_prefix("server:").map(str::to_owned)
        };
        let server = args.test_server.clone().or_else(of_target).ok_or_else(|| {
            Failure::Input(
                "--test-at and --test-on-spike need a server to test with; write --test-server HOST, where \
                 `unbloat serve` runs"
                    .into(),
            )
        })?;
        let (times, most) = (args.test_at.len(), usize::from(args.tests_a_day));
        if times > most {
            return Err(Failure::Input(format!(
                "--test-at names {times} times, and --tests-a-day allows {most} tests; write --tests-a-day {times} \
                 or more, or fewer times"
            )));
        }
        test::remote_server(&server, args.token_file.as_deref())?;
        Ok(Some(Self {
            server,
            token_file: args.token_file.clone(),
            on_spike: args.test_on_spike,
            most_a_day: most,
            due: args.test_at.iter().map(|it| next(*it, now)).min(),
            at: args.test_at.clone(),
            under_way: None,
            made: Vec::new(),
        }))
    }

    /// Begins a test if it is time, or if a spike lasts that was not tested: `spike_since` is its begin. Times
    /// are since 1970 (UTC).
    pub(super) fn look(
        &mut self,
        now: Time,
        spike_since: Option<Time>,
    ) -> Result<Option<TestNews>, Failure> {
        self.made.retain(|it| now.since(it.begin) < DAY);
        if let Some(ended) = self.under_way.take_if(|it| it.work.is_finished()) {
            let UnderWay { begin, is_on_spike, work } = ended;
            let done = work.join().unwrap_or_else(|_| Err(Failure::Run("it failed".into())));
            let took = now.since(begin);
            let has_loaded = done.is_ok() || took >= IDLE;
            self.made.push(Made { begin, end: now, is_on_spike, has_loaded });
            let afterwards = has_loaded.then_some(AFTERWARDS);
            let test = self.watched(done, is_on_spike);
            return Ok(Some(TestNews::End { begin, took, afterwards, test }));
        }
        if self.under_way.is_some() {
            return Ok(None);
        }
        let is_due = self.due.is_some_and(|due| now >= due);
        let is_spike = || spike_since.is_some_and(|since| self.is_untested(since));
        if is_due {
            self.due = self.at.iter().map(|it| next(*it, now)).min();
        } else if !(self.on_spike && self.has_room() && is_spike()) {
            return Ok(None);
        }
        self.begin(now, !is_due)?;
        Ok(Some(TestNews::Begin))
    }

    /// The test that is under way at the end of the watch, with its begin; `None` if there is none.
    pub(super) fn end(&mut self) -> Option<(Time, WatchedTest)> {
        let UnderWay { begin, is_on_spike, .. } = self.under_way.take()?;
        let why = Failure::Run("the watch ended before the test did".into());
        Some((begin, self.watched(Err(why), is_on_spike)))
    }

    /// True unless spikes have loaded the path as often as they may in a day: the tests of the times that
    /// were named have their room for themselves.
    fn has_room(&self) -> bool {
        let made = self.made.iter().filter(|it| it.has_loaded && it.is_on_spike).count();
        made + self.at.len() < self.most_a_day
    }

    /// True if a spike that began at this time is not the rest of one that was tested.
    fn is_untested(&self, since: Time) -> bool {
        self.made.iter().all(|it| since > it.end + AFTERWARDS + SAME)
    }

    fn begin(&mut self, now: Time, is_on_spike: bool) -> Result<(), Failure> {
        let (server, token_file) = (self.server.clone(), self.token_file.clone());
        let work = move || test::measure(&server, token_file.as_deref(), true);
        let thread = thread::Builder::new().name("test".into()).spawn(work);
        let thread =
            thread.map_err(|error| Failure::Run(format!("cannot start a test: {error}")))?;
        self.under_way = Some(UnderWay { begin: now, is_on_spike, work: thread });
        Ok(())
    }

    fn watched(&self, done: Result<Measurement, Failure>, on_spike: bool) -> WatchedTest {
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
            on_spike,
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

    fn made(has_loaded: bool) -> Made {
        let (begin, end) = (Time::from_secs(100), Time::from_secs(130));
        Made { begin, end, is_on_spike: true, has_loaded }
    }

    #[test]
    fn a_test_that_has_loaded_nothing_does_not_count() {
        let after = |has_loaded| Tester { made: vec![made(has_loaded); 4], ..idle() };
        assert_eq!([true, false].map(|it| after(it).has_room()), [false, true]);
        // The spike that it was made for has been tried.
        assert!(!after(false).is_untested(Time::from_secs(99)));
    }

    /// Spikes leave room for the test of each time that was named.
    #[test]
    fn spikes_take_no_test_from_the_times_that_were_named() {
        let at = vec![TimeOfDay::constant(4, 0, 0, 0)];
        let after = |count| Tester { made: vec![made(true); count], at: at.clone(), ..idle() };
        assert_eq!([2, 3].map(|count| after(count).has_room()), [true, false]);
        let on_time = Made { is_on_spike: false, ..made(true) };
        assert!(Tester { made: vec![on_time; 4], ..idle() }.has_room());
    }

    /// A time that comes while a test is under way is not passed over.
    #[test]
    fn a_test_on_time_waits_for_the_one_under_way() {
        let (ends, wait) = std::sync::mpsc::channel::<()>();
        let work = thread::spawn(move || {
            let _ = wait.recv();
            Err(Failure::Run("it failed".into()))
        });
        let (begin, is_on_spike) = (Time::from_secs(10), true);
        let due = Some(Time::from_secs(20));
        let under_way = Some(UnderWay { begin, is_on_spike, work });
        let mut tester = Tester { due, under_way, ..idle() };
        assert!(tester.look(Time::from_secs(21), None).unwrap().is_none());
        assert_eq!(tester.due, due, "still to be made");
        drop(ends);
    }

    #[test]
    fn the_rest_of_a_spike_that_was_tested_is_not_tested_again() {
        let tester = Tester { made: vec![made(true)], ..idle() };
        let untested = [99, 120, 136, 195, 196].map(|at| tester.is_untested(Time::from_secs(at)));
        assert_eq!(untested, [false, false, false, false, true]);
    }
}
