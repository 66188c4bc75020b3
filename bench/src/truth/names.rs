//! The names of devices, and the ports of probes, by which the rules of a path tell packets apart.

/// The device towards the server.
pub(crate) const RIGHT: &str = "right";
/// The device towards the client.
pub(crate) const LEFT: &str = "left";
/// The port of probes that are treated like other UDP.
pub(crate) const UDP_LIKE: u16 = 7777;
/// The port of probes that are treated like TCP.
pub(crate) const TCP_LIKE: u16 = 7778;
