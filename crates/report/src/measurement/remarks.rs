//! Remarks as people read them: sentences in paragraphs, and commands that can be copied.

use results::{Measurement, Remark};

use super::advice::measurement_advice;
use super::verdict::measurement_verdict;
use crate::text::{printable, wrap_indented};

/// What a document says was found; what follows from its figures, if it says nothing.
pub(super) fn verdict(measurement: &Measurement) -> Vec<Remark> {
    match &measurement.verdict[..] {
        [] => measurement_verdict(measurement),
        said => said.to_vec(),
    }
}

/// What a document says is to be done; what follows from its figures, if it says nothing.
pub(super) fn advice(measurement: &Measurement) -> Vec<Remark> {
    match &measurement.advice[..] {
        [] => measurement_advice(measurement),
        said => said.to_vec(),
    }
}

/// Sentences about the same direction that follow each other are one paragraph; the first sentence
/// stands alone. Fit for a terminal.
pub(super) fn paragraphs(remarks: &[Remark]) -> Vec<String> {
    let (first, others) = remarks.split_at(remarks.len().min(1));
    let joined = |group: &[Remark]| {
        let texts: Vec<String> = group.iter().map(|remark| printable(&remark.text)).collect();
        texts.join(" ")
    };
    let groups = others.chunk_by(|one, next| one.heading == next.heading);
    first.chunks(1).chain(groups).map(joined).collect()
}

/// The sentence, and each command, with so much before each; a command is copied as it stands, so it
/// is not wrapped.
pub(super) fn indented(remark: &Remark, prefix: &str) -> String {
    let mut text = wrap_indented(&printable(&remark.text), prefix) + "\n";
    for command in &remark.commands {
        text += &format!("{prefix}  {}\n", printable(command));
    }
    text
}
