//! Downsampling of a line with far more values than pixels, without a visible change.

/// A place in the plot.
pub(super) type Point = (f64, f64);

/// The points of a line that are visible on a screen: in each column of pixels the first, the
/// lowest, the highest and the last. No peak is lost.
pub(super) fn downsample(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut thinned = Vec::new();
    let mut column: Vec<Point> = Vec::new();
    for point in points {
        if column.first().is_some_and(|(x, _)| x.floor() != point.0.floor()) {
            flush(&mut column, &mut thinned);
        }
        column.push(point);
    }
    flush(&mut column, &mut thinned);
    without_middles(thinned)
}

/// Moves the points of one column that are kept.
fn flush(column: &mut Vec<Point>, thinned: &mut Vec<Point>) {
    if column.len() <= 4 {
        thinned.append(column);
        return;
    }
    let (mut lowest, mut highest) = (0, 0);
    for (index, (_, y)) in column.iter().enumerate() {
        if *y > column[lowest].1 {
            lowest = index;
        }
        if *y < column[highest].1 {
            highest = index;
        }
    }
    let mut kept = [0, lowest.min(highest), lowest.max(highest), column.len() - 1].to_vec();
    kept.dedup();
    thinned.extend(kept.into_iter().map(|index| column[index]));
    column.clear();
}

/// The points without those in the middle of a level stretch that runs to the right.
fn without_middles(points: Vec<Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        if let [.., before, middle] = &*kept
            && before.1 == middle.1
            && middle.1 == point.1
            && before.0 <= middle.0
            && middle.0 <= point.0
        {
            kept.pop();
        }
        kept.push(point);
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keeps_a_line_of_few_points() {
        let points = [(0.0, 5.0), (10.0, 1.0), (20.0, 8.0)];
        assert_eq!(downsample(points.into_iter()), points);
        assert_eq!(downsample([].into_iter()), []);
    }

    #[test]
    fn keeps_the_ends_of_a_level_stretch() {
        let points = (0..100).map(|x| (f64::from(x), if x < 50 { 3.0 } else { 7.0 }));
        assert_eq!(downsample(points), [(0.0, 3.0), (49.0, 3.0), (50.0, 7.0), (99.0, 7.0)]);
    }

    #[test]
    fn keeps_the_one_peak_among_a_million() {
        let points = (0..1_000_000).map(|index| {
            let y = if index == 777_777 { 300.0 } else { f64::from(index % 7) };
            (f64::from(index) / 1000.0, y)
        });
        let thinned = downsample(points);
        assert!(thinned.len() <= 4000, "{}", thinned.len());
        assert!(thinned.contains(&(777.777, 300.0)));
    }

    proptest! {
        #[test]
        fn keeps_the_extremes_of_each_column(ys in prop::collection::vec(0_u16..500, 1..400)) {
            let place = |(index, y): (usize, &u16)| (index as f64 / 30.0, f64::from(*y));
            let points: Vec<Point> = ys.iter().enumerate().map(place).collect();
            let thinned = downsample(points.iter().copied());
            prop_assert_eq!(thinned.first(), points.first());
            prop_assert_eq!(thinned.last(), points.last());
            for column in points.chunk_by(|one, other| one.0.floor() == other.0.floor()) {
                let highest = column.iter().map(|point| point.1).fold(0.0, f64::max);
                let lowest = column.iter().map(|point| point.1).fold(500.0, f64::min);
                // The kept points of a level stretch lie outside the column, on the same level.
                for extreme in [highest, lowest] {
                    prop_assert!(thinned.iter().any(|point| point.1 == extreme));
                }
            }
        }
    }
}
