//! A validator of JSON Schema (draft 2020-12), as far as the schemas of documents need it. A keyword
//! that it does not know is a panic, so that no part of a schema is passed over.
//!
//! Specification: draft-bhutton-json-schema-validation-01 section 6 (types, numbers, arrays,
//! objects), draft-bhutton-json-schema-01 sections 8.2.3 (`$ref`), 10.2 and 10.3.

use serde_json::{Map, Value};

/// What is wrong with a document, each with its place; empty if the document is valid.
pub(super) fn errors(schema: &Value, document: &Value) -> Vec<String> {
    Validator { root: schema }.errors(schema, document, "")
}

struct Validator<'a> {
    root: &'a Value,
}

impl Validator<'_> {
    fn errors(&self, schema: &Value, value: &Value, place: &str) -> Vec<String> {
        let keywords = schema.as_object().expect("a schema is an object");
        keywords.iter().flat_map(|(word, rule)| self.broken(word, rule, value, place)).collect()
    }

    /// How the value breaks the rule of one keyword.
    fn broken(&self, word: &str, rule: &Value, value: &Value, place: &str) -> Vec<String> {
        let number = rule.as_f64().unwrap_or(f64::NAN);
        let length = value.as_array().map(|items| items.len() as f64);
        let is_met = match word {
            "$id" | "$schema" | "$defs" | "title" | "description" => true,
            "type" => names(rule).any(|name| is_of_type(value, name)),
            "const" => value == rule,
            "required" => {
                value.as_object().is_none_or(|it| names(rule).all(|name| it.contains_key(name)))
            }
            "minimum" => value.as_f64().is_none_or(|it| it >= number),
            "maximum" => value.as_f64().is_none_or(|it| it <= number),
            "minItems" => length.is_none_or(|length| length >= number),
            "maxItems" => length.is_none_or(|length| length <= number),
            "anyOf" => self.met(rule, value) >= 1,
            "oneOf" => self.met(rule, value) == 1,
            "$ref" => return self.errors(self.definition(rule), value, place),
            "properties" => return self.broken_fields(rule, value, place),
            "additionalProperties" => return self.broken_entries(rule, value, place),
            "items" => return self.broken_items(rule, value, place),
            _ => panic!("{place}: the validator does not know the keyword {word}"),
        };
        if is_met { Vec::new() } else { vec![format!("{place}: {value} breaks {word} {rule}")] }
    }

    fn broken_fields(&self, rule: &Value, value: &Value, place: &str) -> Vec<String> {
        let none = Map::new();
        let fields = rule.as_object().expect("properties are an object").iter();
        let object = value.as_object().unwrap_or(&none);
        let present = fields.filter_map(|(name, schema)| Some((name, schema, object.get(name)?)));
        let broken = present.flat_map(|(name, schema, value)| {
            self.errors(schema, value, &format!("{place}/{name}"))
        });
        broken.collect()
    }

    /// How the entries of a map break their schema. Only maps have one: an object with fields of its own
    /// may have any further ones.
    fn broken_entries(&self, schema: &Value, value: &Value, place: &str) -> Vec<String> {
        let entries = value.as_object().into_iter().flatten();
        let broken = entries
            .flat_map(|(name, value)| self.errors(schema, value, &format!("{place}/{name}")));
        broken.collect()
    }

    fn broken_items(&self, schema: &Value, value: &Value, place: &str) -> Vec<String> {
        let items = value.as_array().into_iter().flatten().enumerate();
        items.flat_map(|(at, item)| self.errors(schema, item, &format!("{place}/{at}"))).collect()
    }

    /// Number of these schemas that the value meets.
    fn met(&self, schemas: &Value, value: &Value) -> usize {
        let schemas = schemas.as_array().expect("a list of schemas").iter();
        schemas.filter(|schema| self.errors(schema, value, "").is_empty()).count()
    }

    fn definition(&self, reference: &Value) -> &Value {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        pointer.and_then(|pointer| self.root.pointer(pointer)).expect("the place of a definition")
    }
}

/// A name, or the names of a list.
fn names(rule: &Value) -> impl Iterator<Item = &str> {
    let list = rule.as_array().map_or(std::slice::from_ref(rule), Vec::as_slice);
    list.iter().filter_map(Value::as_str)
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        // Section 6.1.1: any number with a zero fractional part.
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => panic!("no such type: {name}"),
    }
}
