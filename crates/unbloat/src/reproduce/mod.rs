//! `unbloat reproduce`: papers repeated, their figures beside ours. One paper, one file.

mod gijsbers;

use std::fmt::Write;

use results::Reproduction;

use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::output;

/// A paper whose experiments we repeat.
struct Paper {
    /// As typed.
    name: &'static str,
    /// In one line: authors, title, year.
    title: &'static str,
    /// Repeats it.
    run: fn(&ReproduceArgs) -> Result<Reproduction, Failure>,
}

/// All there are, in the order in which they are listed.
const PAPERS: &[Paper] =
    &[Paper { name: "gijsbers", title: gijsbers::TITLE, run: gijsbers::reproduce }];

/// Does what the arguments ask.
pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    let Some(name) = &args.name else { return output::print(&list()) };
    let Some(paper) = PAPERS.iter().find(|paper| paper.name == name) else {
        return Err(Failure::Input(format!("no paper is called `{name}`. {}", list())));
    };
    let reproduction = (paper.run)(args)?;
    output::print(&if args.json {
        report::json(&reproduction)
    } else {
        report::reproduction_table(&reproduction)
    })
}

fn list() -> String {
    let mut text = String::from("There are:\n");
    for Paper { name, title, .. } in PAPERS {
        // Writing into a String does not fail.
        let _ = writeln!(text, "  {name:12}{title}");
    }
    text
}
