//! Hints for an unknown word: the word that was probably meant, or all known words.

/// The hint `did you mean ...?` if one of `known` is close to `word`, else a list of all `known`
/// words.
pub(crate) fn hint<T: AsRef<str>>(word: &str, known: &[T]) -> String {
    match (near(word, known), known) {
        (Some(candidate), _) => format!("did you mean `{candidate}`?"),
        (None, []) => "there is none".into(),
        (None, [only]) => format!("there is only `{}`", only.as_ref()),
        (None, known) => format!("known are {}", list(known)),
    }
}

/// The one of `known` that `word` most likely stands for; `None` if none is close.
fn near<'a, T: AsRef<str>>(word: &str, known: &'a [T]) -> Option<&'a str> {
    let slips = known.iter().map(|known| (distance(word, known.as_ref()), known.as_ref()));
    let close = |(slips, known): &(usize, &str)| *slips <= known.len().div_ceil(3).min(word.len());
    slips.filter(close).min().map(|(_, known)| known)
}

/// A list of words, quoted and separated by commas; not all if there are very many.
pub(crate) fn list<T: AsRef<str>>(words: &[T]) -> String {
    const MOST: usize = 40;
    let quoted = words.iter().take(MOST).map(|word| format!("`{}`", word.as_ref()));
    let more = (words.len() > MOST).then(|| "...".into());
    quoted.chain(more).collect::<Vec<String>>().join(", ")
}

/// A text from outside for a message: quoted, printable and not too long.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let more = if text.chars().nth(LONGEST).is_some() { "..." } else { "" };
    let printable = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    format!("`{}{more}`", text.chars().take(LONGEST).map(printable).collect::<String>())
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
        let mut here = vec![row + 1];
        for (column, b) in to.iter().enumerate() {
            let replaced = above[column] + usize::from(a != b);
            let mut best = replaced.min(above[column + 1] + 1).min(here[column] + 1);
            if row > 0 && column > 0 && from[row - 1] == *b && *a == to[column - 1] {
                let earlier: &Vec<usize> = &earlier;
                best = best.min(earlier[column - 1] + 1);
            }
            here.push(best);
        }
        earlier = std::mem::replace(&mut above, here);
    }
    above[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortens_what_is_long() {
        assert_eq!(excerpt("a\tb"), "`a\u{fffd}b`");
        assert_eq!(excerpt(&"x".repeat(99)), format!("`{}...`", "x".repeat(40)));
    }

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
    fn suggests_the_nearest_or_lists_all() {
        assert_eq!(hint("qeue", &["rate", "queue"]), "did you mean `queue`?");
        assert_eq!(hint("colour", &["rate", "queue"]), "known are `rate`, `queue`");
        assert_eq!(hint("x", &["rate"]), "there is only `rate`");
        assert_eq!(hint::<&str>("x", &[]), "there is none");
    }
}
