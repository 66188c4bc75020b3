//! The stretch of time that tells most: around the packet that waits longest.

use results::Stay;
use units::{Span, Time};

use super::StayedRun;

/// The chosen stretch of time, and the runs that are shown.
pub(super) struct Choice<'a> {
    /// Index of the stretch among those that were recorded.
    window: usize,
    /// Number of stretches that were recorded.
    pub(super) windows: usize,
    pub(super) from: Time,
    pub(super) to: Time,
    /// The moment that a still picture shows.
    pub(super) still: Time,
    pub(super) runs: Vec<&'a StayedRun<'a>>,
    /// The time in which a packet that has left the queue can still be seen on the wire.
    on_wire: Span,
}

impl Choice<'_> {
    /// The packets of a run that are in its queue during the stretch, and those that left it just before.
    pub(super) fn stays<'a>(&self, run: &StayedRun<'a>) -> impl Iterator<Item = &'a Stay> {
        let to = self.to;
        let from = Time::ZERO + self.from.since(Time::ZERO).saturating_sub(self.on_wire);
        let stays = run.windows.get(self.window).map(|window| &window.stays);
        stays.into_iter().flatten().filter(move |stay| stay.offered < to && stay.left >= from)
    }
}

/// The stretch in which the packet of others that waits longest is in the queue, or that of the load where
/// there are no others; `None` if no packet waits in it.
pub(super) fn choice<'a>(runs: &'a [StayedRun<'a>], packet: Span) -> Option<Choice<'a>> {
    /// The length of the stretch at least, in full packets.
    const FEWEST_PACKETS: u64 = 80;
    /// The packets that can be seen on the wire.
    const ON_WIRE: u64 = 8;
    /// Largest number of packets of a run.
    const MOST_PACKETS: usize = 4000;
    let windows = runs.iter().map(|run| run.windows.len()).min()?;
    let longest = |index: usize| -> Option<(Span, &'a StayedRun<'a>, &'a Stay)> {
        let of = |run: &'a StayedRun<'a>| Some((longest_of(run, index)?, run));
        let all = runs.iter().filter_map(of).map(|(stay, run)| (wait(stay), run, stay));
        // `max_by_key` takes the last of equals; the reversed order makes it the first.
        all.rev().max_by_key(|(wait, _, _)| *wait)
    };
    let all = (0..windows).filter_map(|index| Some((index, longest(index)?)));
    let (window, (longest, worst, stay)) = all.rev().max_by_key(|(_, (wait, _, _))| *wait)?;
    let begin = worst.windows[window].from;
    let end = runs.iter().filter_map(|run| complete_until(run, window)).min()?;
    let wanted = Span::from_nanos(longest.as_nanos() / 2 * 3)
        .max(Span::from_nanos(packet.as_nanos().saturating_mul(FEWEST_PACKETS)));
    // The packet comes in when a tenth of the stretch is over.
    let from = Time::ZERO + stay.offered.since(Time::ZERO).saturating_sub(wanted / 10);
    let from = from.max(begin);
    let mut choice = Choice {
        window,
        windows,
        from,
        to: end.min(from + wanted),
        still: stay.offered + Span::from_nanos(longest.as_nanos() / 2),
        runs: shown(runs, worst, window),
        on_wire: packet * ON_WIRE,
    };
    let too_many = |choice: &Choice<'_>| {
        choice.runs.iter().any(|run| choice.stays(run).count() > MOST_PACKETS)
    };
    while choice.to > choice.from && too_many(&choice) {
        choice.to = choice.from + choice.to.since(choice.from) / 2;
    }
    choice.still = choice.still.min(choice.to);
    (choice.to > choice.from && !longest.is_zero()).then_some(choice)
}

/// The run in which others wait longest, and the one in which they wait least, in the order of the runs.
fn shown<'a>(
    runs: &'a [StayedRun<'a>],
    worst: &'a StayedRun<'a>,
    window: usize,
) -> Vec<&'a StayedRun<'a>> {
    let waits = |run: &&StayedRun<'a>| longest_of(run, window).map_or(Span::ZERO, wait);
    let others = runs.iter().filter(|run| !std::ptr::eq(*run, worst));
    let best = others.min_by_key(waits);
    let is_shown = |run: &&StayedRun<'a>| {
        std::ptr::eq(*run, worst) || best.is_some_and(|best| std::ptr::eq(*run, best))
    };
    runs.iter().filter(is_shown).collect()
}

/// The packet of others that waits longest, among those that come and leave in the stretch; of all packets
/// where there are no others.
pub(super) fn longest_of<'a>(run: &StayedRun<'a>, index: usize) -> Option<&'a Stay> {
    let window = run.windows.get(index)?;
    let inside =
        |stay: &&Stay| !stay.is_dropped && stay.offered >= window.from && stay.left < window.to;
    let stays = || window.stays.iter().filter(inside);
    let has_others = window.stays.iter().any(|stay| run.is_other(stay));
    // The reversed order makes it the first of equals.
    stays().rev().filter(|stay| !has_others || run.is_other(stay)).max_by_key(|stay| wait(stay))
}

/// The time before which each packet that came has been recorded: those that came after the last one that
/// left may still wait.
fn complete_until(run: &StayedRun<'_>, index: usize) -> Option<Time> {
    let window = run.windows.get(index)?;
    let last = window.stays.iter().map(|stay| stay.left).max();
    Some(last.map_or(window.to, |last| window.to.min(last)))
}

/// The time that a packet waited.
pub(super) fn wait(stay: &Stay) -> Span {
    stay.left.since(stay.offered)
}
