//! `unbloat watch`: targets that are probed around the clock.

#[cfg(target_os = "linux")]
mod book;
#[cfg(target_os = "linux")]
mod hook;
#[cfg(target_os = "linux")]
mod show;
#[cfg(target_os = "linux")]
mod tester;
#[cfg(target_os = "linux")]
mod time;
#[cfg(target_os = "linux")]
mod work;

#[cfg(target_os = "linux")]
pub(crate) use work::watch;

/// Says that nothing is watched here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn watch(_: &crate::args::WatchArgs) -> Result<(), crate::failure::Failure> {
    let text = "targets are watched on Linux only";
    Err(crate::failure::Failure::Run(text.into()))
}
