//! Grades for added delay, from A+ to F.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A grade for the delay that a queue adds. The greater grade is the worse one.
///
/// The bounds are those of the DSLReports speed test (its FAQ 17930), which other bufferbloat tests
/// took over: added round-trip milliseconds below 5 are an A+, 30 A, 60 B, 200 C, 400 D, and an F
/// from there. DSLReports takes the mean of both directions, which hides the worse one; here each
/// direction is graded by the 95th percentile of its own delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Grade {
    /// Below 5 ms.
    #[serde(rename = "A+")]
    APlus,
    /// Below 30 ms.
    A,
    /// Below 60 ms.
    B,
    /// Below 200 ms.
    C,
    /// Below 400 ms.
    D,
    /// 400 ms or more.
    F,
}

/// All grades, the best first.
const ALL: [Grade; 6] = [Grade::APlus, Grade::A, Grade::B, Grade::C, Grade::D, Grade::F];

impl Grade {
    /// The grade for this added delay, in milliseconds.
    pub fn of(added_ms: f64) -> Self {
        match added_ms {
            ..5.0 => Self::APlus,
            ..30.0 => Self::A,
            ..60.0 => Self::B,
            ..200.0 => Self::C,
            ..400.0 => Self::D,
            _ => Self::F,
        }
    }

    /// The grade as text: `A+`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::APlus => "A+",
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
            Self::F => "F",
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// The reason why a direction or a path has no grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ungraded {
    /// Nothing was sent in this direction.
    Unused,
    /// The load did not fill the direction, so its queue was not put to the test.
    NotFilled,
    /// Nothing was delivered.
    Dead,
    /// The machine that sent or received was the limit, not the path.
    Machine,
    /// The delay of traffic other than the load was not measured while the direction was filled.
    NotMeasured,
}

/// Reads a grade in upper or lower case: `A+`, `a+`.
impl FromStr for Grade {
    type Err = GradeError;

    fn from_str(text: &str) -> Result<Self, GradeError> {
        let is_it = |grade: &Grade| grade.name().eq_ignore_ascii_case(text);
        ALL.into_iter().find(is_it).ok_or(GradeError)
    }
}

/// The error of a text that is not a grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such grade; there are A+, A, B, C, D and F")]
pub struct GradeError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_belong_to_the_worse_grade() {
        for (ms, name) in [
            (0.0, "A+"),
            (4.999, "A+"),
            (5.0, "A"),
            (30.0, "B"),
            (60.0, "C"),
            (199.9, "C"),
            (200.0, "D"),
            (400.0, "F"),
            (f64::INFINITY, "F"),
        ] {
            assert_eq!(Grade::of(ms).name(), name, "{ms} ms");
        }
    }

    #[test]
    fn a_reason_is_a_name() {
        let json = serde_json::to_string(&Ungraded::NotFilled).unwrap();
        assert_eq!(json, "\"not_filled\"");
    }

    #[test]
    fn a_grade_reads_back() {
        for grade in ALL {
            assert_eq!(grade.name().parse(), Ok(grade));
            let json = serde_json::to_string(&grade).unwrap();
            assert_eq!(json, format!("\"{grade}\""));
            assert_eq!(serde_json::from_str::<Grade>(&json).unwrap(), grade);
        }
        assert_eq!("E".parse::<Grade>().unwrap_err().to_string(), GradeError.to_string());
        assert!(Grade::APlus < Grade::A && Grade::D < Grade::F);
    }
}
