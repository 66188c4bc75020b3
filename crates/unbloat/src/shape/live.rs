//! The queues of a shaper in sentences, as they are now.

use std::collections::VecDeque;
use std::thread;
use std::time::Duration;

use results::{ShapedDirection, Shaping};
use units::Span;

use super::state::queues;
use crate::failure::Failure;
use crate::follow;
use crate::output;
use crate::screen::Screen;

/// The time between two looks.
const STEP: Duration = Duration::from_millis(200);
/// The looks that are kept: what is told is of the last second.
const KEPT: usize = 6;
/// The width of a bar.
const WIDTH: usize = 40;

/// Shows what `look` returns, again and again, until it fails.
pub(super) fn show(mut look: impl FnMut() -> Result<Shaping, Failure>) -> Result<(), Failure> {
    let mut screen = Screen::default();
    let mut seen: VecDeque<Shaping> = VecDeque::new();
    loop {
        let state = look()?;
        let first = seen.front().unwrap_or(&state);
        screen.draw(&text(first, &state))?;
        seen.push_back(state);
        if seen.len() > KEPT {
            seen.pop_front();
        }
        pause();
    }
}

fn text(first: &Shaping, state: &Shaping) -> String {
    let span = Span::from_secs_f64((state.uptime_s - first.uptime_s).max(0.0));
    let explanation = report::explanation(&state.interface, &queues(first), queues(state), span);
    let bars = [("up", &state.up), ("down", &state.down)];
    let bars = bars.map(|(name, direction)| direction.as_ref().map(|it| bar(name, it)));
    let bars: String = bars.into_iter().flatten().collect();
    let follows = state.autorate.as_ref().map(follow::text).unwrap_or_default();
    format!("{bars}{follows}\n{}", report::explanation_text(&explanation, output::style()))
}

/// The rate of a direction as a part of its limit, and what waits.
fn bar(name: &str, direction: &ShapedDirection) -> String {
    let part = direction.limit_mbit.map_or(0.0, |limit| direction.rate_mbit / limit);
    let full = ((part * WIDTH as f64).round() as usize).min(WIDTH);
    let limit = direction.limit_mbit.map_or("no limit".into(), |limit| format!("{limit} Mbit/s"));
    let delay = direction.delay_ms.map_or_else(String::new, |delay| {
        format!("  waits {:.1} ms, 95 %: {:.1} ms", delay.p50, delay.p95)
    });
    format!(
        "{name:<5}{}{} {:.1} of {limit}{delay}\n",
        "█".repeat(full),
        "·".repeat(WIDTH - full),
        direction.rate_mbit
    )
}

#[expect(clippy::disallowed_methods, reason = "waits for what the shaper will count")]
fn pause() {
    thread::sleep(STEP);
}
