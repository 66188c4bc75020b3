//! The shape of a pair of directions, for JSON Schemas.

use schemars::JsonSchema;

/// Each direction of a link: the shape of [`units::PerWay`], which knows of no schemas.
#[derive(JsonSchema)]
#[schemars(rename = "Each{T}")]
#[expect(dead_code, reason = "only its shape is read")]
pub(crate) struct EachWay<T> {
    /// The direction from `from` to `to`.
    forward: T,
    /// The direction from `to` to `from`.
    reverse: T,
}
