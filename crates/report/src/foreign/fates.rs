//! The fates of probes, where a file has them.

use results::ProbeSeries;

/// The fate of one probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The answer to the probe came.
    Answered,
    /// The probe was lost on the way up.
    LostUp,
    /// The answer was lost on the way down.
    LostDown,
    /// The probe or its answer was lost; the direction is not known.
    Lost,
}

impl Fate {
    /// The part of the probes in a window that was lost on the way up, and the part of the others
    /// that was lost on the way down; `None` if they are not known. `fates` has one list for each
    /// stream, which is empty where the file does not give the fates.
    pub(crate) fn losses(
        probes: &[ProbeSeries],
        fates: &[Vec<Self>],
        [start, end]: [f64; 2],
    ) -> [Option<f64>; 2] {
        let told =
            probes.iter().zip(fates).flat_map(|(probes, fates)| probes.at_s.iter().zip(fates));
        let (mut sent, mut up, mut down, mut unknown) = (0.0, 0.0, 0.0, false);
        for (_, fate) in told.filter(|(at, _)| (start..=end).contains(*at)) {
            sent += 1.0;
            match fate {
                Self::Answered => {}
                Self::LostUp => up += 1.0,
                Self::LostDown => down += 1.0,
                Self::Lost => unknown = true,
            }
        }
        match unknown {
            true => [None, None],
            false => [stats::ratio(up, sent), stats::ratio(down, sent - up)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(fates: &[Fate]) -> [Option<f64>; 2] {
        let at_s = (0..fates.len()).map(|at| at as f64).collect();
        let probes = ProbeSeries { at_s, ..ProbeSeries::default() };
        // The first probe is outside the window.
        Fate::losses(&[probes], &[fates.to_vec()], [1.0, 10.0])
    }

    #[test]
    fn an_answer_can_be_lost_only_if_there_is_one() {
        use Fate::{Answered, LostDown, LostUp};
        assert_eq!(losses(&[LostUp, Answered, LostUp, LostDown, LostUp]), [Some(0.5), Some(0.5)]);
        assert_eq!(losses(&[LostUp, Answered]), [Some(0.0), Some(0.0)]);
        assert_eq!(losses(&[LostUp, LostUp]), [Some(1.0), None]);
    }

    #[test]
    fn nothing_is_known_of_what_is_not_told() {
        assert_eq!(losses(&[Fate::Answered, Fate::Lost]), [None, None]);
        assert_eq!(losses(&[]), [None, None]);
    }
}
