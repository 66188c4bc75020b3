//! The output of the programs in `bench/peers`: lines of the form `= name number`. Simulators print
//! other lines too.

use std::collections::BTreeMap;

/// The figures by name.
#[derive(Debug)]
pub(super) struct Answer(BTreeMap<String, f64>);

impl Answer {
    /// Reads the lines that begin with `= `.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let figure = |line: &str| {
            let (name, value) = line.trim().split_once(' ')?;
            let value: f64 = value.parse().ok()?;
            value.is_finite().then(|| (name.to_owned(), value))
        };
        let lines = text.lines().filter_map(|line| line.strip_prefix("= "));
        let figures = lines
            .map(|line| figure(line).ok_or_else(|| format!("`{line}` is not a name and a number")));
        Ok(Self(figures.collect::<Result<_, _>>()?))
    }

    /// The figure of this name.
    pub(super) fn number(&self, name: &str) -> Result<f64, String> {
        self.0.get(name).copied().ok_or_else(|| format!("it printed no {name}"))
    }

    /// The figure of this name, which must be a count.
    pub(super) fn count(&self, name: &str) -> Result<u64, String> {
        let number = self.number(name)?;
        match number >= 0.0 && number.fract() == 0.0 {
            true => Ok(number as u64),
            false => Err(format!("{name} is {number}, which counts nothing")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_by_name() {
        let answer =
            Answer::read("cmd select_ca cubic\n= packets 49880\n= sojourn_p50_ms 1018.2\n\n")
                .unwrap();
        assert_eq!(answer.count("packets"), Ok(49_880));
        assert_eq!(answer.number("sojourn_p50_ms"), Ok(1018.2));
        assert!(answer.number("drops").unwrap_err().contains("no drops"));
        assert!(answer.count("sojourn_p50_ms").is_err());
    }

    #[test]
    fn what_is_no_figure_is_an_error() {
        for line in ["packets", "drops nan", "a b c", "packets 5 6"] {
            let error = Answer::read(&format!("= {line}\n")).unwrap_err();
            assert!(error.contains(line), "{error}");
        }
    }
}
