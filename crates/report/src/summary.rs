//! The default output of a run: a table of queues and a table of flows.

use results::Document;
use serde_json::Value;
use units::Span;

use crate::number::duration;
use crate::style::{Style, Tone};
use crate::text::{printable, room, truncate};
use crate::{flows, links, setting};

/// The run as text: a heading, a table of links and a table of flows.
pub fn table(document: &Document, style: Style) -> String {
    let mut text = heading(document, cut(document), style);
    text += "\n";
    text += &links::table(document, style);
    // A replay of recorded arrivals and a run around a command have no planned flows.
    let is_planned = document.scenario.get("replay").is_none() && document.clock.is_none();
    if is_planned || !document.flows.is_empty() {
        text += "\n";
        text += &flows::table(document, style);
    }
    text
}

/// The time of the interrupt in words; `None` if there was none.
pub(crate) fn cut(document: &Document) -> Option<String> {
    document.interrupted_s.map(|at| format!("interrupted after {}", duration(at * 1e3)))
}

/// Title, duration, warm-up and seed, as far as the scenario has them, and the time at which the
/// run was `cut` short.
pub(crate) fn heading(document: &Document, cut: Option<String>, style: Style) -> String {
    let mut text = style.paint(&truncate(&title(document), room()), Tone::Title) + "\n";
    let facts = facts(document, cut);
    if !facts.is_empty() {
        text += &style.paint(&truncate(&facts, room()), Tone::Faint);
        text += "\n";
    }
    text
}

/// The scenario's title, or a text that it has none.
pub(crate) fn title(document: &Document) -> String {
    field(document, "title").unwrap_or_else(|| "A run without a title".into())
}

/// Duration, the time at which the run was `cut` short, warm-up and seed.
pub(crate) fn facts(document: &Document, cut: Option<String>) -> String {
    let facts = [
        field(document, "duration").map(rounded),
        cut,
        field(document, "warmup")
            .filter(|_| setting::warmup(document).is_some())
            .map(|warmup| format!("statistics after {warmup}")),
        field(document, "seed").map(|seed| format!("seed {seed}")),
    ];
    facts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The duration as the scenario has it; a measured one, which ends within a millisecond, with three
/// digits.
fn rounded(text: String) -> String {
    let time = text.parse::<Span>().ok();
    let measured = time.filter(|time| time.as_nanos() % 1_000_000 != 0);
    measured.map_or(text, |time| duration(time.as_millis_f64()))
}

fn field(document: &Document, name: &str) -> Option<String> {
    document.scenario.get(name).and_then(plain)
}

/// A text or a number as text; `None` for other values and for an empty text.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(printable(text)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
