//! The papers, and how each is found and repeated.

use std::fmt::{self, Write};

use qdisc::QdiscSpec;
use units::nearest;

use crate::error::Error;
use crate::repeated::Repeated;
use crate::request::{Request, is_of};
use crate::run::Runner;
use crate::{apnic, codel, gettys, gijsbers, rfc7928};

/// A paper whose experiments are repeated.
pub struct Paper {
    /// The name, a single word.
    pub name: &'static str,
    /// The title in one line: authors, title, year.
    pub title: &'static str,
    /// The paper's parts; empty if it can only be repeated as a whole.
    pub parts: &'static [&'static str],
    /// True if the paper applies to queues that the user names.
    takes_queues: bool,
    /// The function that repeats the paper.
    repeat: fn(&Request<'_>, &dyn Runner) -> Result<Repeated, Error>,
}

/// All papers, in the order in which they are listed.
pub static PAPERS: [Paper; 5] = [
    Paper {
        name: "gijsbers",
        title: gijsbers::TITLE,
        parts: &[],
        takes_queues: false,
        repeat: gijsbers::repeat,
    },
    Paper {
        name: "gettys",
        title: gettys::TITLE,
        parts: &[],
        takes_queues: false,
        repeat: gettys::repeat,
    },
    Paper {
        name: "codel",
        title: codel::TITLE,
        parts: codel::PARTS,
        takes_queues: false,
        repeat: codel::repeat,
    },
    Paper {
        name: "apnic",
        title: apnic::TITLE,
        parts: apnic::PARTS,
        takes_queues: false,
        repeat: apnic::repeat,
    },
    Paper {
        name: "rfc7928",
        title: rfc7928::TITLE,
        parts: rfc7928::PARTS,
        takes_queues: true,
        repeat: rfc7928::repeat,
    },
];

impl Paper {
    /// The paper of this name.
    ///
    /// # Errors
    /// [`Error::Request`] if there is none.
    pub fn named(name: &str) -> Result<&'static Self, Error> {
        let paper = PAPERS.iter().find(|paper| paper.name == name);
        paper.ok_or_else(|| {
            let names = PAPERS.each_ref().map(|paper| paper.name);
            let near = nearest(name, &names);
            let near = near.map(|near| format!("Did you mean `{near}`? ")).unwrap_or_default();
            let all = names.join(", ");
            Error::Request(format!("there is no paper `{name}`. {near}There are {all}"))
        })
    }

    /// Checks that the paper has the requested parts and takes the requested queues.
    ///
    /// # Errors
    /// [`Error::Request`] if the paper lacks one of the parts, if queues are named and the paper has
    /// its own, or if one of them is no queue.
    pub fn check(&self, request: &Request<'_>) -> Result<(), Error> {
        if !self.takes_queues && !request.queues.is_empty() {
            let name = self.name;
            let wrong = format!("{name} has queues of its own; rfc7928 takes others");
            return Err(Error::Request(wrong));
        }
        for queue in request.queues {
            queue
                .parse::<QdiscSpec>()
                .map_err(|error| Error::Request(format!("queue {queue:?}: {}", error.message)))?;
        }
        let is_part = |asked: &str| self.parts.iter().any(|part| is_of(part, asked));
        let Some(strange) = request.parts.iter().find(|asked| !is_part(asked)) else {
            return Ok(());
        };
        let (name, strange) = (self.name, report::printable(strange));
        Err(Error::Request(match self.parts {
            [] => format!("`{strange}`: {name} has no parts; it is repeated as a whole"),
            parts => format!("{name} has no part `{strange}`; there are {}", parts.join(", ")),
        }))
    }

    /// Repeats the requested parts, by runs that `runner` does. After an interrupt the result lacks
    /// the parts that need runs that were not done.
    ///
    /// # Errors
    /// If a run fails.
    pub fn repeat(&self, request: &Request<'_>, runner: &dyn Runner) -> Result<Repeated, Error> {
        (self.repeat)(request, runner)
    }
}

impl fmt::Debug for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Paper").field(&self.name).finish()
    }
}

/// All papers and their parts, as text.
pub fn list() -> String {
    let mut text = String::from("There are:\n");
    for Paper { name, title, parts, .. } in &PAPERS {
        // Writing into a String does not fail.
        let _ = writeln!(text, "  {name:12}{title}");
        if !parts.is_empty() {
            let _ = writeln!(text, "  {:12}in parts: {}", "", parts.join(", "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_queue_is_refused_before_any_run() {
        let check = |queue: &str| {
            let request = Request { parts: &[], queues: &[queue.to_owned()] };
            Paper::named("rfc7928").unwrap().check(&request)
        };
        assert!(check("codel target 10ms").is_ok());
        let Err(Error::Request(why)) = check("codell") else { panic!("codell is no queue") };
        assert!(
            why.starts_with("queue \"codell\": ") && why.contains("did you mean `codel`"),
            "{why}"
        );
    }
}
