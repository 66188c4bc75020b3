//! Progress of a test on stderr: updated in place on a terminal, else a line for each part of the
//! test.

use std::collections::VecDeque;
use std::io;

use measure::client::{Progress, Side};
use observation::{Heading, Load};
use units::Span;

use crate::message;
use crate::terminal;

/// The display of a test's progress.
pub(super) struct Live {
    shape: Shape,
    /// The load of the last progress, and true if it ran for longer than planned.
    last: Option<(Load, bool)>,
    /// The added delays up and down in milliseconds, the latest last.
    history: VecDeque<[f64; 2]>,
    shown: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Quiet,
    /// One line for each part of the test.
    Lines,
    /// Three lines, drawn anew each time.
    InPlace,
}

/// The number of past delays that are drawn, one for each progress.
const WIDTH: usize = 40;

/// The bars for a delay, from none to the highest of those drawn.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The least delay of a full bar, in milliseconds: smaller delays are hardly felt and stay low.
const LEAST_FULL: f64 = 20.0;

impl Live {
    pub(super) fn new(quiet: bool) -> Self {
        let shape = match (quiet, terminal::can_draw_over(&io::stderr())) {
            (true, _) => Shape::Quiet,
            (false, true) => Shape::InPlace,
            (false, false) => Shape::Lines,
        };
        Self { shape, last: None, history: VecDeque::new(), shown: false }
    }

    /// Shows the progress.
    pub(super) fn show(&mut self, progress: &Progress) {
        if let Some(text) = self.next(progress) {
            message::tell(&text);
        }
    }

    fn next(&mut self, progress: &Progress) -> Option<String> {
        let now = progress.load.map(|load| (load, progress.longer));
        let is_new = now != self.last;
        self.last = now;
        let doing = doing(progress)?;
        match self.shape {
            Shape::Lines if is_new => {
                Some(format!("{:5.1} s  {doing}\n", progress.elapsed.as_secs_f64()))
            }
            Shape::InPlace => Some(self.lines(&doing, progress)),
            _ => None,
        }
    }

    fn lines(&mut self, doing: &str, progress: &Progress) -> String {
        let millis = |side: &Side| side.added.map_or(0.0, Span::as_millis_f64);
        self.history.push_back([millis(&progress.up), millis(&progress.down)]);
        if self.history.len() > WIDTH {
            self.history.pop_front();
        }
        // ECMA-48 sections 8.3.22 and 8.3.41: move the cursor up, and erase what follows.
        let back = if self.shown { "\u{1b}[3A\u{1b}[J" } else { "" };
        self.shown = true;
        let (elapsed, expected) = (progress.elapsed.as_secs_f64(), progress.expected.as_secs_f64());
        let lines = [
            format!("{elapsed:4.0} of about {expected:.0} s: {doing}"),
            self.line("down", &progress.down, 1),
            self.line("up", &progress.up, 0),
        ];
        // A line that the terminal broke could not be drawn over.
        let columns = terminal::columns_of_stderr().unwrap_or(usize::MAX);
        let lines = lines.map(|line| report::cut(&line, columns) + "\n");
        back.to_owned() + &lines.concat()
    }

    fn line(&self, way: &str, side: &Side, index: usize) -> String {
        let rate = match side.rate {
            Some(rate) => format!("{:8.2} Mbit/s", rate.as_mbit_f64()),
            None => " ".repeat(15),
        };
        let added = match side.added {
            Some(added) => format!("{:+7.0} ms", added.as_millis_f64()),
            None => "      – ms".into(),
        };
        format!("  {way:4} {rate} {added}  {}", self.bars(index))
    }

    fn bars(&self, index: usize) -> String {
        let delays = || self.history.iter().map(|both| both[index]);
        let full = delays().fold(LEAST_FULL, f64::max);
        let bar = |delay: f64| BARS[((delay / full * 7.0).round() as usize).min(7)];
        delays().map(bar).collect()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if self.shown {
            message::tell("\u{1b}[3A\u{1b}[J");
        }
    }
}

/// The current activity, with a remark if it takes longer than planned. `None` while connecting.
fn doing(progress: &Progress) -> Option<String> {
    let longer = if progress.longer { ", extended: the queue is still growing" } else { "" };
    progress.load.map(|load| name(load).to_owned() + longer)
}

/// The name of a load.
fn name(load: Load) -> &'static str {
    match load {
        Load::Idle => "idle: the path without load",
        Load::One(heading) => heading.in_words(),
        Load::Small(Heading::Down) => "download in small packets",
        Load::Small(Heading::Up) => "upload in small packets",
        Load::Both => "download and upload at once",
        Load::Drain => "waiting until the queues are empty",
    }
}

#[cfg(test)]
mod tests {
    use units::Rate;

    use super::*;

    fn progress(load: Load, up_ms: u64) -> Progress {
        Progress {
            elapsed: Span::from_millis(2_100),
            expected: Span::from_secs(20),
            load: Some(load),
            longer: false,
            up: Side { rate: Some(Rate::from_mbit(2)), added: Some(Span::from_millis(up_ms)) },
            down: Side::default(),
        }
    }

    fn live(shape: Shape) -> Live {
        let mut live = Live::new(true);
        live.shape = shape;
        live
    }

    #[test]
    fn whoever_reads_a_log_gets_a_line_for_each_part() {
        let mut live = live(Shape::Lines);
        let upload = Load::One(Heading::Up);
        assert_eq!(live.next(&progress(upload, 0)).as_deref(), Some("  2.1 s  upload\n"));
        assert_eq!(live.next(&progress(upload, 9)), None);
        let longer = live.next(&Progress { longer: true, ..progress(upload, 9) });
        assert_eq!(
            longer.as_deref(),
            Some(
                "  2.1 s  upload, extended: the queue is still \
             growing\n"
            )
        );
        assert!(live.next(&progress(Load::Drain, 9)).is_some());
        assert_eq!(live.next(&Progress::default()), None);
    }

    #[test]
    fn whoever_sits_in_front_sees_the_queue_grow() {
        let mut live = live(Shape::InPlace);
        let upload = Load::One(Heading::Up);
        let first = live.next(&progress(upload, 0)).unwrap();
        let expected = "   2 of about 20 s: upload\n\
                        \x20 down                       – ms  ▁\n\
                        \x20 up       2.00 Mbit/s      +0 ms  ▁\n";
        assert_eq!(first, expected);
        let second = live.next(&progress(upload, 1_000)).unwrap();
        assert!(second.starts_with("\u{1b}[3A\u{1b}[J") && second.contains("+1000 ms  ▁█"));
        live.shown = false;
    }
}
