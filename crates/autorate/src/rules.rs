//! Sets of rules: one file for each.

mod cake_autorate;
mod ours;
mod qosmate;
mod sqm_autorate;
mod storm_guard;

use crate::{Both, Controller, Limits};

/// A set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rules {
    /// Those of this project.
    Ours,
    /// Those of cake-autorate 3.5.
    CakeAutorate,
    /// Those of sqm-autorate, as its program in Lua has them.
    SqmAutorate,
    /// Those of QoSmate.
    Qosmate,
    /// Those of LibreQoS' StormGuard.
    StormGuard,
}

impl Rules {
    /// All rules, ours first.
    pub const ALL: [Self; 5] =
        [Self::Ours, Self::CakeAutorate, Self::SqmAutorate, Self::Qosmate, Self::StormGuard];

    /// The name of the rules on the command line and in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ours => "unbloat",
            Self::CakeAutorate => "cake-autorate",
            Self::SqmAutorate => "sqm-autorate",
            Self::Qosmate => "qosmate",
            Self::StormGuard => "stormguard",
        }
    }

    /// A controller with these rules. Rules that draw lots draw them from `seed`.
    pub fn controller(self, limits: Both<Limits>, seed: u64) -> Box<dyn Controller + Send> {
        match self {
            Self::Ours => Box::new(ours::Ours::new(limits)),
            Self::CakeAutorate => Box::new(cake_autorate::CakeAutorate::new(limits)),
            Self::SqmAutorate => Box::new(sqm_autorate::SqmAutorate::new(limits, seed)),
            Self::Qosmate => Box::new(qosmate::Qosmate::new(limits)),
            Self::StormGuard => Box::new(storm_guard::StormGuard::new(limits)),
        }
    }
}

#[cfg(test)]
mod tests;
