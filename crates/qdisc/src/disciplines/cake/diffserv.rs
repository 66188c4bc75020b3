//! The tins: classes of traffic, by the code point of packets. A tin may use the whole link, but
//! has its priority only up to its threshold.
//!
//! Specification: tc-cake(8), "Priority queue parameters"; Linux, net/sched/sch_cake.c,
//! `cake_config_*` and the tables of code points. RFC 4594 names the classes; RFC 8622 the lower
//! effort (LE).

use crate::Dscp;
use crate::spec::name_of;

/// The division of packets into tins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Diffserv {
    /// One tin.
    BestEffort,
    /// Eight tins, by the upper three bits of the code point (IP precedence).
    Precedence,
    /// Bulk, best effort and voice.
    #[default]
    Diffserv3,
    /// Bulk, best effort, video and voice.
    Diffserv4,
    /// Eight tins, by the code points of RFC 4594.
    Diffserv8,
}

/// The tins of each code point with `diffserv8`, eight to a row.
const EIGHT_TINS: [[u8; 8]; 8] = [
    [2, 0, 1, 2, 4, 2, 2, 2],
    [1, 2, 1, 2, 1, 2, 1, 2],
    [5, 2, 4, 2, 4, 2, 4, 2],
    [3, 2, 3, 2, 3, 2, 3, 2],
    [6, 2, 3, 2, 3, 2, 3, 2],
    [6, 2, 2, 2, 6, 2, 6, 2],
    [7, 2, 2, 2, 2, 2, 2, 2],
    [7, 2, 2, 2, 2, 2, 2, 2],
];

const BEST_EFFORT: usize = 0;
const BULK: usize = 1;

impl Diffserv {
    /// The words of tc.
    pub(super) const NAMES: [(&'static str, Self); 5] = [
        ("besteffort", Self::BestEffort),
        ("precedence", Self::Precedence),
        ("diffserv3", Self::Diffserv3),
        ("diffserv4", Self::Diffserv4),
        ("diffserv8", Self::Diffserv8),
    ];

    /// The word of tc.
    pub fn name(self) -> &'static str {
        name_of(&Self::NAMES, &self)
    }

    /// The number of tins.
    pub const fn tins(self) -> usize {
        match self {
            Self::BestEffort => 1,
            Self::Diffserv3 => 3,
            Self::Diffserv4 => 4,
            Self::Precedence | Self::Diffserv8 => 8,
        }
    }

    /// The tin of a packet with this code point.
    pub const fn tin(self, dscp: Dscp) -> usize {
        let bits = dscp.bits();
        match self {
            Self::BestEffort => BEST_EFFORT,
            Self::Precedence => (bits >> 3) as usize,
            Self::Diffserv8 => EIGHT_TINS[(bits >> 3) as usize][(bits & 7) as usize] as usize,
            Self::Diffserv3 => match bits {
                // LE, CS1
                1 | 8 => BULK,
                // TOS4, voice admit, EF, CS6, CS7
                4 | 44 | 46 | 48 | 56 => 2,
                _ => BEST_EFFORT,
            },
            Self::Diffserv4 => match bits {
                1 | 8 => BULK,
                // TOS4, CS2, AF2x, CS3, AF3x, AF4x
                4 | 16 | 18 | 20 | 22 | 24 | 26 | 28 | 30 | 34 | 36 | 38 => 2,
                // CS4, CS5, voice admit, EF, CS6, CS7
                32 | 40 | 44 | 46 | 48 | 56 => 3,
                _ => BEST_EFFORT,
            },
        }
    }

    /// The tin at this place in the order of statistics and of firewall marks: from the lowest
    /// priority to the highest.
    pub const fn tin_in_order(self, place: usize) -> usize {
        match self {
            Self::Diffserv3 | Self::Diffserv4 if place < 2 => 1 - place,
            _ => place,
        }
    }

    /// What each tin is given of this: of the rate as its threshold, of a quantum as its weight.
    pub(super) fn shares(self, whole: u64) -> [u64; 8] {
        match self {
            Self::BestEffort => [whole, 0, 0, 0, 0, 0, 0, 0],
            Self::Diffserv3 => [whole, whole >> 4, whole >> 2, 0, 0, 0, 0, 0],
            Self::Diffserv4 => [whole, whole >> 4, whole >> 1, whole >> 2, 0, 0, 0, 0],
            Self::Precedence | Self::Diffserv8 => {
                let mut rest = whole;
                core::array::from_fn(|_| {
                    let share = rest;
                    rest = (rest * 7) >> 3;
                    share
                })
            }
        }
    }

    /// The quantum from which the weights of tins are derived while the rate is unlimited.
    pub(super) const fn whole_quantum(self) -> u64 {
        match self {
            Self::BestEffort => 65_535,
            Self::Diffserv3 | Self::Diffserv4 => 1024,
            Self::Precedence | Self::Diffserv8 => 256,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn code_points_of(diffserv: Diffserv, tin: usize) -> Vec<u8> {
        (0..64).filter(|bits| diffserv.tin(Dscp::from_bits(*bits)) == tin).collect()
    }

    /// tc-cake(8)
    #[test]
    fn code_points_find_their_tins() {
        assert_eq!(code_points_of(Diffserv::BestEffort, 0).len(), 64);
        assert_eq!(code_points_of(Diffserv::Diffserv3, 1), [1, 8]);
        assert_eq!(code_points_of(Diffserv::Diffserv3, 2), [4, 44, 46, 48, 56]);
        assert_eq!(code_points_of(Diffserv::Diffserv4, 1), [1, 8]);
        let video = [4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38];
        assert_eq!(code_points_of(Diffserv::Diffserv4, 2), video);
        assert_eq!(code_points_of(Diffserv::Diffserv4, 3), [32, 40, 44, 46, 48, 56]);
        assert_eq!(code_points_of(Diffserv::Diffserv8, 0), [1]);
        assert_eq!(code_points_of(Diffserv::Diffserv8, 7), [48, 56]);
        assert_eq!(code_points_of(Diffserv::Precedence, 5), (40..48).collect::<Vec<_>>());
    }

    #[test]
    fn thresholds_are_shares_of_the_rate() {
        let shares = |diffserv: Diffserv| diffserv.shares(1_250_000)[..diffserv.tins()].to_vec();
        assert_eq!(shares(Diffserv::Diffserv3), [1_250_000, 78_125, 312_500]);
        assert_eq!(shares(Diffserv::Diffserv4), [1_250_000, 78_125, 625_000, 312_500]);
        assert_eq!(shares(Diffserv::Diffserv8)[..3], [1_250_000, 1_093_750, 957_031]);
    }

    #[test]
    fn statistics_go_from_low_to_high() {
        let order = |diffserv: Diffserv| -> Vec<usize> {
            (0..diffserv.tins()).map(|place| diffserv.tin_in_order(place)).collect()
        };
        assert_eq!(order(Diffserv::BestEffort), [0]);
        assert_eq!(order(Diffserv::Diffserv3), [1, 0, 2]);
        assert_eq!(order(Diffserv::Diffserv4), [1, 0, 2, 3]);
        assert_eq!(order(Diffserv::Precedence), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
