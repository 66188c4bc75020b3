//! The syntax of one discipline, and the one loop that reads the options of all disciplines.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use units::nearest;

use super::words::{Word, Words};
use super::{Discipline, SpecError};

/// The syntax of a discipline.
pub(crate) trait Syntax: Discipline {
    /// The settings while they are being read; `Self` where each option is one setting.
    type Draft: Default;
    /// The names of the options, for messages.
    const OPTIONS: &'static str;
    /// Options of tc that are not modelled.
    const UNMODELLED: &'static [&'static str] = &[];

    /// The draft with which reading begins, if `name` is a name of the discipline; else `None`.
    fn named(name: &str) -> Option<Self::Draft> {
        (name == Self::KIND).then(Self::Draft::default)
    }

    /// The draft with which the reading of a change begins: these settings, since tc leaves options
    /// that are not named as they are.
    fn draft(&self) -> Self::Draft;

    /// Reads one option and its value. Returns false if there is no such option.
    ///
    /// # Errors
    /// If the value is missing or wrong; the error names the word at fault.
    fn option(
        draft: &mut Self::Draft,
        option: Word<'_>,
        words: &mut Words<'_>,
    ) -> Result<bool, SpecError>;

    /// Checks options against each other, and fills in the settings that follow from others.
    ///
    /// # Errors
    /// If two options contradict each other, in words.
    fn finish(draft: Self::Draft) -> Result<Self, String>;

    /// The discipline if `kind` is its name and `words` are its options; `None` if `kind` is the
    /// name of another.
    fn read(kind: Word<'_>, words: Words<'_>) -> Option<Result<Self, SpecError>> {
        Self::named(kind.text).map(|draft| read::<Self>(draft, kind, words))
    }

    /// These settings after a change with these words.
    ///
    /// # Errors
    /// If `kind` names another discipline, or if an option or its value is wrong.
    fn read_change(&self, kind: Word<'_>, words: Words<'_>) -> Result<Self, SpecError> {
        if Self::named(kind.text).is_none() {
            return Err(self.misnamed(kind, words));
        }
        let changed = read::<Self>(self.draft(), kind, words)?;
        if words.peek().is_none() && changed == *self {
            return Err(kind.error(format_args!(
                "`{}` alone changes nothing; write the options that change after it",
                kind.text
            )));
        }
        Ok(changed)
    }

    /// The error of a change whose first word is not a name of this discipline.
    fn misnamed(&self, word: Word<'_>, mut rest: Words<'_>) -> SpecError {
        // An option whose value is wrong is an option, too.
        let is_option = Self::option(&mut self.draft(), word, &mut rest).unwrap_or(true);
        let (name, quoted) = (Self::KIND, word.quoted());
        match is_option {
            true => word.error(format_args!(
                "{quoted} is an option, and the name of the queue comes first; write `{name} {} ...`",
                word.text
            )),
            false => word.error(format_args!(
                "`{name}` cannot become {quoted} while it runs; write `{name} ...`"
            )),
        }
    }
}

fn read<S: Syntax>(
    mut draft: S::Draft,
    kind: Word<'_>,
    mut words: Words<'_>,
) -> Result<S, SpecError> {
    while let Some(option) = words.next() {
        if S::UNMODELLED.contains(&option.text) {
            return Err(option.error(format_args!(
                "`{}` of tc's `{}` is not modelled; there are {}",
                option.text,
                kind.text,
                S::OPTIONS
            )));
        }
        if !S::option(&mut draft, option, &mut words)? {
            return Err(option.error(unknown_option::<S>(kind, option)));
        }
    }
    S::finish(draft).map_err(|message| kind.error(message))
}

/// The message that there is no such option, with the one that was probably meant.
fn unknown_option<S: Syntax>(kind: Word<'_>, option: Word<'_>) -> String {
    let (kind, quoted, options) = (kind.text, option.quoted(), S::OPTIONS);
    let known: Vec<&str> = options.split(", ").collect();
    // Other queues of tc, and links, call it so.
    let is_rate = !known.contains(&"rate") && nearest(option.text, &["rate"]).is_some();
    let bandwidth = known.iter().copied().find(|name| is_rate && *name == "bandwidth");
    match bandwidth.or_else(|| nearest(option.text, &known)) {
        Some(near) => {
            format!("`{kind}` has no option {quoted}; did you mean `{near}`? There are {options}")
        }
        None => format!("`{kind}` has no option {quoted}; there are {options}"),
    }
}
