//! The windows that one end has offered.

/// The windows that one end has offered, in bytes, with its scale (RFC 7323 section 2).
///
/// Once both ends have agreed on a scale, the windows of the SYNs, which have none, no longer count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Windows {
    /// The largest ("max win adv").
    pub(crate) most: u64,
    /// The smallest that is not zero ("min win adv"); 0 if there was none.
    pub(crate) least: u64,
    /// The number of segments whose window was zero ("zero win adv").
    pub(crate) zero: u64,
    /// The sum of all windows.
    pub(crate) sum: u64,
    /// The number of segments since the scale counts; `None` before.
    pub(crate) scaled: Option<u64>,
    /// The latest.
    pub(crate) latest: u64,
}

impl Windows {
    /// Takes a window. `is_scaled` tells whether both ends have agreed on a scale.
    pub(crate) fn offer(&mut self, window: u64, is_scaled: bool) {
        if window > 0 && is_scaled && self.scaled.is_none() {
            self.scaled = Some(1);
            (self.least, self.most, self.sum) = (window, window, 0);
        } else if window > 0 && (self.least == 0 || window < self.least) {
            self.least = window;
        }
        self.most = self.most.max(window);
        self.sum += window;
    }

    /// The mean over all of so many segments ("avg win adv"), or over those since the scale counts at both ends;
    /// 0 if there was none.
    pub(crate) fn mean(&self, segments: u64, is_scaled: bool) -> u64 {
        let count = match self.scaled {
            Some(scaled) if is_scaled => scaled,
            _ => segments,
        };
        self.sum.checked_div(count).unwrap_or(0)
    }
}
