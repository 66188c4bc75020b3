//! The state of a shaper, as tc prints queues, and as JSON.

use results::Shaping;
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
    let listing = Listing { queues: queues(state) };
    output::print(&listing.to_string())?;
    if let Some(autorate) = &state.autorate {
        output::print(&follow::text(autorate))?;
    }
    for (name, direction) in [("up", &state.up), ("down", &state.down)] {
        let Some(it) = direction else { continue };
        if it.missed_bytes > it.passed_bytes.max(1 << 20) {
            note(format_args!(
                "{name}: {} bytes did not come to the shaper: hardware carries them past it, or they \
                 came while it let packets pass",
                it.missed_bytes
            ));
        }
    }
    Ok(())
}

/// The queues of a shaper, up first.
pub(super) fn queues(state: &Shaping) -> Vec<ListedQdisc> {
    let shaped = [&state.up, &state.down].into_iter().flatten();
    let listed = |tc: &tc::Fields| ListedQdisc::from_json(tc.clone().into()).ok();
    shaped.filter_map(|direction| listed(&direction.tc)).collect()
}
