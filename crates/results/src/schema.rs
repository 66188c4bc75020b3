//! The JSON Schemas (draft 2020-12) of documents, which lie in the folder `schema`.
//!
//! The types of a document are the only list of its fields, and their comments are the schema's
//! descriptions. A schema is that of what is written: a field that is always written is required.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::{
    Agreement, Autorate, Capture, Characterisation, Checkup, Comparison, Document, Measurement,
    Plan, Race, Reproduction, Responsiveness, Shaping, SweepSummary, Treatment, Verification,
    Version, WatchLine, WatchReport,
};

/// The schema of a kind of document.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentSchema {
    /// Name of the kind: `plan`. The file is called `plan.schema.json`.
    pub name: &'static str,
    /// The schema.
    pub schema: Value,
}

/// The schemas of all kinds of documents that have one.
pub fn document_schemas() -> Vec<DocumentSchema> {
    vec![
        document_schema::<Document>("result"),
        document_schema::<Comparison>("comparison"),
        document_schema::<SweepSummary>("sweep"),
        document_schema::<Agreement>("agreement"),
        document_schema::<Reproduction>("reproduction"),
        document_schema::<Characterisation>("characterisation"),
        document_schema::<Responsiveness>("responsiveness"),
        document_schema::<Plan>("plan"),
        document_schema::<Treatment>("treatment"),
        document_schema::<Verification>("verification"),
        document_schema::<Checkup>("checkup"),
        document_schema::<Measurement>("measurement"),
        document_schema::<Shaping>("shaping"),
        document_schema::<Autorate>("autorate"),
        document_schema::<Race>("race"),
        document_schema::<Capture>("capture"),
        document_schema::<WatchLine>("watch"),
        document_schema::<WatchReport>("watch-report"),
    ]
}

fn document_schema<T: JsonSchema>(name: &'static str) -> DocumentSchema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(in_words_of_json));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    let version = schema.pointer("/properties/version/const").map(Value::to_string);
    let version = version.expect("a document has a version");
    schema.insert("title".into(), format!("unbloat.{name}").into());
    schema.insert("$id".into(), format!("urn:unbloat:{name}:{version}").into());
    DocumentSchema { name, schema: schema.to_value() }
}

/// Takes out what only Rust knows: `None`, links between comments, the ends of their lines, and the
/// formats of numbers and addresses that JSON Schema has no name for, which strict validators refuse.
///
/// A field that is always written needs no default, and every object may have more fields.
fn in_words_of_json(schema: &mut Schema) {
    schema.remove("format");
    schema.remove("default");
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        schema.remove("additionalProperties");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = plain_words(text);
    }
}

/// The text of a comment for readers who do not know Rust, each paragraph in one line.
fn plain_words(comment: &str) -> String {
    let nulls = comment.replace("`None`, in JSON `null`", "`null`").replace("`None`", "`null`");
    let paragraphs: Vec<_> =
        without_links(&nulls).split("\n\n").map(|lines| lines.replace('\n', " ")).collect();
    paragraphs.join("\n\n")
}

/// The text with words in place of links to items: of `[words](path::of::item)`, and of a name of code
/// in brackets.
fn without_links(text: &str) -> String {
    let mut parts = text.split("](");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (target, rest) = part.split_once(')').unwrap_or((part, ""));
        match plain.rfind('[') {
            Some(bracket) if target.contains("::") => _ = plain.remove(bracket),
            _ => plain.push_str(&format!("]({target})")),
        }
        plain.push_str(rest);
    }
    plain.replace("[`", "`").replace("`]", "`")
}

impl<const N: u64> JsonSchema for Version<N> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Version{N}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "const": N })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_told_in_plain_words() {
        let comment = "A [finding](crate::Kind)\n[as said](https://example.org),\n\n[`F`](x::F) or [`G`] \
                       of [0]: `None`, in JSON `null`; `None` if\nnot known.";
        let plain = "A finding [as said](https://example.org),\n\n`F` or `G` of [0]: `null`; `null` if not \
                     known.";
        assert_eq!(plain_words(comment), plain);
    }
}
