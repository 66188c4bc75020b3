//! The peaks of a window: where it stopped growing and fell.

/// The factor above the lowest value at which a falling window counts as rising.
const RISE: f64 = 1.1;
/// The factor below the highest value at which a rising window counts as falling. CUBIC falls to
/// 0.7 of its window.
const FALL: f64 = 0.8;

/// A peak: its time in seconds, and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Peak {
    pub(super) at: f64,
    pub(super) value: f64,
}

/// The peaks of values in steps of `step` seconds. Small changes of direction are ignored, and a
/// descent that takes a round trip or more (RFC 6937) counts as one.
pub(super) fn peaks(step: f64, values: &[Option<f64>]) -> Vec<Peak> {
    let mut peaks = Vec::new();
    let mut rising = true;
    let mut extreme: Option<Peak> = None;
    for (index, value) in values.iter().enumerate() {
        let Some(value) = *value else { continue };
        let here = Peak { at: index as f64 * step, value };
        let last = *extreme.get_or_insert(here);
        let further = if rising { value >= last.value } else { value <= last.value };
        let turned = if rising { value < last.value * FALL } else { value > last.value * RISE };
        if turned && rising {
            peaks.push(last);
        }
        if further || turned {
            extreme = Some(here);
        }
        rising ^= turned;
    }
    peaks
}

/// The mean time from peak to peak, without the first peak, in which slow start ends. `None` with
/// fewer than two peaks after it.
pub(super) fn cycle(peaks: &[Peak]) -> Option<f64> {
    let (_, peaks) = peaks.split_first()?;
    let (first, last) = (peaks.first()?, peaks.last()?);
    (peaks.len() > 1).then(|| (last.at - first.at) / (peaks.len() - 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teeth_are_counted_once() {
        // Slow start, then teeth of five steps that fall in two.
        let mut values = vec![None, Some(1.0), Some(40.0), Some(30.0), Some(10.0)];
        for _ in 0..4 {
            values.extend([12.0, 15.0, 20.0, 14.0, 10.0].map(Some));
        }
        let peaks = peaks(0.5, &values);
        let at: Vec<f64> = peaks.iter().map(|peak| peak.at).collect();
        assert_eq!(at, [1.0, 3.5, 6.0, 8.5, 11.0]);
        assert_eq!(peaks[1].value, 20.0);
        assert_eq!(cycle(&peaks), Some(2.5));
        assert_eq!(cycle(&peaks[..2]), None);
        assert_eq!(cycle(&[]), None);
    }
}
