//! The state of the queues each second on stderr, for `--live`.

use std::fmt::Write as _;
use std::io;

use ::lab::{DirectionStatus, Status};
use units::{DirectionId, Span, Way};

use crate::message;
use crate::terminal;

const EACH: Span = Span::from_secs(1);

/// A display of the change since the last display.
pub(super) struct Live {
    shown: Status,
    /// True if each display replaces the last one on the terminal.
    in_place: bool,
    /// The number of lines of the last display.
    lines: usize,
    /// True if the link belongs to a command.
    is_command: bool,
}

impl Live {
    /// A display for a scenario: a line for each direction in use, replaced in place on a terminal.
    pub(super) fn of_scenario() -> Self {
        let in_place = terminal::can_draw_over(&io::stderr());
        Self { shown: Status::default(), in_place, lines: 0, is_command: false }
    }

    /// A display for a command, which writes on the same terminal: one new line each time.
    pub(super) fn of_command() -> Self {
        Self { shown: Status::default(), in_place: false, lines: 0, is_command: true }
    }

    /// Shows `status` if a second has passed since the last display.
    pub(super) fn show(&mut self, status: &Status) {
        if let Some(text) = self.next(status) {
            message::tell(&text);
        }
    }

    /// The text to show. `None` if less than a second has passed.
    fn next(&mut self, status: &Status) -> Option<String> {
        let is_due = status.elapsed >= self.shown.elapsed + EACH;
        is_due.then(|| {
            let text = self.text(status);
            self.shown.clone_from(status);
            text
        })
    }

    fn text(&mut self, status: &Status) -> String {
        let elapsed = status.elapsed.as_secs_f64();
        let since = status.elapsed - self.shown.elapsed;
        let unknown = DirectionStatus::default();
        let seen = status.directions.iter().enumerate().filter(|(_, now)| now.is_used());
        let lines: Vec<String> = seen
            .map(|(index, now)| {
                let before = self.shown.directions.get(index).unwrap_or(&unknown);
                let name = self.name(DirectionId::from_index(index).way(), &now.name);
                format!("{name} {}", line(before, now, since))
            })
            .collect();
        if self.is_command {
            return format!("{elapsed:5.0} s  {}\n", lines.join("  |  "));
        }
        let mut text = String::new();
        if self.in_place && self.lines > 0 {
            // ECMA-48 sections 8.3.22 and 8.3.41: move the cursor up, and erase what follows.
            let _ = write!(text, "\u{1b}[{}A\u{1b}[J", self.lines);
        }
        self.lines = lines.len();
        lines.iter().for_each(|line| {
            let _ = writeln!(text, "{elapsed:5.0} s  {line}");
        });
        text
    }

    fn name(&self, way: Way, name: &str) -> String {
        match way {
            Way::Forward if self.is_command => "up".into(),
            Way::Reverse if self.is_command => "down".into(),
            _ => report::printable(name),
        }
    }
}

trait Used {
    fn is_used(&self) -> bool;
}

impl Used for DirectionStatus {
    fn is_used(&self) -> bool {
        self.departed > 0 || self.drops > 0 || self.backlog.packets > 0
    }
}

/// The events in one direction since `before`, and its backlog.
fn line(before: &DirectionStatus, now: &DirectionStatus, since: Span) -> String {
    let bytes = now.delivered_bytes.saturating_sub(before.delivered_bytes);
    let mbit = bytes as f64 * 8.0 / 1e6 / since.as_secs_f64();
    let departed = now.departed.saturating_sub(before.departed);
    let waited = now.waited - before.waited;
    let sojourn = match departed {
        0 => "    –".into(),
        departed => format!("{:5.1}", waited.as_secs_f64() * 1e3 / departed as f64),
    };
    let packets = now.backlog.packets;
    let kilobytes = now.backlog.bytes.0 as f64 / 1e3;
    let drops = now.drops.saturating_sub(before.drops);
    let marks = now.marks.saturating_sub(before.marks);
    let marks = if marks == 0 { String::new() } else { format!(", {marks} marks") };
    format!(
        "{mbit:7.2} Mbit/s, {packets} packets ({kilobytes:.0} kB) wait, sojourn {sojourn} ms, \
         {drops} drops{marks}"
    )
}

#[cfg(test)]
mod tests {
    use qdisc::Backlog;
    use units::Bytes;

    use super::*;

    fn status(seconds: u64, delivered_bytes: u64) -> Status {
        let forward = DirectionStatus {
            name: "link.forward".into(),
            delivered_bytes,
            departed: 10 * seconds,
            waited: Span::from_millis(100) * seconds,
            drops: 3 * seconds,
            marks: 0,
            backlog: Backlog { packets: 5, bytes: Bytes(7_500) },
        };
        let reverse = DirectionStatus { name: "link.reverse".into(), ..DirectionStatus::default() };
        Status { elapsed: Span::from_secs(seconds), directions: vec![forward, reverse] }
    }

    #[test]
    fn a_line_is_about_the_time_since_the_last_one() {
        let mut live = Live::of_command();
        assert_eq!(
            live.next(&status(2, 500_000)).unwrap(),
            "    2 s  up    2.00 Mbit/s, 5 packets (8 kB) wait, sojourn  10.0 ms, 6 drops\n"
        );
        assert!(live.text(&status(3, 1_000_000)).contains("up    4.00 Mbit/s"));
        // Not more often than once a second.
        let mut soon = status(2, 0);
        soon.elapsed = Span::from_millis(2_900);
        assert_eq!(live.next(&soon), None);
    }

    #[test]
    fn a_scenario_is_shown_in_place_where_somebody_sits() {
        let mut live = Live { in_place: true, ..Live::of_scenario() };
        let first = live.text(&status(1, 0));
        assert_eq!(first.lines().count(), 1, "{first}");
        assert!(first.contains("link.forward") && !first.contains('\u{1b}'), "{first}");
        assert!(live.text(&status(2, 0)).starts_with("\u{1b}[1A\u{1b}[J"));
    }
}
