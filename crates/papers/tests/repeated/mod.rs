//! A paper, repeated, shared by tests.

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use papers::{Paper, Request, Runner, Work};
use results::{Reproduction, ReproductionRow, ReproductionVerdict};

/// Does runs on a thread for each processor.
struct Threads;

impl Runner for Threads {
    fn each(&self, runs: usize, work: &Work<'_>) {
        let next = AtomicUsize::new(0);
        let worker = || {
            let numbers = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|run| *run < runs);
            std::iter::from_fn(numbers).for_each(|run| assert!(work(run, &mut |_| true)));
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
                scope.spawn(worker);
            }
        });
    }
}

/// A paper, repeated once for all tests.
pub(crate) struct Repeated {
    /// The paper's name.
    paper: &'static str,
    /// The part to repeat. `None` for all.
    part: Option<&'static str>,
    text: OnceLock<String>,
    document: OnceLock<Reproduction>,
}

impl Repeated {
    #[allow(dead_code, reason = "some papers are tested by a part")]
    pub(crate) const fn of(paper: &'static str) -> Self {
        Self { paper, part: None, text: OnceLock::new(), document: OnceLock::new() }
    }

    /// This part of the paper alone.
    #[allow(dead_code, reason = "some papers have no parts")]
    pub(crate) const fn part(paper: &'static str, part: &'static str) -> Self {
        Self { paper, part: Some(part), text: OnceLock::new(), document: OnceLock::new() }
    }

    /// Repeats the paper and returns the document.
    fn run(&self) -> String {
        let parts: Vec<String> = self.part.map(str::to_owned).into_iter().collect();
        let request = Request { parts: &parts, queues: &[] };
        let paper = Paper::named(self.paper).unwrap();
        paper.check(&request).unwrap();
        paper.repeat(&request, &Threads).unwrap().json
    }

    fn text(&self) -> &str {
        self.text.get_or_init(|| self.run())
    }

    pub(crate) fn document(&self) -> &Reproduction {
        self.document.get_or_init(|| serde_json::from_str(self.text()).unwrap())
    }

    /// The first row with this metric that satisfies `wanted`.
    pub(crate) fn row(
        &self,
        metric: &str,
        wanted: impl Fn(&ReproductionRow) -> bool,
    ) -> &ReproductionRow {
        let mut rows = self.document().rows.iter().filter(|row| row.metric == metric);
        rows.find(|row| wanted(row)).unwrap_or_else(|| panic!("no such row has {metric}"))
    }

    pub(crate) fn assert_complete_and_explained(&self) {
        for row in &self.document().rows {
            assert!(row.ours.is_some_and(f64::is_finite), "{row:?}");
            let silent =
                matches!(row.verdict, ReproductionVerdict::Agrees | ReproductionVerdict::Unjudged);
            assert!(silent || row.note.is_some(), "{row:?}");
            // A row is unjudged exactly if the paper has no number and the row no note.
            let nothing = row.paper.is_none() && row.note.is_none();
            assert_eq!(row.verdict == ReproductionVerdict::Unjudged, nothing, "{row:?}");
            assert_eq!(
                row.tolerance.is_none(),
                row.verdict == ReproductionVerdict::Unjudged,
                "{row:?}"
            );
            self.assert_judged_by_kind(row);
            assert!(
                row.bound.is_none() || row.paper.is_some() && row.deviation.is_none(),
                "{row:?}"
            );
        }
    }

    /// Asserts that the verdict follows from the tolerance of the row's kind. A closed form
    /// compares two figures with a third, and a count may be off by chance.
    fn assert_judged_by_kind(&self, row: &ReproductionRow) {
        let Some(kind) = &row.tolerance else { return };
        let tolerance = self.document().tolerance_of(row);
        let tolerance = tolerance.unwrap_or_else(|| panic!("{kind} is not in the table"));
        let (Some(part), Some(off)) = (tolerance.part, row.deviation) else { return };
        if !matches!(kind.as_str(), "closed_form" | "count") {
            assert_eq!(row.verdict == ReproductionVerdict::Agrees, off.abs() <= part, "{row:?}");
        }
    }

    /// Asserts that two runs agree, whatever the order of the threads.
    pub(crate) fn assert_repeatable(&self) {
        assert!(self.run() == self.text(), "two runs differ");
    }

    /// Asserts that this page of the documentation shows each row, each note and the summary as
    /// they are printed.
    pub(crate) fn assert_shown_in(&self, page: &str) {
        let document = self.document();
        let table = report::reproduction_table(document);
        let heading = |line: &str| {
            line == document.paper || document.rows.iter().any(|row| row.experiment == line)
        };
        let mut lines = table.lines().filter(|line| !heading(line));
        let missing = lines.find(|line| !page.contains(line));
        assert_eq!(missing, None, "the page is not what `unbloat reproduce {}` prints", self.paper);
    }
}

pub(crate) fn assert_near(value: f64, expected: f64, part: f64, what: &str) {
    assert!((value - expected).abs() <= part * expected, "{what}: {value}, not {expected}");
}
