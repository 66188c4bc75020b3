//! A command in a sandbox: in a network namespace, with processes and mounts of its own, without
//! privilege. The command ends with this process.

mod control;
mod error;
mod files;
mod init;
mod launch;
mod mounts;
mod signals;
mod terminal;
mod watch;

use std::io;
use std::os::fd::AsFd;

pub use error::SandboxError;
pub use files::Replacement;
pub use init::init;
pub use launch::{Command, Launch, Outcome};
pub use signals::{Signals, with_signals_blocked};
pub use watch::Watcher;

impl<'a> Command<'a> {
    /// Makes the command ready. Returns the [`Launch`] that starts it, for a thread of its own, and
    /// the [`Watcher`] for the meantime.
    ///
    /// # Errors
    /// If there are no file descriptors.
    pub fn prepare(self, signals: Signals) -> Result<(Launch<'a>, Watcher<'a>), SandboxError> {
        let refused = |what| move |error| SandboxError::Refused { what, error };
        let (line, init_line) = control::line().map_err(refused("a socket for the command"))?;
        let tty = signals.terminal().and_then(|terminal| terminal.for_shell(self.words));
        control::hand_over(&line, io::stdin().as_fd(), tty)
            .map_err(refused("handing over stdin of the command"))?;
        let watcher = Watcher::new(signals, line, self.words);
        Ok((Launch { command: self, line: init_line }, watcher))
    }
}
