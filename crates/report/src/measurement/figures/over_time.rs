//! Values at arbitrary times as curves of few enough points, which keep every peak.

use crate::figure::Curve;

/// Approximate largest number of points of a curve.
const MOST: usize = 1500;
/// The same of a smoothed curve: about 0.3 MB of a page.
const MOST_SMOOTHED: usize = 20_000;
/// Length of a pause that is a gap, as a multiple of the usual pause.
const UNUSUAL: f64 = 6.0;

/// The curve of `values` at the times `at_s`; `None` if there are none. If there are too many, each
/// stretch of time keeps its lowest and its highest value. Missing values leave a gap.
pub(crate) fn curve(name: &str, at_s: &[f64], values: &[Option<f64>]) -> Option<Curve> {
    curve_of(name, at_s, values, MOST)
}

/// The curve of the means or medians over `width_s`; a page shows all of the values on demand, if they are not too many.
pub(super) fn smooth(
    name: &str,
    at_s: &[f64],
    values: &[Option<f64>],
    width_s: f64,
) -> Option<Curve> {
    let curve = curve_of(name, at_s, values, MOST_SMOOTHED)?;
    let smoothed_over = curve.low.is_empty().then_some(width_s);
    Some(Curve { smoothed_over, ..curve })
}

/// The curve of about so many points at `most`.
fn curve_of(name: &str, at_s: &[f64], values: &[Option<f64>], most: usize) -> Option<Curve> {
    let known = |(at, value): (&f64, &Option<f64>)| {
        let value = value.filter(|value| value.is_finite());
        at.is_finite().then_some((*at, value))
    };
    let mut points: Vec<(f64, Option<f64>)> = at_s.iter().zip(values).filter_map(known).collect();
    points.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let merged = points.len().div_ceil(most).max(1);
    let usual = usual_pause(&points)? * merged as f64;
    let mut curve = Curve { name: name.into(), ..Curve::default() };
    let mut before: Option<f64> = None;
    for stretch in points.chunks(merged) {
        let (first, last) = (stretch.first()?.0, stretch.last()?.0);
        if let Some(before) = before.filter(|before| first - before > UNUSUAL * usual) {
            push(&mut curve, (before + first) / 2.0, None);
        }
        push(&mut curve, (first + last) / 2.0, range(stretch));
        before = Some(last);
    }
    if merged == 1 {
        // A line needs no lower edge.
        curve.low.clear();
    }
    curve.y.iter().any(Option::is_some).then_some(curve)
}

fn push(curve: &mut Curve, at: f64, range: Option<(f64, f64)>) {
    curve.x.push(at);
    curve.y.push(range.map(|(_, high)| high));
    curve.low.push(range.map(|(low, _)| low));
}

/// The lowest and the highest value of a stretch; `None` if it has none.
fn range(stretch: &[(f64, Option<f64>)]) -> Option<(f64, f64)> {
    let values = || stretch.iter().filter_map(|(_, value)| *value);
    Some((values().reduce(f64::min)?, values().reduce(f64::max)?))
}

/// The median time from one point to the next, in seconds; `None` if there are no points.
fn usual_pause(points: &[(f64, Option<f64>)]) -> Option<f64> {
    let mut pauses: Vec<f64> = points.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    pauses.sort_by(f64::total_cmp);
    (!points.is_empty()).then(|| pauses.get(pauses.len() / 2).copied().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_series_is_as_it_is() {
        let curve = curve("BE", &[0.0, 0.1, 0.2], &[Some(1.0), None, Some(3.0)]).unwrap();
        assert_eq!(curve.y, [Some(1.0), None, Some(3.0)]);
        assert!(curve.low.is_empty());
    }

    #[test]
    fn a_long_one_keeps_its_peaks() {
        let at_s: Vec<f64> = (0..30_000).map(|index| f64::from(index) / 100.0).collect();
        let mut values = vec![Some(10.0); at_s.len()];
        values[12_345] = Some(900.0);
        values[23_456] = Some(1.0);
        let curve = curve("BE", &at_s, &values).unwrap();
        assert!(curve.x.len() <= MOST, "{}", curve.x.len());
        assert!(curve.y.contains(&Some(900.0)) && curve.low.contains(&Some(1.0)));
    }

    /// A test of half a minute, whose probes are 10 ms apart.
    #[test]
    fn a_smoothed_curve_has_all_values() {
        let at_s: Vec<f64> = (0..3000).map(|index| f64::from(index) / 100.0).collect();
        let values = vec![Some(10.0); at_s.len()];
        let curve = smooth("BE", &at_s, &values, 0.5).unwrap();
        assert_eq!((curve.x.len(), curve.smoothed_over), (3000, Some(0.5)));
        let at_s: Vec<f64> = (0..30_000).map(|index| f64::from(index) / 100.0).collect();
        let curve = smooth("BE", &at_s, &vec![Some(10.0); at_s.len()], 0.5).unwrap();
        assert!(curve.x.len() <= MOST_SMOOTHED && curve.smoothed_over.is_none());
    }

    #[test]
    fn a_pause_is_a_gap() {
        let at_s = [0.0, 0.1, 0.2, 5.0, 5.1];
        let curve = curve("BE", &at_s, &[Some(1.0); 5]).unwrap();
        assert_eq!(curve.y.iter().filter(|y| y.is_none()).count(), 1);
        assert_eq!(super::curve("BE", &[], &[]), None);
        assert_eq!(super::curve("BE", &[f64::NAN], &[Some(1.0)]), None);
        assert_eq!(super::curve("BE", &[1.0], &[None]), None);
    }
}
