//! One shell, and the scripts that it is given.

use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use units::Span;

use crate::{Destination, RemoteError};

/// The most bytes of an answer.
const LARGEST: usize = 4 << 20;

/// A dead connection ends after three of these.
const ALIVE: &str = "ServerAliveInterval=5";

/// A shell that waits for scripts.
#[derive(Debug)]
pub struct Shell {
    process: Child,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
    marker: String,
}

/// What a script printed, on stdout and stderr together, and its exit status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The text. Bytes that are no UTF-8 are replaced.
    pub text: String,
    /// The exit status: 0 for success.
    pub status: u8,
}

impl Shell {
    /// A shell of this machine.
    ///
    /// # Errors
    /// If it does not start.
    pub fn here() -> Result<Self, RemoteError> {
        Self::start("sh", &[])
    }

    /// A shell of another machine, by the user's `ssh`, which asks for a password or a key's
    /// passphrase if it needs one. It is not known yet whether it can be reached.
    ///
    /// # Errors
    /// If `ssh` does not start.
    pub fn over(destination: &Destination) -> Result<Self, RemoteError> {
        let mut arguments: Vec<String> =
            ["-T", "-o", ALIVE, "-o", "ServerAliveCountMax=3"].map(str::to_owned).into();
        arguments.extend(destination.arguments());
        arguments.push("exec sh".to_owned());
        Self::start("ssh", &arguments)
    }

    fn start(program: &'static str, arguments: &[String]) -> Result<Self, RemoteError> {
        let failed = |error| RemoteError::Start { program, error };
        // Ctrl-C reaches all programs of a terminal. The shell must outlive it to take back what it
        // did; sh and ssh leave a signal ignored that was ignored when they began.
        let mut process = Command::new("sh")
            .args(["-c", "trap '' INT QUIT TERM; exec \"$@\"", "sh", program])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let input = process.stdin.take().expect("it is piped");
        let stdout = process.stdout.take().expect("it is piped");
        let (sender, output) = mpsc::sync_channel(16);
        let reader = thread::Builder::new().name("shell".into());
        reader.spawn(move || pass_on(stdout, &sender)).map_err(failed)?;
        Ok(Self { process, input, output, marker: marker() })
    }

    /// Runs a script in a shell of its own, and waits for its end: at most `longest` for each part
    /// of its answer.
    ///
    /// # Errors
    /// If the connection ends, or the script does not. After an error the shell gives no more
    /// answers.
    pub fn run(&mut self, script: &str, longest: Span) -> Result<Answer, RemoteError> {
        let marker = &self.marker;
        // The script is complete before its first command runs, so a connection that ends leaves no
        // part of it undone. It takes no program to hand it over, so none can be missing.
        let text =
            format!("sh -c {} </dev/null 2>&1\nprintf '\\n%s %s\\n' {marker} $?\n", quoted(script));
        let sent = self.input.write_all(text.as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|_| RemoteError::Lost)?;
        let answer = self.answer(longest);
        if answer.is_err() {
            // A late answer is not taken for that of the next script.
            let _ = self.process.kill();
        }
        answer
    }

    /// Becomes root by `sudo`, if it asks for no password.
    ///
    /// # Errors
    /// As of [`run`](Self::run).
    pub fn become_root(&mut self) -> Result<(), RemoteError> {
        let question = "[ \"$(id -u)\" != 0 ] && sudo -n true 2>/dev/null && echo sudo";
        if self.run(question, Span::from_secs(30))?.text == "sudo\n" {
            self.input.write_all(b"exec sudo -n sh\n").map_err(|_| RemoteError::Lost)?;
        }
        Ok(())
    }

    /// What the shell prints up to the marker behind its last script.
    fn answer(&mut self, longest: Span) -> Result<Answer, RemoteError> {
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            if let Some((text, status)) = split(&bytes, &self.marker) {
                return Ok(Answer { text: String::from_utf8_lossy(text).into_owned(), status });
            }
            if bytes.len() > LARGEST {
                return Err(RemoteError::Long);
            }
            match self.output.recv_timeout(Duration::from_nanos(longest.as_nanos())) {
                Ok(more) => bytes.extend(more),
                Err(RecvTimeoutError::Timeout) => return Err(RemoteError::Late(longest)),
                Err(RecvTimeoutError::Disconnected) => return Err(RemoteError::Lost),
            }
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // The shell ends with its input; what still runs there is not stopped.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Passes on what the process prints, until it ends or nobody listens.
fn pass_on(mut from: ChildStdout, to: &SyncSender<Vec<u8>>) {
    let mut chunk = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut chunk) {
        if to.send(chunk[..length].to_vec()).is_err() {
            return;
        }
    }
}

/// What is before the last line, and the status in that line; `None` while it does not hold the
/// marker.
fn split<'a>(bytes: &'a [u8], marker: &str) -> Option<(&'a [u8], u8)> {
    let whole = bytes.strip_suffix(b"\n")?;
    let at = whole.iter().rposition(|byte| *byte == b'\n')?;
    let status = std::str::from_utf8(&whole[at + 1..]).ok()?.strip_prefix(marker)?;
    Some((&whole[..at], status.trim_start().parse().ok()?))
}

/// The text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A word that no script prints by chance.
fn marker() -> String {
    format!("end-{:016x}", RandomState::new().hash_one(std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Span = Span::from_secs(10);

    fn answer(text: &str, status: u8) -> Answer {
        Answer { text: text.to_owned(), status }
    }

    #[test]
    fn scripts_are_answered_one_after_the_other() {
        let mut shell = Shell::here().unwrap();
        assert_eq!(shell.run("echo one; false", LONG).unwrap(), answer("one\n", 1));
        assert_eq!(shell.run("printf two", LONG).unwrap(), answer("two", 0));
        assert_eq!(shell.run("a=\"it's\"; echo \"$a\" >&2", LONG).unwrap(), answer("it's\n", 0));
        assert_eq!(shell.run("cat", LONG).unwrap(), answer("", 0), "a script has no input");
        assert_eq!(shell.run("exit 7", LONG).unwrap(), answer("", 7));
        assert_ne!(shell.run("if then", LONG).unwrap().status, 0, "it is no shell's language");
        assert_eq!(shell.run("cat <<'END'\na $b `c`\nEND", LONG).unwrap(), answer("a $b `c`\n", 0));
        assert_eq!(shell.run("echo 'a  \\'\\''b'", LONG).unwrap(), answer("a  \\'b\n", 0));
    }

    #[test]
    fn a_long_answer_comes_whole() {
        let mut shell = Shell::here().unwrap();
        let long = shell.run("yes 0123456 | head -n 100000", LONG).unwrap();
        assert_eq!(long.text.len(), 800_000);
        let endless = shell.run("yes", LONG);
        assert!(matches!(endless, Err(RemoteError::Long)), "{endless:?}");
    }

    #[test]
    fn a_shell_that_ends_or_waits_is_told() {
        let mut shell = Shell::here().unwrap();
        let waiting = shell.run("sleep 20", Span::from_millis(50));
        assert!(matches!(waiting, Err(RemoteError::Late(_))), "{waiting:?}");
        let mut shell = Shell::here().unwrap();
        let ended = shell.run("kill -9 $PPID", LONG);
        assert!(matches!(ended, Err(RemoteError::Lost)), "{ended:?}");
        assert!(matches!(shell.run("true", LONG), Err(RemoteError::Lost)));
    }
}
