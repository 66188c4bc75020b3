//! One queue as tc prints it.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::cursor::Cursor;
use crate::kinds;
use crate::layout::Form::{Count, Flag, Name, Rate, Size};
use crate::layout::{self, Field, Layout, StatsTable, field};
use crate::{Fields, TcError};

/// The beginning of the first line: what the queue is, and where it is attached.
const HEAD: &[Field] = &[
    field("kind", "qdisc ", Name, " "),
    field("handle", "", Name, " "),
    field("dev", "dev ", Name, " "),
    field("root", "", Flag("root"), " "),
    field("parent", "parent ", Name, " "),
    field("refcnt", "refcnt ", Count, " "),
    field("offloaded", "", Flag("offloaded"), " "),
    field("ingress_block", "ingress_block ", Count, " "),
    field("egress_block", "egress_block ", Count, " "),
];

/// The counts that every queue has.
const COUNTERS: &[Field] = &[
    field("bytes", " Sent ", Count, " bytes"),
    field("packets", " ", Count, " pkt"),
    field("drops", " (dropped ", Count, ""),
    field("overlimits", ", overlimits ", Count, ""),
    field("requeues", " requeues ", Count, ") "),
    field("sw_bytes", "\n Sent software ", Count, " bytes"),
    field("sw_packets", " ", Count, " pkt"),
    field("hw_bytes", "\n Sent hardware ", Count, " bytes"),
    field("hw_packets", " ", Count, " pkt"),
];

/// The rates of a queue that has an estimator (tc(8), `estimator`).
const RATES: &[Field] = &[field("rate", "\n rate ", Rate, ""), field("pps", " ", Count, "pps")];

/// The backlog, on a line of its own if there are no rates before it.
const BACKLOG: &[Field] = &[
    field("backlog", " backlog ", Size, ""),
    field("qlen", " ", Count, "p"),
    field("requeues", " requeues ", Count, ""),
];

/// The counters that tc prints of every queue, or none of them.
const ALWAYS: [&str; 7] =
    ["bytes", "packets", "drops", "overlimits", "requeues", "backlog", "qlen"];

/// A queue as `tc -s qdisc show` prints it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedQdisc {
    fields: Fields,
    /// The text of what has no layout.
    unknown: Unknown,
}

/// The text of a queue whose kind has no layout; empty if the queue was read from JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unknown {
    /// The options, as they stand on the first line.
    pub(crate) options: String,
    /// The lines behind the counters, each with its end.
    pub(crate) stats: String,
}

impl ListedQdisc {
    /// The queue of these fields, which have the forms of their layouts.
    pub(crate) const fn new(fields: Fields, unknown: Unknown) -> Self {
        Self { fields, unknown }
    }

    /// The kind of the queue: `cake`.
    pub fn kind(&self) -> &str {
        self.fields.get("kind").and_then(Value::as_str).unwrap_or_default()
    }

    /// The fields of the JSON object that tc prints of the queue, with the names and units that
    /// they have there: in `options` rates are bytes per second, and times microseconds.
    pub const fn fields(&self) -> &Fields {
        &self.fields
    }

    /// The queue, as one of this device: tc leaves out the name of a device that it was asked for.
    #[must_use]
    pub fn of_device(mut self, name: &str) -> Self {
        self.fields.entry("dev").or_insert_with(|| name.into());
        self
    }

    /// The table that tc prints behind the statistics, such as the tins of `cake`; `None` for a queue
    /// without one.
    pub fn table(&self) -> Option<StatsTable> {
        kinds::layout(self.kind())?.table.as_ref()?.stats(&self.fields)
    }

    /// Takes the queue from a JSON object. Fields that later versions of tc may have are kept.
    ///
    /// # Errors
    /// If a field has not the form that tc gives it, in words.
    pub fn from_json(value: Value) -> Result<Self, String> {
        let Value::Object(fields) = value else {
            return Err("a queue should be an object".to_owned());
        };
        let none = Fields::new();
        let options = match fields.get("options") {
            Some(options) => options.as_object().ok_or("`options` should be an object")?,
            None => &none,
        };
        layout::check(HEAD, &fields)?;
        [COUNTERS, RATES, BACKLOG].iter().try_for_each(|part| layout::check(part, &fields))?;
        let kind = fields.get("kind").and_then(Value::as_str);
        if let Some(Layout { options: of_kind, stats, table }) =
            kinds::layout(kind.ok_or("a queue lacks its `kind`")?)
        {
            layout::check(of_kind, options)?;
            layout::check(stats, &fields)?;
            table.as_ref().map_or(Ok(()), |table| table.check(&fields))?;
        }
        Ok(Self { fields, unknown: Unknown::default() })
    }

    /// Writes the counters that every queue has, if they are there.
    fn write_counters(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |part: &[Field]| {
            let mut text = String::new();
            layout::print(part, &self.fields, &mut text);
            text
        };
        let (counters, rates, backlog) = (text(COUNTERS), text(RATES), text(BACKLOG));
        let line_end = if rates.is_empty() { "\n" } else { "" };
        match counters.is_empty() && rates.is_empty() && backlog.is_empty() {
            true => Ok(()),
            false => writeln!(f, "{counters}{rates}{line_end}{backlog}"),
        }
    }

