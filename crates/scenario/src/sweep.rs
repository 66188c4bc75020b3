//! Many scenarios from one file: the `[sweep]` table, or `--vary`, defines a grid over its fields.
//!
//! ```
//! use scenario::Sweep;
//!
//! let text = r#"
//!     duration = "60s"
//!     link = [{ name = "uplink", from = "home", to = "isp", rate = "2mbit", queue = "codel" }]
//!     flow = [{ name = "backup", from = "home", to = "isp", traffic = "bulk" }]
//!     [sweep]
//!     "link.uplink.queue" = ["codel", "fq_codel", "pfifo limit 300"]
//!     seed = { from = 1, to = 10 }
//! "#;
//! let no_traces = |_: &str| Err(std::io::ErrorKind::NotFound.into());
//! let sweep = Sweep::parse(text, "home.toml", &[], &[], &no_traces)?;
//! assert_eq!(sweep.len(), 30);
//! // The last axis is the fastest.
//! assert_eq!(sweep.values(11), ["fq_codel", "2"]);
//! assert_eq!(sweep.scenario(11)?.seed, 2);
//! # Ok::<(), scenario::ScenarioError>(())
//! ```

mod axis;
mod range;
mod text;
mod vary;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Deserialize;

use crate::check::{self, Context};
use crate::error::{Origin, ScenarioError};
use crate::fault::Fault;
use crate::file::ScenarioFile;
use crate::overrides::node_at;
use crate::read::{from_folder, read_tree};
use crate::scenario::Scenario;
use crate::setting::{Override, Vary};
use crate::source::{Place, Sources};
use crate::tree::{Node, Value};

pub use axis::Axis;

/// A grid over the fields of a scenario. Its points are numbered from 0 in row-major order: the
/// last axis varies fastest.
#[derive(Clone, Debug)]
pub struct Sweep {
    name: String,
    text: String,
    overrides: Vec<Override>,
    varied: Vec<Vary>,
    /// The file with the overrides applied, and without the `[sweep]` table.
    tree: Node,
    axes: Vec<Axis>,
    /// The texts of the traces that the scenarios name, by their names.
    traces: BTreeMap<String, String>,
}

impl Sweep {
    /// The most points of a sweep.
    const MOST_POINTS: u64 = 1 << 32;

    /// Reads the file at `path` with these overrides; `varied` adds axes to those of its `[sweep]`
    /// table, or replaces them.
    ///
    /// # Errors
    /// The first mistake found, with its place: in the scenario, in the table, or in one of its
    /// values. Each value is tried with the first values of all other axes.
    pub fn load(
        path: &Path,
        overrides: &[Override],
        varied: &[Vary],
    ) -> Result<Self, ScenarioError> {
        Self::load_while(path, overrides, varied, &|| true)
    }

