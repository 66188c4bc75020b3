//! From the file to the scenario: fills in defaults, checks bounds, resolves names.

mod bounds;
mod call;
mod change;
mod congestion;
mod flow;
mod link;
mod tcp;

use std::collections::BTreeMap;
use std::io;

use units::Span;

use crate::fault::Fault;
use crate::file::{CommonFile, FlowFile, LinkFile, Name, Quantity, ScenarioFile};
use crate::route::Map;
use crate::source::Sources;
use crate::tree::At;
use crate::{Direction, Flow, Link, Route, Scenario, suggest};
pub use bounds::RATES;
use bounds::within;

/// The longest run.
const WEEK: Span = Span::from_secs(7 * 24 * 3600);
/// The most `[[link]]` entries.
const MOST_LINKS: usize = 1_000;
/// The most `[[flow]]` entries.
const MOST_FLOWS: usize = 10_000;
/// The most flows of all entries together.
const MOST_MEMBERS: u64 = 1_000_000;
/// The largest product of duration and number of flows: well below what the simulator's agenda can
/// hold.
const MOST_FLOW_TIME: Span = Span::from_secs(1_000_000_000);

/// The context of a check, beside the value itself.
pub(crate) struct Context<'a> {
    pub(crate) sources: &'a Sources<'a>,
    pub(crate) read_trace: &'a dyn Fn(&str) -> io::Result<String>,
}

/// Checks a file.
pub(crate) fn scenario(file: &ScenarioFile, context: &Context<'_>) -> Result<Scenario, Fault> {
    let duration = within(&file.duration, Span::from_millis(1)..=WEEK)?;
    let warmup = file.warmup.as_ref().map_or(Ok(Span::ZERO), |at| warm_up(at, duration))?;
    let links = links(&file.link, context)?;
    let flows = flows(&file.flow, duration)?;
    routes(&file.flow.value, &flows, &links)?;
    let flows = call::both_ways(&file.flow.value, flows)?;
    let title = file.title.clone().unwrap_or_else(|| stem(context.sources.name).into());
    let changes = match &file.change {
        Some(changes) => change::changes(&changes.value, &links, context)?,
        None => Vec::new(),
    };
    let seed = file.seed.map_or(1, |seed| seed.0);
    Ok(Scenario { title, duration, warmup, seed, links, flows, changes })
}

fn links(files: &At<Vec<At<LinkFile>>>, context: &Context<'_>) -> Result<Vec<Link>, Fault> {
    some("link", files, MOST_LINKS)?;
    unique("link", files.value.iter().map(|file| &file.value.name))?;
    files.value.iter().map(|file| link::link(&file.value, context)).collect()
}

fn flows(files: &At<Vec<At<FlowFile>>>, run: Span) -> Result<Vec<Flow>, Fault> {
    some("flow", files, MOST_FLOWS)?;
    unique("flow", files.value.iter().map(|file| &file.value.common.name))?;
    let flows = files.value.iter().map(|file| flow::flow(file, run));
    let flows: Vec<Flow> = flows.collect::<Result<_, _>>()?;
    members(&files.value, &flows, run)?;
    Ok(flows)
}

/// Checks that there is at least one entry, and not too many.
fn some<T>(what: &str, files: &At<Vec<T>>, most: usize) -> Result<(), Fault> {
    let message = match files.value.len() {
        0 => format!("there is no {what}; write at least one [[{what}]]"),
        number if number > most => format!("{number} {what}s; write at most {most}"),
        _ => return Ok(()),
    };
    Err(Fault::new(message).at(files.place))
}

fn warm_up(warmup: &At<Quantity<Span>>, duration: Span) -> Result<Span, Fault> {
    let Quantity(span) = warmup.value;
    if span < duration {
        return Ok(span);
    }
    let message =
        format!("a warm-up of {span} leaves nothing of a run of {duration}; write less than that");
    Err(Fault::new(message).at(warmup.place))
}

/// Checks that no two entries of the same kind have the same name.
fn unique<'a>(what: &str, names: impl Iterator<Item = &'a At<Name>>) -> Result<(), Fault> {
    let mut seen = BTreeMap::new();
    for (index, name) in names.enumerate() {
        if let Some(first) = seen.insert(&name.value.0, index) {
            let message = format!(
                "two {what}s are called `{}`, {what}[{first}] and {what}[{index}]; rename one",
                name.value.0
            );
            return Err(Fault::new(message).at(name.place));
        }
    }
    Ok(())
}

/// Checks that there are not more flows than a machine can hold.
fn members(files: &[At<FlowFile>], flows: &[Flow], run: Span) -> Result<(), Fault> {
    let mut total = 0;
    for (file, flow) in files.iter().zip(flows) {
        total += u64::from(flow.count) * call::ways(&file.value);
        let count = file.value.common.count.as_ref();
        let place = count.map_or(file.place, |count| count.place);
        if total > MOST_MEMBERS {
            let message = format!("that makes {total} flows; at most {MOST_MEMBERS} in all");
            return Err(Fault::new(message).at(place));
        }
        if run * total > MOST_FLOW_TIME {
            let most = MOST_FLOW_TIME / total;
            let message = format!("{total} flows for {run}; with so many, at most for {most}");
            return Err(Fault::new(message).at(place));
        }
    }
    Ok(())
}

/// Checks that every flow has a route between two different nodes, and that TCP takes time on it.
fn routes(files: &[At<FlowFile>], flows: &[Flow], links: &[Link]) -> Result<(), Fault> {
    let map = Map::new(links);
    let nodes: Vec<&str> = map.nodes().collect(); // in order
    let ends = files.iter().map(|file| &file.value.common);
    for (CommonFile { from, to, .. }, flow) in ends.zip(flows) {
        for node in [from, to] {
            let name = node.value.0.as_str();
            if nodes.binary_search(&name).is_err() {
                let hint = suggest::hint(name, &nodes);
                let message = format!("no link leads to the node `{name}`; {hint}");
                return Err(Fault::new(message).at(node.place));
            }
        }
        let (a, b) = (&from.value.0, &to.value.0);
        if a == b {
            let message = format!("a flow from `{a}` to itself; name another node");
            return Err(Fault::new(message).at(to.place));
        }
        let Some(route) = map.route(a, b) else {
            let message =
                format!("there is no route from `{a}` to `{b}`; add a link that joins them");
            return Err(Fault::new(message).at(to.place));
        };
        if flow.traffic.is_tcp() && takes_no_time(&route, links) {
            let message = format!(
                "nothing slows TCP down from `{a}` to `{b}` and back, so it would never end; give \
                 one of the links between them a `rate` or a `delay`"
            );
            return Err(Fault::new(message).at(to.place));
        }
    }
    Ok(())
}

/// True if a round trip over this route takes no time.
fn takes_no_time(route: &Route, links: &[Link]) -> bool {
    let instant = |direction: &Direction| direction.rate.is_none() && direction.delay.is_zero();
    route.hops.iter().all(|hop| links[hop.link()].directions.iter().all(instant))
}

/// The name of a file without its folder and its ending.
fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}
