//! How much a page has room for, and what values take.

use serde::Serialize;

/// The most bytes on a page: of the layers, of the events with words and without, of the overview, and of the
/// cells of its table of targets, whose tags take three times as much. With all else that it has, it stays
/// below 5 MB.
pub(super) const LAYERS_SIZE: usize = 2_400_000;
pub(super) const EVENTS_SIZE: usize = 500_000;
pub(super) const WORDLESS_SIZE: usize = 400_000;
pub(super) const OVERVIEW_SIZE: usize = 500_000;
pub(super) const CELLS_SIZE: usize = 150_000;

/// The first ones for which there is room.
pub(super) fn fitting<T: Serialize>(all: impl Iterator<Item = T>, room: usize) -> Vec<T> {
    let mut left = room;
    let fits = |it: &T| {
        let rest = left.checked_sub(size(it));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    all.take_while(fits).collect()
}

/// The bytes that it takes in a script, with a comma.
pub(super) fn size(value: &impl Serialize) -> usize {
    let text = serde_json::to_string(value).unwrap_or_default();
    text.len() + text.matches('<').count() * "\\u003".len() + 1
}

/// Values with three digits, and all before the point.
pub(super) fn rounded(values: &[Option<f64>]) -> Vec<Option<f64>> {
    values.iter().map(|it| it.map(round)).collect()
}

fn round(value: f64) -> f64 {
    let scale = match value.abs() {
        ..0.1 => 1e4,
        ..1.0 => 1e3,
        ..10.0 => 1e2,
        ..100.0 => 1e1,
        _ => 1.0,
    };
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_three_digits() {
        let values = [0.012_345, 0.123_45, 1.2345, 12.345, 1234.5].map(Some);
        assert_eq!(rounded(&values), [0.0123, 0.123, 1.23, 12.3, 1235.0].map(Some));
    }

    #[test]
    fn what_fits_comes_first() {
        let fits = fitting(["aaaa", "<", "aaaa"].into_iter(), 7 + 9);
        assert_eq!(fits, ["aaaa", "<"]);
        assert_eq!(fitting(["<"].into_iter(), 8), [""; 0]);
    }
}
