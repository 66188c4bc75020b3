//! Words that texts for users do not have: the list is `vocabulary.txt`.

use std::fmt::{self, Display};

/// Words that are not used, and what to write in their place.
struct Avoided {
    words: Vec<String>,
    better: String,
}

/// The list of words that are not used.
pub(crate) struct Vocabulary(Vec<Avoided>);

/// A place of a text that has words of the list.
#[derive(Debug, PartialEq)]
pub(crate) struct Misuse {
    pub(crate) line: usize,
    words: String,
    better: String,
}

impl Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`; better: {}", self.line, self.words, self.better)
    }
}

impl Vocabulary {
    /// The list in `text`: a line each, `words | better`; lines that begin with `#` are comments.
    pub(crate) fn new(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let entries = lines.map(|line| {
            let (words, better) = line.split_once(" | ").unwrap_or_else(|| panic!("no |: {line}"));
            let words = tokens(words).into_iter().map(|token| token.text).collect();
            Avoided { words, better: better.to_owned() }
        });
        Self(entries.collect())
    }

    /// All places of a plain text that have words of the list.
    pub(crate) fn misuses(&self, text: &str) -> Vec<Misuse> {
        let tokens = tokens(text);
        let mut misuses = Vec::new();
        for start in 0..tokens.len() {
            for avoided in &self.0 {
                let found = tokens[start..].iter().map(|token| &token.text);
                if avoided.words.len() <= tokens.len() - start
                    && avoided.words.iter().eq(found.take(avoided.words.len()))
                {
                    misuses.push(Misuse {
                        line: tokens[start].line,
                        words: avoided.words.join(" "),
                        better: avoided.better.clone(),
                    });
                }
            }
        }
        misuses
    }
}

/// A word in lower case, or one other sign.
struct Token {
    line: usize,
    text: String,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let is_of_word = |sign: char| sign.is_alphanumeric() || "'-_./".contains(sign);
        for word in line.split_inclusive(|sign| !is_of_word(sign)) {
            let (word, sign) = match word.chars().next_back() {
                Some(last) if !is_of_word(last) => word.split_at(word.len() - last.len_utf8()),
                _ => (word, ""),
            };
            let end = word.trim_end_matches('.');
            // A point within is a part of the word, as in a name of a host; at its end it is not.
            let parts = [end, &word[end.len()..], sign.trim()];
            let parts = parts.into_iter().filter(|part| !part.is_empty());
            tokens.extend(parts.map(|part| Token { line: index + 1, text: part.to_lowercase() }));
        }
    }
    tokens
}

/// The text of a Markdown page: what is code, quoted, or the target of a link is left out. Lines
/// stay where they are.
pub(crate) fn prose(page: &str) -> String {
    let mut prose = String::new();
    let (mut is_fenced, mut is_code, mut was_blank) = (false, false, true);
    for line in page.lines() {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        let is_indented = line.starts_with("    ");
        is_code = is_indented && (is_code || was_blank);
        was_blank = line.trim().is_empty();
        if !(is_fenced || is_fence || is_code || line.starts_with('>')) {
            prose.push_str(line);
        }
        prose.push('\n');
    }
    // A link's target stands for no word, what is in quotes for a name.
    let prose = without(&prose, "`", "`");
    let prose = without(&prose, "](", ")");
    let prose = without(&prose, "\"", "\"");
    without(&prose, "<!--", "-->")
}

/// The text with `…` for all that is between two signs of a paragraph.
pub(crate) fn without(text: &str, open: &str, close: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| {
        let (mut kept, mut rest) = (String::new(), paragraph);
        while let Some((before, inside)) = rest.split_once(open) {
            let Some((inside, after)) = inside.split_once(close) else { break };
            let ends_of_lines = "\n".repeat(inside.matches('\n').count());
            kept.extend([before, "…", &ends_of_lines]);
            rest = after;
        }
        kept + rest
    });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn a_planted_word_is_found() {
    let vocabulary = Vocabulary::new("# Old\nwhoever | anyone who\nno more than | at most\n");
    let found = |text: &str| -> Vec<String> {
        vocabulary.misuses(&prose(text)).iter().map(Misuse::to_string).collect()
    };
    assert_eq!(found("Fine.\n\nWhoever comes waits."), ["3: `whoever`; better: anyone who"]);
    assert_eq!(found("It has no\nmore than `four`."), ["1: `no more than`; better: at most"]);
    assert_eq!(found("| a | whoever, |"), ["1: `whoever`; better: anyone who"]);
    let fine = [
        "There is no more. Than whom?",
        "The option `whoever` of\n`no more than` it",
        "```\nwhoever\n```",
        "Text:\n\n    whoever\n\n    whoever",
        "It says \"whoever\nwants\".",
        "[a page](whoever.md)",
        "> whoever",
        "whoever's, whoever.example, /whoever",
    ];
    for text in fine {
        assert_eq!(found(text), [""; 0], "{text}");
    }
    // Lines that go on are text, and code that was left out keeps its lines.
    assert_eq!(found("- a\n    whoever")[0], "2: `whoever`; better: anyone who");
    assert_eq!(found("a `b\nc` whoever")[0], "2: `whoever`; better: anyone who");
}
