//! Files on the command line, where `-` is stdin or stdout.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, StringValueParser, TypedValueParser};

use crate::failure::STDIN;

/// The parser of a file that is read.
pub(super) fn input() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|path| stream_or(path, STDIN))
}

/// The parser of what may be a file that is read, or a name.
pub(super) fn input_or_name() -> impl TypedValueParser<Value = String> {
    StringValueParser::new().map(|text| if text == "-" { STDIN.into() } else { text })
}

/// The parser of a file that is written.
pub(super) fn output() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|path| stream_or(path, "/dev/stdout"))
}

/// The parser of a file that is written, whose name ends in `ending`: other programs go by the name.
/// `why` says so.
pub(super) fn packed(
    ending: &'static str,
    why: &'static str,
) -> impl TypedValueParser<Value = PathBuf> {
    output().try_map(move |path| {
        let is_named = path.to_string_lossy().ends_with(ending);
        if is_named || path.starts_with("/dev") {
            Ok(path)
        } else {
            Err(format!("{why}: the name must end in {ending}, or be - for stdout"))
        }
    })
}

/// The path, or that of a stream of this process where the path is `-`.
fn stream_or(path: PathBuf, stream: &str) -> PathBuf {
    if path.as_os_str() == "-" { stream.into() } else { path }
}
