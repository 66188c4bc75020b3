//! The lookup of typed names, with suggestions for unknown ones.

use super::PlotError;
use crate::text::printable;

/// Largest number of names in one row.
const FEW: usize = 12;

/// The index in `names` of `name`, or of the only one that ends with a dot and `name`. The error
/// states the `option` and the `kind` of the names.
pub(super) fn find(
    option: &str,
    name: &str,
    kind: &str,
    names: &[&str],
) -> Result<usize, PlotError> {
    if let Some(index) = names.iter().position(|known| *known == name) {
        return Ok(index);
    }
    let ends = |known: &str| known.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    let fitting: Vec<(usize, &str)> =
        names.iter().copied().enumerate().filter(|(_, known)| ends(known)).collect();
    match fitting[..] {
        [(index, _)] => Ok(index),
        [] => Err(PlotError(unknown(option, name, kind, names))),
        _ => {
            let fitting: Vec<&str> = fitting.into_iter().map(|(_, known)| known).collect();
            let (name, fitting) = (printable(name), list(&fitting));
            Err(PlotError(format!(
                "{option}: `{name}` fits several: {fitting}; write more of the \
                 name"
            )))
        }
    }
}

fn unknown(option: &str, name: &str, kind: &str, names: &[&str]) -> String {
    let near = near(name, names).map(|near| format!("; did you mean `{}`?", printable(near)));
    let (near, name) = (near.unwrap_or_default(), printable(name));
    let there = match names.len() {
        0 => "there is none".into(),
        1..=FEW => format!("there are: {}", list(names)),
        _ => format!("there are:\n  {}", grouped(names)),
    };
    let and = if near.is_empty() { ";" } else { "" };
    format!("{option}: there is no {kind} `{name}`{near}{and} {there}")
}

/// The suggestion for an unknown name: a name that contains it, or differs by few letters. Of
/// several a name with a part that begins so is chosen, then the shortest, then a median before
/// other percentiles.
fn near<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    let typed = name.to_lowercase();
    // One or two letters are in almost every name.
    let has = |known: &&&str| typed.len() > 2 && known.to_lowercase().contains(&typed);
    let begins = |known: &str| known.to_lowercase().split('.').any(|part| part.starts_with(&typed));
    let how_far = |known: &&&str| (!begins(known), known.len(), !known.ends_with("p50"));
    if let Some(known) = names.iter().filter(has).min_by_key(how_far) {
        return Some(known);
    }
    let slips = names.iter().map(|known| (slips(&typed, known), *known));
    let close = |(slips, _): &(usize, &str)| *slips <= typed.chars().count() / 3;
    slips.filter(close).min_by_key(|(slips, known)| (*slips, known.len())).map(|(_, known)| known)
}

/// The number of letters in which the two differ, where `typed` may be the end of a path.
fn slips(typed: &str, known: &str) -> usize {
    let dots = known.match_indices('.').map(|(dot, _)| dot + 1);
    let ends = std::iter::once(0).chain(dots).map(|start| &known[start..]);
    ends.map(|end| strsim::osa_distance(typed, &end.to_lowercase())).min().unwrap_or(usize::MAX)
}

/// All names: those of one flow or of one direction of a link in a separate line.
fn grouped(names: &[&str]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let (owner, rest) = owner(name);
        match groups.iter_mut().find(|(known, _)| *known == owner) {
            Some((_, members)) => members.push(rest),
            None => groups.push((owner, vec![rest])),
        }
    }
    // `flow.ftp.goodput_mbit, .rtt_ms.p50`.
    let line = |(owner, members): &(&str, Vec<&str>)| match owner.len() {
        0 => list(members),
        _ => format!("{}{}", printable(owner), list(members).replace(", ", ", .")),
    };
    groups.iter().map(line).collect::<Vec<_>>().join("\n  ")
}

/// The owner of a figure, and the rest of its name: `flow.ftp.` and `mos` for `flow.ftp.mos`,
/// `link.up.reverse.` and the rest for a figure of that direction.
fn owner(name: &str) -> (&str, &str) {
    let depth = match name.split_once('.') {
        Some(("flow", _)) => 2,
        Some(("link", rest)) if rest.contains(".forward.") || rest.contains(".reverse.") => 3,
        _ => return ("", name),
    };
    let end = name.match_indices('.').nth(depth - 1).map_or(0, |(dot, _)| dot + 1);
    name.split_at(end)
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| printable(name)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 8] = [
        "sojourn_ms.p50",
        "sojourn_ms.p95",
        "utilisation",
        "goodput_mbit",
        "flow.ftp.goodput_mbit",
        "flow.ftp.rtt_ms.p50",
        "link.up.reverse.utilisation",
        "link.up.reverse.marks",
    ];

    #[test]
    fn a_name_or_its_end_is_found() {
        for (name, index) in [("utilisation", 2), ("goodput_mbit", 3), ("ftp.rtt_ms.p50", 5)] {
            assert_eq!(find("y", name, "metric", &NAMES), Ok(index), "{name}");
        }
        let error = find("y", "p50", "metric", &NAMES).unwrap_err().to_string();
        assert!(error.contains("sojourn_ms.p50, flow.ftp.rtt_ms.p50; write more"), "{error}");
    }

    #[test]
    fn what_was_meant_is_guessed() {
        for (name, meant) in [
            ("sojourn", Some("sojourn_ms.p50")),
            ("goodput", Some("goodput_mbit")),
            ("Utilization", Some("utilisation")),
            ("mark", Some("link.up.reverse.marks")),
            ("rtt_sm.p50", Some("flow.ftp.rtt_ms.p50")),
            ("colour", None),
            ("p5", None),
            ("", None),
        ] {
            assert_eq!(near(name, &NAMES), meant, "{name}");
        }
    }

    #[test]
    fn a_name_that_begins_so_is_nearer_than_one_that_ends_so() {
        for names in [
            ["jain_goodput", "goodput_mbit", "flow.ftp.goodput_mbit"],
            ["jain_goodput", "flow.ftp.goodput_mbit", "marks"],
        ] {
            assert_eq!(near("goodput", &names), Some(names[1]));
        }
    }

    #[test]
    fn what_there_is_stands_together() {
        let expected = "sojourn_ms.p50, sojourn_ms.p95, utilisation, goodput_mbit\n  \
                        flow.ftp.goodput_mbit, .rtt_ms.p50\n  \
                        link.up.reverse.utilisation, .marks";
        assert_eq!(grouped(&NAMES), expected);
        let error = find("by", "ftp", "field", &["queue", "seed"]).unwrap_err().to_string();
        assert_eq!(error, "by: there is no field `ftp`; there are: queue, seed");
        let error = find("by", "sed", "field", &["queue", "seed"]).unwrap_err().to_string();
        let expected = "by: there is no field `sed`; did you mean `seed`? there are: queue, seed";
        assert_eq!(error, expected);
        let none = find("by", "queue", "field", &[]).unwrap_err().to_string();
        assert!(none.ends_with("there is none"), "{none}");
    }
}
