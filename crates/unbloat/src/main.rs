//! Finds bufferbloat, explains it and fixes it.

fn main() {}
