//! The JSON Schemas of documents that ship with unbloat.

use std::fs;
use std::path::Path;

use results::document_schemas;

#[test]
fn the_schema_files_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    for document in document_schemas() {
        let file = folder.join(format!("{}.schema.json", document.name));
        let shipped = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            shipped == format!("{:#}\n", document.schema),
            "{}: run: cargo run -p results --example schemas",
            file.display()
        );
    }
}
