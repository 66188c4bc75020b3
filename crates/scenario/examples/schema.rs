//! Prints the JSON Schema of the scenario file:
//! `cargo run -p scenario --example schema > schema/scenario.schema.json`

fn main() {
    println!("{:#}", scenario::schema());
}
