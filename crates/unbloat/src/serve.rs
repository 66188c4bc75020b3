//! `unbloat serve`: the far end of `unbloat test`.

use crate::args::ServeArgs;
use crate::failure::Failure;

#[cfg(all(feature = "responsiveness", target_os = "linux"))]
mod responsiveness;
#[cfg(target_os = "linux")]
mod server;

#[cfg(target_os = "linux")]
pub(crate) use server::token;

/// Serves until it is stopped.
#[cfg(target_os = "linux")]
pub(crate) fn serve(args: &ServeArgs) -> Result<(), Failure> {
    #[cfg(feature = "responsiveness")]
    if args.ietf.responsiveness {
        return responsiveness::serve(args);
    }
    server::serve(args)
}

/// Fails: the server needs Linux.
#[cfg(not(target_os = "linux"))]
pub(crate) fn serve(_: &ServeArgs) -> Result<(), Failure> {
    let missing = "the server needs Linux, whose TCP tells how its connections are doing";
    Err(Failure::Run(missing.into()))
}