    /// Reads the file at `path` as [`load`](Self::load) does, as long as `goes_on` says so: it is asked
    /// before each value.
    ///
    /// # Errors
    /// Those of [`load`](Self::load), and one if `goes_on` said no.
    pub fn load_while(
        path: &Path,
        overrides: &[Override],
        varied: &[Vary],
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Self, ScenarioError> {
        from_folder(path, |text, name, read_trace| {
            Self::parse_while(text, name, overrides, varied, read_trace, goes_on)
        })
    }

    /// Reads `text`, which messages call `name`, as [`load`](Self::load) reads a file. `read_trace`
    /// returns the text of a trace.
    ///
    /// # Errors
    /// Those of [`load`](Self::load).
    pub fn parse(
        text: &str,
        name: &str,
        overrides: &[Override],
        varied: &[Vary],
        read_trace: &dyn Fn(&str) -> io::Result<String>,
    ) -> Result<Self, ScenarioError> {
        Self::parse_while(text, name, overrides, varied, read_trace, &|| true)
    }

    /// Reads `text` as [`parse`](Self::parse) does, as long as `goes_on` says so: it is asked before each
    /// value.
    ///
    /// # Errors
    /// Those of [`load`](Self::load), and one if `goes_on` said no.
    pub fn parse_while(
        text: &str,
        name: &str,
        overrides: &[Override],
        varied: &[Vary],
        read_trace: &dyn Fn(&str) -> io::Result<String>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Self, ScenarioError> {
        let sources = &Sources { name, text, overrides, varied };
        let mut tree = read_tree(sources)?;
        let axes = axes(&mut tree, sources)?;
        let mut sweep = Self {
            name: name.into(),
            text: text.into(),
            overrides: overrides.to_vec(),
            varied: varied.to_vec(),
            tree,
            axes,
            traces: BTreeMap::new(),
        };
        sweep.traces = sweep.try_values(read_trace, goes_on)?;
        Ok(sweep)
    }

    /// The axes, the slowest first; at least one.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The paths of the varied fields, axis by axis, as `--set` names them.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().flat_map(|axis| axis.paths()).map(String::as_str)
    }

    /// The number of points.
    #[expect(clippy::len_without_is_empty, reason = "no axis is empty, and so no sweep is")]
    pub fn len(&self) -> u64 {
        self.axes.iter().map(Axis::len).product()
    }

    /// The name of the file as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of the file as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The overrides of all points.
    pub fn overrides(&self) -> &[Override] {
        &self.overrides
    }

    /// The traces that the scenarios name, with their texts, by their names.
    pub fn traces(&self) -> &BTreeMap<String, String> {
        &self.traces
    }

    /// The points at which at most one axis is not at its first value. Together they show every
    /// value of each list, and the two ends of each range.
    pub fn tried(&self) -> Vec<u64> {
        let mut stride = self.len();
        let mut points = vec![0];
        for axis in &self.axes {
            stride /= axis.len();
            points.extend(axis.to_be_tried().into_iter().map(|step| step * stride));
        }
        points
    }

    /// The values of the varied fields at a point, in the order of [`paths`](Self::paths), as an
    /// override writes them.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn values(&self, index: u64) -> Vec<String> {
        self.nodes(index).iter().map(|(.., node)| text::for_override(node)).collect()
    }

    /// The overrides that turn the file into the scenario of this point.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn point(&self, index: u64) -> Vec<Override> {
        let point = self.nodes(index).into_iter();
        point
            .map(|(_, path, node)| Override {
                path: path.to_owned(),
                value: text::for_override(&node),
            })
            .collect()
    }

    /// The scenario of a point.
    ///
    /// # Errors
    /// If values are valid each by itself, but not together.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn scenario(&self, index: u64) -> Result<Scenario, ScenarioError> {
        self.check(index, &|name| {
            self.traces.get(name).cloned().ok_or(io::ErrorKind::NotFound.into())
        })
    }

    fn check(
        &self,
        index: u64,
        read_trace: &dyn Fn(&str) -> io::Result<String>,
    ) -> Result<Scenario, ScenarioError> {
        let Self { name, text, overrides, varied, .. } = self;
        let sources = &Sources { name, text, overrides, varied };
        let mut tree = self.tree.clone();
        for (place, path, node) in self.nodes(index) {
            let at = node_at(path, place, &mut tree)
                .map_err(|message| sources.error(place, path.into(), message))?;
            *at = node;
        }
        let checked = ScenarioFile::deserialize(&tree)
            .and_then(|file| check::scenario(&file, &Context { sources, read_trace }));
        checked.map_err(|fault: Fault| fault.into_error(sources, Some(&tree)))
    }

    /// The place, the path and the value at a point, for each varied field.
    fn nodes(&self, index: u64) -> Vec<(Place, &str, Node)> {
        assert!(index < self.len(), "there is no point {index}");
        let mut left = index;
        let mut chosen = vec![0; self.axes.len()];
        for (chosen, axis) in chosen.iter_mut().zip(&self.axes).rev() {
            *chosen = left % axis.len();
            left /= axis.len();
        }
        let axes = self.axes.iter().zip(chosen);
        let fields = axes.flat_map(|(axis, at)| {
            let paths = axis.paths().iter().zip(axis.nodes(at));
            paths.map(|(path, node)| (axis.place(), path.as_str(), node))
        });
        fields.collect()
    }

    /// Tries each value with the first values of all other axes; returns the traces that were read.
    fn try_values(
        &self,
        read_trace: &dyn Fn(&str) -> io::Result<String>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<BTreeMap<String, String>, ScenarioError> {
        let traces = RefCell::new(BTreeMap::new());
        let reading = |name: &str| {
            let known = traces.borrow().get(name).cloned();
            let text = known.map_or_else(|| read_trace(name), Ok)?;
            traces.borrow_mut().insert(name.to_owned(), text.clone());
            Ok(text)
        };
        self.tried().into_iter().try_for_each(|index| {
            if !goes_on() {
                return Err(ScenarioError::of_file(&self.name, "interrupted".into()));
            }
            self.check(index, &reading).map(drop)
        })?;
        Ok(traces.into_inner())
    }
}

