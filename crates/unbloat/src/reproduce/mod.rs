//! `unbloat reproduce`: papers repeated, their figures beside ours. One paper, one file.

mod codel;
mod contents;
mod fit;
mod gettys;
mod gijsbers;
mod judge;
mod packets;
mod rfc7928;
mod run;
mod tolerance;

use std::fmt::Write;

use report::{Figure, Page};
use results::Reproduction;

use crate::args::ReproduceArgs;
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::{files, interrupt, output};

/// A paper whose experiments we repeat.
struct Paper {
    /// As typed.
    name: &'static str,
    /// In one line: authors, title, year.
    title: &'static str,
    /// Its parts, if it can be repeated in parts.
    parts: &'static [&'static str],
    /// Is it about queues that one names?
    queues: bool,
    /// Repeats it.
    run: fn(&ReproduceArgs) -> Result<Told, Failure>,
}

/// What came of it, in each form in which it is told.
struct Told {
    json: String,
    table: String,
    page: Page,
}

/// What came of repeating a paper.
struct Repeated {
    /// Its figures (numbers, that is) beside ours.
    reproduction: Reproduction,
    /// Its figures drawn again.
    figures: Vec<Figure>,
}

impl From<Repeated> for Told {
    fn from(Repeated { reproduction, figures }: Repeated) -> Self {
        Self {
            json: report::json(&reproduction),
            table: report::reproduction_table(&reproduction),
            page: report::reproduction_page(&reproduction, figures),
        }
    }
}

/// All there are, in the order in which they are listed.
const PAPERS: &[Paper] = &[
    Paper {
        name: "gijsbers",
        title: gijsbers::TITLE,
        parts: &[],
        queues: false,
        run: |args| Ok(gijsbers::reproduce(args)?.into()),
    },
    Paper {
        name: "gettys",
        title: gettys::TITLE,
        parts: &[],
        queues: false,
        run: |args| Ok(gettys::reproduce(args)?.into()),
    },
    Paper {
        name: "codel",
        title: codel::TITLE,
        parts: codel::PARTS,
        queues: false,
        run: |args| Ok(codel::reproduce(args)?.into()),
    },
    Paper {
        name: "rfc7928",
        title: rfc7928::TITLE,
        parts: rfc7928::PARTS,
        queues: true,
        run: rfc7928::reproduce,
    },
];

/// Does what the arguments ask.
pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        return match args.draw.files() {
            [(_, None), (_, None)] => output::print(&(list() + &contents::listed())),
            _ => Err(Failure::Input(format!("name the paper that is to be drawn. {}", list()))),
        };
    };
    let Some(paper) = PAPERS.iter().find(|paper| paper.name == name) else {
        return Err(Failure::Input(format!("no paper is called `{name}`. {}", list())));
    };
    paper.check(args)?;
    files::all_differ(&[], &args.draw.files())?;
    // Before anything is half written.
    interrupt::watch()?;
    let drawings = Drawings::create(args.draw.report.as_deref(), &args.draw.plot, &[])?;
    let mut told = (paper.run)(args)?;
    let interrupted = interrupt::asked();
    if interrupted {
        told.page
            .verdict
            .insert(0, "Interrupted: what needs the runs that were not done is left out.".into());
    }
    if drawings.wanted() {
        drawings.draw(&told.page)?;
    }
    drawings.commit()?;
    output::print(if args.json { &told.json } else { &told.table })?;
    match interrupted {
        true => {
            Err(Failure::Interrupted("what needs the runs that were not done is left out".into()))
        }
        false => Ok(()),
    }
}

impl Paper {
    /// Are these parts of it, and is it about queues if there are any?
    fn check(&self, args: &ReproduceArgs) -> Result<(), Failure> {
        if !self.queues && !args.queues.is_empty() {
            let name = self.name;
            let wrong = format!("{name} has queues of its own; `--queue` is for rfc7928");
            return Err(Failure::Input(wrong));
        }
        let is_part = |asked: &str| self.parts.iter().any(|part| is_of(part, asked));
        let Some(strange) = args.parts.iter().find(|asked| !is_part(asked)) else {
            return Ok(());
        };
        let (name, strange) = (self.name, report::printable(strange));
        Err(Failure::Input(match self.parts {
            [] => format!("`{strange}`: {name} has no parts; it is repeated as a whole"),
            parts => format!("{name} has no part `{strange}`; there are {}", parts.join(", ")),
        }))
    }
}

/// Is `part` what was asked for, or a section of it, as 5.1.2 is of 5?
fn is_of(part: &str, asked: &str) -> bool {
    part.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
}

fn list() -> String {
    let mut text = String::from("There are:\n");
    for Paper { name, title, parts, .. } in PAPERS {
        // Writing into a String does not fail.
        let _ = writeln!(text, "  {name:12}{title}");
        if !parts.is_empty() {
            let _ = writeln!(text, "  {:12}in parts: {}", "", parts.join(", "));
        }
    }
    text
}
