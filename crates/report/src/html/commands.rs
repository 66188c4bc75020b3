//! Commands that can be copied.

use results::Step;

use super::{escape, section, sentence};
use crate::page::CommandList;
use crate::text;

/// The list under its title. The scripts of the page add a button to each block.
pub(super) fn list(list: &CommandList) -> String {
    let steps: String = list.steps.iter().map(step).collect();
    section(&escape(&list.title), list.folded, &steps)
}

/// The sentence of a step, and the commands as they are typed: line breaks and blanks count.
fn step(step: &Step) -> String {
    let words = match step.text.as_str() {
        "" => String::new(),
        text => format!("<p class=\"step\">{}</p>\n", sentence(text)),
    };
    if step.commands.is_empty() {
        return words;
    }
    let lines: Vec<String> = step.commands.iter().map(|line| command(line)).collect();
    format!(
        "{words}<div class=\"commands\"><pre tabindex=\"0\" role=\"group\" aria-label=\"Commands\"><code>{}</code></pre>\
         </div>\n",
        lines.join("\n")
    )
}

/// A line of commands. An option such as `--for` stays whole where the line is broken.
fn command(line: &str) -> String {
    let word = |word: &str| match word.starts_with('-') {
        true => format!("<span class=\"unit\">{}</span>", text::escape(word)),
        false => text::escape(word),
    };
    line.split(' ').map(word).collect::<Vec<_>>().join(" ")
}
