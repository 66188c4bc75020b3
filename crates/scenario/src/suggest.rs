//! "Did you mean?"

/// `did you mean ...?` if one of `known` is close to `word`, else all that are known.
pub(crate) fn hint<T: AsRef<str>>(word: &str, known: &[T]) -> String {
    const MOST: usize = 40;
    let near = known
        .iter()
        .map(|candidate| (distance(word, candidate.as_ref()), candidate.as_ref()))
        .filter(|(distance, candidate)| *distance <= candidate.len().div_ceil(3).min(word.len()))
        .min();
    if let Some((_, candidate)) = near {
        return format!("did you mean `{candidate}`?");
    }
    let quoted: Vec<String> =
        known.iter().take(MOST).map(|candidate| format!("`{}`", candidate.as_ref())).collect();
    let more = if known.len() > MOST { ", ..." } else { "" };
    match quoted.len() {
        0 => "there is none".into(),
        1 => format!("there is only {}", quoted[0]),
        _ => format!("known are {}{more}", quoted.join(", ")),
    }
}

/// How many letters must be typed, deleted, replaced or swapped with their neighbour to make one
/// of the other (optimal string alignment); 99 for a text that is too long to be a slip.
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
