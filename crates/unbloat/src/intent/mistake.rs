//! Mistakes in a scenario, as messages for people.

use scenario::{Notation, ScenarioError};

use crate::failure::Failure;

impl From<ScenarioError> for Failure {
    /// The failure for a mistake: `file:line:column: field: message`, and the line of the file
    /// below it.
    fn from(error: ScenarioError) -> Self {
        let mut message = error.origin.written(&Notation::PROGRAM);
        if let Some(place) = error.position {
            message += &format!(":{}:{}", place.line, place.column);
        }
        let advice = error.advice(&Notation::PROGRAM);
        for part in [error.field, advice].iter().filter(|part| !part.is_empty()) {
            message += &format!(": {part}");
        }
        if !error.snippet.is_empty() {
            message += &format!("\n{}", error.snippet.trim_end());
        }
        Self::Input(message)
    }
}

#[cfg(test)]
mod tests {
    use scenario::{Origin, Position};

    use super::*;

    #[test]
    fn a_mistake_in_a_file_is_told_with_its_place() {
        let error = ScenarioError {
            origin: Origin::File("home.toml".into()),
            position: Some(Position { line: 7, column: 9 }),
            field: "link.uplink.rate".into(),
            message: "`10` has no unit".into(),
            instead: None,
            snippet: "7 | rate = \"10\"\n".into(),
        };
        let Failure::Input(message) = Failure::from(error) else { panic!("not an input error") };
        assert_eq!(message, "home.toml:7:9: link.uplink.rate: `10` has no unit\n7 | rate = \"10\"");
    }

    #[test]
    fn a_mistake_without_a_place_is_told_without() {
        let error = ScenarioError {
            origin: Origin::File("home.toml".into()),
            position: None,
            field: String::new(),
            message: "is a folder".into(),
            instead: None,
            snippet: Box::default(),
        };
        let Failure::Input(message) = Failure::from(error) else { panic!("not an input error") };
        assert_eq!(message, "home.toml: is a folder");
    }
}
