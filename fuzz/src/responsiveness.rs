//! What a foreign server of responsiveness says of itself.

use ::responsiveness::Configuration;

/// Its configuration: what is read is written so that it means the same, and what is refused is
/// refused in words.
pub fn configuration(bytes: &[u8]) {
    match Configuration::read(bytes) {
        Ok(read) => {
            let written = serde_json::to_vec(&read).expect("it is text and numbers");
            assert_eq!(Configuration::read(&written), Ok(read));
        }
        Err(sentence) => assert!(!sentence.is_empty()),
    }
}
