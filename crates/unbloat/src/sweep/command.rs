//! The command that repeats one run.

use std::path::Path;

use results::FailedRun;
use scenario::{Override, Sweep};

/// The `unbloat sim` command of this run, quoted for a shell.
pub(super) fn repeating(file: &Path, sweep: &Sweep, run: u64) -> String {
    let mut words = vec!["unbloat".to_owned(), "sim".into(), quoted(&file.to_string_lossy())];
    for Override { path, value } in sweep.overrides().iter().chain(&sweep.point(run)) {
        words.extend(["--set".to_owned(), quoted(&format!("{path}={value}"))]);
    }
    words.join(" ")
}

/// The errors of the failed runs and the commands that repeat them; at most the first ten runs.
pub(super) fn failures(failed: &[FailedRun]) -> String {
    const MOST: usize = 10;
    let mut text = match failed.len() {
        1 => "1 run failed; the others did not".to_owned(),
        number => format!("{number} runs failed; the others did not"),
    };
    for FailedRun { run, error, command } in failed.iter().take(MOST) {
        text += &format!("\nrun {run}: {error}\n  {command}");
    }
    if failed.len() > MOST {
        text += &format!("\nand {} more; --json lists them all", failed.len() - MOST);
    }
    text
}

/// The word, quoted for a POSIX shell where necessary.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_they_must_be() {
        for (word, expected) in [
            ("link.up.rate=1mbit", "link.up.rate=1mbit"),
            ("link.up.queue=pfifo limit 100", "'link.up.queue=pfifo limit 100'"),
            ("title=it's $HOME", r"'title=it'\''s $HOME'"),
            ("", "''"),
            ("a[0]", "'a[0]'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
