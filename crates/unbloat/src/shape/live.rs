//! The queues of a shaper in sentences, as they are now.

use std::collections::VecDeque;
use std::thread;
use std::time::Duration;

use report::Explanation;
use results::{ShapedDelay, ShapedDirection, Shaping, ShapingState};
use units::Span;

use super::state::{in_words, queues};
use crate::failure::Failure;
use crate::follow;
use crate::output;
use crate::screen::{Room, Screen};

/// The time between two looks.
const STEP: Duration = Duration::from_millis(200);
/// The looks that are kept: what is told is of the last second.
const KEPT: usize = 6;
/// The width of a bar, at most, and at least: where there is no room for it, there is none.
const WIDTHS: [usize; 2] = [40, 6];

/// Shows what `look` returns, again and again, until it fails.
pub(super) fn show(mut look: impl FnMut() -> Result<Shaping, Failure>) -> Result<(), Failure> {
    if !Screen::is_there() {
        return Err(Failure::Input(
            "--live needs a terminal whose cursor can be moved, and stdout is not one; --status \
             shows the queues once, and --status --json as a document"
                .into(),
        ));
    }
    let mut screen = Screen::default();
    let mut seen = VecDeque::from([look()?]);
    loop {
        pause();
        let state = look()?;
        // Another shaper is at work since.
        if seen.back().is_some_and(|last| state.uptime_s < last.uptime_s) {
            seen.clear();
        }
        if let Some(first) = seen.front() {
            screen.draw(&text(first, &state, Screen::room()))?;
        }
        seen.push_back(state);
        if seen.len() > KEPT {
            seen.pop_front();
        }
    }
}

/// The figures of both directions, and below them as many sentences as there is room for.
fn text(first: &Shaping, state: &Shaping, room: Room) -> String {
    if state.state == ShapingState::Waiting {
        return format!("{}: {}\n", state.interface, in_words(state.state));
    }
    let mut text = figures(state, room.columns);
    text += &state.autorate.as_ref().map(follow::text).unwrap_or_default();
    let lines = room.lines.saturating_sub(text.lines().count() + 1);
    let explanation = explanation(first, state);
    let style = output::style();
    text + "\n" + &report::explanation_within(&explanation, style, room.columns, lines)
}

/// The queues in words. Where a queue does not tell how long packets wait, the shaper does.
fn explanation(first: &Shaping, state: &Shaping) -> Explanation {
    let span = Span::from_secs_f64((state.uptime_s - first.uptime_s).max(0.0));
    let mut told = report::explanation(&state.interface, &queues(first), queues(state), span);
    let directions = [&state.up, &state.down].into_iter().flatten();
    for (queue, direction) in told.queues.iter_mut().zip(directions) {
        queue.tell_waits(&match direction.delay_ms {
            None => "No packet left in the last second.".to_owned(),
            Some(ShapedDelay { p50, p95, max }) => format!(
                "Of the packets of the last second, half waited {} ms at most, 95 % {} ms at most, and none \
                 longer than {} ms.",
                millis(p50),
                millis(p95),
                millis(max)
            ),
        });
    }
    told
}

/// A line for each direction: the rate as a part of its limit, and how long packets wait. A terminal
/// without room for all of it has a shorter bar, then fewer figures, then no bar.
fn figures(state: &Shaping, columns: usize) -> String {
    let directions = [("up", &state.up), ("down", &state.down)];
    let directions: Vec<_> = directions
        .into_iter()
        .filter_map(|(name, direction)| direction.as_ref().map(|it| (name, it)))
        .collect();
    let rates = directions.iter().map(|(_, it)| rate(it).len()).max().unwrap_or_default();
    let none = ShapedDelay { p50: 0.0, p95: 0.0, max: 0.0 };
    // The name, and the blank behind the bar.
    let room = |is_long| columns.saturating_sub(rates + waits(none, is_long).len() + 6);
    let [most, least] = WIDTHS;
    let is_long = room(true) >= least;
    let width = room(is_long).min(most);
    let line = |(name, it): &(&str, &ShapedDirection)| {
        let bar = if width < least { String::new() } else { bar(it, width) + " " };
        let waits = it.delay_ms.map(|delay| waits(delay, is_long)).unwrap_or_default();
        format!("{name:<5}{bar}{:<rates$}{waits}", rate(it)).trim_end().to_owned() + "\n"
    };
    directions.iter().map(line).collect()
}

/// The rate, in as many columns whatever it is.
fn rate(direction: &ShapedDirection) -> String {
    let now = direction.rate_mbit;
    match direction.limit_mbit {
        None => format!("{now:>7.1} Mbit/s"),
        Some(limit) => {
            let width = format!("{limit:.1}").len();
            format!("{now:>width$.1} of {limit} Mbit/s")
        }
    }
}

