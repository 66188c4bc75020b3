//! The width of text before it is drawn. The font is chosen by the program that shows the plot.
//!
//! The widths are those of DejaVu Sans, which we use for PNG. Other fonts are narrower, so that
//! text that fits here fits there.

use unicode_width::UnicodeWidthChar;

/// The width of each character from the space to the tilde, in hundredths of the font size.
const ASCII: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75,
    79, 60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35,
    63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
];

/// The mark for the part of a name for which there is no room.
const ELLIPSIS: char = '…';

/// The width of `text` in a font of `size` pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(hundredths).sum::<f64>() / 100.0 * size
}

/// `text` broken between words into lines of at most `limit` pixels; a word that is longer is cut.
pub(super) fn wrap(text: &str, size: f64, limit: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + size * 0.32 <= limit => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(shorten(word, size, limit)),
        }
    }
    lines
}

/// `text` in at most `limit` pixels, with an ellipsis if it was cut.
pub(super) fn shorten(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_owned();
    }
    let mut left = limit * 100.0 / size - hundredths(ELLIPSIS);
    let fits = |c: &char| {
        left -= hundredths(*c);
        left >= 0.0
    };
    let mut kept: String = text.chars().take_while(fits).collect();
    kept.truncate(kept.trim_end().len());
    kept.push(ELLIPSIS);
    kept
}

/// The width of a character in hundredths of the font size.
fn hundredths(character: char) -> f64 {
    let index = u32::from(character).wrapping_sub(u32::from(' ')) as usize;
    match (ASCII.get(index), character.width()) {
        (Some(hundredths), _) => f64::from(*hundredths),
        (_, None | Some(0)) => 0.0,
        (_, Some(1)) if character == ELLIPSIS => 100.0,
        (_, Some(1)) => 64.0,
        (_, Some(_)) => 100.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_character_takes_more_than_a_narrow_one() {
        assert_eq!(width("", 13.0), 0.0);
        assert!(width("W", 13.0) > 2.0 * width("i", 13.0));
        assert_eq!(width("回線", 10.0), 20.0);
        // A combining accent takes no room.
        assert_eq!(width("e\u{301}", 10.0), width("e", 10.0));
    }

    #[test]
    fn lines_are_no_longer_than_the_limit() {
        let text = "How long a packet waits in the queue: a flat low line is good.";
        let lines = wrap(text, 13.0, 150.0);
        assert!(lines.len() > 2, "{lines:?}");
        assert_eq!(lines.join(" "), text);
        for line in lines {
            assert!(width(&line, 13.0) <= 150.0, "{line}");
        }
        assert!(wrap(" \n ", 13.0, 100.0).is_empty());
    }

    #[test]
    fn what_does_not_fit_ends_in_an_ellipsis() {
        assert_eq!(shorten("fq_codel", 13.0, 200.0), "fq_codel");
        let short = shorten(&"fq_codel ".repeat(50), 13.0, 200.0);
        assert!(short.starts_with("fq_codel fq_codel"), "{short}");
        assert!(short.ends_with('…'), "{short}");
        assert!(width(&short, 13.0) <= 200.0);
        // If nothing fits, only the ellipsis is left.
        assert_eq!(shorten("queue", 13.0, 1.0), "…");
    }
}
