//! Values over time, of which few enough are kept.

use std::cmp::Ordering;

use results::CapturedPoints;
use units::Span;

/// The most points that are kept, and the columns into which they are put when there are more: of each column the lowest
/// and the highest, so that no peak is lost.
const MOST: usize = 3000;
const COLUMNS: u64 = 750;

/// A value at a time since the capture began, or a range from `low` to `value`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) at: Span,
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) packet: u64,
}

/// Points, at most [`MOST`].
#[derive(Debug, Default)]
pub(super) struct Thinned {
    points: Vec<Point>,
    seen: u64,
    /// The width of a column; zero while all points are kept.
    width: Span,
}

impl Thinned {
    pub(super) fn push(&mut self, point: Point) {
        self.seen += 1;
        self.points.push(point);
        if self.points.len() > MOST {
            self.thin();
        }
    }

    /// Keeps two points of each column. The columns grow with the time that they cover.
    fn thin(&mut self) {
        let reach = |points: &[Point]| Some((points.first()?.at, points.last()?.at));
        let Some((first, last)) = reach(&self.points) else { return };
        let least = Span::from_nanos((last.saturating_sub(first).as_nanos() / COLUMNS).max(1));
        self.width = least.max(self.width);
        let column =
            |point: &Point| point.at.saturating_sub(first).as_nanos() / self.width.as_nanos();
        let columns = self.points.chunk_by(|one, other| column(one) == column(other));
        self.points = columns.flat_map(ends).collect();
        // Times that go back make columns of their own.
        if self.points.len() > MOST / 2 + MOST / 4 {
            self.points = self.points.iter().step_by(2).copied().collect();
        }
    }

    /// The points as values.
    pub(super) fn values(self) -> CapturedPoints {
        CapturedPoints { low: Vec::new(), ..self.ranges() }
    }

    /// The points as ranges.
    pub(super) fn ranges(self) -> CapturedPoints {
        let points = &self.points;
        CapturedPoints {
            at_s: points.iter().map(|point| point.at.as_secs_f64()).collect(),
            value: points.iter().map(|point| point.value).collect(),
            low: points.iter().map(|point| point.low).collect(),
            packet: points.iter().map(|point| point.packet).collect(),
            seen: self.seen,
        }
    }

    /// The points as values over `low`, which is in place of the time.
    pub(super) fn over_low(mut self) -> CapturedPoints {
        self.points.sort_by(|one, other| one.low.total_cmp(&other.low));
        let CapturedPoints { low, value, packet, seen, .. } = self.ranges();
        CapturedPoints { at_s: low, value, low: Vec::new(), packet, seen }
    }
}

/// The lowest and the highest point of a column, in the order of time.
fn ends(column: &[Point]) -> impl Iterator<Item = Point> + use<> {
    let by =
        |one: &Point, other: &Point| one.value.partial_cmp(&other.value).unwrap_or(Ordering::Equal);
    let index = |found: Option<(usize, &Point)>| found.map_or(0, |(index, _)| index);
    let lowest = index(column.iter().enumerate().min_by(|one, other| by(one.1, other.1)));
    let highest = index(column.iter().enumerate().max_by(|one, other| by(one.1, other.1)));
    let kept = [lowest.min(highest), lowest.max(highest)];
    let count = if lowest == highest { 1 } else { 2 };
    let kept = kept.map(|index| column.get(index).copied().unwrap_or_default());
    kept.into_iter().take(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(number: u64, value: f64) -> Point {
        Point { at: Span::from_micros(100 * number), value, low: value, packet: number }
    }

    #[test]
    fn few_points_are_all_kept() {
        let mut thinned = Thinned::default();
        (0..MOST as u64).for_each(|number| thinned.push(point(number, 1.0)));
        let points = thinned.values();
        assert_eq!((points.packet.len(), points.seen), (MOST, MOST as u64));
    }

    #[test]
    fn of_many_the_peaks_are_kept() {
        let mut thinned = Thinned::default();
        for number in 0..1_000_000 {
            let value = match number {
                765_432 => 9.0,
                123_456 => -9.0,
                _ => (number % 7) as f64,
            };
            thinned.push(point(number, value));
        }
        assert!(thinned.points.len() <= MOST);
        let points = thinned.values();
        assert_eq!(points.seen, 1_000_000);
        for (packet, value) in [(765_432, 9.0), (123_456, -9.0)] {
            let index = points.packet.iter().position(|it| *it == packet).expect("a peak");
            assert_eq!(points.value[index], value);
        }
        assert!(points.at_s.is_sorted());
    }

    /// A clock that goes back makes many columns.
    #[test]
    fn the_bound_holds_whatever_the_clock_does() {
        let mut thinned = Thinned::default();
        for number in 0..100_000_u64 {
            thinned.push(point(number * 7919 % 10_007, 1.0));
            assert!(thinned.points.len() <= MOST);
        }
    }
}
