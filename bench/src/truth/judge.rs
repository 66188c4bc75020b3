//! Judges every statement of a test against the truth about its path.

mod figures;
mod remarks;
mod words;

use observation::Heading;
use results::Measurement;
use serde::Serialize;

use super::facts::Facts;
use super::path::Block;
use super::run_case::Run;
use figures::way;

/// A statement and the judgement on it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Judged {
    /// The path in a line.
    #[serde(skip)]
    pub(crate) path: String,
    pub(crate) index: u64,
    /// The kind of statement: a figure's name, or a remark's.
    pub(crate) what: String,
    /// The direction, `up` or `down`; `None` for a statement about the whole path.
    pub(crate) heading: Option<&'static str>,
    pub(crate) said: String,
    /// The truth in words; empty where the statement agrees.
    pub(crate) truth: String,
    /// The test's confidence; `None` where it states none.
    pub(crate) confidence: Option<f64>,
    pub(crate) outcome: Judgement,
}

/// The outcome of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Judgement {
    True,
    False,
    /// A false statement that harms a user who believes it.
    Harmful,
    /// No statement, or the statement that the test cannot tell, where there was a truth to state.
    Withheld,
    /// A statement that this bench cannot judge. The table of remarks gives the reason.
    Unjudged,
    /// A statement that the table of remarks lacks.
    Unknown,
}

/// A judgement, and the truth in words.
pub(crate) type Verdict = (Judgement, String);

/// The tolerances: a part of the truth, or an amount if that is more. A tolerance belongs to a kind
/// of figure, never to a path.
pub(crate) mod tolerance {
    use results::Tolerance;

    /// Delays, in milliseconds.
    pub(crate) const DELAY: Tolerance = Tolerance { part: 0.02, amount: 2.0 };
    /// The sum of a delay and the idle round trip, in milliseconds, with the tolerances of both.
    pub(crate) const LAG: Tolerance = Tolerance { part: 0.02, amount: 4.0 };
    /// Figures made of many delays, in milliseconds.
    pub(crate) const COMPOSED: Tolerance = Tolerance { part: 0.1, amount: 5.0 };
    /// Rates, in Mbit/s.
    pub(crate) const RATE: Tolerance = Tolerance { part: 0.05, amount: 0.0 };
    /// Sizes in bytes. The amount is one packet of the largest size, because the packet being sent
    /// is in the buffer of some queues and not of others.
    pub(crate) const BYTES: Tolerance = Tolerance { part: 0.02, amount: 1514.0 };
    /// Sizes in packets: probes and other connections take places too.
    pub(crate) const PACKETS: Tolerance = Tolerance { part: 0.1, amount: 3.0 };
    /// Loss as a part of the packets: some tens of them, as a rule.
    pub(crate) const LOSS: Tolerance = Tolerance { part: 0.3, amount: 0.02 };
    /// Loss on the wire as a part of the packets: a few of them, as a rule.
    pub(crate) const WIRE_LOSS: Tolerance = Tolerance { part: 0.5, amount: 0.002 };
    /// Mean opinion scores.
    pub(crate) const OPINION: Tolerance = Tolerance { part: 0.0, amount: 0.3 };
    /// The load of a processor, 0 to 1.
    pub(crate) const BUSY: Tolerance = Tolerance { part: 0.0, amount: 0.15 };
}

/// Judges a run.
pub(crate) fn judge(run: &Run) -> Vec<Judged> {
    let mut all = match &run.said {
        None => vec![complaint(run)],
        Some(said) => match serde_json::from_value::<Measurement>(said.clone()) {
            Ok(measurement) => judged_statements(run, &measurement),
            Err(error) => vec![unread(&error.to_string())],
        },
    };
    for judged in &mut all {
        judged.path = run.path.to_string();
        judged.index = run.path.index;
    }
    all
}

fn judged_statements(run: &Run, measurement: &Measurement) -> Vec<Judged> {
    let both = measurement.both.as_ref();
    let up = measurement.upload.as_ref().or(both.map(|both| &both.upload));
    let down = measurement.download.as_ref().or(both.map(|both| &both.download));
    let facts: Vec<(Facts<'_>, _)> = [(Heading::Down, down), (Heading::Up, up)]
        .into_iter()
        .filter_map(|(heading, found)| Some((Facts::of(run, heading, found?), found?)))
        .collect();
    let at_least = |heading| measurement.is_never_idle(heading);
    let mut all: Vec<Judged> = facts
        .iter()
        .flat_map(|(facts, found)| figures::judge(facts, found, at_least(facts.heading)))
        .collect();
    // The direction is also judged under load in both directions, unless it was loaded in no other
    // way, and is judged already.
    let beside = [
        (Heading::Down, measurement.download.as_ref().and(both.map(|both| &both.download))),
        (Heading::Up, measurement.upload.as_ref().and(both.map(|both| &both.upload))),
    ];
    for (heading, found) in beside {
        let Some(found) = found else { continue };
        let facts = Facts::of(run, heading, found);
        let judged = figures::beside(&facts, found, at_least(heading)).into_iter();
        all.extend(judged.map(|it| Judged { what: format!("both: {}", it.what), ..it }));
    }
    let facts: Vec<Facts<'_>> = facts.into_iter().map(|(facts, _)| facts).collect();
    all.extend(figures::grade_of_the_path(&facts, measurement.grade));
    all.extend(remarks::judge(run, &facts, measurement));
    all
}

/// The judgement of a test that printed only an error.
fn complaint(run: &Run) -> Judged {
    let breaks = matches!(run.path.block, Some(Block::Cut(_) | Block::Large));
    let outcome = if breaks { Judgement::Withheld } else { Judgement::False };
    Judged::new("a result", None, run.complaint.clone(), None, (outcome, "the path works".into()))
}

fn unread(why: &str) -> Judged {
    Judged::new("a document", None, why.into(), None, (Judgement::Unknown, String::new()))
}

impl Judged {
    pub(crate) fn new(
        what: &str,
        heading: Option<Heading>,
        said: String,
        confidence: Option<f64>,
        (outcome, truth): Verdict,
    ) -> Self {
        let path = String::new();
        let heading = heading.map(way);
        Self { path, index: 0, what: what.into(), heading, said, truth, confidence, outcome }
    }

    pub(crate) fn is_false(&self) -> bool {
        matches!(self.outcome, Judgement::False | Judgement::Harmful)
    }
}

/// The verdict true or false.
pub(crate) fn whether(holds: bool, truth: impl Into<String>) -> Verdict {
    (if holds { Judgement::True } else { Judgement::False }, truth.into())
}

/// The verdict true, or false and harmful.
pub(crate) fn or_harmful(holds: bool, truth: impl Into<String>) -> Verdict {
    (if holds { Judgement::True } else { Judgement::Harmful }, truth.into())
}

#[cfg(test)]
mod tests;
