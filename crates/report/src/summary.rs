//! The default answer of a run: what the queues did and what the flows got.

use results::Document;
use serde_json::Value;

use crate::number::duration;
use crate::style::{Style, Tone};
use crate::text::{WIDTH, printable, truncate};
use crate::{flows, links};

/// A heading, a table of links and a table of flows.
pub fn table(document: &Document, style: Style) -> String {
    let mut text = heading(document, cut(document), style);
    text += "\n";
    text += &links::table(document, style);
    // Recorded arrivals and a command have no flows of their own to tell of.
    let is_planned = document.scenario.get("replay").is_none() && document.clock.is_none();
    if is_planned || !document.flows.is_empty() {
        text += "\n";
        text += &flows::table(document, style);
    }
    text
}

/// When it was interrupted, if it was.
pub(crate) fn cut(document: &Document) -> Option<String> {
    document.interrupted_s.map(|at| format!("interrupted after {}", duration(at * 1e3)))
}

/// Title, duration, warm-up and seed, as far as the scenario has them, and whether it was `cut`
/// short.
pub(crate) fn heading(document: &Document, cut: Option<String>, style: Style) -> String {
    let mut text = style.paint(&truncate(&title(document), WIDTH), Tone::Title) + "\n";
    let facts = facts(document, cut);
    if !facts.is_empty() {
        text += &style.paint(&truncate(&facts, WIDTH), Tone::Faint);
        text += "\n";
    }
    text
}

/// The scenario's, or that it has none.
pub(crate) fn title(document: &Document) -> String {
    field(document, "title").unwrap_or_else(|| "A run without a title".into())
}

/// Duration, whether it was `cut` short, warm-up and seed.
pub(crate) fn facts(document: &Document, cut: Option<String>) -> String {
    let facts = [
        field(document, "duration"),
        cut,
        field(document, "warmup")
            .filter(|warmup| warmup != "0ms")
            .map(|warmup| format!("statistics after {warmup}")),
        field(document, "seed").map(|seed| format!("seed {seed}")),
    ];
    facts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn field(document: &Document, name: &str) -> Option<String> {
    document.scenario.get(name).and_then(plain)
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
