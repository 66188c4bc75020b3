//! The two ways through a link.

/// A direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Way {
    /// In the direction in which the link was written.
    Forward,
    /// In the opposite direction.
    Reverse,
}

impl Way {
    /// The name in the result document.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
        }
    }
}
