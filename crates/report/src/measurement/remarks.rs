//! Remarks as text: sentences in paragraphs, and commands that can be copied.

use results::{Measurement, Remark};

use super::advice::measurement_advice;
use super::verdict::measurement_verdict;
use crate::text::{printable, wrap_indented};

/// The document's verdict; if it is empty, the one that follows from the figures.
pub(super) fn verdict(measurement: &Measurement) -> Vec<Remark> {
    match &measurement.verdict[..] {
        [] => measurement_verdict(measurement),
        said => said.to_vec(),
    }
}

/// The document's advice; if it is empty, the one that follows from the figures.
pub(super) fn advice(measurement: &Measurement) -> Vec<Remark> {
    match &measurement.advice[..] {
        [] => measurement_advice(measurement),
        said => said.to_vec(),
    }
}

/// The sentences as paragraphs, fit for a terminal: successive sentences about the same direction
/// are one paragraph; the first sentence is a paragraph by itself.
pub(super) fn paragraphs(remarks: &[Remark]) -> Vec<String> {
    let (first, others) = remarks.split_at(remarks.len().min(1));
    let joined = |group: &[Remark]| {
        let texts: Vec<String> = group.iter().map(|remark| printable(&remark.text)).collect();
        texts.join(" ")
    };
    let groups = others.chunk_by(|one, next| one.heading == next.heading);
    first.chunks(1).chain(groups).map(joined).collect()
}

/// The sentence and the commands, with `prefix` before each line. Commands are not wrapped, so that
/// they can be copied.
pub(super) fn indented(remark: &Remark, prefix: &str) -> String {
    let mut text = wrap_indented(&printable(&remark.text), prefix) + "\n";
    for command in &remark.commands {
        text += &format!("{prefix}  {}\n", printable(command));
    }
    text
}
