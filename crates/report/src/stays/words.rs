//! The words beside the picture, which say the same.

use units::{Time, Way};

use super::StayedRun;
use super::choice::{Choice, wait};
use crate::flows::family;
use crate::number::{count, duration, significant, things};
use crate::text::printable;

pub(super) fn title(is_comparison: bool) -> String {
    if is_comparison { "Two queues, packet by packet" } else { "The queue, packet by packet" }
        .into()
}

/// What can be seen, how much slower, and why this stretch was chosen.
pub(super) fn explanation(choice: &Choice<'_>, slowed: u64, link: &str, way: Way) -> String {
    let length = choice.to.since(choice.from).as_secs_f64() * 1e3;
    let speed = match slowed {
        1 => String::new(),
        slowed => format!(", shown {} times slower", count(slowed)),
    };
    let link = match way {
        Way::Forward => printable(link),
        Way::Reverse => format!("{} (reverse)", printable(link)),
    };
    let (loads, others) = (flows(choice, false), flows(choice, true));
    let who = match (loads.is_empty(), others.is_empty()) {
        (false, false) => format!("Squares are packets of {loads}, circles those of {others}."),
        (true, _) => format!("Circles are packets of {others}."),
        (false, true) => format!("Squares are packets of {loads}."),
    };
    let dropped = choice.runs.iter().flat_map(|run| choice.stays(run)).any(|stay| stay.is_dropped);
    let dropped = if dropped { " A cross is a packet that the queue drops." } else { "" };
    let chosen = match others.as_str() {
        "" => "the packet",
        _ => "the circle",
    };
    format!(
        "Packets arrive on the left, and {link} sends them one after the other on the right. In a plain \
         buffer, each packet waits for all packets before it; a fair queue lets packets of small flows \
         pass. {who}{dropped} This is {} of the run, from {} s on{speed}. The run recorded {} such intervals; this one has {chosen} that waits longest.",
        duration(length),
        significant(choice.from.since(Time::ZERO).as_secs_f64()),
        choice.windows,
    )
}

/// The flows whose packets are shown: those of the load, or the others.
fn flows(choice: &Choice<'_>, others: bool) -> String {
    /// Largest number of names.
    const MOST: usize = 3;
    let mut names: Vec<String> = Vec::new();
    for run in &choice.runs {
        for stay in choice.stays(run).filter(|stay| run.is_other(stay) == others) {
            let flow = run.document.flows.get_index(stay.flow as usize);
            let name = flow.map(|(name, _)| printable(family(name).unwrap_or(name)));
            let name = name.unwrap_or_else(|| "others".into());
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names.sort();
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    if more > 0 {
        names.push(format!("{} more", count(more as u64)));
    }
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
        None => String::new(),
    }
}

/// What happens in one queue.
pub(super) fn caption(run: &StayedRun<'_>, choice: &Choice<'_>, most: usize) -> String {
    // Without those that had left before.
    let stays = || choice.stays(run).filter(|stay| stay.left >= choice.from);
    let others = || stays().filter(|stay| run.is_other(stay) && !stay.is_dropped);
    let longest = others().map(wait).max();
    let longest =
        longest.map(|wait| format!("; a circle waits up to {}", duration(wait.as_millis_f64())));
    let dropped = stays().filter(|stay| stay.is_dropped).count();
    let dropped = match dropped {
        0 => String::new(),
        dropped => format!("; {} dropped", things(dropped as u64, "packet")),
    };
    format!(
        "Up to {} at once{}{dropped}.",
        things(most as u64, "packet"),
        longest.unwrap_or_default()
    )
}
