//! The document from which a client learns the URLs of a server.
//!
//! Specification: draft-ietf-ippm-responsiveness-09, "Responsiveness Test Server Discovery".

use hyper::Uri;
use serde::{Deserialize, Serialize};

/// The path of the configuration: the well-known URI of the draft.
pub const WELL_KNOWN: &str = "/.well-known/nq";

/// The configuration of a server. A field that occurs twice is an error; an unknown field is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    version: u64,
    pub(crate) urls: Urls,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) test_endpoint: Option<String>,
}

/// The URLs for downloads and uploads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Urls {
    #[serde(rename = "small_download_url", with = "uri")]
    pub(crate) small: Uri,
    #[serde(rename = "large_download_url", with = "uri")]
    pub(crate) large: Uri,
    #[serde(rename = "upload_url", with = "uri")]
    pub(crate) upload: Uri,
}

impl Configuration {
    /// Reads a configuration.
    ///
    /// # Errors
    /// A sentence if the text is not what the draft asks for.
    pub fn read(text: &[u8]) -> Result<Self, String> {
        let read: Self = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if read.version != 1 {
            return Err(format!("its version is {}; only version 1 is defined", read.version));
        }
        read.urls.check()?;
        if read.test_endpoint.as_deref().is_some_and(|name| name.trim().is_empty()) {
            return Err("its `test_endpoint` is empty; it must be the name of a host".into());
        }
        Ok(read)
    }
}

impl Urls {
    /// Checks the URLs. The draft wants one host for all three, so that requests to them can share
    /// a connection; so the port must be the same, too.
    fn check(&self) -> Result<(), String> {
        let all = [&self.small, &self.large, &self.upload];
        for url in all {
            if url.scheme_str() != Some("https") {
                return Err(format!("`{url}` is no https:// URL; others are not supported"));
            }
        }
        if let Some(other) = all.iter().find(|url| url.authority() != self.small.authority()) {
            return Err(format!("`{}` and `{other}` are on different hosts", self.small));
        }
        Ok(())
    }
}

/// URLs as text in JSON.
mod uri {
    use hyper::Uri;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(uri: &Uri, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(uri)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Uri, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(|error| D::Error::custom(format!("`{text}` is no URL: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"urls": {"large_download_url": "https://nq.example:4043/large",
        "small_download_url": "https://nq.example:4043/small", "unknown": [1],
        "upload_url": "https://nq.example:4043/upload"},
        "test_endpoint": "nq-1.example", "version": 1, "later": {}}"#;

    fn problem(text: &str) -> String {
        Configuration::read(text.as_bytes()).expect_err("it is bad")
    }

    #[test]
    fn the_drafts_document_is_read() {
        let read = Configuration::read(GOOD.as_bytes()).expect("it is good");
        assert_eq!(read.urls.large.path(), "/large");
        assert_eq!(read.test_endpoint.as_deref(), Some("nq-1.example"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = [
            ("", "EOF"),
            ("[]", "invalid"),
            (&GOOD.replace("\"version\": 1", "\"version\": 2"), "only version 1"),
            (&GOOD.replace("\"version\": 1,", ""), "missing field `version`"),
            (&GOOD.replace("small_download_url", "small"), "missing field `small_download_url`"),
            (&GOOD.replace("\"later\": {}", "\"version\": 1"), "duplicate field `version`"),
            (&GOOD.replace("https://nq.example:4043/small", "not a url"), "is no URL"),
            (&GOOD.replace("https://nq.example:4043/small", "http://nq.example/s"), "https://"),
            (&GOOD.replace("example:4043/upload", "other/upload"), "different hosts"),
            (&GOOD.replace("nq-1.example", " "), "`test_endpoint` is empty"),
        ];
        for (text, expected) in cases {
            let said = problem(text);
            assert!(said.contains(expected), "{said}");
        }
    }
}
