//! The machine that is asked or changed: this one, or another by ssh.

use remote::{Answer, Destination, RemoteError, Shell};
use units::Span;

use crate::failure::Failure;

/// The longest time without a word from the machine.
const LONGEST: Span = Span::from_secs(90);

/// The machine, and the shell on it.
pub(crate) struct Machine {
    destination: Option<Destination>,
    shell: Shell,
}

impl Machine {
    /// The machine of this name, or this one.
    ///
    /// # Errors
    /// If no shell answers there.
    pub(crate) fn reach(destination: Option<&Destination>) -> Result<Self, Failure> {
        let shell = match destination {
            Some(destination) => Shell::over(destination),
            None => Shell::here(),
        };
        let shell = shell.map_err(|error| unreached(destination, &error))?;
        let mut machine = Self { destination: destination.cloned(), shell };
        match machine.run("echo here") {
            Ok(Answer { text, status: 0 }) if text == "here\n" => Ok(machine),
            // ssh has said why on stderr, unless the machine has a shell of another kind.
            Ok(_) | Err(RemoteError::Lost) => {
                let name = machine.name();
                Err(Failure::Run(match destination {
                    Some(_) => format!(
                        "{name}: no shell (sh) answers there; where ssh ended, its reason is above"
                    ),
                    None => format!("{name}: no shell (sh) answers there"),
                }))
            }
            Err(error) => Err(unreached(destination, &error)),
        }
    }

    /// The machine as root, where it lets this user become that without a password. It is to be changed later.
    ///
    /// # Errors
    /// As of [`reach`](Self::reach).
    pub(crate) fn reach_as_root(destination: Option<&Destination>) -> Result<Self, Failure> {
        let mut machine = Self::reach(destination).map_err(Failure::before_any_change)?;
        let root = machine.shell.become_root().map_err(|error| unreached(destination, &error));
        root.map_err(Failure::before_any_change)?;
        Ok(machine)
    }

    /// The name of the machine, in messages.
    pub(crate) fn name(&self) -> String {
        name(self.destination.as_ref())
    }

    /// Where the machine is, unless it is this one.
    pub(crate) const fn destination(&self) -> Option<&Destination> {
        self.destination.as_ref()
    }

    /// What a script prints that changes nothing.
    ///
    /// # Errors
    /// If the machine does not answer.
    pub(crate) fn ask(&mut self, script: &str) -> Result<String, Failure> {
        self.ask_for(script, Span::ZERO)
    }

    /// What a script prints that changes nothing, and takes this time.
    ///
    /// # Errors
    /// If the machine does not answer.
    pub(crate) fn ask_for(&mut self, script: &str, time: Span) -> Result<String, Failure> {
        let answer = self.shell.run(script, LONGEST + time);
        let answer = answer.map_err(|error| unreached(self.destination.as_ref(), &error))?;
        Ok(answer.text)
    }

    /// The end of a script.
    ///
    /// # Errors
    /// If the machine does not answer.
    pub(crate) fn run(&mut self, script: &str) -> Result<Answer, RemoteError> {
        self.shell.run(script, LONGEST)
    }
}

fn name(destination: Option<&Destination>) -> String {
    destination.map_or_else(|| "this machine".into(), ToString::to_string)
}

fn unreached(destination: Option<&Destination>, error: &RemoteError) -> Failure {
    Failure::Run(format!("{}: {error}", name(destination)))
}
