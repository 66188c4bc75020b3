//! `unbloat doctor --explain`: the queues of a device in sentences, as they are now.

use std::collections::VecDeque;
use std::thread;
use std::time::Duration;

use remote::Destination;
use report::Explanation;
use tc::ListedQdisc;
use units::{Span, Time};

use super::device::Device;
use crate::failure::Failure;
use crate::message::note;
use crate::output;
use crate::screen::Screen;

/// The time between two readings where there are many: 10 Hz.
const STEP: Span = Span::from_millis(100);

/// The time to watch for, if the user names none.
const WATCH: Span = Span::from_secs(1);

/// The readings that are kept: what is told is of the second between the first and the last.
const KEPT: usize = 11;

/// Explains the queues of the device for this time.
pub(super) fn explain(
    dev: &str,
    over: Option<&Destination>,
    time: Option<Span>,
    json: bool,
) -> Result<(), Failure> {
    let mut device = Device::named(dev, over)?;
    let mut display = Display::of(json);
    let whole = time.unwrap_or(WATCH);
    let (step, end) = match display {
        Display::Text => (whole, Some(whole)),
        Display::Lines => (STEP.min(whole), Some(whole)),
        Display::InPlace(_) => (STEP, time),
    };
    if !json {
        note_download(&mut device)?;
    }
    let mut readings = VecDeque::from([device.read()?]);
    let mut due = readings[0].at;
    loop {
        due += step;
        pause(due.since(device.now()));
        readings.push_back(device.read()?);
        let (first, last) = (&readings[0], &readings[readings.len() - 1]);
        let span = last.at.since(first.at);
        display.show(&report::explanation(dev, &first.queues, last.queues.clone(), span))?;
        if end.is_some_and(|end| last.at.since(Time::ZERO) >= end) {
            return Ok(());
        }
        if readings.len() >= KEPT {
            readings.pop_front();
        }
    }
}

/// The way in which explanations are shown.
enum Display {
    /// Once, as text.
    Text,
    /// Each as JSON on a line.
    Lines,
    /// Each in the place of the one before, as text.
    InPlace(Screen),
}

impl Display {
    fn of(json: bool) -> Self {
        match (json, Screen::is_there()) {
            (true, _) => Self::Lines,
            (false, true) => Self::InPlace(Screen::default()),
            (false, false) => Self::Text,
        }
    }

    fn show(&mut self, explanation: &Explanation) -> Result<(), Failure> {
        let text = || report::explanation_text(explanation, output::style());
        match self {
            Self::Text => output::print(&text()),
            Self::Lines => {
                output::print(&serde_json::to_string(explanation).expect("a document is JSON"))
            }
            Self::InPlace(screen) => {
                let (style, room) = (output::style(), Screen::room());
                let text = report::explanation_within(explanation, style, room.columns, room.lines);
                screen.draw(&text)
            }
        }
    }
}

/// Says which devices may have the queue of what comes in. What is redirected there is told by the
/// rules at the device, not by its queues.
fn note_download(device: &mut Device) -> Result<(), Failure> {
    let is_redirect = |queue: &ListedQdisc| matches!(queue.kind(), "ingress" | "clsact");
    let is_there = device.read()?.queues.iter().any(is_redirect);
    if let Some(other) = device.others().find(|name| is_there && name.starts_with("ifb")) {
        note(format_args!(
            "what comes in may be shaped elsewhere: unbloat doctor --explain {}",
            report::printable(other)
        ));
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "waits for what the kernel will count")]
fn pause(span: Span) {
    thread::sleep(Duration::from_nanos(span.as_nanos()));
}
