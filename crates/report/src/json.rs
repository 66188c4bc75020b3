//! JSON for machines that people look at.

use serde::Serialize;

/// `document` as indented JSON with a line feed at the end.
///
/// # Panics
/// If it is no JSON at all, as a map whose keys are not strings; documents of ours always are.
pub fn json(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("a document is JSON");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use results::Document;

    use super::*;

    #[test]
    fn is_read_again() {
        let document = Document::new(serde_json::json!({ "title": "Zürich → 東京" }));
        let text = json(&document);
        assert!(text.starts_with("{\n  \"schema\": \"unbloat.result\",\n  \"version\": 1,\n"));
        assert!(text.ends_with("}\n") && text.contains("Zürich → 東京"));
        assert_eq!(serde_json::from_str::<Document>(&text).unwrap(), document);
    }
}
