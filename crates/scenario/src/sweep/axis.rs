//! One axis of a sweep: the fields that vary together, and their values.

use std::collections::HashSet;

use super::range::{self, Range};
use super::text;
use crate::fault::Fault;
use crate::source::Place;
use crate::tree::{Entry, Node, Value, join};

/// Fields that vary together, with their values at each step.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    paths: Vec<String>,
    /// The place of the key in the file, or of the option.
    place: Place,
    values: Values,
}

#[derive(Clone, Debug, PartialEq)]
enum Values {
    /// The values of each step, one for each path.
    List(Vec<Vec<Node>>),
    /// Numbers from one to another.
    Range(Range),
}

impl Axis {
    /// All axes of a `[sweep]` table, in the order of the file.
    pub(super) fn all(table: &Node) -> Result<Vec<Self>, Fault> {
        if !matches!(table.value, Value::Table(_)) {
            let message = format!("expected a table of what varies, found {}", table.value);
            return Err(Fault::new(message).at(table.place));
        }
        let mut axes = Vec::new();
        gather("", table, &mut axes)?;
        Ok(axes)
    }

    /// The axis of `key` and its value.
    pub(super) fn of(key: &str, place: Place, node: &Node) -> Result<Self, Fault> {
        let paths: Vec<String> = key.split(',').map(|path| path.trim().to_owned()).collect();
        if let Some(empty) = paths.iter().position(String::is_empty) {
            let message = format!("path {} of `{key}` is empty", empty + 1);
            return Err(Fault::new(message).at(place));
        }
        let values = match &node.value {
            Value::Array(steps) => Values::List(list(&paths, node, steps)?),
            Value::Table(entries) => Values::Range(Range::of(entries, node.place)?),
            other => {
                let message =
                    format!("expected a list of values, or {{ from = 1, to = 10 }}, found {other}");
                return Err(Fault::new(message).at(node.place));
            }
        };
        if matches!(values, Values::Range(_)) && paths.len() > 1 {
            let message = "a range varies one field; list the values of several";
            return Err(Fault::new(message).at(node.place));
        }
        Ok(Self { paths, place, values })
    }

    /// The paths of the fields, as `--set` names them; several fields vary together.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// The number of steps, at least one.
    #[expect(clippy::len_without_is_empty, reason = "no axis is empty")]
    pub fn len(&self) -> u64 {
        match &self.values {
            Values::List(steps) => steps.len() as u64,
            Values::Range(range) => range.len(),
        }
    }

    /// A summary of the values: each step of a list, or the bounds of a range.
    pub fn summary(&self) -> Vec<String> {
        match &self.values {
            Values::List(steps) => {
                let texts =
                    |step: &Vec<Node>| step.iter().map(text::for_override).collect::<Vec<_>>();
                steps.iter().map(|step| texts(step).join(", ")).collect()
            }
            Values::Range(range) => vec![range.summary()],
        }
    }

    pub(super) fn nodes(&self, at: u64) -> Vec<Node> {
        match &self.values {
            Values::List(steps) => steps[at as usize].clone(),
            Values::Range(range) => vec![range.node(at)],
        }
    }

    /// The place at which the axis was written.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// The steps that are tried before the sweep runs, besides the first: each step of a list, the
    /// last step of a range.
    pub(super) fn to_be_tried(&self) -> Vec<u64> {
        match &self.values {
            Values::List(steps) => (1..steps.len() as u64).collect(),
            Values::Range(range) => vec![range.len() - 1],
        }
    }
}

/// Collects the axes below `prefix`: a key may be quoted, or a table within a table from TOML's
/// dotted keys.
fn gather(prefix: &str, table: &Node, axes: &mut Vec<Axis>) -> Result<(), Fault> {
    for Entry { key, place, node } in table.entries() {
        let path = join(prefix, key);
        match &node.value {
            Value::Table(entries) if !is_range(entries) => gather(&path, node, axes)?,
            _ => axes.push(Axis::of(&path, *place, node)?),
        }
    }
    Ok(())
}

/// True if the table is `{ from = 1, to = 10 }`, perhaps with a mistake, and not a table of fields.
fn is_range(entries: &[Entry]) -> bool {
    let part = |entry: &Entry| {
        range::KEYS.contains(&&*entry.key)
            && !matches!(entry.node.value, Value::Array(_) | Value::Table(_))
    };
    entries.iter().any(part)
}

fn list(paths: &[String], node: &Node, steps: &[Node]) -> Result<Vec<Vec<Node>>, Fault> {
    if steps.is_empty() {
        return Err(Fault::new("an empty list; write at least one value").at(node.place));
    }
    if let Some(null) = steps.iter().find(|step| step.value == Value::Null) {
        return Err(Fault::new("null is no value; write the default in full").at(null.place));
    }
    refuse_twice(steps)?;
    if paths.len() == 1 {
        return Ok(steps.iter().map(|step| vec![step.clone()]).collect());
    }
    let tuple = |step: &Node| match &step.value {
        Value::Array(values) if values.len() == paths.len() => Ok(values.clone()),
        Value::Array(values) => {
            let (there, wanted) = (values.len(), paths.len());
            let message = format!("{there} values for {wanted} fields; write one for each");
            Err(Fault::new(message).at(step.place))
        }
        other => {
            let wanted = paths.len();
            let message =
                format!("expected a list of {wanted} values, one for each field, found {other}");
            Err(Fault::new(message).at(step.place))
        }
    };
    steps.iter().map(tuple).collect()
}

/// Refuses a value that is listed twice: the same run twice would count as two.
fn refuse_twice(steps: &[Node]) -> Result<(), Fault> {
    let mut seen = HashSet::new();
    match steps.iter().find(|step| !seen.insert(text::for_override(step))) {
        None => Ok(()),
        Some(twice) => {
            let value = text::for_override(twice);
            Err(Fault::new(format!("{value} is listed twice; list each value once"))
                .at(twice.place))
        }
    }
}
