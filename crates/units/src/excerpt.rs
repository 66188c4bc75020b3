//! Excerpts of texts from outside, for messages.

use core::fmt;

/// Text from outside, made fit for a message: quoted, without control characters, and cut after
/// 40 characters.
///
/// ```
/// # use units::Excerpt;
/// assert_eq!(Excerpt("10 furlongs").to_string(), "`10 furlongs`");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Excerpt<'a>(pub &'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 40;
        f.write_str("`")?;
        for c in self.0.chars().take(LONGEST) {
            write!(f, "{}", if c.is_control() { '\u{fffd}' } else { c })?;
        }
        f.write_str(if self.0.chars().nth(LONGEST).is_some() { "...`" } else { "`" })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_not_repeated() {
        assert_eq!(Excerpt("a\u{1b}[2Jb").to_string(), "`a\u{fffd}[2Jb`");
        let long = "x".repeat(41);
        assert_eq!(Excerpt(&long).to_string(), format_args!("`{}...`", &long[1..]).to_string());
    }
}
