//! A measurement as it is printed.

use results::Measurement;

use super::advice::{COMMAND, measurement_advice};
use super::table::measurement_table;
use super::verdict::measurement_verdict;
use crate::style::{Style, Tone};
use crate::text::{printable, wrap, wrap_indented};

/// All of it, as people read it: the sentences, what to do, what the figures may hide, the tables.
pub fn measurement_text(measurement: &Measurement, style: Style) -> String {
    let mut text = String::new();
    let sentences = measurement_verdict(measurement);
    for (index, sentence) in sentences.iter().enumerate() {
        let tone = if index == 0 { Tone::Title } else { Tone::Plain };
        text += &(style.paint(&wrap(sentence), tone) + "\n");
    }
    let advice = measurement_advice(measurement);
    if !advice.is_empty() {
        text += "\nWhat to do:\n";
    }
    for line in &advice {
        // A command is copied as it stands.
        let is_command = line.starts_with(COMMAND);
        let line = if is_command { format!("    {line}") } else { wrap_indented(line, "  ") };
        text += &(line + "\n");
    }
    if !measurement.limits.is_empty() {
        text += "\nMind:\n";
    }
    for limit in &measurement.limits {
        text += &(wrap_indented(&printable(limit), "  ") + "\n");
    }
    format!("{text}\n{}", measurement_table(measurement, style))
}
