//! `unbloat reproduce`: papers repeated, their figures beside ours. One paper, one file.

mod fit;
mod gettys;
mod gijsbers;
mod judge;
mod packets;
mod run;

use std::fmt::Write;

use report::Figure;
use results::Reproduction;

use crate::args::ReproduceArgs;
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::{intent, interrupt, output};

/// A paper whose experiments we repeat.
struct Paper {
    /// As typed.
    name: &'static str,
    /// In one line: authors, title, year.
    title: &'static str,
    /// Repeats it.
    run: fn(&ReproduceArgs) -> Result<Repeated, Failure>,
}

/// What came of repeating a paper.
struct Repeated {
    /// Its figures (numbers, that is) beside ours.
    reproduction: Reproduction,
    /// Its figures drawn again.
    figures: Vec<Figure>,
}

/// All there are, in the order in which they are listed.
const PAPERS: &[Paper] = &[
    Paper { name: "gijsbers", title: gijsbers::TITLE, run: gijsbers::reproduce },
    Paper { name: "gettys", title: gettys::TITLE, run: gettys::reproduce },
];

/// Does what the arguments ask.
pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        return match args.draw.files() {
            [(_, None), (_, None)] => output::print(&list()),
            _ => Err(Failure::Input(format!("name the paper that is to be drawn. {}", list()))),
        };
    };
    let Some(paper) = PAPERS.iter().find(|paper| paper.name == name) else {
        return Err(Failure::Input(format!("no paper is called `{name}`. {}", list())));
    };
    intent::all_differ(&[], &args.draw.files())?;
    // Before anything is half written.
    interrupt::watch()?;
    let drawings = Drawings::create(args.draw.report.as_deref(), &args.draw.plot, &[])?;
    let Repeated { reproduction, figures } = (paper.run)(args)?;
    if drawings.wanted() {
        drawings.draw(&report::reproduction_page(&reproduction, figures))?;
    }
    drawings.commit()?;
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
