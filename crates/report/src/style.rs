//! Colours of text on a terminal.

/// The decoration of text. The caller decides which one is wanted (a terminal, `NO_COLOR`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Text without decoration.
    #[default]
    Plain,
    /// Text with the colour codes of terminals (ECMA-48 section 8.3.117).
    Coloured,
}

/// The role of a piece of text, which determines its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Title,
    Faint,
    Good,
    Middling,
    Bad,
}

impl Style {
    pub(crate) fn paint(self, text: &str, tone: Tone) -> String {
        let code = match (self, tone) {
            (Self::Plain, _) | (_, Tone::Plain) => return text.to_owned(),
            (_, Tone::Title) => "1",
            (_, Tone::Faint) => "2",
            (_, Tone::Bad) => "31",
            (_, Tone::Good) => "32",
            (_, Tone::Middling) => "33",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_is_bare() {
        for tone in [Tone::Plain, Tone::Title, Tone::Faint, Tone::Good, Tone::Middling, Tone::Bad] {
            assert_eq!(Style::Plain.paint("42", tone), "42");
        }
        assert_eq!(Style::Coloured.paint("42", Tone::Plain), "42");
        assert_eq!(Style::Coloured.paint("42", Tone::Bad), "\u{1b}[31m42\u{1b}[0m");
    }
}
