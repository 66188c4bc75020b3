//! The summary of a characterisation: one table, and one sentence a queue.

use results::{Characterisation, CharacterisedCase, RequirementLevel};

use crate::number::{MISSING, duration, rough, share};
use crate::page::PageTable;
use crate::text::printable;

/// The figures of the queue that are in the summary.
const DELAY: FigureName = FigureName { of: "queue", metric: "delay p95" };
const GOODPUT: FigureName = FigureName { of: "queue", metric: "goodput, all flows" };

/// The name of a figure of a case.
#[derive(Clone, Copy)]
struct FigureName {
    of: &'static str,
    metric: &'static str,
}

/// The explanation of the summary.
pub(super) const TABLE: &str = "One row for each case: the delay in the queue that 95 of 100 \
                                packets stay below, and the goodput of all flows together, in \
                                Mbit/s.";

/// The weight in words.
pub(super) const fn weight(weight: RequirementLevel) -> &'static str {
    match weight {
        RequirementLevel::Must => "must be considered",
        RequirementLevel::MustIfSupported => "must be discussed if it can do that",
        RequirementLevel::Should => "should be considered",
        RequirementLevel::May => "may be considered",
        RequirementLevel::Unweighed => "not weighed",
    }
}

/// The table of the summary: one row a case.
pub(super) fn table(document: &Characterisation) -> PageTable {
    let mut rows = Vec::new();
    for scenario in &document.scenarios {
        for case in &scenario.cases {
            let queues = (0..document.queues.len()).map(|queue| cell(case, queue));
            let section = printable(&scenario.section);
            let name = format!("{}, {}", printable(&scenario.title), printable(&case.name));
            rows.push([section, name].into_iter().chain(queues).collect());
        }
    }
    let names = ["p95 of the delay, and goodput in Mbit/s".to_owned(), String::new()];
    let queues = document.queues.iter().map(|queue| printable(queue));
    PageTable { head: names.into_iter().chain(queues).collect(), rows, ..PageTable::default() }
}

fn cell(case: &CharacterisedCase, queue: usize) -> String {
    let shown =
        |name, show: fn(f64) -> String| value(case, name, queue).map_or(MISSING.into(), show);
    format!("{}, {:>4}", shown(DELAY, duration), shown(GOODPUT, rough))
}

/// The figure of a queue. `None` if it is missing.
fn value(case: &CharacterisedCase, name: FigureName, queue: usize) -> Option<f64> {
    *case.figure(name.of, name.metric)?.get(queue)?
}

/// Sentences, one for each queue but the first, with which the others are compared.
pub(super) fn sentences(document: &Characterisation) -> Vec<String> {
    let must =
        document.scenarios.iter().filter(|scenario| scenario.weight == RequirementLevel::Must);
    let cases: Vec<&CharacterisedCase> = must.flat_map(|scenario| &scenario.cases).collect();
    let others = document.queues.iter().enumerate().skip(1);
    others.filter_map(|(queue, name)| sentence(document, &cases, queue, name)).collect()
}

fn sentence(
    document: &Characterisation,
    cases: &[&CharacterisedCase],
    queue: usize,
    name: &str,
) -> Option<String> {
    let delay = Against::of(cases, DELAY, queue)?;
    let goodput = Against::of(cases, GOODPUT, queue)?;
    let reference = printable(document.queues.first()?);
    Some(printable(&format!(
        "{name}, in the {} that must be considered: the delay (p95) is {} of {reference}'s at the \
         median and {} at most (in {}); the goodput is {} at the median and {} at least (in {}).",
        match delay.cases {
            1 => "1 case".into(),
            cases => format!("{cases} cases"),
        },
        share(delay.median),
        share(delay.most.0),
        delay.most.1,
        share(goodput.median),
        share(goodput.least.0),
        goodput.least.1,
    )))
}

/// A figure of one queue as a part of the first one's.
struct Against<'a> {
    cases: usize,
    median: f64,
    /// The least part, with the name of the case that has it.
    least: (f64, &'a str),
    most: (f64, &'a str),
}

impl<'a> Against<'a> {
    fn of(cases: &[&'a CharacterisedCase], name: FigureName, queue: usize) -> Option<Self> {
        let part = |case: &&'a CharacterisedCase| {
            let part = stats::ratio(value(case, name, queue)?, value(case, name, 0)?)?;
            Some((part, case.id.as_str()))
        };
        let mut parts: Vec<(f64, &str)> = cases.iter().filter_map(part).collect();
        parts.sort_by(|one, other| one.0.total_cmp(&other.0));
        Some(Self {
            cases: parts.len(),
            median: parts.get(parts.len() / 2)?.0,
            least: *parts.first()?,
            most: *parts.last()?,
        })
    }
}
