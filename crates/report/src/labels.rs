//! The labels of runs that are shown side by side.

use crate::text::{printable, truncate};

/// Largest length of a label in a legend, in columns.
const LABEL: usize = 40;
/// Length from which a label is too long for a column of a table, in columns.
const LONG: usize = 24;

/// A name of any origin, made fit for a legend.
pub(crate) fn short(name: &str) -> String {
    match truncate(&printable(name), LABEL) {
        empty if empty.trim().is_empty() => "(no name)".into(),
        name => name,
    }
}

/// Labels made fit for a legend: each is different, and what long labels have in common behind
/// their first word is left out, as in `cake … flows` and `cake … hosts`.
pub(crate) fn distinct(labels: &[&str]) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for label in labels {
        let label = short(&without_common(label, labels));
        let numbered = (2..).map(|number: u32| format!("{label} ({number})"));
        let mut names = std::iter::once(label.clone()).chain(numbered);
        let free = names.find(|name| !distinct.contains(name));
        distinct.extend(free.or(Some(label)));
    }
    distinct
}

/// The label without the words that all long labels with the same first word have behind that word.
fn without_common(label: &str, labels: &[&str]) -> String {
    let words: Vec<&str> = label.split_whitespace().collect();
    let is_kin = |other: &&&str| other.split_whitespace().next() == words.first().copied();
    let kin: Vec<&str> = labels.iter().filter(is_kin).copied().collect();
    let is_long = kin.iter().any(|label| label.chars().count() > LONG);
    let alike = |other: &&str| {
        other.split_whitespace().zip(&words).take_while(|(theirs, ours)| theirs == *ours).count()
    };
    // Each label keeps at least its last word.
    let shortest = kin.iter().map(|other| other.split_whitespace().count()).min().unwrap_or(0);
    let mut common = kin.iter().map(alike).min().unwrap_or(0).min(shortest.saturating_sub(1));
    // A number says nothing without the keyword before the number.
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    if kin.iter().any(|other| other.split_whitespace().nth(common).is_some_and(is_number)) {
        common = common.saturating_sub(1);
    }
    // Two words in common: the first, and another one that the dots stand for.
    if kin.len() < 2 || !is_long || common < 2 || kin.iter().all(|other| *other == label) {
        return label.to_owned();
    }
    [&words[..1], &["…"], &words[common..]].concat().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_long_labels_have_in_common_is_left_out() {
        let labels = [
            "pfifo limit 1000",
            "cake bandwidth 19mbit besteffort flows",
            "cake bandwidth 19mbit besteffort dual-srchost",
            "cake bandwidth 19mbit besteffort",
        ];
        let expected = [
            "pfifo limit 1000",
            "cake … besteffort flows",
            "cake … besteffort dual-srchost",
            "cake … besteffort",
        ];
        assert_eq!(distinct(&labels), expected);
    }

    #[test]
    fn other_labels_stay() {
        for labels in [
            ["pfifo limit 100", "pfifo limit 300"],
            ["cake bandwidth 1900kbit", "fq_codel limit 1000 target 5ms"],
            ["codel target 5ms interval 100ms", "codel target 15ms interval 100ms"],
            ["cake bandwidth 20mbit besteffort", "cake diffserv4 bandwidth 20mbit"],
        ] {
            assert_eq!(distinct(&labels)[0], labels[0]);
        }
    }

    #[test]
    fn the_same_label_gets_a_number() {
        let long = "cake bandwidth 19mbit besteffort";
        assert_eq!(distinct(&["a", "a", "", ""]), ["a", "a (2)", "(no name)", "(no name) (2)"]);
        assert_eq!(distinct(&[long, long])[1], format!("{long} (2)"));
    }
}
