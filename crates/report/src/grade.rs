//! What counts as good or bad: every threshold but those of the grades themselves is here.

use results::Grade;

use crate::style::Tone;

/// From this share of packets a queue drops a lot, and no link is healthy however short its queue. DSLReports' grades for loss: below 3 % is a B.
pub(crate) const MANY_DROPS: f64 = 0.03;

/// From this share of packets a wire loses so many that a link is not healthy: it limits TCP. Our own
/// definition; from a tenth of it on, loss is named.
pub(crate) const MUCH_LOSS: f64 = 0.01;

/// Below this utilisation a link that a bulk flow wants to fill is starved, and not healthy however
/// short its queue. Our own definition.
pub(crate) const STARVED: f64 = 0.9;

/// A grade in a word or two.
pub(crate) const fn words(grade: Grade) -> &'static str {
    match grade {
        Grade::APlus | Grade::A => "Healthy",
        Grade::B | Grade::C => "Some bufferbloat",
        Grade::D | Grade::F => "Bufferbloat",
    }
}

/// The colour of a grade.
pub(crate) const fn tone(grade: Grade) -> Tone {
    match grade {
        Grade::APlus | Grade::A => Tone::Good,
        Grade::B | Grade::C => Tone::Middling,
        Grade::D | Grade::F => Tone::Bad,
    }
}
