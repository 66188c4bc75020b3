//! A queue in a serialized document: the text that describes it.

use alloc::string::String;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::QdiscSpec;

impl Serialize for QdiscSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for QdiscSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_its_text() {
        for text in QdiscSpec::examples() {
            let spec: QdiscSpec = text.parse().unwrap();
            let json = serde_json::to_string(&spec).unwrap();
            assert_eq!(json, alloc::format!("\"{spec}\""));
            assert_eq!(serde_json::from_str::<QdiscSpec>(&json).unwrap(), spec);
        }
        assert!(serde_json::from_str::<QdiscSpec>("\"codle\"").is_err());
    }
}
