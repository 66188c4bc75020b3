//! School grades for added delay, and what else counts as good or bad: every threshold is here.

use crate::style::Tone;

/// A grade for the delay that a queue adds.
///
/// The bounds are those of the DSLReports speed test (its FAQ 17930), which other bufferbloat
/// tests took over: added round-trip milliseconds below 5 are an A+, 30 A, 60 B, 200 C, 400 D, and
/// an F from there. DSLReports takes the mean of both directions, which hides the worse one; here
/// a direction is graded by the 95th percentile of its own sojourn times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// Below 5 ms.
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

/// From this share of packets a queue drops a lot, or a wire loses a lot, and no link is healthy
/// however short its queue. DSLReports' grades for loss: below 3 % is a B.
pub(crate) const MANY_DROPS: f64 = 0.03;

/// Below this utilisation a link that a bulk flow wants to fill is starved, and not healthy however
/// short its queue. Our own definition.
pub(crate) const STARVED: f64 = 0.9;

impl Grade {
    /// For so many milliseconds of added delay.
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

    /// As it is written on a certificate.
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

    /// In a word or two.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::APlus | Self::A => "Healthy",
            Self::B | Self::C => "Some bufferbloat",
            Self::D | Self::F => "Bufferbloat",
        }
    }

    pub(crate) const fn tone(self) -> Tone {
        match self {
            Self::APlus | Self::A => Tone::Good,
            Self::B | Self::C => Tone::Middling,
            Self::D | Self::F => Tone::Bad,
        }
    }
}

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
}
