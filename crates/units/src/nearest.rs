//! Known words that resemble a typed one, for hints in messages.

use alloc::vec::Vec;

/// The one of `known` that `word` most likely stands for; `None` if none is close.
///
/// ```
/// # use units::nearest;
/// assert_eq!(nearest("fq_codell", &["codel", "fq_codel"]), Some("fq_codel"));
/// assert_eq!(nearest("wondershaper", &["codel", "fq_codel"]), None);
/// ```
pub fn nearest<'a, T: AsRef<str>>(word: &str, known: &'a [T]) -> Option<&'a str> {
    let slips = known.iter().map(|known| (distance(word, known.as_ref()), known.as_ref()));
    let close = |(slips, known): &(usize, &str)| *slips <= known.len().div_ceil(3).min(word.len());
    let slips = slips.filter(close);
    // Of two that are as close, the one of which the word is the beginning: `rat` is `rate` rather
    // than `nat`.
    slips.min_by_key(|(slips, known)| (*slips, !known.starts_with(word))).map(|(_, known)| known)
}

/// The number of letters to be typed, deleted, replaced or swapped with their neighbour to turn one
/// text into the other (optimal string alignment); 99 for a text that is too long.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) =
        (from.chars().take(65).collect(), to.chars().take(65).collect());
    if from.len() > 64 || to.len() > 64 {
        return 99;
    }
    let mut earlier = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (row, a) in from.iter().enumerate() {
        let mut here = Vec::from([row + 1]);
        for (column, b) in to.iter().enumerate() {
            let replaced = above[column] + usize::from(a != b);
            let mut best = replaced.min(above[column + 1] + 1).min(here[column] + 1);
            if row > 0 && column > 0 && from[row - 1] == *b && *a == to[column - 1] {
                let earlier: &Vec<usize> = &earlier;
                best = best.min(earlier[column - 1] + 1);
            }
            here.push(best);
        }
        earlier = core::mem::replace(&mut above, here);
    }
    above[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_slips() {
        for (from, to, slips) in
            [("queue", "queue", 0), ("qeue", "queue", 1), ("uqeue", "queue", 1), ("", "abc", 3)]
        {
            assert_eq!(distance(from, to), slips, "{from}");
            assert_eq!(distance(to, from), slips, "{from}");
        }
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn what_is_far_from_all_is_none_of_them() {
        assert_eq!(nearest("qeue", &["rate", "queue"]), Some("queue"));
        assert_eq!(nearest("rat", &["nat", "rate"]), Some("rate"));
        for far in ["colour", "", "q"] {
            assert_eq!(nearest(far, &["rate", "queue"]), None, "{far}");
        }
        assert_eq!(nearest::<&str>("x", &[]), None);
    }
}
