//! A plan beside what a router shows, as text.

use results::{CheckedSetting, Verification};

use crate::style::{Style, Tone};
use crate::text::{printable, wrap};

/// The verdict, and each setting that is not as planned.
pub fn verification_text(verification: &Verification, style: Style) -> String {
    let all = verification.settings.len();
    let differing: Vec<&CheckedSetting> =
        verification.settings.iter().filter(|setting| !setting.is_as_planned()).collect();
    let (verdict, tone) = match differing.len() {
        0 => (format!("The plan is in force: all {all} settings are as planned."), Tone::Good),
        some => (
            format!(
                "The plan is not seen in force: {some} of {all} settings differ or are missing."
            ),
            Tone::Bad,
        ),
    };
    let mut text = style.paint(&wrap(&verdict), tone) + "\n";
    differing.into_iter().for_each(|setting| text += &difference_in_words(setting));
    text
}

fn difference_in_words(setting: &CheckedSetting) -> String {
    let quoted = |value: &str| match value {
        "" => "nothing".to_owned(),
        value => format!("`{}`", printable(value)),
    };
    let shown = setting.shown.as_deref().map_or_else(|| "missing".to_owned(), quoted);
    format!("- {}: {shown}; planned: {}\n", printable(&setting.name), quoted(&setting.planned))
}
