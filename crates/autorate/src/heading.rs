//! The two directions of a line.

use std::ops::{Index, IndexMut};

/// The direction in which data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Heading {
    /// The direction from us to the world: upload.
    Up,
    /// The direction from the world to us: download.
    Down,
}

impl Heading {
    /// Both directions, upload first.
    pub const BOTH: [Self; 2] = [Self::Up, Self::Down];

    /// The opposite direction.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}

/// One value for each direction of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Both<T> {
    /// The value of the upload.
    pub up: T,
    /// The value of the download.
    pub down: T,
}

impl<T> Both<T> {
    /// The values that `value` gives for each direction, the upload first.
    pub fn new(mut value: impl FnMut(Heading) -> T) -> Self {
        Self { up: value(Heading::Up), down: value(Heading::Down) }
    }

    /// The results of `to` for both values, of which that of the upload is the first.
    pub fn map<U>(self, mut to: impl FnMut(T) -> U) -> Both<U> {
        Both { up: to(self.up), down: to(self.down) }
    }
}

impl<T> Index<Heading> for Both<T> {
    type Output = T;
    fn index(&self, heading: Heading) -> &T {
        match heading {
            Heading::Up => &self.up,
            Heading::Down => &self.down,
        }
    }
}

impl<T> IndexMut<Heading> for Both<T> {
    fn index_mut(&mut self, heading: Heading) -> &mut T {
        match heading {
            Heading::Up => &mut self.up,
            Heading::Down => &mut self.down,
        }
    }
}
