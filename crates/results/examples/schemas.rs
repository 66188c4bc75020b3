//! Writes the JSON Schemas of documents into the folder `schema`:
//! `cargo run -p results --example schemas`

use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    for document in results::document_schemas() {
        let file = folder.join(format!("{}.schema.json", document.name));
        fs::write(file, format!("{:#}\n", document.schema))?;
    }
    Ok(())
}
