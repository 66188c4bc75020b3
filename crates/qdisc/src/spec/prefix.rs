//! The words that tc puts before a queue's options: the device, and the place in the tree.

use super::SpecError;
use super::words::{Word, Words};

/// Reads up to and including the queue's name, and returns the name. Accepted are `fq_codel ...`,
/// the output of `tc qdisc show` (`qdisc fq_codel 8001: dev eth0 root refcnt 2 ...`), and a command
/// (`tc qdisc replace dev eth0 root handle 1: fq_codel ...`).
pub(crate) fn kind<'a>(words: &mut Words<'a>) -> Result<Word<'a>, SpecError> {
    let mut word = named(words)?;
    if word.text == "tc" {
        word = named(words)?;
    }
    if word.text != "qdisc" {
        return Ok(word);
    }
    let word = named(words)?;
    if matches!(word.text, "add" | "replace" | "change" | "link") {
        place(words)?;
        return named(words);
    }
    if words.peek().is_some_and(|handle| handle.text.ends_with(':')) {
        words.next();
    }
    place(words)?;
    Ok(word)
}

/// Skips the words that say where a queue is attached.
fn place(words: &mut Words<'_>) -> Result<(), SpecError> {
    while let Some(word) = words.peek() {
        match word.text {
            "root" | "offloaded" | "deleted" => {}
            "dev" | "parent" | "handle" | "refcnt" => {
                words.next();
                if words.peek().is_none() {
                    return Err(word.error(format_args!("`{}` needs a value", word.text)));
                }
            }
            _ => break,
        }
        words.next();
    }
    Ok(())
}

fn named<'a>(words: &mut Words<'a>) -> Result<Word<'a>, SpecError> {
    let end = words.end();
    words.next().ok_or_else(|| {
        end.error(
            "the name of a queue is missing; write for example `fq_codel` or `pfifo limit 1000`",
        )
    })
}
