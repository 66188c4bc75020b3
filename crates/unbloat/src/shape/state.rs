//! The state of a shaper, as tc prints queues, and as JSON.

use results::{ShapedDirection, Shaping, ShapingState};
use tc::{ListedQdisc, Listing};

use crate::failure::Failure;
use crate::follow;
use crate::message::note;
use crate::output;

/// Prints a state as tc does, or as JSON.
pub(super) fn print(state: &Shaping, json: bool) -> Result<(), Failure> {
    if json {
        let text = serde_json::to_string_pretty(state);
        return output::print(&text.map_err(|error| Failure::Run(error.to_string()))?);
    }
    output::print(&format!("{}: {}", state.interface, in_words(state.state)))?;
    for (name, direction) in directions(state) {
        output::print(&headline(name, direction))?;
        let queues = listed(direction).into_iter().collect();
        output::print(&Listing { queues }.to_string())?;
    }
    if let Some(autorate) = &state.autorate {
        output::print(&follow::text(autorate))?;
    }
    for (name, it) in directions(state) {
        if it.missed_bytes > it.passed_bytes.max(1 << 20) {
            note(format_args!(
                "{name}: {} bytes did not reach the shaper: hardware bypasses it, or they came \
                 while it let packets pass",
                it.missed_bytes
            ));
        }
    }
    Ok(())
}

/// The state of a shaper, behind the name of its interface.
pub(super) fn in_words(state: ShapingState) -> &'static str {
    match state {
        ShapingState::Shaping => "packets go through these queues",
        ShapingState::Passing => "packets bypass these queues, because this machine is too busy",
        ShapingState::Waiting => "the interface is not there, and the shaper waits for it",
    }
}

/// The rate and the delay of a direction in the last second, in a line.
fn headline(name: &str, direction: &ShapedDirection) -> String {
    let delay = direction.delay_ms.map_or("no packet left".into(), |delay| {
        format!(
            "half of the packets waited {:.1} ms at most, 95 % {:.1} ms at most",
            delay.p50, delay.p95
        )
    });
    let limit = limit(direction);
    format!("{name}, {limit}; in the last second {:.1} Mbit/s, {delay}", direction.rate_mbit)
}

/// The rate to which packets are held, in words.
pub(super) fn limit(direction: &ShapedDirection) -> String {
    direction.limit_mbit.map_or("no limit".into(), |limit| format!("{limit} Mbit/s"))
}

/// The directions that are shaped, with their names.
pub(super) fn directions(
    state: &Shaping,
) -> impl Iterator<Item = (&'static str, &ShapedDirection)> {
    [("upload", &state.up), ("download", &state.down)]
        .into_iter()
        .filter_map(|(name, direction)| Some((name, direction.as_ref()?)))
}

/// The queues of a shaper, up first.
pub(super) fn queues(state: &Shaping) -> Vec<ListedQdisc> {
    directions(state).filter_map(|(_, direction)| listed(direction)).collect()
}

/// The queue of a direction as tc lists it; `None` if a later version wrote it otherwise.
fn listed(direction: &ShapedDirection) -> Option<ListedQdisc> {
    ListedQdisc::from_json(direction.tc.clone().into()).ok()
}
