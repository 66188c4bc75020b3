//! The default answer of a run: what the queues did and what the flows got.

use results::Document;
use serde_json::Value;

use crate::number::duration;
use crate::style::{Style, Tone};
use crate::text::{WIDTH, printable, truncate};
use crate::{flows, links};

/// A heading, a table of links and a table of flows.
pub fn table(document: &Document, style: Style) -> String {
    let cut = document.interrupted_s.map(|at| format!("interrupted after {}", duration(at * 1e3)));
    let mut text = heading(document, cut, style);
    for part in [links::table(document, style), flows::table(document, style)] {
        text += "\n";
        text += &part;
    }
    text
}

/// Title, duration, warm-up and seed, as far as the scenario has them, and whether it was `cut`
/// short.
pub(crate) fn heading(document: &Document, cut: Option<String>, style: Style) -> String {
    let field = |name| document.scenario.get(name).and_then(plain);
    let title = field("title").unwrap_or_else(|| "A run without a title".into());
    let mut text = style.paint(&truncate(&title, WIDTH), Tone::Title) + "\n";
    let facts = [
        field("duration"),
        cut,
        field("warmup")
            .filter(|warmup| warmup != "0ms")
            .map(|warmup| format!("statistics after {warmup}")),
        field("seed").map(|seed| format!("seed {seed}")),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    if !facts.is_empty() {
        text += &style.paint(&truncate(&facts.join(", "), WIDTH), Tone::Faint);
        text += "\n";
    }
    text
}

/// A text or a number; nothing else, and no empty text.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(printable(text)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
