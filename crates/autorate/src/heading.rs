//! The two directions of a line.

use std::ops::{Index, IndexMut};

pub use observation::Heading;

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
