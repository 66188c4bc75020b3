//! The server's congestion control: its owner's choice, or else a client's, or else CUBIC.

use std::fs;
use std::io;
use std::os::fd::AsFd;

use kernel::{CongestionError, choose_congestion_control, control_congestion};

/// The congestion controls that this program may use.
pub(super) struct Congestion {
    /// The owner's choice, for all connections; `None` if the owner has none.
    chosen: Option<String>,
    /// The names of those that the kernel has loaded. Empty if the kernel does not report them:
    /// then a client can choose none.
    available: Vec<String>,
}

impl Congestion {
    /// The kernel's congestion controls, with the owner's choice.
    pub(super) fn new(chosen: Option<String>) -> Self {
        let names = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
        let names = names.unwrap_or_default();
        Self { chosen, available: names.split_whitespace().map(str::to_owned).collect() }
    }

    /// Gives a listening socket the owner's choice, which its connections inherit.
    ///
    /// # Errors
    /// If the owner's choice is not available.
    pub(super) fn listen(&self, listener: impl AsFd) -> Result<(), CongestionError> {
        control_congestion(listener, self.chosen.as_deref())
    }

    /// Gives a connection the first congestion control that the client asks for and that is
    /// available, unless the owner has chosen one.
    ///
    /// # Errors
    /// If the connection is gone.
    pub(super) fn prepare(&self, stream: impl AsFd, wishes: &[String]) -> io::Result<()> {
        if self.chosen.is_some() {
            return Ok(());
        }
        // Only loaded ones: for a server that runs as root the kernel would load any module that a
        // client names.
        let known = wishes.iter().filter(|name| self.available.contains(name));
        let known: Vec<&str> = known.map(String::as_str).collect();
        choose_congestion_control(stream, &known).map(drop)
    }
}
