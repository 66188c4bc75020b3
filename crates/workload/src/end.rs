//! The two ends of a flow.

/// One end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end that the data comes from.
    Source,
    /// The end that the data goes to.
    Sink,
}
