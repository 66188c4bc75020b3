//! The identity of the sweep in a folder.

use std::collections::BTreeMap;

use results::LinkDirection;
use scenario::{Override, Sweep};
use serde::{Deserialize, Serialize};
use units::Way;

use crate::files::hash;
use crate::format::Format;
use crate::layout::Layout;

/// Everything that determines a run, beside its number. Runs of two manifests that differ in more
/// than their titles do not belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    schema: String,
    version: u64,
    /// The version of the program.
    unbloat: String,
    /// The sources from which it was built; older folders lack this.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    build: String,
    /// The title: one line for people.
    pub title: String,
    /// The text of the scenario, as it was read.
    scenario: String,
    /// The overrides of the scenario.
    set: Vec<Setting>,
    /// The fields that are varied.
    axes: Vec<Steps>,
    /// The traces that the scenario names, with a hash of each.
    traces: BTreeMap<String, String>,
    /// The link to which figures without a link refer.
    pub link: String,
    /// The direction of that link.
    pub direction: Way,
    /// The number of runs.
    pub points: u64,
    /// The number of shards among which the work is divided.
    pub shards: u32,
    /// The format of the parts.
    pub format: Format,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Setting {
    path: String,
    value: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Steps {
    fields: Vec<String>,
    values: Vec<String>,
}

/// The contents of a manifest that are not part of the sweep itself.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The version of the program.
    pub unbloat: &'a str,
    /// A name that distinguishes builds whose runs may differ.
    pub build: &'a str,
    /// The title: one line for people.
    pub title: &'a str,
    /// The direction to which figures without a link refer.
    pub bottleneck: LinkDirection<'a>,
    /// The number of shards among which the work is divided.
    pub shards: u32,
    /// The format of the parts.
    pub format: Format,
}

const SCHEMA: &str = "unbloat.runs";
const VERSION: u64 = 1;

impl Manifest {
    /// The manifest of this sweep.
    pub fn new(sweep: &Sweep, origin: &Origin<'_>) -> Self {
        let setting = |Override { path, value }: &Override| {
            let (path, value) = (path.clone(), value.clone());
            Setting { path, value }
        };
        let axes = sweep.axes().iter();
        let steps =
            axes.map(|axis| Steps { fields: axis.paths().to_vec(), values: axis.summary() });
        Self {
            schema: SCHEMA.into(),
            version: VERSION,
            unbloat: origin.unbloat.into(),
            build: origin.build.into(),
            title: origin.title.into(),
            scenario: sweep.text().into(),
            set: sweep.overrides().iter().map(setting).collect(),
            axes: steps.collect(),
            traces: sweep.traces().iter().map(|(name, text)| (name.clone(), hash(text))).collect(),
            link: origin.bottleneck.link.into(),
            direction: origin.bottleneck.way,
            points: sweep.len(),
            shards: origin.shards,
            format: origin.format,
        }
    }

    /// Reads a manifest from its [`text`](Self::text).
    ///
    /// # Errors
    /// The mistake in the text.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let manifest: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let Self { schema, version, .. } = &manifest;
        match (schema == SCHEMA, *version) {
            (true, VERSION) => Ok(manifest),
            (true, version) => {
                Err(format!("it has version {version}, but only version {VERSION} can be read"))
            }
            (false, _) => Err(format!("it is {schema:?} and not {SCHEMA:?}")),
        }
    }

    pub(crate) fn text(&self) -> String {
        format!("{}\n", serde_json::to_string_pretty(self).expect("texts and numbers"))
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout { points: self.points, shards: self.shards, format: self.format }
    }

    /// The fields that are varied, one by one.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().flat_map(|axis| &axis.fields).map(String::as_str)
    }

    /// An identifier that distinguishes the parts of this sweep from those of others.
    pub(crate) fn id(&self) -> String {
        hash(&Self { title: String::new(), ..self.clone() }.text())
    }

    /// The difference from `now`; `None` if both are of the same sweep.
    pub(crate) fn change(&self, now: &Self) -> Option<String> {
        if self.unbloat != now.unbloat {
            return Some(format!("by unbloat {}, and this is {}", self.unbloat, now.unbloat));
        }
        if self.build != now.build {
            let version = &now.unbloat;
            return Some(format!("by a build of unbloat {version} from other sources"));
        }
        if self.scenario != now.scenario {
            let same = self.scenario.lines().zip(now.scenario.lines()).take_while(|(a, b)| a == b);
            let line = same.count() + 1;
            return Some(format!(
                "with another text of the scenario, which differs from line {line} on"
            ));
        }
        if self.set != now.set {
            let (then, now) = (overridden(&self.set), overridden(&now.set));
            return Some(format!("with {then}, and this is with {now}"));
        }
        if self.axes != now.axes {
            return Some(other_axes(&self.axes, &now.axes));
        }
        if self.traces != now.traces {
            let differs =
                |(name, _): &(&String, &String)| self.traces.get(*name) != now.traces.get(*name);
            let name = self.traces.iter().find(differs).map_or("", |(name, _)| name);
            return Some(format!("with another content of the trace {name}"));
        }
        if (&self.link, self.direction) != (&now.link, now.direction) {
            let (then, now) = (direction(self), direction(now));
            return Some(format!("with {then} as the bottleneck, and not {now}"));
        }
        if self.shards != now.shards {
            return Some(format!("for {} shards, and not {}", self.shards, now.shards));
        }
        (self.format != now.format).then(|| format!("as {}", self.format.ending()))
    }
}

fn overridden(settings: &[Setting]) -> String {
    let settings = settings.iter().map(|Setting { path, value }| format!("{path}={value}"));
    let settings = settings.collect::<Vec<_>>().join(", ");
    if settings.is_empty() { "nothing overridden".into() } else { settings }
}

fn other_axes(then: &[Steps], now: &[Steps]) -> String {
    let fields = |axes: &[Steps]| {
        axes.iter().map(|axis| axis.fields.join(", ")).collect::<Vec<_>>().join("; ")
    };
    if let Some((then, now)) =
        then.iter().zip(now).find(|(then, now)| then.fields == now.fields && then != now)
    {
        let (path, then, now) = (then.fields.join(", "), short(&then.values), short(&now.values));
        return format!("with {path} = {then}, and not {now}");
    }
    format!("to vary {}, and not {}", fields(then), fields(now))
}

/// A list of values, cut if there are many.
fn short(values: &[String]) -> String {
    const MOST: usize = 8;
    let shown = values.iter().take(MOST).cloned().collect::<Vec<_>>().join(" | ");
    let more = if values.len() > MOST { " | ..." } else { "" };
    format!("{shown}{more}")
}

fn direction(manifest: &Manifest) -> String {
    format!("{}.{}", manifest.link, manifest.direction.name())
}
