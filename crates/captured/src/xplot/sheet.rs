//! The marks of a graph, as text.

use std::fmt::Write;

use units::Time;

/// A colour of xplot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    White,
    Green,
    Red,
    Blue,
    Yellow,
    Purple,
    Orange,
    Magenta,
    Pink,
}

impl Colour {
    const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Green => "green",
            Self::Red => "red",
            Self::Blue => "blue",
            Self::Yellow => "yellow",
            Self::Purple => "purple",
            Self::Orange => "orange",
            Self::Magenta => "magenta",
            Self::Pink => "pink",
        }
    }
}

/// A mark at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Dot,
    Diamond,
    Square,
    UpArrow,
    DownArrow,
    UpTick,
    DownTick,
    LevelTick,
}

impl Mark {
    const fn name(self) -> &'static str {
        match self {
            Self::Dot => "dot",
            Self::Diamond => "diamond",
            Self::Square => "box",
            Self::UpArrow => "uarrow",
            Self::DownArrow => "darrow",
            Self::UpTick => "utick",
            Self::DownTick => "dtick",
            Self::LevelTick => "htick",
        }
    }
}

/// The side of a place at which its text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Above,
    Below,
    Left,
    Right,
}

impl Side {
    const fn name(self) -> &'static str {
        match self {
            Self::Above => "atext",
            Self::Below => "btext",
            Self::Left => "ltext",
            Self::Right => "rtext",
        }
    }
}

/// A time and a value.
pub(super) type Place = (Time, f64);

/// The marks that have not been given away.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    text: String,
    /// True once marks have been given away.
    is_begun: bool,
    /// The colour of the marks that have none of their own.
    pen: Option<Colour>,
}

impl Sheet {
    /// The bytes that are held.
    pub(super) const fn len(&self) -> usize {
        self.text.len()
    }

    /// True once marks have been given away.
    pub(super) const fn is_begun(&self) -> bool {
        self.is_begun
    }

    /// The marks, which are then no longer held; `head` is what stands before the first ones.
    pub(super) fn take(&mut self, head: impl FnOnce() -> String) -> String {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() || std::mem::replace(&mut self.is_begun, true) {
            return text;
        }
        head() + &text
    }

    /// Sets the colour of the next marks.
    pub(super) fn pen(&mut self, colour: Colour) -> &mut Self {
        if self.pen.replace(colour) != Some(colour) {
            self.text += colour.name();
            self.text.push('\n');
        }
        self
    }

    pub(super) fn mark(&mut self, mark: Mark, place: Place) -> &mut Self {
        self.text += mark.name();
        self.place(place);
        self.text.push('\n');
        self
    }

    pub(super) fn line(&mut self, from: Place, to: Place) -> &mut Self {
        self.text += "line";
        self.place(from);
        self.place(to);
        self.text.push('\n');
        self
    }

    pub(super) fn text(&mut self, side: Side, place: Place, text: &str) -> &mut Self {
        self.text += side.name();
        self.place(place);
        self.text.push('\n');
        self.text += text;
        self.text.push('\n');
        self
    }

    /// Writes a place. xplot reads times to the microsecond.
    fn place(&mut self, (time, value): Place) {
        let micros = time.as_nanos() / 1000;
        let (secs, micros) = (micros / 1_000_000, micros % 1_000_000);
        // A String takes all that is written.
        let _ = write!(self.text, " {secs}.{micros:06} {value}");
    }
}
