//! `unbloat reproduce`: repeats papers' experiments, with their figures beside ours. Each paper has
//! its own module.

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
    /// The name on the command line.
    name: &'static str,
    /// The title in one line: authors, title, year.
    title: &'static str,
    /// The paper's parts; empty if it can only be repeated as a whole.
    parts: &'static [&'static str],
    /// True if the paper applies to queues that the user names.
    queues: bool,
    /// The function that repeats the paper.
    run: fn(&ReproduceArgs) -> Result<Told, Failure>,
}

/// The result in each form of output.
struct Told {
    json: String,
    table: String,
    page: Page,
}

/// The result of repeating a paper.
struct Repeated {
    /// The paper's numbers beside ours.
    reproduction: Reproduction,
    /// The paper's plots drawn again.
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

/// All papers, in the order in which they are listed.
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
    // Before any output is opened.
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
    /// Fails if the paper lacks one of the parts, or if queues are named and the paper has its own.
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

/// True if `part` is the part asked for or a section of it, as 5.1.2 is of 5.
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
