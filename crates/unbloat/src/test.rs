//! `unbloat test`: load and latency of the path to a server.

#[cfg(target_os = "linux")]
mod client;
#[cfg(target_os = "linux")]
mod live;
#[cfg(all(feature = "responsiveness", target_os = "linux"))]
mod responsiveness;

use crate::args::TestArgs;
use crate::failure::Failure;

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
    Err(Failure::Run("a test needs Linux, whose TCP tells how its connections are doing".into()))
}
