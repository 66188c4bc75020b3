//! Values by number, for connections that come and go.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The entry of a number that no value has.
const NOBODY: u32 = u32::MAX;

/// Values in places that are used again, found by a number of 16 bits. A value gets the lowest free
/// place, so that the values lie close together however high their numbers are.
#[derive(Debug)]
pub struct Numbered<T> {
    places: Vec<Option<(u16, T)>>,
    free: BinaryHeap<Reverse<u32>>,
    /// The place of each number's value.
    numbers: Vec<u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: BinaryHeap::new(), numbers: Vec::new() }
    }
}

impl<T> Numbered<T> {
    /// The number of values.
    pub fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// True if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of places, those that are free included.
    pub fn places(&self) -> usize {
        self.places.len()
    }

    /// The place of the value with this number; `None` if there is none.
    #[inline]
    pub fn place(&self, number: u16) -> Option<u32> {
        self.numbers.get(usize::from(number)).copied().filter(|place| *place != NOBODY)
    }

    /// The value at a place, and its number; `None` if the place is free.
    #[inline]
    pub fn at(&self, place: u32) -> Option<(u16, &T)> {
        let (number, value) = self.places.get(place as usize)?.as_ref()?;
        Some((*number, value))
    }

    /// The value at a place; `None` if the place is free.
    #[inline]
    pub fn at_mut(&mut self, place: u32) -> Option<&mut T> {
        let (_, value) = self.places.get_mut(place as usize)?.as_mut()?;
        Some(value)
    }

    /// The value with this number; `None` if there is none.
    #[inline]
    pub fn get_mut(&mut self, number: u16) -> Option<&mut T> {
        self.at_mut(self.place(number)?)
    }

    /// Stores a value under a number that no other value has, and returns its place.
    pub fn insert(&mut self, number: u16, value: T) -> u32 {
        let place = match self.free.pop() {
            Some(Reverse(place)) => place,
            None => {
                self.places.push(None);
                (self.places.len() - 1) as u32
            }
        };
        let index = usize::from(number);
        if self.numbers.len() <= index {
            self.numbers.resize(index + 1, NOBODY);
        }
        self.numbers[index] = place;
        self.places[place as usize] = Some((number, value));
        place
    }

    /// Removes the value at a place, and returns it; `None` if the place is free.
    pub fn remove(&mut self, place: u32) -> Option<T> {
        let (number, value) = self.places.get_mut(place as usize)?.take()?;
        self.numbers[usize::from(number)] = NOBODY;
        self.free.push(Reverse(place));
        Some(value)
    }

    /// All values with their numbers, in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = (u16, &T)> {
        self.places.iter().flatten().map(|(number, value)| (*number, value))
    }

    /// All values with their numbers, in the order of their places.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u16, &mut T)> {
        self.places.iter_mut().flatten().map(|(number, value)| (*number, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_number_and_lie_in_the_lowest_places() {
        let mut values = Numbered::default();
        let places = [900, 7, 65_535].map(|number| values.insert(number, u32::from(number)));
        assert_eq!((places, values.len()), ([0, 1, 2], 3));
        assert_eq!((values.remove(1), values.remove(0)), (Some(7), Some(900)));
        assert_eq!((values.place(7), values.remove(1), values.len()), (None, None, 1));
        assert_eq!(values.insert(8, 80), 0);
        *values.get_mut(8).unwrap() += 1;
        assert_eq!(values.at(0), Some((8, &81)));
        assert_eq!(values.iter().collect::<Vec<_>>(), [(8, &81), (65_535, &65_535)]);
        assert!(values.at(1).is_none() && values.get_mut(900).is_none());
        assert_eq!((values.insert(1, 10), values.places()), (1, 3));
    }
}
