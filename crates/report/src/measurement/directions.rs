//! The directions of a measurement, by name.

use results::{LoadedDirection, Measurement};

/// All loads of the measurement, with their names.
pub(super) fn directions(
    measurement: &Measurement,
) -> impl Iterator<Item = (&'static str, &LoadedDirection)> {
    let Measurement { download, upload, both, .. } = measurement;
    let both = both.as_ref();
    let all = [
        ("download", download.as_ref()),
        ("upload", upload.as_ref()),
        ("both: down", both.map(|both| &both.download)),
        ("both: up", both.map(|both| &both.upload)),
    ];
    all.into_iter().filter_map(|(name, direction)| Some((name, direction?)))
}
