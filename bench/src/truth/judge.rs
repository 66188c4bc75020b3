//! Everything that a test says, held against what is true of its path.

mod figures;
mod remarks;
mod words;

use results::Measurement;
use results::observation::Heading;
use serde::Serialize;

use super::course::Run;
use super::facts::Facts;
use super::path::Block;
use figures::way;

/// A statement, and what came of it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Judged {
    /// Which path, in a line.
    #[serde(skip)]
    pub(crate) path: String,
    pub(crate) index: u64,
    /// The kind of statement: a figure's name, or a remark's.
    pub(crate) what: String,
    /// `up` or `down`.
    pub(crate) heading: Option<&'static str>,
    pub(crate) said: String,
    /// What is true, in words; empty where it agrees.
    pub(crate) truth: String,
    /// How sure the test was, where it says so.
    pub(crate) confidence: Option<f64>,
    pub(crate) outcome: Outcome,
}

/// What came of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    True,
    False,
    /// False, and who believes it does damage.
    Harmful,
    /// Nothing is said, or that it cannot be told, where there was something to say.
    Withheld,
    /// Nothing here tells whether it is true; why is said in the table of remarks.
    Unjudged,
    /// The table of remarks does not know such a name.
    Unknown,
}

/// An outcome and the truth in words.
pub(crate) type Verdict = (Outcome, String);

/// How far a figure may be from the truth: by this part of it, or by so much if that is more. It
/// belongs to a kind of figure, never to a path.
pub(crate) mod tolerance {
    /// Milliseconds.
    pub(crate) const DELAY: (f64, f64) = (0.02, 2.0);
    /// Of a delay and the idle round trip together, in milliseconds: that of both.
    pub(crate) const LAG: (f64, f64) = (0.02, 4.0);
    /// Of figures that are made of many delays, in milliseconds.
    pub(crate) const COMPOSED: (f64, f64) = (0.1, 5.0);
    /// Mbit/s.
    pub(crate) const RATE: (f64, f64) = (0.05, 0.0);
    /// Bytes: or one packet of the largest, since that on the wire is in the buffer of some queues and
    /// not in that of others.
    pub(crate) const BYTES: (f64, f64) = (0.02, 1514.0);
    /// Packets: probes and other connections take places too.
    pub(crate) const PACKETS: (f64, f64) = (0.1, 3.0);
    /// Part of the packets: some tens of them, as a rule.
    pub(crate) const LOSS: (f64, f64) = (0.3, 0.02);
    /// Part of the packets that a wire loses: a few of them, as a rule.
    pub(crate) const WIRE_LOSS: (f64, f64) = (0.5, 0.002);
    /// Mean opinion scores.
    pub(crate) const OPINION: (f64, f64) = (0.0, 0.3);
    /// How busy a processor was, as a part.
    pub(crate) const BUSY: (f64, f64) = (0.0, 0.15);
}

/// Judges a run.
pub(crate) fn judge(run: &Run) -> Vec<Judged> {
    let mut all = match &run.said {
        None => vec![complaint(run)],
        Some(said) => match serde_json::from_value::<Measurement>(said.clone()) {
            Ok(measurement) => of(run, &measurement),
            Err(error) => vec![unread(&error.to_string())],
        },
    };
    for judged in &mut all {
        judged.path = run.path.to_string();
        judged.index = run.path.index;
    }
    all
}

fn of(run: &Run, measurement: &Measurement) -> Vec<Judged> {
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
    // While both directions are loaded; unless that is all there is, and judged already.
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

/// A test that printed nothing but why.
fn complaint(run: &Run) -> Judged {
    let breaks = matches!(run.path.block, Some(Block::Cut(_) | Block::Large));
    let outcome = if breaks { Outcome::Withheld } else { Outcome::False };
    Judged::new("a result", None, run.complaint.clone(), None, (outcome, "the path works".into()))
}

fn unread(why: &str) -> Judged {
    Judged::new("a document", None, why.into(), None, (Outcome::Unknown, String::new()))
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
        matches!(self.outcome, Outcome::False | Outcome::Harmful)
    }
}

/// True or false.
pub(crate) fn whether(holds: bool, truth: impl Into<String>) -> Verdict {
    (if holds { Outcome::True } else { Outcome::False }, truth.into())
}

/// True, or false and harmful.
pub(crate) fn or_harmful(holds: bool, truth: impl Into<String>) -> Verdict {
    (if holds { Outcome::True } else { Outcome::Harmful }, truth.into())
}

#[cfg(test)]
mod tests;
