//! JSON for programs that people can read too.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// `document` as indented JSON with a line feed at the end. A list of scalars is on one line,
/// however long it is.
///
/// # Panics
/// If `document` cannot be written as JSON, such as a map whose keys are not strings. Our documents
/// always can.
pub fn json(document: &impl Serialize) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, Indented::default());
    document.serialize(&mut serializer).expect("a document is JSON");
    text.push(b'\n');
    String::from_utf8(text).expect("JSON is text")
}

/// A formatter that begins a line for each member of an object, and for each object or list in a
/// list.
#[derive(Default)]
struct Indented {
    /// The objects and lists that have begun and not ended.
    open: Vec<Open>,
}

struct Open {
    is_list: bool,
    /// True if the end is on a line of its own.
    has_lines: bool,
}

impl Indented {
    fn new_line(&self, writer: &mut (impl Write + ?Sized)) -> io::Result<()> {
        writer.write_all(b"\n")?;
        self.open.iter().try_for_each(|_| writer.write_all(b"  "))
    }

    fn begin<W: Write + ?Sized>(&mut self, writer: &mut W, is_list: bool) -> io::Result<()> {
        if let Some(around) = self.open.last_mut().filter(|around| around.is_list) {
            around.has_lines = true;
            self.new_line(writer)?;
        }
        self.open.push(Open { is_list, has_lines: false });
        writer.write_all(if is_list { b"[" } else { b"{" })
    }

    fn end<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        let Some(Open { is_list, has_lines }) = self.open.pop() else { return Ok(()) };
        if has_lines {
            self.new_line(writer)?;
        }
        writer.write_all(if is_list { b"]" } else { b"}" })
    }
}

impl Formatter for Indented {
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, true)
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, false)
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer)
    }

    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if let Some(object) = self.open.last_mut() {
            object.has_lines = true;
        }
        self.new_line(writer)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use results::Document;
    use serde_json::{Value, json};

    #[test]
    fn is_read_again() {
        let document = Document::new(json!({ "title": "Zürich → 東京" }));
        let text = super::json(&document);
        assert!(text.starts_with("{\n  \"schema\": \"unbloat.result\",\n  \"version\": 1,\n"));
        assert!(text.ends_with("}\n") && text.contains("Zürich → 東京"));
        assert_eq!(serde_json::from_str::<Document>(&text).unwrap(), document);
    }

    #[test]
    fn lists_of_scalars_are_one_line_and_all_else_is_indented() {
        let value = json!({
            "numbers": [1, 2.5, null, -3e-7],
            "words": ["a, b", "[c]"],
            "rows": [{ "x": 1 }, { "x": [true, false] }],
            "matrix": [[0, 1], [], [2]],
            "mixed": [1, { "a": {} }, 2],
            "empty": [],
            "none": {},
        });
        let expected = r#"{
  "numbers": [1,2.5,null,-3e-7],
  "words": ["a, b","[c]"],
  "rows": [
    {
      "x": 1
    },
    {
      "x": [true,false]
    }
  ],
  "matrix": [
    [0,1],
    [],
    [2]
  ],
  "mixed": [1,
    {
      "a": {}
    },2
  ],
  "empty": [],
  "none": {}
}
"#;
        let text = super::json(&value);
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    /// A document without lists of scalars looks as the standard formatter writes it.
    #[test]
    fn objects_look_as_serde_prints_them() {
        for value in [json!({}), json!([]), json!(1), json!([{ "a": [{}, { "b": "c" }] }, {}])] {
            assert_eq!(super::json(&value), serde_json::to_string_pretty(&value).unwrap() + "\n");
        }
    }
}