/// Takes the table out of the tree, adds the axes of the command line, and checks the axes.
fn axes(tree: &mut Node, sources: &Sources<'_>) -> Result<Vec<Axis>, ScenarioError> {
    let mut axes = in_file(tree, sources)?;
    for (number, vary) in sources.varied.iter().enumerate() {
        let source = 1 + sources.overrides.len() + number;
        let place = Place { source, ..Place::START };
        let new = vary.axis(source).map_err(|fault| fault.at(place).into_error(sources, None))?;
        match axes.iter_mut().find(|axis| axis.paths() == new.paths()) {
            Some(old) => *old = new,
            None => axes.push(new),
        }
    }
    if axes.is_empty() {
        let message = "nothing is varied; add a [sweep] table, as in\n  [sweep]\n  seed = { from = \
                       1, to = 10 }\nor write";
        let instead = Some(Box::new(Vary { path: "seed".into(), values: "1..10".into() }));
        let error = ScenarioError::of_file(sources.name, message.into());
        return Err(ScenarioError { instead, ..error });
    }
    let points = axes.iter().try_fold(1_u64, |points, axis| points.checked_mul(axis.len()));
    if points.is_none_or(|points| points > Sweep::MOST_POINTS) {
        let number = points.map_or("more than 2^64".into(), |points| points.to_string());
        let message = format!("the sweep has {number} points; at most 2^32 can be numbered");
        return Err(sources.error(axes[0].place(), String::new(), message));
    }
    apart(&axes, tree, sources)?;
    Ok(axes)
}

/// Takes the table out of the tree and reads it. `tree` is the file with its overrides.
pub(crate) fn in_file(tree: &mut Node, sources: &Sources<'_>) -> Result<Vec<Axis>, ScenarioError> {
    let wrong = |fault: Fault, tree: &Node| fault.into_error(sources, Some(tree));
    let axes = match tree.get("sweep") {
        Some(table) => Axis::all(table).map_err(|fault| wrong(fault, tree))?,
        None => Vec::new(),
    };
    if let Value::Table(entries) = &mut tree.value {
        entries.retain(|entry| entry.key != "sweep");
    }
    Ok(axes)
}

/// Checks that each varied field exists, that no other axis varies it or a table around it, and
/// that it is not overridden.
fn apart(axes: &[Axis], tree: &Node, sources: &Sources<'_>) -> Result<(), ScenarioError> {
    const NOWHERE: Place = Place { source: usize::MAX, ..Place::START };
    let mut tree = tree.clone();
    let marked = |number: usize| Place { source: usize::MAX, start: 1 + number, end: 1 + number };
    let fields: Vec<(&Axis, &String)> =
        axes.iter().flat_map(|axis| axis.paths().iter().map(move |path| (axis, path))).collect();
    for (number, (axis, path)) in fields.iter().enumerate() {
        let wrong = |message| sources.error(axis.place(), (*path).clone(), message);
        let node = node_at(path, NOWHERE, &mut tree).map_err(wrong)?;
        *node = Node { place: marked(number), value: Value::Null };
        for (earlier, (_, other)) in fields[..number].iter().enumerate() {
            let is_there = |node: &mut Node| node.place == marked(earlier);
            if !node_at(other, NOWHERE, &mut tree).is_ok_and(is_there) {
                return Err(wrong(format!(
                    "`{other}` is varied too, and is the same or a part of it"
                )));
            }
        }
    }
    for change @ Override { path, value } in sources.overrides {
        let mut copy = tree.clone();
        if let Ok(node) = node_at(path, NOWHERE, &mut copy) {
            node.place = Place::START;
        }
        for (number, (_, varied)) in fields.iter().enumerate() {
            let is_there = |node: &mut Node| node.place == marked(number);
            if !node_at(varied, NOWHERE, &mut copy).is_ok_and(is_there) {
                let message = format!("the sweep varies `{varied}`; write");
                let instead = Vary { path: (*varied).clone(), values: value.clone() };
                let origin = Origin::Override(Box::new(change.clone()));
                let error = ScenarioError::of(origin, String::new(), message);
                return Err(ScenarioError { instead: Some(Box::new(instead)), ..error });
            }
        }
    }
    Ok(())
}
