//! Numbered places for what an event loop looks after.

/// Things by their number. A number that has become free is given out again only after
/// [`settle`](Self::settle), so that an event that was on its way to the old thing finds nothing
/// rather than a new one.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    slots: Vec<Option<T>>,
    free: Vec<usize>,
    freed: Vec<usize>,
}

impl<T> Slots<T> {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), freed: Vec::new() }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len() - self.freed.len()
    }

    /// Takes it in, and says its number.
    pub(crate) fn insert(&mut self, thing: T) -> usize {
        let number = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.slots[number] = Some(thing);
        number
    }

    /// The thing with this number.
    pub(crate) fn at(&mut self, number: usize) -> Option<&mut T> {
        self.slots.get_mut(number)?.as_mut()
    }

    /// Lets it go.
    pub(crate) fn remove(&mut self, number: usize) -> Option<T> {
        let thing = self.slots.get_mut(number)?.take()?;
        self.freed.push(number);
        Some(thing)
    }

    /// All, with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let numbered = self.slots.iter().enumerate();
        numbered.filter_map(|(number, slot)| slot.as_ref().map(|thing| (number, thing)))
    }

    /// No event is on its way any more.
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
