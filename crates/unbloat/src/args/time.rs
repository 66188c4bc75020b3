//! Times on the command line.

use units::{Excerpt, Span, UnitError};

/// The time in a text, from the least to the most. The bounds are texts, since a message names them.
///
/// # Errors
/// If the text is no time, or one beyond the bounds: then it `is no` such time.
pub(super) fn time(text: &str, [least, most]: [&str; 2], is_no: &str) -> Result<Span, String> {
    let bound = |text: &str| text.parse::<Span>().expect("a bound is a time");
    let time: Span = text.parse().map_err(|error: UnitError| error.to_string())?;
    match (bound(least)..=bound(most)).contains(&time) {
        true => Ok(time),
        false => Err(format!("{} is {is_no}; write {least} to {most}", Excerpt(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_within() {
        let read = |text| time(text, ["100ms", "2min"], "no time for this");
        assert_eq!(read("100ms"), Ok(Span::from_millis(100)));
        assert_eq!(read("120s"), Ok(Span::from_secs(120)));
        for wrong in ["99ms", "121s"] {
            let said = format!("`{wrong}` is no time for this; write 100ms to 2min");
            assert_eq!(read(wrong), Err(said));
        }
        assert!(read("5").unwrap_err().contains("unit"));
    }
}
