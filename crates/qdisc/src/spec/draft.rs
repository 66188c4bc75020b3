//! The one loop that reads the options of all queues.

use alloc::string::String;

use super::SpecError;
use super::words::{Word, Words};

/// A queue's settings while they are being read.
pub(super) trait Draft: Default {
    /// The finished settings.
    type Spec;
    /// The options there are, for messages.
    const OPTIONS: &'static str;
    /// Options of tc that are not modelled.
    const UNMODELLED: &'static [&'static str] = &[];

    /// Reads one option and its value. Returns false if there is no such option.
    fn option(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError>;

    /// Checks options against each other, and fills in the settings that follow from others.
    fn finish(self) -> Result<Self::Spec, String>;
}

/// Reads all the options of a queue of this kind.
pub(super) fn read<D: Draft>(kind: Word<'_>, mut words: Words<'_>) -> Result<D::Spec, SpecError> {
    let mut draft = D::default();
    while let Some(option) = words.next() {
        if D::UNMODELLED.contains(&option.text) {
            return Err(option.error(format_args!(
                "`{}` of tc's `{}` is not modelled; there are {}",
                option.text,
                kind.text,
                D::OPTIONS
            )));
        }
        if !draft.option(option, &mut words)? {
            return Err(option.error(format_args!(
                "`{}` has no option {}; there are {}",
                kind.text,
                option.quoted(),
                D::OPTIONS
            )));
        }
    }
    draft.finish().map_err(|message| kind.error(message))
}
