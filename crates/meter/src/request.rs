//! The size of a page's requests.

use units::Bytes;

/// The payload of a request. Half of all requests in the traces behind PackMime are below 422 bytes
/// (Cao et al., "Stochastic Models for Generating Synthetic HTTP Source Traffic", 2004).
pub const REQUEST: Bytes = Bytes(422);
