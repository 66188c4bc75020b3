//! The scenario as a whole.

use std::io::{self, Read};
use std::path::Path;
use std::{fs, str};

use schemars::generate::SchemaSettings;
use serde::Deserialize;
use units::{DirectionId, Rng, Span};

use crate::check::{self, Context};
use crate::fault::Fault;
use crate::file::ScenarioFile;
use crate::route::Map;
use crate::source::{Place, Sources};
use crate::tree::Node;
use crate::{Direction, Flow, Link, Override, Randomness, Route, ScenarioError, sweep, write};

/// A scenario in which everything has been checked: names are unique, every flow has a route,
/// and every value is within its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// One line for people.
    pub title: String,
    /// The duration of the run.
    pub duration: Span,
    /// The time at the beginning that is left out of the statistics; shorter than `duration`.
    pub warmup: Span,
    /// The seed of all randomness.
    pub seed: u64,
    /// In file order, at least one.
    pub links: Vec<Link>,
    /// In file order, at least one.
    pub flows: Vec<Flow>,
}

impl Scenario {
    /// The largest file that is read, in bytes.
    const LARGEST: usize = 16 << 20;

    /// The route of each flow, in the order of `flows`: fewest hops, ties by file order.
    pub fn routes(&self) -> Vec<Route> {
        let map = Map::new(&self.links);
        let route = |flow: &Flow| map.route(&flow.from, &flow.to);
        // Every flow of a checked scenario has a route; one built by hand may lack it, and gets an
        // empty one.
        self.flows.iter().map(|flow| route(flow).unwrap_or(Route { hops: Vec::new() })).collect()
    }

    /// The names of all flows; the members of a `count` are `name[0]`, `name[1]`, ...
    pub fn flow_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for flow in &self.flows {
            match flow.count {
                1 => names.push(flow.name.clone()),
                count => names.extend((0..count).map(|member| format!("{}[{member}]", flow.name))),
            }
        }
        names
    }

    /// The names of all directions: `uplink.forward`, `uplink.reverse`, and so on.
    pub fn direction_names(&self) -> Vec<String> {
        DirectionId::all(self.links.len()).map(|direction| self.direction_name(direction)).collect()
    }

    /// The name of a direction: `uplink.forward`.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn direction_name(&self, direction: DirectionId) -> String {
        format!("{}.{}", self.links[direction.link()].name, direction.way().name())
    }

    /// A direction.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn direction(&self, direction: DirectionId) -> &Direction {
        &self.links[direction.link()].directions[direction.way()]
    }

    /// All directions in the order of their names, each with its random streams. These are forked
    /// from the seed by the direction's name, so that a change of one link does not affect the
    /// others.
    pub fn directions(&self) -> impl Iterator<Item = (&Direction, Randomness)> {
        let rng = Rng::new(self.seed);
        let both = self.links.iter().flat_map(|link| link.directions.iter());
        both.zip(self.direction_names()).map(move |(direction, name)| {
            let rng = rng.fork(&name);
            (direction, Randomness { queue: rng.fork("queue"), loss: rng.fork("loss") })
        })
    }

    /// The random stream of each flow, in the order of their names, forked from the seed by name.
    pub fn flow_randomness(&self) -> impl Iterator<Item = Rng> {
        let rng = Rng::new(self.seed).fork("flows");
        self.flow_names().into_iter().map(move |name| rng.fork(&name))
    }

    /// Reads and checks the file at `path`, with these overrides. Paths of traces are relative to
    /// the folder that holds the file.
    ///
    /// # Errors
    /// The first mistake found, with its place.
    pub fn load(path: &Path, overrides: &[Override]) -> Result<Self, ScenarioError> {
        from_folder(path, |text, name, read_trace| Self::parse(text, name, overrides, read_trace))
    }

    /// Reads and checks `text`, which messages call `name`. `read_trace` returns the text of a
    /// trace.
    ///
    /// # Errors
    /// The first mistake found, with its place.
    pub fn parse(
        text: &str,
        name: &str,
        overrides: &[Override],
        read_trace: &dyn Fn(&str) -> io::Result<String>,
    ) -> Result<Self, ScenarioError> {
        let sources = &Sources { name, text, overrides, varied: &[] };
        let mut tree = read_tree(sources)?;
        sweep::in_file(&mut tree, sources)?;
        let checked = ScenarioFile::deserialize(&tree)
            .and_then(|file| check::scenario(&file, &tree, &Context { sources, read_trace }));
        checked.map_err(|fault: Fault| fault.into_error(sources, Some(&tree)))
    }

    /// The scenario with all defaults spelled out, in the file's own syntax; it reads back as this
    /// scenario.
    pub fn to_json(&self) -> serde_json::Value {
        let file = serde_json::to_value(write::scenario(self));
        write::without_nulls(file.expect("texts, numbers and lists can always be written"))
    }
}

/// Calls `parse` with the text of the file at `path`, its name, and a function that reads the
/// traces that the file names, whose paths are relative to its folder.
pub(crate) fn from_folder<T>(
    path: &Path,
    parse: impl FnOnce(&str, &str, &dyn Fn(&str) -> io::Result<String>) -> Result<T, ScenarioError>,
) -> Result<T, ScenarioError> {
    let name = path.display().to_string();
    let bytes = read(path).map_err(|error| {
        let message = format!("cannot read the scenario: {error}");
        ScenarioError::of_file(&name, message)
    })?;
    let text = str::from_utf8(&bytes).map_err(|error| not_text(&name, &bytes, error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let read_trace = |trace: &str| {
        let text = String::from_utf8(read(&folder.join(trace))?);
        text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text"))
    };
    parse(text, &name, &read_trace)
}

/// The file as a tree, with its overrides.
pub(crate) fn read_tree(sources: &Sources<'_>) -> Result<Node, ScenarioError> {
    let Sources { name, text, overrides, .. } = sources;
    if text.len() > Scenario::LARGEST {
        return Err(ScenarioError::of_file(name, too_large()));
    }
    let mut tree = Node::read(text, name).map_err(|fault| fault.into_error(sources, None))?;
    for (index, change) in overrides.iter().enumerate() {
        let source = index + 1;
        change.apply(source, &mut tree).map_err(|message| {
            let place = Place { source, ..Place::START };
            sources.error(place, change.path.clone(), message)
        })?;
    }
    Ok(tree)
}

/// The JSON Schema (draft 2020-12) of the scenario file.
pub fn schema() -> serde_json::Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<ScenarioFile>();
    schema.insert("title".into(), "Scenario of unbloat".into());
    schema.to_value()
}

/// The bytes of the file; an error if it is too large.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name a file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(Scenario::LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > Scenario::LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, too_large()));
    }
    Ok(bytes)
}

fn too_large() -> String {
    format!("it is larger than {} MiB, the most that is read", Scenario::LARGEST >> 20)
}

/// The error for a file that is not UTF-8, shown with the text before the first wrong byte.
fn not_text(name: &str, bytes: &[u8], error: str::Utf8Error) -> ScenarioError {
    let end = error.valid_up_to();
    let legible = str::from_utf8(&bytes[..end]).unwrap_or_default();
    let byte = bytes.get(end).copied().unwrap_or_default();
    let message = format!("byte {end} ({byte:#04x}) is not UTF-8; a scenario is a text file");
    let place = Place { source: 0, start: end, end };
    Sources { name, text: legible, overrides: &[], varied: &[] }.error(
        place,
        String::new(),
        message,
    )
}
