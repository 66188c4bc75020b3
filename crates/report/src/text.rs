//! Text in columns: its width, and ways to make it fit.

use std::sync::atomic::{AtomicUsize, Ordering};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Largest width of a table, in columns.
pub const WIDTH: usize = 100;

/// Least width of a table: no terminal in use has fewer columns.
const LEAST: usize = 40;

/// The width of all text of this process. A process has one terminal, so this is not passed along.
static ROOM: AtomicUsize = AtomicUsize::new(WIDTH);

/// Fits all text from now on into so many columns, as far as it can be: [`WIDTH`] at most.
pub fn fit(columns: usize) {
    ROOM.store(columns.clamp(LEAST, WIDTH), Ordering::Relaxed);
}

/// The number of columns for a line of text.
pub(crate) fn room() -> usize {
    ROOM.load(Ordering::Relaxed)
}

/// The number of columns that `text` takes on a terminal. Colours ([`Style`](crate::Style)) take none.
pub(crate) fn width(text: &str) -> usize {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().map_or(0, UnicodeWidthStr::width);
    first
        + parts.map(|part| part.split_once('m').map_or(0, |(_, rest)| rest.width())).sum::<usize>()
}

/// An untrusted name, fit for a terminal: characters that would move its cursor, change its colours
/// or turn the reading direction are replaced.
pub fn printable(name: &str) -> String {
    let harmful =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    name.chars().map(|c| if harmful(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// The names as a list in a sentence: `a, b and c`.
pub(crate) fn listed(mut names: Vec<String>) -> String {
    let last = names.pop().unwrap_or_default();
    if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) }
}

/// An untrusted name, fit for HTML and SVG, between tags or in double quotes: without markup, and
/// without characters that affect the text around it.
pub(crate) fn escape(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for character in printable(name).chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            // XML 1.0, section 2.2: these are not characters.
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// `text` in at most `columns` columns, with an ellipsis if it was cut.
pub(crate) fn truncate(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let fits = |c: &char| {
        let width = c.width().unwrap_or(0);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    };
    let kept: String = text.chars().take_while(fits).collect();
    kept.trim_end().to_owned() + "…"
}

/// `text` broken between words into lines that fit ([`fit`]), each but the last with a
/// line feed. A longer word is alone on a line.
pub fn wrap(text: &str) -> String {
    wrap_indented(text, "")
}

/// `text` as [`wrap`] breaks it, with `prefix` before the first line and as much blank space before
/// the others.
pub fn wrap_indented(text: &str, prefix: &str) -> String {
    wrap_within(text, prefix, room())
}

/// `text` as [`wrap_indented`] breaks it, into lines of at most `columns` columns.
pub fn wrap_within(text: &str, prefix: &str, columns: usize) -> String {
    let indent = width(prefix);
    let between = format!("\n{}", " ".repeat(indent));
    prefix.to_owned() + &lines(text, columns.saturating_sub(indent)).join(&between)
}

/// `text` with each line that is too wide ([`fit`]) broken between words, and what follows below the
/// last column of that line: behind the last gap of two blanks, or its indent.
pub fn fold(text: &str) -> String {
    let line = |line: &str| {
        let start = line.rfind("  ").map_or(0, |gap| gap + 2);
        match width(line) <= room() {
            true => line.to_owned(),
            false => {
                let (before, rest) = line.split_at(start);
                let blank = " ".repeat(width(before));
                before.to_owned() + &wrap_indented(rest, &blank)[blank.len()..]
            }
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A line in at most `columns` columns, with an ellipsis if it was cut. Colours
/// ([`Style`](crate::Style)) take no columns, and are all kept: what begins also ends.
pub fn cut(line: &str, columns: usize) -> String {
    let mut in_colour = false;
    let taken = |character: char| {
        in_colour |= character == '\u{1b}';
        let taken = (!in_colour).then(|| character.width().unwrap_or(0));
        in_colour &= character != 'm';
        (character, taken)
    };
    let characters: Vec<_> = line.chars().map(taken).collect();
    let whole: usize = characters.iter().filter_map(|(_, taken)| *taken).sum();
    let mut left = if whole <= columns { whole } else { columns.saturating_sub(1) };
    let mut is_cut = columns == 0;
    let mut kept = String::with_capacity(line.len());
    for (character, taken) in characters {
        match taken {
            None => kept.push(character),
            Some(taken) if !is_cut && taken <= left => {
                kept.push(character);
                left -= taken;
            }
            Some(_) if !is_cut => {
                kept.push('…');
                is_cut = true;
            }
            Some(_) => {}
        }
    }
    kept
}

/// `text` broken between words into lines of at most `columns` columns. A longer word is alone on a
/// line.
fn lines(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// `text` in as few lines of at most `columns` columns as possible, of about equal length, so that
/// no word is alone on a line without need.
pub(crate) fn balanced(text: &str, columns: usize) -> Vec<String> {
    let widest = lines(text, columns);
    let mut narrower = (1..columns).map(|columns| lines(text, columns));
    narrower.find(|narrow| narrow.len() == widest.len()).unwrap_or(widest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncates_by_columns_and_not_by_bytes() {
        for (text, columns, shown) in [
            ("uplink", 6, "uplink"),
            ("uplink", 5, "upli…"),
            ("Zürich", 6, "Zürich"),
            ("東京都庁", 8, "東京都庁"),
            ("東京都庁", 7, "東京都…"),
            ("東京都庁", 6, "東京…"),
            ("one two", 5, "one…"),
            ("", 0, ""),
        ] {
            assert_eq!(truncate(text, columns), shown);
            assert!(width(shown) <= columns);
        }
    }

    #[test]
    fn cuts_lines_and_keeps_their_colours() {
        for (line, columns, shown) in [
            ("wan is full", 11, "wan is full"),
            ("wan is full", 10, "wan is fu…"),
            ("\u{1b}[1mwan is full\u{1b}[0m", 11, "\u{1b}[1mwan is full\u{1b}[0m"),
            ("\u{1b}[1mwan is full\u{1b}[0m", 4, "\u{1b}[1mwan…\u{1b}[0m"),
            ("\u{1b}[1mwan\u{1b}[0m is full", 5, "\u{1b}[1mwan\u{1b}[0m …"),
            ("東京都庁", 7, "東京都…"),
            ("█████", 3, "██…"),
            ("wan", 0, ""),
        ] {
            assert_eq!(cut(line, columns), shown);
        }
        assert_eq!(width("\u{1b}[1mwan\u{1b}[0m is full"), 11);
    }

    #[test]
    fn names_cannot_paint_the_terminal() {
        assert_eq!(printable("a\u{1b}[31m\nb\u{202e}c"), "a\u{fffd}[31m\u{fffd}b\u{fffd}c");
        assert_eq!(printable("Zürich → 東京"), "Zürich → 東京");
    }

    #[test]
    fn names_are_no_markup() {
        let hostile = "<script>\"&'\u{202e}\u{1b}[2J\u{0}\u{ffff}";
        let tame = "&lt;script&gt;&quot;&amp;'\u{fffd}\u{fffd}[2J\u{fffd}\u{fffd}";
        assert_eq!(escape(hostile), tame);
    }

    #[test]
    fn folds_below_the_last_column() {
        let text = format!("  codel       {}\nshort", "word ".repeat(30));
        let folded = fold(&text);
        let lines: Vec<&str> = folded.lines().collect();
        assert_eq!(lines.len(), 3, "{folded}");
        assert!(lines[0].starts_with("  codel       word") && width(lines[0]) <= WIDTH, "{folded}");
        assert!(lines[1].starts_with("              word"), "{folded}");
        assert_eq!(lines[2], "short");
    }

    #[test]
    fn wraps_between_words() {
        let text = "word ".repeat(50);
        let wrapped = wrap(&text);
        assert_eq!(wrapped.lines().map(width).collect::<Vec<_>>(), [99, 99, 49]);
        assert_eq!(wrapped.split_whitespace().count(), 50);
        let indented = wrap_indented(&text, "  1  ");
        assert!(indented.starts_with("  1  word") && indented.contains("\n     word"));
        assert!(indented.lines().all(|line| width(line) <= WIDTH));
        assert_eq!(wrap(&"x".repeat(300)), "x".repeat(300));
        assert_eq!(wrap(""), "");
    }
}
