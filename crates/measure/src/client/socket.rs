//! Socket options that all flows share.

use std::os::fd::AsFd;

use kernel::{congestion_control, set_congestion_control};

/// Sets the first of these congestion controls that this program may use.
pub(super) fn set_congestion(socket: impl AsFd, wanted: &[String]) {
    let socket = socket.as_fd();
    let _ = wanted
        .iter()
        .any(|name| congestion(socket) == *name || set_congestion_control(socket, name).is_ok());
}

/// The connection's congestion control; empty if the kernel does not report it.
pub(super) fn congestion(socket: impl AsFd) -> String {
    congestion_control(socket).unwrap_or_default()
}
