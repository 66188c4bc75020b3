//! How TCP controls congestion, as a socket is told.

use std::io;
use std::os::fd::AsFd;

use thiserror::Error;

use crate::sys;

/// Long enough for every name of a congestion control (`TCP_CA_NAME_MAX`).
const NAME_LEN: usize = 16;

/// What servers send with if nobody says which: the standard (RFC 9438).
pub const USUAL_CONGESTION: &str = "cubic";

/// The congestion control that was asked for cannot be had.
#[derive(Debug, Error)]
#[error(
    "cannot use the congestion control {name:?}: {cause}; this kernel has those that \
     /proc/sys/net/ipv4/tcp_available_congestion_control lists, and gives those of \
     tcp_allowed_congestion_control there to everybody"
)]
pub struct CongestionError {
    /// Its name.
    pub name: String,
    /// The kernel's reason.
    pub cause: io::Error,
}

/// Prepares a listening socket, whose connections will have what it has: the control that was chosen,
/// or else the usual one where this program may use it.
///
/// # Errors
/// If the one that was chosen cannot be had.
pub fn control_congestion(
    listener: impl AsFd,
    chosen: Option<&str>,
) -> Result<(), CongestionError> {
    let Some(name) = chosen else {
        // Where it cannot be had, there is another one; which, each result tells.
        drop(choose_congestion_control(listener, &[USUAL_CONGESTION]));
        return Ok(());
    };
    let refused = |cause| CongestionError { name: name.into(), cause };
    set_congestion_control(listener, name).map_err(refused)
}

/// Has TCP control its congestion so: `cubic` (`TCP_CONGESTION`).
///
/// # Errors
/// `NotFound` if the kernel knows none of that name, `PermissionDenied` if it is not for all.
pub fn set_congestion_control(socket: impl AsFd, name: &str) -> io::Result<()> {
    sys::set_option(socket, libc::IPPROTO_TCP, libc::TCP_CONGESTION, name.as_bytes())
}

/// Has TCP control its congestion by the first of these that this program may use. The answer is what
/// the socket has then. A connection that a listening socket takes has what that one has.
///
/// # Errors
/// If this is no TCP socket.
pub fn choose_congestion_control(socket: impl AsFd, wanted: &[&str]) -> io::Result<String> {
    let socket = socket.as_fd();
    let before = congestion_control(socket)?;
    // To set what the socket has already keeps a route from having a connection take another one.
    let chosen = wanted.iter().any(|name| set_congestion_control(socket, name).is_ok());
    if chosen { congestion_control(socket) } else { Ok(before) }
}

/// How TCP controls congestion here: `cubic`.
///
/// # Errors
/// If this is no TCP socket.
pub fn congestion_control(socket: impl AsFd) -> io::Result<String> {
    let mut bytes = [0; NAME_LEN];
    let len = sys::option(socket, libc::IPPROTO_TCP, libc::TCP_CONGESTION, &mut bytes)?;
    let name = bytes[..len].split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(String::from_utf8_lossy(name).into_owned())
}
