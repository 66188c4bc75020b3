//! A measurement as text.

use results::Measurement;

use super::card::why;
use super::limits::{LIMITS, measurement_limits};
use super::remarks::{advice, indented, paragraphs, verdict};
use super::table::measurement_table;
use crate::style::{Style, Tone};
use crate::text::wrap;

/// The whole measurement as text: the verdict, the reason if there is no grade, the advice, the limits, and the
/// tables.
pub fn measurement_text(measurement: &Measurement, style: Style) -> String {
    let mut text = String::new();
    for (index, paragraph) in paragraphs(&verdict(measurement)).iter().enumerate() {
        let tone = if index == 0 { Tone::Title } else { Tone::Plain };
        text += &(style.paint(&wrap(paragraph), tone) + "\n");
    }
    let why = why(measurement);
    if !why.is_empty() {
        text += &format!("{}\n", wrap(&why));
    }
    let sections = [("What to do", advice(measurement)), (LIMITS, measurement_limits(measurement))];
    for (title, remarks) in sections.iter().filter(|(_, remarks)| !remarks.is_empty()) {
        text += &format!("\n{title}:\n");
        text += &remarks.iter().map(|remark| indented(remark, "  ")).collect::<String>();
    }
    format!("{text}\n{}", measurement_table(measurement, style))
}
