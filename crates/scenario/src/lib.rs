//! The scenario file: parse, check, override
