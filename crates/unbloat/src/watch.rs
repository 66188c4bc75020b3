//! `unbloat watch`: targets that are probed around the clock.

#[cfg(target_os = "linux")]
mod book;
#[cfg(target_os = "linux")]
mod export;
#[cfg(target_os = "linux")]
mod hook;
#[cfg(target_os = "linux")]
mod keep;
#[cfg(target_os = "linux")]
pub(crate) mod page;
#[cfg(target_os = "linux")]
mod show;
#[cfg(target_os = "linux")]
mod tester;
#[cfg(target_os = "linux")]
mod time;
#[cfg(target_os = "linux")]
mod work;

use crate::args::WatchArgs;
use crate::failure::Failure;

/// Does what was typed.
#[cfg(target_os = "linux")]
pub(crate) fn watch(args: &WatchArgs) -> Result<(), Failure> {
    use crate::args::WatchVerb;
    match &args.verb {
        None => work::watch(args),
        Some(WatchVerb::Export(args)) => export::export(args),
        Some(WatchVerb::Mark(args)) => export::mark(args),
    }
}

/// Says that nothing is watched here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn watch(_: &WatchArgs) -> Result<(), Failure> {
    Err(Failure::Run("targets are watched on Linux only".into()))
}
