//! A sentence's figures, compared with those of its remark.

use results::Remark;

/// The kind of a figure, with the unit in which it is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    /// Milliseconds.
    Delay,
    /// Mbit/s.
    Rate,
    Bytes,
    Packets,
    /// A part, 0 to 1.
    Part,
}

/// A number of a sentence that has a unit.
struct Quantity {
    value: f64,
    /// Half of its last digit.
    near: f64,
    unit: Unit,
    words: String,
}

/// The first figure of a sentence that its remark does not have; `None` if there is none. Text in
/// brackets, such as the bounds of a figure, is judged as a figure itself.
pub(super) fn contradiction(remark: &Remark) -> Option<String> {
    let text = outside_brackets(&remark.text);
    let stated = quantities(&text).into_iter().find(|quantity| !has(remark, quantity));
    let letter = remark.grade.map(|grade| grade.to_string());
    let other_grade = letter.filter(|letter| !names(&text, "rade", letter));
    stated.map(|quantity| quantity.words).or(other_grade)
}

fn outside_brackets(text: &str) -> String {
    let mut depth = 0_u32;
    let is_outside = |sign: &char| {
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    text.chars().filter(is_outside).collect()
}

fn quantities(text: &str) -> Vec<Quantity> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let quantity = |pair: &[&str]| {
        let digits = pair[0].replace(',', "");
        let value: f64 = digits.parse().ok()?;
        let decimals = digits.split_once('.').map_or(0, |(_, behind)| behind.len());
        let (scale, unit) = match pair[1].trim_end_matches(['.', ',', ':', ';']) {
            "ms" => (1.0, Unit::Delay),
            "s" => (1e3, Unit::Delay),
            "kbit/s" => (1e-3, Unit::Rate),
            "Mbit/s" => (1.0, Unit::Rate),
            "Gbit/s" => (1e3, Unit::Rate),
            "bytes" => (1.0, Unit::Bytes),
            "KiB" => (1024.0, Unit::Bytes),
            "MiB" => (1024.0 * 1024.0, Unit::Bytes),
            "packets" => (1.0, Unit::Packets),
            "%" => (0.01, Unit::Part),
            _ => return None,
        };
        let near = (0..decimals).fold(0.51 * scale, |near, _| near / 10.0);
        Some(Quantity { value: value * scale, near, unit, words: pair.join(" ") })
    };
    words.windows(2).filter_map(quantity).collect()
}

fn has(remark: &Remark, quantity: &Quantity) -> bool {
    let figures = match quantity.unit {
        Unit::Delay => [remark.delay_ms, None],
        Unit::Rate => [remark.rate_mbit, None],
        Unit::Bytes => [remark.bytes, None],
        Unit::Packets => [remark.packets, None],
        Unit::Part => [remark.part, remark.part_most],
    };
    figures.into_iter().flatten().any(|figure| (figure - quantity.value).abs() <= quantity.near)
}

/// True if `what` follows `word`.
fn names(text: &str, word: &str, what: &str) -> bool {
    let mut parts = text.split(word).skip(1);
    parts.any(|after| {
        let after = after.trim_start_matches([' ', ':']);
        after.split([' ', '.', ',', ';']).next() == Some(what)
    })
}

#[cfg(test)]
mod tests {
    use results::{Claim, Grade};

    use super::*;

    #[test]
    fn a_sentence_states_its_figures() {
        let said = |text: &str| Remark {
            delay_ms: Some(1047.0),
            grade: Some(Grade::F),
            ..Remark::new(Claim::AddedDelay, text)
        };
        let states = |text| contradiction(&said(text));
        assert_eq!(states("Uploading adds up to 1.05 s of delay: bufferbloat, grade F."), None);
        assert_eq!(states("Grade: F (1 ms to 2 ms in 95 of 100 such tests)."), None);
        assert_eq!(states("It adds 105 ms, grade F.").as_deref(), Some("105 ms,"));
        assert_eq!(states("It adds 1,047 ms, grade A.").as_deref(), Some("F"));
        assert_eq!(
            states("It adds 1.05 s and carries 2 Mbit/s, grade F.").as_deref(),
            Some("2 Mbit/s,")
        );
    }
}
