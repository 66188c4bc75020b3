//! Signals while a command runs, and the terminal afterwards.
//!
//! Specification: signal(7), signalfd(2).
//!
//! The command is in the process group of this process, or has the [terminal](super::terminal) to
//! itself, so that Ctrl-C reaches it directly. This process goes on until the command has ended, or
//! is interrupted twice in a short time. A signal that was sent to this process alone is passed on.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::signal::{SigSet, Signal as Number};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::process::Signal;

use super::terminal::Terminal;

/// `SI_KERNEL`: the terminal has sent the signal, and so to the command as well.
const FROM_THE_TERMINAL: i32 = 0x80;

/// The signals that would end this process.
const HELD: [Number; 4] = [Number::SIGINT, Number::SIGQUIT, Number::SIGTERM, Number::SIGHUP];
/// The signal that this process may get for taking the terminal back.
const OF_THE_TERMINAL: Number = Number::SIGTTOU;

/// The signals that would end this process: they are blocked, and read instead.
#[derive(Debug)]
pub struct Signals {
    pending: SignalFd,
    before: SigSet,
    terminal: Option<Terminal>,
}

/// A signal that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReceivedSignal {
    pub(super) signal: Signal,
    /// True if the command has got the signal too.
    pub(super) is_known: bool,
    /// True if the command has to end soon.
    pub(super) is_final: bool,
    /// True if a second such signal ends the command by force.
    pub(super) is_interrupt: bool,
}

impl Signals {
    /// Holds back the signals that would end this thread, or the threads that it starts from now
    /// on. Other threads would still take them, so this comes before there are any.
    ///
    /// # Errors
    /// If there are no file descriptors.
    pub fn hold_back() -> io::Result<Self> {
        let mut held = held();
        let before = SigSet::thread_get_mask()?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        let pending = SignalFd::with_flags(&held, flags)?;
        held.add(OF_THE_TERMINAL);
        held.thread_block()?;
        Ok(Self { pending, before, terminal: Terminal::ours() })
    }

    /// The terminal; `None` if this process is not in its foreground.
    pub(super) fn terminal(&self) -> Option<&Terminal> {
        self.terminal.as_ref()
    }

    /// The next pending signal; `None` if there is none.
    pub(super) fn next(&self) -> Option<ReceivedSignal> {
        let info = self.pending.read_signal().ok()??;
        let signal = Signal::from_named_raw(info.ssi_signo as i32)?;
        Some(ReceivedSignal {
            signal,
            is_known: info.ssi_code == FROM_THE_TERMINAL,
            is_final: [Signal::TERM, Signal::HUP].contains(&signal),
            is_interrupt: [Signal::INT, Signal::TERM].contains(&signal),
        })
    }
}

/// Undoes [`Signals::hold_back`] in a process that has inherited it.
pub(super) fn let_go() -> io::Result<()> {
    let mut held = held();
    held.add(OF_THE_TERMINAL);
    Ok(held.thread_unblock()?)
}

/// Runs `action` with the signals that would end this process blocked, for this thread and,
/// permanently, for the threads that `action` starts. Other threads get the signals.
///
/// # Errors
/// None on a kernel that has signals.
pub fn with_signals_blocked<T>(action: impl FnOnce() -> T) -> io::Result<T> {
    let before = SigSet::thread_get_mask()?;
    held().thread_block()?;
    let done = action();
    before.thread_set_mask()?;
    Ok(done)
}

fn held() -> SigSet {
    HELD.into_iter().collect()
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pending.as_fd()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        if let Some(terminal) = &self.terminal {
            terminal.take_back();
        }
        // The last signals were meant for the command, which has ended.
        while self.next().is_some() {}
        // The old mask is valid.
        let _ = self.before.thread_set_mask();
    }
}
