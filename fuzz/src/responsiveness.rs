//! The configuration of a foreign responsiveness server.

use ::responsiveness::Configuration;

/// Reads a configuration: one that is read is written with the same meaning, and a refusal has a
/// reason.
pub fn configuration(bytes: &[u8]) {
    match Configuration::read(bytes) {
        Ok(read) => {
            let written = serde_json::to_vec(&read).expect("it is text and numbers");
            assert_eq!(Configuration::read(&written), Ok(read));
        }
        Err(sentence) => assert!(!sentence.is_empty()),
    }
}
