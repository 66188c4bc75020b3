//! The choice of the directions by which a measured path is judged.

use crate::{Limit, LoadedDirection, Measurement};
use observation::Heading;

impl Measurement {
    /// The directions by which the path is judged: those that were loaded alone; if none was, as in
    /// RRUL, both directions while both were loaded.
    pub fn judged(&self) -> impl Iterator<Item = (Heading, &LoadedDirection)> {
        let Self { download, upload, both, .. } = self;
        let both = both.as_ref().filter(|_| download.is_none() && upload.is_none());
        let down = download.as_ref().or(both.map(|both| &both.download));
        let up = upload.as_ref().or(both.map(|both| &both.upload));
        [(Heading::Down, down), (Heading::Up, up)]
            .into_iter()
            .filter_map(|(heading, direction)| Some((heading, direction?)))
    }

    /// All directions that were loaded, alone and both at once, to be changed.
    pub fn loaded_mut(&mut self) -> impl Iterator<Item = (Heading, &mut LoadedDirection)> {
        let Self { download, upload, both, .. } = self;
        let (both_down, both_up) = match both {
            Some(both) => (Some(&mut both.download), Some(&mut both.upload)),
            None => (None, None),
        };
        let down = [download.as_mut(), both_down].map(|one| (Heading::Down, one));
        let up = [upload.as_mut(), both_up].map(|one| (Heading::Up, one));
        down.into_iter().chain(up).filter_map(|(heading, one)| Some((heading, one?)))
    }

    /// True if this direction was hardly ever without a queue, so that its delays are lower bounds.
    pub fn is_never_idle(&self, heading: Heading) -> bool {
        self.limits.contains(&Limit::NeverIdle { heading })
    }

    /// The judged direction with the larger 95th percentile of added delay; `None` if that is not
    /// known for any.
    pub fn worse(&self) -> Option<(Heading, &LoadedDirection)> {
        let delayed =
            self.judged().filter_map(|(heading, one)| Some((heading, one, one.added_p95_ms()?)));
        let (heading, direction, _) = delayed.max_by(|one, other| one.2.total_cmp(&other.2))?;
        Some((heading, direction))
    }
}

impl LoadedDirection {
    /// The least part of a line, 0 to 1, at which the traffic of others is recognised. Less than
    /// that cannot be distinguished from the last data of the load.
    pub const OTHERS_NOTICED: f64 = 0.15;

    /// The 95th percentile of the added delay, in milliseconds; `None` if it is not known.
    pub fn added_p95_ms(&self) -> Option<f64> {
        self.added_delay_ms.p95.filter(|p95| p95.is_finite())
    }

    /// The most that the 95th percentile of the added delay can be, in milliseconds: where few
    /// packets leave it open, the longest delay that was seen. `None` if one packet in twenty was
    /// lost, or if nothing is known.
    pub fn added_p95_at_most_ms(&self) -> Option<f64> {
        let is_lost = self.loss.is_some_and(|loss| loss >= 0.05);
        let longest = self.added_delay_ms.max.filter(|max| max.is_finite() && !is_lost);
        self.added_p95_ms().or(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BothLoaded, DelaySpread};

    #[test]
    fn the_longest_delay_bounds_a_percentile_that_is_open() {
        let of = |p95, max, loss| {
            let added_delay_ms = DelaySpread { p95, max, ..DelaySpread::default() };
            let direction = LoadedDirection { added_delay_ms, loss, ..LoadedDirection::default() };
            direction.added_p95_at_most_ms()
        };
        assert_eq!(of(Some(8.0), Some(12.0), Some(0.0)), Some(8.0));
        assert_eq!(of(None, Some(12.0), Some(0.04)), Some(12.0));
        assert_eq!(of(None, Some(12.0), None), Some(12.0));
        assert_eq!(of(None, Some(12.0), Some(0.05)), None);
        assert_eq!(of(None, None, Some(0.0)), None);
    }

    fn direction(p95: f64) -> LoadedDirection {
        let added_delay_ms = DelaySpread { p95: Some(p95), ..DelaySpread::default() };
        LoadedDirection { added_delay_ms, ..LoadedDirection::default() }
    }

    #[test]
    fn the_worse_of_what_was_loaded_alone() {
        let both = Some(BothLoaded { download: direction(7.0), upload: direction(900.0) });
        let mut measurement = Measurement { both, ..Measurement::default() };
        let p95 = |measurement: &Measurement| {
            let (heading, direction) = measurement.worse()?;
            Some((heading, direction.added_p95_ms()?))
        };
        assert_eq!(p95(&measurement), Some((Heading::Up, 900.0)));
        measurement.download = Some(direction(5.0));
        assert_eq!(p95(&measurement), Some((Heading::Down, 5.0)));
        measurement.upload = Some(direction(6.0));
        assert_eq!(p95(&measurement), Some((Heading::Up, 6.0)));
        measurement.upload = Some(direction(f64::NAN));
        assert_eq!(p95(&measurement), Some((Heading::Down, 5.0)));
        assert_eq!(p95(&Measurement::default()), None);
    }
}
