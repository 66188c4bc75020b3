//! The targets of a watch: those that were typed, and those of a file.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use watch::Target;

use crate::args::WatchArgs;
use crate::failure::Failure;
use crate::guide;

/// The targets that were asked for.
///
/// # Errors
/// If there are none, if one is none, or if a name or a target is there twice.
pub(super) fn targets(args: &WatchArgs) -> Result<Vec<Target>, Failure> {
    if args.targets.is_empty() && args.targets_file.is_none() {
        return Err(Failure::Input(guide::of_a_watch()));
    }
    let typed = args.targets.iter().map(|it| target(it, String::new()));
    let mut all = typed.collect::<Result<Vec<Placed>, _>>()?;
    if let Some(file) = &args.targets_file {
        all.extend(of_file(file)?);
    }
    let (mut written, mut names) = (HashSet::new(), HashSet::new());
    for Placed { place, target } in &all {
        if !written.insert(target.to_string()) {
            return Err(Failure::Input(format!("{place}{target} is there twice")));
        }
        if !names.insert(target.name()) {
            let name = target.name();
            return Err(Failure::Input(format!("{place}two targets have the name {name}")));
        }
    }
    Ok(all.into_iter().map(|it| it.target).collect())
}

/// A target, and its file and line for the beginning of an error; empty if it was typed.
struct Placed {
    place: String,
    target: Target,
}

fn target(text: &str, place: String) -> Result<Placed, Failure> {
    match text.parse() {
        Ok(target) => Ok(Placed { place, target }),
        Err(why) => Err(Failure::Input(format!("{place}{why}"))),
    }
}

/// The targets of a file: one a line. Behind a `#` at the beginning of a line, or behind a blank, is a comment.
fn of_file(file: &Path) -> Result<Vec<Placed>, Failure> {
    let named = file.display();
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::reading(format_args!("--targets {named}"), &error))?;
    let mut targets = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = without_comment(line).trim();
        if !line.is_empty() {
            targets.push(target(line, format!("--targets {named}, line {}: ", index + 1))?);
        }
    }
    if targets.is_empty() {
        return Err(Failure::Input(format!(
            "--targets {named}: there is no target in it; write one a line, as HOST or NAME=HOST"
        )));
    }
    Ok(targets)
}

fn without_comment(line: &str) -> &str {
    let is_comment = |at: &usize| line[..*at].chars().next_back().is_none_or(char::is_whitespace);
    let comment = line.match_indices('#').map(|it| it.0).find(is_comment);
    comment.map_or(line, |at| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_behind_a_blank() {
        for (line, rest) in [
            ("# all", ""),
            ("office=192.0.2.1 # the office", "office=192.0.2.1 "),
            ("https://example.net/#a", "https://example.net/#a"),
            ("192.0.2.1", "192.0.2.1"),
        ] {
            assert_eq!(without_comment(line), rest);
        }
    }
}
