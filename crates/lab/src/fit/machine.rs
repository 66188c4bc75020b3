//! The abilities of this machine's kernel.

use std::fs;

use rustix::process::{Resource, getrlimit};

/// The properties of a machine that decide whether a scenario is fit for it.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// The congestion controls that sockets can choose.
    pub(super) congestion: Vec<String>,
    /// True if CUBIC has HyStart; `None` if the kernel does not say.
    pub(super) hystart: Option<bool>,
    /// CUBIC's beta, in 1024ths; `None` if the kernel does not say.
    pub(super) beta: Option<u32>,
    /// The release: Linux 6.18 is (6, 18).
    pub(super) release: (u32, u32),
    /// The most file descriptors that a process may have, once it raises its limit.
    pub(super) descriptors: u64,
}

impl Machine {
    /// The machine that this runs on. Unknown properties stay unset, and count as the usual ones.
    pub(super) fn here() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let congestion = read("/proc/sys/net/ipv4/tcp_available_congestion_control");
        let hystart = read("/sys/module/tcp_cubic/parameters/hystart");
        Self {
            congestion: congestion.split_whitespace().map(str::to_owned).collect(),
            hystart: hystart.trim().parse().ok().map(|value: u32| value != 0),
            beta: read("/sys/module/tcp_cubic/parameters/beta").trim().parse().ok(),
            release: release(&read("/proc/sys/kernel/osrelease")),
            descriptors: getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX),
        }
    }
}

/// The first two numbers of `6.18.44-generic`.
fn release(text: &str) -> (u32, u32) {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map_while(|part| part.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_have_two_numbers() {
        assert_eq!(release("6.18.44-fc-v669"), (6, 18));
        assert_eq!(release("5.4"), (5, 4));
        assert_eq!(release("strange"), (0, 0));
    }
}
