//! Hints for an unknown word: the word that was probably meant, or all known words.

use units::nearest;

/// The hint `did you mean ...?` if one of `known` is close to `word`, else a list of all `known`
/// words.
pub(crate) fn hint<T: AsRef<str>>(word: &str, known: &[T]) -> String {
    match (nearest(word, known), known) {
        (Some(candidate), _) => format!("did you mean `{candidate}`?"),
        (None, []) => "there is none".into(),
        (None, [only]) => format!("there is only `{}`", only.as_ref()),
        (None, known) => format!("known are {}", list(known)),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortens_what_is_long() {
        assert_eq!(excerpt("a\tb"), "`a\u{fffd}b`");
        assert_eq!(excerpt(&"x".repeat(99)), format!("`{}...`", "x".repeat(40)));
    }

    #[test]
    fn suggests_the_nearest_or_lists_all() {
        assert_eq!(hint("qeue", &["rate", "queue"]), "did you mean `queue`?");
        assert_eq!(hint("colour", &["rate", "queue"]), "known are `rate`, `queue`");
        assert_eq!(hint("x", &["rate"]), "there is only `rate`");
        assert_eq!(hint::<&str>("x", &[]), "there is none");
    }
}
