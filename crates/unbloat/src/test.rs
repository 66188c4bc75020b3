//! `unbloat test`: load and latency of the path to a server.

#[cfg(target_os = "linux")]
mod client;
#[cfg(target_os = "linux")]
mod live;
#[cfg(all(feature = "responsiveness", target_os = "linux"))]
mod responsiveness;

#[cfg(not(target_os = "linux"))]
use std::path::Path;

#[cfg(not(target_os = "linux"))]
use results::Measurement;

use crate::args::TestArgs;
use crate::failure::Failure;

#[cfg(target_os = "linux")]
pub(crate) use client::{measure, remote_server};

/// Runs `unbloat test` with these arguments.
#[cfg(target_os = "linux")]
pub(crate) fn test(args: &TestArgs) -> Result<(), Failure> {
    #[cfg(feature = "responsiveness")]
    if args.ietf.responsiveness {
        return responsiveness::test(args);
    }
    client::test(args)
}

/// Fails: a test needs Linux.
#[cfg(not(target_os = "linux"))]
pub(crate) fn test(_: &TestArgs) -> Result<(), Failure> {
    Err(needs_linux())
}

/// Fails: a test needs Linux.
#[cfg(not(target_os = "linux"))]
pub(crate) fn measure(_: &str, _: Option<&Path>, _: bool) -> Result<Measurement, Failure> {
    Err(needs_linux())
}

#[cfg(not(target_os = "linux"))]
fn needs_linux() -> Failure {
    Failure::Run("a test needs Linux, whose TCP tells how its connections are doing".into())
}
