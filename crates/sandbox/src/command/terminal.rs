//! The terminal: lent to an interactive shell while it runs, and taken back.
//!
//! Specification: credentials(7) on process groups and terminals, pid_namespaces(7), tcsetpgrp(3),
//! POSIX.1-2024 XCU `sh` on what makes a shell interactive.
//!
//! A shell that controls jobs gives the terminal back, when it ends, to the group that had it when
//! the shell began. Our group has no number in the process namespace of the command, so that `dash`
//! finds no group to give it to, and fails. So for a shell the init makes a group of its own that
//! has the terminal. Other programs stay in our group: Ctrl-C and Ctrl-Z then reach them, us, and
//! our parent.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::process::{Pid, getpgrp, setpgid};
use rustix::termios::{isatty, tcgetpgrp, tcsetpgrp};

/// Shells that control jobs.
const SHELLS: [&str; 11] =
    ["ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "sh", "tcsh", "yash", "zsh"];

/// The terminal, with this process in its foreground.
#[derive(Debug)]
pub(super) struct Terminal {
    tty: File,
    group: Pid,
}

impl Terminal {
    /// The terminal of this process; `None` if the process is not in its foreground.
    pub(super) fn ours() -> Option<Self> {
        let tty = File::open("/dev/tty").ok()?;
        let group = getpgrp();
        (tcgetpgrp(&tty) == Ok(group)).then_some(Self { tty, group })
    }

    /// The descriptor that the init needs to [`adopt`] the terminal; `None` unless the command is a
    /// shell with a person at the terminal.
    pub(super) fn for_shell(&self, command: &[OsString]) -> Option<BorrowedFd<'_>> {
        let is_typed_to = isatty(io::stdin()) && isatty(io::stderr());
        (is_typed_to && is_interactive_shell(command)).then(|| self.tty.as_fd())
    }

    /// Takes the terminal back from any other group: a shell that has been killed does not give it
    /// back.
    pub(super) fn take_back(&self) {
        // Fails if the terminal has hung up.
        let _ = tcsetpgrp(&self.tty, self.group);
    }
}

/// Puts the calling process, and those that it starts, in a new group that has the terminal.
/// `SIGTTOU` must be blocked.
pub(super) fn adopt(tty: impl AsFd) -> io::Result<()> {
    setpgid(None, None)?;
    Ok(tcsetpgrp(tty, getpgrp())?)
}

/// True if this is a shell without operands, which reads commands from its standard input.
fn is_interactive_shell(command: &[OsString]) -> bool {
    let Some((program, arguments)) = command.split_first() else { return false };
    let name = Path::new(program).file_name();
    let is_operand = |argument: &OsString| !argument.as_encoded_bytes().starts_with(b"-");
    name.is_some_and(|name| SHELLS.iter().any(|shell| name == *shell))
        && !arguments.iter().any(is_operand)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_without_operands_is_interactive() {
        let is_one = |words: &str| {
            let command: Vec<_> = words.split_whitespace().map(OsString::from).collect();
            is_interactive_shell(&command)
        };
        for shell in ["sh", "/bin/dash", "bash --norc -i", "/usr/bin/zsh -f"] {
            assert!(is_one(shell), "{shell}");
        }
        for other in ["", "sh script", "bash -c true", "ssh", "./fetch.sh", "curl -O"] {
            assert!(!is_one(other), "{other}");
        }
    }
}
