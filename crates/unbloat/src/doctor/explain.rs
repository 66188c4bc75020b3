//! `unbloat doctor --explain`: the queues of a device in sentences, as they are now.

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::thread;
use std::time::Duration;

use kernel::{Clock, Netlink};
use report::Explanation;
use tc::ListedQdisc;
use units::{Span, Time};

use crate::failure::Failure;
use crate::message::note;
use crate::output;

/// The time between two readings where there are many: 10 Hz.
const STEP: Span = Span::from_millis(100);

/// The time to watch for, if the user names none.
const WATCH: Span = Span::from_secs(1);

/// The readings that are kept: what is told is of the second between the first and the last.
const KEPT: usize = 11;

/// Explains the queues of the device for this time.
pub(super) fn explain(dev: &str, time: Option<Span>, json: bool) -> Result<(), Failure> {
    let device = Device::named(dev)?;
    let mut display = Display::of(json);
    let whole = time.unwrap_or(WATCH);
    let (step, end) = match display {
        Display::Text => (whole, Some(whole)),
        Display::Lines => (STEP.min(whole), Some(whole)),
        Display::InPlace(_) => (STEP, time),
    };
    if !json {
        device.note_download()?;
    }
    let mut readings = VecDeque::from([device.read()?]);
    let mut due = readings[0].at;
    loop {
        due += step;
        pause(due.since(device.clock.now()));
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
        match (json, io::stdout().is_terminal()) {
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
            Self::InPlace(screen) => screen.draw(&text()),
        }
    }
}

/// The queues of a device at one time.
struct Reading {
    at: Time,
    queues: Vec<ListedQdisc>,
}

/// A device of this network namespace.
struct Device {
    name: String,
    index: u32,
    netlink: Netlink,
    clock: Clock,
}

impl Device {
    fn named(name: &str) -> Result<Self, Failure> {
        let all = devices()?;
        let Some((index, name)) = all.iter().find(|(_, known)| known == name) else {
            let names: Vec<_> = all.iter().map(|(_, name)| name.as_str()).collect();
            return Err(Failure::Input(format!(
                "there is no device {name}; there are: {}",
                names.join(", ")
            )));
        };
        let netlink = Netlink::open().map_err(|error| unread(&error))?;
        Ok(Self { name: name.clone(), index: *index, netlink, clock: Clock::start() })
    }

    /// Reads the queues.
    fn read(&self) -> Result<Reading, Failure> {
        let messages = self.netlink.queues().map_err(|error| unread(&error))?;
        let at = self.clock.now();
        let is_own =
            |message: &&Vec<u8>| ListedQdisc::device_in_netlink(message) == Some(self.index);
        let own = messages.iter().filter(is_own);
        let queues: Vec<_> =
            own.filter_map(|message| ListedQdisc::from_netlink(message, &self.name)).collect();
        match queues.is_empty() {
            true => Err(Failure::Run(format!("the kernel tells of no queue of {}", self.name))),
            false => Ok(Reading { at, queues }),
        }
    }

    /// Says which devices may have the queue of what comes in. What is redirected there is told by
    /// the rules at the device, not by its queues.
    fn note_download(&self) -> Result<(), Failure> {
        let is_redirect = |queue: &ListedQdisc| matches!(queue.kind(), "ingress" | "clsact");
        let (queues, others) = (self.read()?.queues, devices()?);
        let other = others.iter().find(|(_, name)| name.starts_with("ifb"));
        if let Some((_, other)) = other.filter(|_| queues.iter().any(is_redirect)) {
            note(format_args!(
                "what comes in may be shaped elsewhere: unbloat doctor --explain {other}"
            ));
        }
        Ok(())
    }
}

fn devices() -> Result<Vec<(u32, String)>, Failure> {
    kernel::devices().map_err(|error| unread(&error))
}

fn unread(error: &io::Error) -> Failure {
    Failure::Run(format!("cannot read the queues of the kernel: {error}"))
}

#[expect(clippy::disallowed_methods, reason = "waits for what the kernel will count")]
fn pause(span: Span) {
    thread::sleep(Duration::from_nanos(span.as_nanos()));
}

/// A text on a terminal that is drawn in place.
#[derive(Default)]
struct Screen {
    /// The lines of the text that is shown.
    lines: usize,
}

impl Screen {
    /// Draws the text in the place of the one before. What the terminal has no room for is left
    /// out: a line that it broke, or one that it moved out, could not be drawn over.
    fn draw(&mut self, text: &str) -> Result<(), Failure> {
        let rows = rustix::termios::tcgetwinsize(io::stdout()).map_or(0, |size| size.ws_row);
        let room = usize::from(rows).checked_sub(1).unwrap_or(usize::MAX);
        let shown: Vec<_> = text.lines().take(room).collect();
        // ECMA-48: CUU moves up, and ED erases to the end; DECAWM ends the breaking of lines.
        let back = match self.lines {
            0 => String::new(),
            lines => format!("\u{1b}[{lines}A\u{1b}[J"),
        };
        self.lines = shown.len();
        output::print(&format!("{back}\u{1b}[?7l{}\u{1b}[?7h\n", shown.join("\n")))
    }
}
