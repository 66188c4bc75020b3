//! The sections of which the answer consists.

use thiserror::Error;

/// The reason why a text is no survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SurveyError {
    /// The script did not begin.
    #[error("the answer is no survey: it lacks the line `== survey 1`")]
    NoSurvey,
    /// The script was cut off.
    #[error("the survey is not whole: it lacks the line `== end`")]
    NotWhole,
}

/// A part of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Section<'a> {
    /// The words of the section's name and arguments, as they stand on its line.
    title: &'a str,
    /// The lines up to the next section.
    pub(crate) text: &'a str,
}

/// The sections of an answer, in its order.
///
/// # Errors
/// If the text does not begin and end as the script does.
pub(crate) fn sections(text: &str) -> Result<Vec<Section<'_>>, SurveyError> {
    const MARK: &str = "== ";
    let text = text.trim_start().strip_prefix(MARK).ok_or(SurveyError::NoSurvey)?;
    let parts = text.split("\n== ").map(|part| {
        let (title, text) = part.split_once('\n').unwrap_or((part, ""));
        Section { title: title.trim_end(), text }
    });
    let mut sections: Vec<_> = parts.collect();
    if sections.first().map(|first| first.title) != Some("survey 1") {
        return Err(SurveyError::NoSurvey);
    }
    match sections.pop() {
        Some(Section { title: "end", .. }) => Ok(sections),
        _ => Err(SurveyError::NotWhole),
    }
}

impl<'a> Section<'a> {
    /// The name of the section.
    pub(crate) fn name(&self) -> &'a str {
        self.title.split_once(' ').map_or(self.title, |(name, _)| name)
    }

    /// All that follows the name on the section's line.
    pub(crate) fn argument(&self) -> &'a str {
        self.title.split_once(' ').map_or("", |(_, argument)| argument)
    }

    /// The facts of the section: on each line a name, and behind it the value.
    pub(crate) fn facts(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.text.lines().filter_map(|line| line.trim().split_once(' '))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_has_a_name_and_arguments() {
        let text = "\n== survey 1\nuser 0\n\n== filters 2 eth 0\n x == y\n== end\n";
        let all = sections(text).unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!((all[1].name(), all[1].argument()), ("filters", "2 eth 0"));
        assert_eq!(all[1].text, " x == y");
        assert_eq!(all[0].facts().collect::<Vec<_>>(), [("user", "0")]);
    }

    #[test]
    fn what_does_not_begin_or_end_is_refused() {
        assert_eq!(sections("sh: not found"), Err(SurveyError::NoSurvey));
        assert_eq!(sections("== survey 2\n== end"), Err(SurveyError::NoSurvey));
        assert_eq!(sections("== survey 1\n== traffic 1\n"), Err(SurveyError::NotWhole));
    }
}
