//! The texts of the package of Python.

use std::fs;

use serde_json::Value;

use super::{read, root};

/// The texts of the package of Python: those of its notebooks, and of its files the descriptions
/// (in three quotation marks, or in comments that begin with `#:`).
pub(crate) fn texts_of_python() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for folder in ["docs/notebooks", "python/unbloat", "python/unbloat/gym", "python/examples"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy());
            if name.ends_with(".ipynb") {
                texts.push((name.clone(), text_of_notebook(&read(&name))));
            } else if name.ends_with(".py") || name.ends_with(".pyi") {
                texts.push((name.clone(), descriptions(&read(&name))));
            }
        }
    }
    texts.sort();
    texts
}

/// The text of a notebook's cells that are no code.
fn text_of_notebook(notebook: &str) -> String {
    let notebook: Value = serde_json::from_str(notebook).unwrap();
    let cells = notebook["cells"].as_array().unwrap().iter();
    let cells = cells.filter(|cell| cell["cell_type"] == "markdown");
    let lines = cells.flat_map(|cell| cell["source"].as_array().unwrap());
    lines.map(|line| format!("{}\n", line.as_str().unwrap().trim_end())).collect()
}

/// The descriptions in a file of Python; other lines are empty.
fn descriptions(source: &str) -> String {
    let (mut text, mut is_inside) = (String::new(), false);
    for line in source.lines() {
        let marks = line.matches(r#"""""#).count();
        if is_inside || marks > 0 {
            text.push_str(&line.trim().replace(r#"""""#, ""));
        } else if let Some(comment) = line.trim().strip_prefix("#:") {
            text.push_str(comment);
        }
        is_inside ^= marks % 2 == 1;
        text.push('\n');
    }
    text
}

#[test]
fn descriptions_of_python_are_found() {
    let source = "\"\"\"One.\n\nTwo.\n\"\"\"\nx = 1\n#: Three.\ny = 2 # no\n\"\"\"Four.\"\"\"\nz";
    assert_eq!(descriptions(source), "One.\n\nTwo.\n\n\n Three.\n\nFour.\n\n");
}
