//! The kinds of lines: one file for each model.

mod cable;
mod cellular;
mod constant;
mod dsl;
mod reflectors;
mod starlink;
mod steps;

use units::{Rng, Span};

use crate::line::{Line, Trouble, limits};
use crate::{Course, load};
use autorate::Both;

/// A kind of line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineKind {
    /// A cellular line in mahimahi's format, after the model of Sprout.
    Cellular,
    /// Rates that step up and down.
    Steps,
    /// A line whose rate and path change each 15 s.
    Starlink,
    /// A cable whose neighbours come home.
    Cable,
    /// A DSL line that loses its synchronisation.
    Dsl,
    /// A line whose reflectors fall silent.
    Silent,
    /// A line whose reflectors have queues of their own.
    Astray,
    /// A line whose rate does not change, with load in both directions.
    Constant,
}

impl LineKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Cellular,
        Self::Steps,
        Self::Starlink,
        Self::Cable,
        Self::Dsl,
        Self::Silent,
        Self::Astray,
        Self::Constant,
    ];

    /// The name of the kind in documents and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cellular => "cellular",
            Self::Steps => "steps",
            Self::Starlink => "starlink",
            Self::Cable => "cable",
            Self::Dsl => "dsl",
            Self::Silent => "silent",
            Self::Astray => "astray",
            Self::Constant => "constant",
        }
    }

    /// The line of this kind that belongs to a seed.
    pub(crate) fn line(self, seed: u64, time: Span) -> Line {
        let rng = Rng::new(seed).fork(self.name());
        let mut courses = rng.fork("courses");
        let (courses, trouble) = match self {
            Self::Cellular => (cellular::courses(time, &mut courses), quiet()),
            Self::Steps => (steps::courses(time, &mut courses), quiet()),
            Self::Starlink => {
                (starlink::courses(time, &mut courses), starlink::trouble(time, &mut courses))
            }
            Self::Cable => (cable::courses(time, &mut courses), quiet()),
            Self::Dsl => (dsl::courses(time, &mut courses), quiet()),
            Self::Silent => (steps::courses(time, &mut courses), reflectors::silent(time)),
            Self::Astray => (steps::courses(time, &mut courses), reflectors::astray(time)),
            Self::Constant => return constant::line(time, &rng),
        };
        drawn(courses, trouble, time, &rng)
    }
}

/// The line that a user has recorded.
pub(crate) fn recorded(course: &Course, seed: u64, time: Span) -> Line {
    let courses = Both::new(|_| course.clone());
    drawn(courses, quiet(), time, &Rng::new(seed).fork("recorded"))
}

fn drawn(courses: Both<Course>, trouble: Trouble, time: Span, rng: &Rng) -> Line {
    let limits = Both::new(|heading| limits(&courses[heading]));
    Line { courses, limits, load: load::phases(time, &mut rng.fork("load")), trouble }
}

/// Reflectors with a little noise.
fn quiet() -> Trouble {
    Trouble { noise_ms: 1.0, ..Trouble::default() }
}
