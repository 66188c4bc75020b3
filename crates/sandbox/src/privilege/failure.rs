//! Explains why there is no user namespace.

use std::fs;
use std::io;
use std::path::Path;

use rustix::io::Errno;
use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, capabilities};

/// The step that was tried last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Rehearsal = 1,
    User,
    IdMapping,
    Network,
    Administration,
}

/// The step that failed, and its error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) stage: Stage,
    pub(super) error: Errno,
}

/// The settings of this machine.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    /// `user.max_user_namespaces`; `None` if the kernel has no such setting.
    pub(super) most_user_namespaces: Option<u64>,
    /// `user.max_net_namespaces`; `None` if the kernel has no such setting.
    pub(super) most_network_namespaces: Option<u64>,
    /// `kernel.unprivileged_userns_clone` of Debian's kernels; `None` on others.
    pub(super) debian: Option<u64>,
    /// `kernel.apparmor_restrict_unprivileged_userns` of Ubuntu's kernels; `None` on others.
    pub(super) ubuntu: Option<u64>,
    /// True if the kernel has user namespaces at all.
    pub(super) has_user_namespaces: bool,
    /// True if a filter of system calls applies to this process, as in containers.
    pub(super) is_filtered: bool,
    /// True if the user id is 0.
    pub(super) is_root: bool,
    /// True if root may be mapped into a user namespace (`CAP_SETFCAP`).
    pub(super) may_map_root: bool,
}

impl Settings {
    pub(super) fn of_this_machine() -> Self {
        let number = |name: &str| {
            let text = fs::read_to_string(format!("/proc/sys/{name}")).ok()?;
            text.trim().parse().ok()
        };
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self {
            most_user_namespaces: number("user/max_user_namespaces"),
            most_network_namespaces: number("user/max_net_namespaces"),
            debian: number("kernel/unprivileged_userns_clone"),
            ubuntu: number("kernel/apparmor_restrict_unprivileged_userns"),
            has_user_namespaces: Path::new("/proc/self/ns/user").exists(),
            is_filtered: status.lines().any(|line| line == "Seccomp:\t2"),
            is_root: geteuid().is_root(),
            may_map_root: capabilities(None)
                .is_ok_and(|sets| sets.effective.contains(CapabilitySet::SETFCAP)),
        }
    }

    /// True if this root cannot be mapped. user_namespaces(7): mapping the parent's user 0 needs
    /// `CAP_SETFCAP` there.
    fn is_unmappable_root(&self) -> bool {
        self.is_root && !self.may_map_root
    }
}

impl Failure {
    pub(super) fn new(stage: Stage, error: &io::Error) -> Self {
        let by_kind = match error.kind() {
            io::ErrorKind::PermissionDenied => Errno::PERM,
            _ => Errno::IO,
        };
        Self { stage, error: kernel::errno(error).unwrap_or(by_kind) }
    }

    /// The bytes for the pipe from child to parent.
    pub(super) fn to_bytes(result: Result<(), Self>) -> [u8; 2] {
        // Linux has no error numbers beyond 133.
        result.map_or_else(
            |failed| [failed.stage as u8, failed.error.raw_os_error() as u8],
            |()| [0; 2],
        )
    }

    pub(super) fn from_bytes([stage, error]: [u8; 2]) -> Result<(), Self> {
        let stages = [Stage::User, Stage::IdMapping, Stage::Network, Stage::Administration];
        if stage == 0 {
            return Ok(());
        }
        let stage = stages.into_iter().find(|known| *known as u8 == stage);
        let error = Errno::from_raw_os_error(error.into());
        Err(Self { stage: stage.unwrap_or(Stage::Rehearsal), error })
    }

    /// The explanation: the step that failed, the setting that is the reason, and the remedy.
    pub(super) fn explain(self, settings: &Settings) -> String {
        let what = match self.stage {
            Stage::Rehearsal => "cannot start a process to try namespaces in",
            Stage::User => "cannot make a user namespace",
            Stage::IdMapping => "cannot map ids into a user namespace",
            Stage::Network => "cannot make a network namespace in a user namespace",
            Stage::Administration => "has no rights in its own user namespace",
        };
        let error = io::Error::from(self.error);
        let why = self.why(settings);
        let or = match settings.is_root {
            true => "give this root CAP_SYS_ADMIN and CAP_NET_ADMIN, with which it needs none",
            false => "run the lab as root",
        };
        format!("the lab {what} ({error}): {why}, or {or}")
    }

    /// The setting that is the reason, and the way to change it.
    fn why(self, settings: &Settings) -> String {
        let refused = matches!(self.error, Errno::PERM | Errno::ACCESS);
        if !settings.has_user_namespaces {
            "this kernel was built without CONFIG_USER_NS; use one that has it".to_owned()
        } else if settings.most_user_namespaces == Some(0) {
            setting("user.max_user_namespaces", "0", "15000")
        } else if self.stage == Stage::Network && settings.most_network_namespaces == Some(0) {
            setting("user.max_net_namespaces", "0", "15000")
        } else if matches!(self.error, Errno::NOSPC | Errno::USERS) {
            "there are too many namespaces, or they are nested too deeply (32): end some, or raise \
             user.max_user_namespaces and user.max_net_namespaces"
                .to_owned()
        } else if refused && self.stage == Stage::IdMapping && settings.is_unmappable_root() {
            "root needs CAP_SETFCAP to have a name there (since Linux 5.12); give it that, run the \
             lab as an ordinary user"
                .to_owned()
        } else if refused && settings.debian == Some(0) {
            setting("kernel.unprivileged_userns_clone", "0", "1")
        } else if refused && settings.ubuntu.is_some_and(|value| value != 0) {
            let name = "kernel.apparmor_restrict_unprivileged_userns";
            format!(
                "{}, or give this program an AppArmor profile with `userns,`",
                setting(name, "1", "0")
            )
        } else if refused && settings.is_filtered {
            "a filter of system calls (seccomp) forbids it, as in most containers; start the \
             container with --security-opt seccomp=unconfined or --privileged"
                .to_owned()
        } else if self.error == Errno::INVAL && self.stage == Stage::Network {
            "this kernel was built without CONFIG_NET_NS; use one that has it".to_owned()
        } else {
            "a security module, a chroot or a container forbids it; try outside of it".to_owned()
        }
    }
}

fn setting(name: &str, is: &str, should_be: &str) -> String {
    format!("the setting {name} is {is}; allow it with `sudo sysctl -w {name}={should_be}`")
}
