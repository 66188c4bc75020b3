//! The colour of each name.

use std::collections::BTreeMap;

use crate::figure::Figure;

/// The colours of a sheet. As far as possible, a name has the same colour in all figures.
#[derive(Debug, Default)]
pub(super) struct Keys<'a> {
    /// The colour in which each name was last drawn.
    known: BTreeMap<&'a str, usize>,
}

impl<'a> Keys<'a> {
    /// The colours of `figure`'s names, in the order in which they first appear: the colours that
    /// they ask for or had before, and the first free ones for the others. No two names share a colour.
    pub(super) fn assign(&mut self, figure: &'a Figure) -> Vec<(&'a str, usize)> {
        let mut names: Vec<&str> = Vec::new();
        for curve in figure.curves.iter().filter(|curve| !curve.mark.is_aid()) {
            if !names.contains(&&*curve.name) {
                names.push(&curve.name);
            }
            if let Some(key) = curve.key {
                self.known.insert(&curve.name, key);
            }
        }
        let mut taken: BTreeMap<usize, &str> = BTreeMap::new();
        for name in &names {
            if let Some(key) = self.known.get(name) {
                taken.entry(*key).or_insert(name);
            }
        }
        let mut keys = Vec::with_capacity(names.len());
        for name in names {
            let kept = self.known.get(name).copied().filter(|key| taken.get(key) == Some(&name));
            let key = kept.unwrap_or_else(|| {
                let free = (0..).find(|key| !taken.contains_key(key)).unwrap_or_default();
                taken.insert(free, name);
                free
            });
            self.known.insert(name, key);
            keys.push((name, key));
        }
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Curve};

    fn figure(names: &[&str]) -> Figure {
        let axis = Axis::linear("", "");
        let curve = |name: &&str| Curve { name: (*name).to_owned(), ..Curve::default() };
        Figure {
            id: String::new(),
            title: String::new(),
            explanation: String::new(),
            x: axis.clone(),
            y: axis,
            curves: names.iter().map(curve).collect(),
        }
    }

    #[test]
    fn a_name_keeps_its_colour_and_no_two_names_share_one() {
        let mut keys = Keys::default();
        let [first, second, third, fourth] = [
            &["fifo", "codel", "fifo", "pie"][..],
            &["pie", "new", "codel"],
            &["median", "worst"],
            &["median", "fifo", "pie"],
        ]
        .map(figure);
        assert_eq!(keys.assign(&first), [("fifo", 0), ("codel", 1), ("pie", 2)]);
        // `new` gets the colour that is free in its figure.
        assert_eq!(keys.assign(&second), [("pie", 2), ("new", 0), ("codel", 1)]);
        assert_eq!(keys.assign(&third), [("median", 0), ("worst", 1)]);
        // If two names with the same colour meet, the first keeps it.
        assert_eq!(keys.assign(&fourth), [("median", 0), ("fifo", 1), ("pie", 2)]);
    }
}
