//! The congestion control of TCP sockets.

use std::io;
use std::os::fd::AsFd;

use thiserror::Error;

use crate::sys;

/// The length of the longest name of a congestion control (`TCP_CA_NAME_MAX`).
const NAME_LEN: usize = 16;

/// The default congestion control of servers: CUBIC (RFC 9438).
pub const USUAL_CONGESTION: &str = "cubic";

/// The error that a congestion control is not available.
#[derive(Debug, Error)]
#[error(
    "cannot use the congestion control {name:?}: {cause}; \
     /proc/sys/net/ipv4/tcp_available_congestion_control lists those of this kernel, and \
     tcp_allowed_congestion_control there lists those for every user"
)]
pub struct CongestionError {
    /// The name of the congestion control.
    pub name: String,
    /// The kernel's reason.
    pub cause: io::Error,
}

/// Sets the congestion control of a listening socket, which its connections inherit: the chosen
/// one or, if it is `None`, the default if this program may use it.
///
/// # Errors
/// If the chosen one is not available.
pub fn control_congestion(
    listener: impl AsFd,
    chosen: Option<&str>,
) -> Result<(), CongestionError> {
    let Some(name) = chosen else {
        // If the default is not available either, another one remains, which each result names.
        drop(choose_congestion_control(listener, &[USUAL_CONGESTION]));
        return Ok(());
    };
    let refused = |cause| CongestionError { name: name.into(), cause };
    set_congestion_control(listener, name).map_err(refused)
}

/// Sets TCP's congestion control by its name, such as `cubic` (`TCP_CONGESTION`).
///
/// # Errors
/// `NotFound` if the kernel does not know the name, `PermissionDenied` if it is reserved.
pub fn set_congestion_control(socket: impl AsFd, name: &str) -> io::Result<()> {
    sys::set_option(socket, libc::IPPROTO_TCP, libc::TCP_CONGESTION, name.as_bytes())
}

/// Sets the first of these congestion controls that this program may use. Returns the socket's
/// congestion control then. The connections of a listening socket inherit it.
///
/// # Errors
/// If this is no TCP socket.
pub fn choose_congestion_control(socket: impl AsFd, wanted: &[&str]) -> io::Result<String> {
    let socket = socket.as_fd();
    let before = congestion_control(socket)?;
    // A route may bring a congestion control of its own. Setting the socket's present one again
    // prevents it from replacing that on a connection.
    let chosen = wanted.iter().any(|name| set_congestion_control(socket, name).is_ok());
    if chosen { congestion_control(socket) } else { Ok(before) }
}

/// The name of TCP's congestion control on this socket, such as `cubic`.
///
/// # Errors
/// If this is no TCP socket.
pub fn congestion_control(socket: impl AsFd) -> io::Result<String> {
    let mut bytes = [0; NAME_LEN];
    let len = sys::option(socket, libc::IPPROTO_TCP, libc::TCP_CONGESTION, &mut bytes)?;
    let name = bytes[..len].split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(String::from_utf8_lossy(name).into_owned())
}