/// The times that packets wait, in as many columns whatever they are.
fn waits(delay: ShapedDelay, is_long: bool) -> String {
    let [half, most] = [delay.p50, delay.p95].map(millis);
    match is_long {
        true => format!("  waits {half:>5} ms, 95 %: {most:>5} ms"),
        false => format!("  waits {half:>5} ms"),
    }
}

/// Milliseconds with three digits or more.
fn millis(millis: f64) -> String {
    if millis < 99.95 { format!("{millis:.1}") } else { format!("{millis:.0}") }
}

/// The rate as a part of its limit, drawn in so many columns; all of it is empty without a limit.
fn bar(direction: &ShapedDirection, columns: usize) -> String {
    let part = direction.limit_mbit.map_or(0.0, |limit| direction.rate_mbit / limit);
    let full = ((part * columns as f64).round() as usize).min(columns);
    "█".repeat(full) + &"·".repeat(columns - full)
}

#[expect(clippy::disallowed_methods, reason = "waits for what the shaper will count")]
fn pause() {
    thread::sleep(STEP);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A shaper after this time, by whose queues so many packets have left.
    fn state(uptime: f64, packets: u64, delay: Option<f64>) -> Shaping {
        let direction = |kind: &str, handle: &str, limit: Option<f64>| {
            let delay = delay.map(|p50| json!({ "p50": p50, "p95": 2.0 * p50, "max": 3.0 * p50 }));
            let tin = json!({ "sent_packets": packets, "sent_bytes": packets * 1500 });
            json!({
                "queue": kind, "limit_mbit": limit, "rate_mbit": 17.9, "delay_ms": delay,
                "passed_bytes": 0, "missed_bytes": 0, "lost_packets": 0,
                "tc": {
                    "kind": kind, "handle": handle, "dev": "wan", "root": true, "packets": packets,
                    "bytes": packets * 1500, "options": { "bandwidth": 2_250_000 },
                    "tins": [tin, tin, tin, tin]
                }
            })
        };
        let document = json!({
            "schema": "unbloat.shaping", "version": 1, "interface": "wan", "uptime_s": uptime,
            "state": "shaping", "lateness_us": null, "stepped_aside": 0, "cpu": 0.1,
            "up": direction("cake", "1:", Some(18.0)), "down": direction("fq_codel", "2:", None)
        });
        serde_json::from_value(document).unwrap()
    }

    #[test]
    fn rate_and_delay_of_both_directions_are_on_every_terminal() {
        let (first, now) = (state(1.0, 0, None), state(2.0, 1000, Some(123.4)));
        for (columns, lines) in [(120, 39), (80, 23), (50, 19), (40, 9)] {
            let text = text(&first, &now, Room { columns, lines });
            let head: Vec<_> = text.lines().take(2).collect();
            assert!(head[0].starts_with("up ") && head[1].starts_with("down "), "{text}");
            assert!(head[0].contains("17.9 of 18 Mbit/s  waits   123 ms"), "{text}");
            assert!(head[1].contains("17.9 Mbit/s     waits   123 ms"), "{text}");
            let is_within = |line: &str| line.chars().count() <= columns;
            assert!(head.into_iter().all(is_within), "{columns} columns:\n{text}");
            assert!(text.lines().count() <= lines, "{lines} lines:\n{text}");
            assert_eq!(text.contains("95 %: "), columns >= 80, "{text}");
        }
        let idle = figures(&state(2.0, 0, None), 80);
        assert_eq!(idle.find("17.9"), figures(&now, 80).find("17.9"), "bars keep their width");
    }

    #[test]
    fn no_figures_are_shown_while_the_interface_is_not_there() {
        let mut away = state(2.0, 1000, None);
        away.state = ShapingState::Waiting;
        let text = text(&state(1.0, 0, None), &away, Room { columns: 80, lines: 23 });
        assert_eq!(text, "wan: the interface is not there, and the shaper waits for it\n");
    }

    #[test]
    fn the_shaper_tells_waits_that_a_kind_does_not() {
        let room = Room { columns: 100, lines: usize::MAX };
        let text = text(&state(1.0, 0, None), &state(2.0, 1000, Some(5.0)), room);
        assert!(!text.contains("does not tell how long"), "{text}");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let told =
            "half waited 5.0 ms at most, 95 % 10.0 ms at most, and none longer than 15.0 ms.";
        assert!(words.contains(told), "{text}");
    }
}
