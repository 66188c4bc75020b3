//! What loading a page costs on the way to the server.

use units::Bytes;

/// Payload of a request. Half of all requests in the traces behind PackMime are below 422 bytes
/// (Cao et al., "Stochastic Models for Generating Synthetic HTTP Source Traffic", 2004).
pub const REQUEST: Bytes = Bytes(422);
