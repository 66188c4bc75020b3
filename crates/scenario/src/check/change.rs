//! The changes of links while the run lasts.

use qdisc::{QdiscSpec, SpecError};
use units::{DirectionId, Rate, Span, Way};

use super::bounds::{RATES, within};
use super::{Context, WEEK};
use crate::fault::Fault;
use crate::file::{ChangeFile, Name, Quantity, WayFile};
use crate::tree::At;
use crate::{Change, Link, RatePlan, suggest};

/// The most `[[change]]` entries.
const MOST_CHANGES: usize = 100_000;

/// Checks all changes, and sorts them by time; those of the same time stay in the order of the file.
pub(super) fn changes(
    files: &[At<ChangeFile>],
    links: &[Link],
    context: &Context<'_>,
) -> Result<Vec<Change>, Fault> {
    if let Some(first) = files.first().filter(|_| files.len() > MOST_CHANGES) {
        let message = format!("{} changes; write at most {MOST_CHANGES}", files.len());
        return Err(Fault::new(message).at(first.place));
    }
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by_key(|file| file.value.at.value.0);
    // The queues as the changes before leave them.
    let mut links = links.to_vec();
    files.into_iter().map(|file| change(file, &mut links, context)).collect()
}

fn change(
    file: &At<ChangeFile>,
    links: &mut [Link],
    context: &Context<'_>,
) -> Result<Change, Fault> {
    let At { value: ChangeFile { at, link, direction, queue, rate }, place } = file;
    if queue.is_none() && rate.is_none() {
        return Err(Fault::new("nothing changes; write a `queue` or a `rate`").at(*place));
    }
    let at = within(at, Span::ZERO..=WEEK)?;
    let index = position(link, links)?;
    let way = match direction.unwrap_or_default() {
        WayFile::Forward => Way::Forward,
        WayFile::Reverse => Way::Reverse,
    };
    let present = &mut links[index].directions[way];
    let queue = match queue {
        Some(text) => Some(queue_from(text, &present.queue, context)?),
        None => None,
    };
    if let Some(queue) = &queue {
        present.queue = queue.clone();
    }
    let rate = match rate {
        Some(rate) => Some(constant(rate, present.rate.as_ref())?),
        None => None,
    };
    Ok(Change { at, direction: DirectionId::new(index, way), queue, rate })
}

/// The index of the link with this name.
fn position(name: &At<Name>, links: &[Link]) -> Result<usize, Fault> {
    let wanted = &name.value.0;
    links.iter().position(|link| link.name == *wanted).ok_or_else(|| {
        let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
        let message = format!("there is no link `{wanted}`; {}", suggest::hint(wanted, &names));
        Fault::new(message).at(name.place)
    })
}

/// The settings of a queue after a change.
fn queue_from(
    at: &At<String>,
    present: &QdiscSpec,
    context: &Context<'_>,
) -> Result<QdiscSpec, Fault> {
    present.changed(&at.value).map_err(|error: SpecError| {
        let place = context.sources.inside(at.place, &at.value, error.offset);
        Fault::new(error.message).at(place).within(at.place)
    })
}

/// The new rate of a direction whose rate is `present`.
fn constant(rate: &At<Quantity<Rate>>, present: Option<&RatePlan>) -> Result<Rate, Fault> {
    let why = match present {
        Some(RatePlan::Constant(_)) => return within(rate, RATES),
        Some(RatePlan::Schedule(_)) => "the rate of this link is a schedule; write the step there",
        Some(RatePlan::Trace { .. }) => "the rate of this link is a trace; it cannot be changed",
        None => "this link has no rate to change; give it one from the beginning",
    };
    Err(Fault::new(why).at(rate.place))
}
