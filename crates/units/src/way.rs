//! The two ways through a link, and the directions of all links of a network.

use core::ops::{Index, IndexMut};

/// One of the two ways through a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Way {
    /// The direction in which the link was written: from `from` to `to`.
    Forward,
    /// The opposite direction.
    Reverse,
}

impl Way {
    /// Both ways, in the order of their results.
    pub const BOTH: [Self; 2] = [Self::Forward, Self::Reverse];

    /// The name of the way in result documents, and in the names of directions: `uplink.forward`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
        }
    }

    /// The opposite way.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Forward => Self::Reverse,
            Self::Reverse => Self::Forward,
        }
    }
}

/// One direction of one link of a network: the index of the link, and the way through it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirectionId(u32);

impl DirectionId {
    /// The direction of the link with this index. There are at most 2^31 links.
    #[inline]
    pub const fn new(link: usize, way: Way) -> Self {
        Self(2 * link as u32 + way as u32)
    }

    /// The directions of this number of links: of each link the forward one and then the reverse
    /// one.
    pub fn all(links: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..2 * links as u32).map(Self)
    }

    /// The direction with this index among [all](Self::all) directions.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self(index as u32)
    }

    /// The index of the direction among [all](Self::all) directions, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The index of the link.
    #[inline]
    pub const fn link(self) -> usize {
        (self.0 / 2) as usize
    }

    /// The way through the link.
    #[inline]
    pub const fn way(self) -> Way {
        if self.0.is_multiple_of(2) { Way::Forward } else { Way::Reverse }
    }

    /// The opposite direction of the same link.
    #[inline]
    #[must_use]
    pub const fn opposite(self) -> Self {
        Self(self.0 ^ 1)
    }
}

impl core::fmt::Debug for DirectionId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}.{}", self.link(), self.way().name())
    }
}

/// One value for each way through a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PerWay<T> {
    /// The value of the forward direction.
    pub forward: T,
    /// The value of the reverse direction.
    pub reverse: T,
}

impl<T> PerWay<T> {
    /// The values that `value` gives for each way, the forward one first.
    pub fn new(mut value: impl FnMut(Way) -> T) -> Self {
        Self { forward: value(Way::Forward), reverse: value(Way::Reverse) }
    }

    /// Both values, the forward one first.
    pub fn iter(&self) -> core::array::IntoIter<&T, 2> {
        [&self.forward, &self.reverse].into_iter()
    }

    /// Both values, the forward one first.
    pub fn iter_mut(&mut self) -> core::array::IntoIter<&mut T, 2> {
        [&mut self.forward, &mut self.reverse].into_iter()
    }

    /// The results of `to` for both values, of which the forward one is the first.
    pub fn map<U>(self, mut to: impl FnMut(T) -> U) -> PerWay<U> {
        PerWay { forward: to(self.forward), reverse: to(self.reverse) }
    }
}

impl<T> IntoIterator for PerWay<T> {
    type Item = T;
    type IntoIter = core::array::IntoIter<T, 2>;

    fn into_iter(self) -> Self::IntoIter {
        [self.forward, self.reverse].into_iter()
    }
}

impl<T> Index<Way> for PerWay<T> {
    type Output = T;

    fn index(&self, way: Way) -> &T {
        match way {
            Way::Forward => &self.forward,
            Way::Reverse => &self.reverse,
        }
    }
}

impl<T> IndexMut<Way> for PerWay<T> {
    fn index_mut(&mut self, way: Way) -> &mut T {
        match way {
            Way::Forward => &mut self.forward,
            Way::Reverse => &mut self.reverse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_is_a_link_and_a_way() {
        let mut all = DirectionId::all(3);
        for (link, way) in [(0, Way::Forward), (0, Way::Reverse), (1, Way::Forward)] {
            let direction = all.next().unwrap();
            assert_eq!(direction, DirectionId::new(link, way));
            assert_eq!((direction.link(), direction.way()), (link, way));
            assert_eq!(direction, DirectionId::from_index(direction.index()));
            assert_eq!(direction.opposite(), DirectionId::new(link, way.opposite()));
        }
        assert_eq!(all.count(), 3);
    }

    #[test]
    fn values_are_found_by_their_way() {
        let mut lengths = PerWay::new(Way::name).map(str::len);
        assert!(lengths.iter().eq(&[7, 7]));
        lengths[Way::Reverse] += 1;
        assert_eq!((lengths[Way::Forward], lengths[Way::Reverse]), (7, 8));
        assert!(lengths.into_iter().eq([7, 8]));
    }
}
