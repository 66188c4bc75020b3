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
mod targets;
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
        None => {
            no_folder(&args.targets)?;
            work::watch(args)
        }
        Some(WatchVerb::Export(args)) => export::export(args),
        Some(WatchVerb::Mark(args)) => export::mark(args),
    }
}

/// Fails if a target is the folder of a watch: `unbloat watch exprot home` would ping two hosts.
#[cfg(target_os = "linux")]
fn no_folder(targets: &[String]) -> Result<(), Failure> {
    let is_store = |target: &&String| page::is_store(std::path::Path::new(target));
    let Some(folder) = targets.iter().find(is_store) else { return Ok(()) };
    let verb = targets.first().filter(|first| *first != folder);
    Err(Failure::Input(match verb.and_then(|verb| units::nearest(verb, &["export", "mark"])) {
        Some(verb) => format!("did you mean `unbloat watch {verb} {folder}`?"),
        None => format!(
            "{folder} is the folder of a watch and no target; to go on with it, name its targets and \
             --store {folder}"
        ),
    }))
}

/// Says that nothing is watched here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn watch(_: &WatchArgs) -> Result<(), Failure> {
    Err(Failure::Run("targets are watched on Linux only".into()))
}
