//! What `unbloat shape DEV --status` prints of its queues, as text or as a document, in the form of tc.

use results::{Shaping, ShapingState};

use crate::readback::Settings;
use crate::script::ifb;

/// What begins the line that tells the state of the shaper.
const STATE: &str = "shaper ";

/// What is shown in the form that tc has where the download passes through a device of its own: the shaper
/// shows the queues of both directions with the name of the interface, and `ingress` tells them apart.
pub(crate) fn as_tc(shown: &str, wan: &str) -> String {
    let text = document(shown).unwrap_or_else(|| shown.to_owned());
    let (both, other) = (format!(" dev {wan} root"), format!(" dev {} root", ifb(wan)));
    let is_download = |line: &str| line.split_whitespace().any(|word| word == "ingress");
    let line = |line: &str| match is_download(line) {
        true => line.replacen(&both, &other, 1) + "\n",
        false => line.to_owned() + "\n",
    };
    text.lines().map(line).collect()
}

/// The document of a shaper as lines; `None` if the text is none.
fn document(text: &str) -> Option<String> {
    let shaping: Shaping = serde_json::from_str(text).ok()?;
    let name = &shaping.interface;
    let queues = [&shaping.up, &shaping.down].into_iter().flatten().map(|direction| {
        let (kind, words) = direction.queue.split_once(' ').unwrap_or((&direction.queue, ""));
        format!("qdisc {kind} 1: dev {name} root {words}\n")
    });
    let state = match shaping.state {
        ShapingState::Shaping => SHAPING,
        ShapingState::Passing => "lets packets pass",
        ShapingState::Waiting => "waits for the interface",
    };
    Some(format!("{STATE}{state}\n{}", queues.collect::<String>()))
}

/// The state of a shaper whose queues are at work.
const SHAPING: &str = "shapes";

/// Reads the state of the shaper, which only its document tells, from what is shown and from a plan.
pub(crate) fn state(text: &str) -> Option<Settings> {
    let shown = text.lines().find_map(|line| line.strip_prefix(STATE));
    let planned = text.lines().any(|line| line.starts_with("ExecStart=")).then_some(SHAPING);
    let state = shown.or(planned)?;
    Some(vec![("state of the shaper".to_owned(), state.to_owned())])
}