    /// Reads the text of one queue.
    ///
    /// # Errors
    /// If the text is not as tc prints it.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, TcError> {
        let (mut fields, mut unknown) = (Fields::new(), Unknown::default());
        layout::read(&HEAD[..1], cursor, &mut fields)?;
        let kind = fields.get("kind").and_then(Value::as_str).unwrap_or_default();
        let of_kind = kinds::layout(kind);
        if kind.is_empty() {
            return Err(cursor.unexpected("`qdisc` and the kind of a queue"));
        }
        layout::read(&HEAD[1..], cursor, &mut fields)?;
        let mut options = Fields::new();
        match of_kind {
            Some(of_kind) => {
                layout::read(of_kind.options, cursor, &mut options)?;
            }
            None => unknown.options = cursor.take_line().to_owned(),
        }
        fields.insert("options".to_owned(), options.into());
        end_line(cursor, "an option that tc prints, in tc's order")?;
        if read_counters(cursor, &mut fields)? {
            if let Some(missing) = ALWAYS.iter().find(|key| !fields.contains_key(**key)) {
                return Err(cursor.error(format!("the counters above lack `{missing}`")));
            }
            end_line(cursor, "a counter that tc prints, in tc's order")?;
            match of_kind {
                Some(of_kind) => read_stats(of_kind, cursor, &mut fields)?,
                None => unknown.stats = take_lines(cursor),
            }
        }
        Ok(Self { fields, unknown })
    }
}

/// Reads the counters that every queue has. Returns false if there are none.
fn read_counters(cursor: &mut Cursor<'_>, fields: &mut Fields) -> Result<bool, TcError> {
    if !layout::read(COUNTERS, cursor, fields)? {
        return Ok(false);
    }
    if !layout::read(RATES, cursor, fields)? {
        end_line(cursor, "a counter that tc prints, in tc's order")?;
    }
    layout::read(BACKLOG, cursor, fields)?;
    Ok(true)
}

/// Reads the statistics of this kind, which an idle queue may lack.
fn read_stats(
    layout: &Layout,
    cursor: &mut Cursor<'_>,
    fields: &mut Fields,
) -> Result<(), TcError> {
    let mut found = layout::read(layout.stats, cursor, fields)?;
    if let Some(table) = &layout.table {
        found |= table.read(cursor, fields)?;
    }
    match found {
        true => end_line(cursor, "a statistic that tc prints, in tc's order"),
        false => Ok(()),
    }
}

/// Passes over the end of a line, which may be the end of the text.
fn end_line(cursor: &mut Cursor<'_>, wanted: &str) -> Result<(), TcError> {
    match cursor.is_at_end() || cursor.pass("\n") {
        true => Ok(()),
        false => Err(cursor.unexpected(wanted)),
    }
}

/// Takes the lines up to the next queue.
fn take_lines(cursor: &mut Cursor<'_>) -> String {
    let mut lines = String::new();
    while !cursor.is_at_end() && !cursor.rest().starts_with("qdisc ") {
        lines += cursor.take_line();
        if cursor.pass("\n") {
            lines.push('\n');
        }
    }
    lines
}

impl fmt::Display for ListedQdisc {
    /// Writes the text that tc prints of the queue.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layout = kinds::layout(self.kind());
        let mut text = String::new();
        layout::print(HEAD, &self.fields, &mut text);
        let options = self.fields.get("options").and_then(Value::as_object);
        if let (Some(layout), Some(options)) = (layout, options) {
            layout::print(layout.options, options, &mut text);
        }
        text += &self.unknown.options;
        writeln!(f, "{text}")?;
        self.write_counters(f)?;
        f.write_str(&self.unknown.stats)?;
        let Some(layout) = layout else { return Ok(()) };
        let mut stats = String::new();
        layout::print(layout.stats, &self.fields, &mut stats);
        if let Some(table) = &layout.table {
            table.print(&self.fields, &mut stats);
        }
        if stats.is_empty() { Ok(()) } else { writeln!(f, "{stats}") }
    }
}

impl Serialize for ListedQdisc {
    /// As the object that tc prints.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// `tc -s -j qdisc show dev wan` of iproute2 6.1 names no device.
    #[test]
    fn the_name_that_was_asked_for_is_added_where_tc_leaves_it_out() {
        let queue = |value| ListedQdisc::from_json(value).unwrap().of_device("wan");
        let named = |queue: ListedQdisc| queue.fields().get("dev").cloned();
        let unnamed = json!({ "kind": "tbf", "handle": "1:", "root": true, "options": {} });
        assert_eq!(named(queue(unnamed)), Some("wan".into()));
        let other = json!({ "kind": "tbf", "handle": "1:", "dev": "lan", "options": {} });
        assert_eq!(named(queue(other)), Some("lan".into()));
    }
}
