//! Numbered slots for the objects of an event loop.

/// Values by their number. The number of a removed value is given out again only after
/// [`settle`](Self::settle), so that a late event for the old value does not reach a new one.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    slots: Vec<Option<T>>,
    free: Vec<usize>,
    freed: Vec<usize>,
}

impl<T> Slots<T> {
    /// An empty collection.
    pub(crate) fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), freed: Vec::new() }
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len() - self.freed.len()
    }

    /// Inserts a value. Returns its number.
    pub(crate) fn insert(&mut self, thing: T) -> usize {
        let number = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.slots[number] = Some(thing);
        number
    }

    /// The value with this number; `None` if there is none.
    pub(crate) fn at(&mut self, number: usize) -> Option<&mut T> {
        self.slots.get_mut(number)?.as_mut()
    }

    /// Removes and returns the value with this number; `None` if there is none.
    pub(crate) fn remove(&mut self, number: usize) -> Option<T> {
        let thing = self.slots.get_mut(number)?.take()?;
        self.freed.push(number);
        Some(thing)
    }

    /// All values, with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let numbered = self.slots.iter().enumerate();
        numbered.filter_map(|(number, slot)| slot.as_ref().map(|thing| (number, thing)))
    }

    /// Frees the numbers of removed values: no event for them is pending any more.
    pub(crate) fn settle(&mut self) {
        self.free.append(&mut self.freed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_given_again_only_when_all_has_settled() {
        let mut slots = Slots::new();
        let (one, two) = (slots.insert("one"), slots.insert("two"));
        assert_eq!(slots.remove(one), Some("one"));
        assert_eq!((slots.remove(one), slots.len()), (None, 1));
        assert_eq!(slots.at(one), None);
        let three = slots.insert("three");
        assert!(three != one && three != two);
        slots.settle();
        assert_eq!(slots.insert("four"), one);
        assert_eq!(slots.iter().map(|(_, name)| *name).collect::<String>(), "fourtwothree");
    }
}
