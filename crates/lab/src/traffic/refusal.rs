//! Options that the kernel refuses, and the message about them for the user.

use std::io;

use rustix::io::Errno;
use scenario::Traffic;

use crate::plan::FlowPlan;

/// An option that the kernel refused.
pub(super) struct Refusal {
    /// The key of the flow that asked for the option.
    pub(super) key: &'static str,
    pub(super) error: io::Error,
}

pub(super) trait Asked<T> {
    /// Adds to an error the key that asked for the option.
    fn asked_by(self, key: &'static str) -> Result<T, Refusal>;
}

impl<T, E: Into<io::Error>> Asked<T> for Result<T, E> {
    fn asked_by(self, key: &'static str) -> Result<T, Refusal> {
        self.map_err(|error| Refusal { key, error: error.into() })
    }
}

/// The key of the flow that sets the number of its connections.
pub(super) fn connections(flow: &FlowPlan) -> &'static str {
    match flow.spec.traffic {
        Traffic::Packmime { .. } => "connections_per_second",
        _ => "connections",
    }
}

impl Refusal {
    /// The message for a user.
    pub(super) fn says(&self, flow: &FlowPlan) -> String {
        let Self { key, error } = self;
        let hint = match Errno::from_io_error(error) {
            Some(Errno::ACCESS) if matches!(flow.spec.traffic, Traffic::Ping { .. }) => {
                "; the namespace's net.ipv4.ping_group_range must hold our group"
            }
            Some(Errno::ADDRNOTAVAIL) if *key == connections(flow) => {
                "; connections that ended within the last minute still hold all local ports; use \
                 fewer connections, pages or objects, or a longer `pause`"
            }
            _ => "",
        };
        format!("flow.{}.{key}: the kernel refuses it: {error}{hint}", flow.name)
    }

    /// The error with the message for a user, which ends the thread.
    pub(super) fn fatal(self, flow: &FlowPlan) -> io::Error {
        io::Error::other(self.says(flow))
    }
}
