//! The link in front of a command, as a scenario without flows.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use qdisc::QdiscSpec;
use scenario::{Origin, Scenario, ScenarioError};
use serde_json::{Value, json};
use units::{Prob, Rate, Span};

use super::overrides;
use crate::args::{LinkArgs, ScenarioArgs};
use crate::failure::Failure;

/// The file name of the generated scenario text in error messages. No real file can have this name.
const NAME: &str = "/the link/";

/// The link that the options describe, as a scenario without flows. `command` gives the run its
/// title.
pub(crate) fn link(
    args: &LinkArgs,
    changes: &ScenarioArgs,
    command: &[OsString],
) -> Result<Scenario, Failure> {
    let strange = changes.overrides.iter().find(|change| !change.path.starts_with("link."));
    if let Some(change) = strange {
        return Err(Failure::Input(format!(
            "--set {}: a COMMAND has a link only; write --set link.link.KEY=VALUE, as in --set \
             link.link.reverse.overhead=14",
            change.path
        )));
    }
    let (up, down) = (DirectionArgs::up(args), DirectionArgs::down(args));
    let rtt = args.rtt.unwrap_or_default().as_nanos();
    let text = text(&up.json(rtt / 2), &down.json(rtt - rtt / 2));
    let traces = [up.trace()?, down.trace()?];
    let read_trace = |path: &str| {
        let trace = traces.iter().flatten().find(|(name, _)| name == path);
        trace.map(|(_, text)| text.clone()).ok_or_else(|| io::ErrorKind::NotFound.into())
    };
    let parsed = Scenario::parse(&text, NAME, &overrides(changes), &read_trace);
    let mut scenario = parsed.map_err(|error| failure(error, &up, &down))?;
    scenario.flows.clear();
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    // A script may have many lines; a title has one.
    scenario.title = words.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(scenario)
}

/// The trace files that the options name.
pub(crate) fn traces(args: &LinkArgs) -> Vec<&Path> {
    let traces = [&args.trace, &args.up_trace, &args.down_trace];
    traces.into_iter().filter_map(Option::as_deref).collect()
}

/// The settings of one direction, rate and trace with the options that gave them.
struct DirectionArgs<'a> {
    rate: Option<(&'static str, Rate)>,
    trace: Option<(&'static str, &'a PathBuf)>,
    queue: Option<&'a QdiscSpec>,
    loss: Option<Prob>,
}

impl<'a> DirectionArgs<'a> {
    fn up(args: &'a LinkArgs) -> Self {
        let own = Self {
            rate: args.up.map(|rate| ("--up", rate)),
            trace: args.up_trace.as_ref().map(|trace| ("--up-trace", trace)),
            queue: args.up_queue.as_ref(),
            loss: args.up_loss,
        };
        own.or_both(args)
    }

    fn down(args: &'a LinkArgs) -> Self {
        let own = Self {
            rate: args.down.map(|rate| ("--down", rate)),
            trace: args.down_trace.as_ref().map(|trace| ("--down-trace", trace)),
            queue: args.down_queue.as_ref(),
            loss: args.down_loss,
        };
        own.or_both(args)
    }

    /// The settings of this direction, and those of both directions where it has none. A
    /// direction's own rate replaces a common trace, and its own trace a common rate.
    fn or_both(self, args: &'a LinkArgs) -> Self {
        let is_own = self.rate.is_some() || self.trace.is_some();
        let both_rate = args.rate.map(|rate| ("--rate", rate)).filter(|_| !is_own);
        let both_trace = args.trace.as_ref().map(|trace| ("--trace", trace)).filter(|_| !is_own);
        Self {
            rate: self.rate.or(both_rate),
            trace: self.trace.or(both_trace),
            queue: self.queue.or(args.queue.as_ref()),
            loss: self.loss.or(args.loss),
        }
    }

    /// The direction in the form of a scenario file, with all keys spelled out.
    fn json(&self, delay_nanos: u64) -> Value {
        let rate = match (self.rate, self.trace) {
            (_, Some((_, trace))) => json!({ "trace": trace.to_string_lossy() }),
            (Some((_, rate)), None) => json!(rate.to_string()),
            (None, None) => json!("unlimited"),
        };
        let mut way = json!({ "rate": rate, "delay": Span::from_nanos(delay_nanos).to_string() });
        if let Some(queue) = self.queue {
            way["queue"] = json!(queue.to_string());
        }
        if let Some(loss) = self.loss {
            way["loss"] = json!(loss.to_string());
        }
        way
    }

    /// The name of the trace in the scenario, and the text of the trace. `None` if no trace was
    /// asked for.
    fn trace(&self) -> Result<Option<(String, String)>, Failure> {
        let Some((option, path)) = self.trace else { return Ok(None) };
        let wrong = |why: &dyn std::fmt::Display| {
            Failure::Input(format!("{option} {}: {why}", path.display()))
        };
        match read(path) {
            Ok(text) => Ok(Some((path.to_string_lossy().into_owned(), text))),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(wrong(&"it is not text, and so no trace"))
            }
            Err(error) => Err(wrong(&error)),
        }
    }
}

/// The text of a scenario with this link. A scenario must have a flow, which [`link`] removes
/// again.
fn text(up: &Value, down: &Value) -> String {
    let mut link = json!({ "name": "link", "from": "here", "to": "peer" });
    for (key, value) in up.as_object().into_iter().flatten() {
        link[key] = value.clone();
    }
    link["reverse"] = down.clone();
    // In a scenario file the reverse direction inherits what it does not set; here it must not.
    for (key, otherwise) in [("queue", "pfifo limit 1000"), ("loss", "0%")] {
        if link["reverse"].get(key).is_none() {
            link["reverse"][key] = json!(otherwise);
        }
    }
    let flow = json!([{ "name": "ping", "from": "here", "to": "peer", "traffic": "ping" }]);
    json!({ "duration": "24h", "link": [link], "flow": flow }).to_string()
}

/// The text of a file of at most 16 MiB, more than any trace has.
fn read(path: &Path) -> io::Result<String> {
    const LARGEST: u64 = 16 << 20;
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name a file"));
    }
    let mut text = String::new();
    let length = File::open(path)?.take(LARGEST + 1).read_to_string(&mut text)?;
    if length as u64 > LARGEST {
        let message = "it is larger than 16 MiB, the most that is read";
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

/// The failure, with the option that caused it.
fn failure(error: ScenarioError, up: &DirectionArgs<'_>, down: &DirectionArgs<'_>) -> Failure {
    if error.origin != Origin::File(NAME.into()) {
        return error.into();
    }
    let way = if error.field.contains(".reverse.") { down } else { up };
    let option = match error.field.rsplit('.').next() {
        Some("delay") => "--rtt, of which half is each way",
        Some("rate") => way.rate.map_or("--rate", |(option, _)| option),
        Some("trace") => way.trace.map_or("--trace", |(option, _)| option),
        _ => return error.into(),
    };
    Failure::Input(format!("{option}: {}", error.message))
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use scenario::{LossPlan, RatePlan};

    use super::*;
    use crate::args::{Args, Verb};

    fn meant(options: &[&str]) -> Result<Scenario, String> {
        let typed = [&["unbloat", "lab"], options, &["--", "wget", "-q"]].concat();
        let Some(Verb::Lab(args)) = Args::try_parse_from(typed).map_err(|e| e.to_string())?.verb
        else {
            panic!("not what was typed")
        };
        match link(&args.link, &args.scenario, &args.command) {
            Ok(scenario) => Ok(scenario),
            Err(Failure::Input(message)) => Err(message),
            Err(other) => panic!("{other:?} is no mistake of the user"),
        }
    }

    #[test]
    fn without_options_the_link_does_nothing() {
        let scenario = meant(&[]).unwrap();
        assert_eq!((scenario.title.as_str(), scenario.flows.len()), ("wget -q", 0));
        let [link] = &scenario.links[..] else { panic!("{:?}", scenario.links) };
        assert_eq!((link.name.as_str(), link.from.as_str()), ("link", "here"));
        assert_eq!(
            (&link.directions.forward.rate, link.directions.forward.delay),
            (&None, Span::ZERO)
        );
        assert_eq!(link.directions.forward.queue.to_string(), "pfifo limit 1000p");
        assert_eq!(link.directions.forward, link.directions.reverse);
    }

    #[test]
    fn what_is_said_of_both_directions_holds_for_both() {
        let options = ["--rate", "10mbit", "--rtt", "25ms", "--queue", "codel", "--loss", "1%"];
        let scenario = meant(&options).unwrap();
        let link = &scenario.links[0];
        assert_eq!(link.directions.forward, link.directions.reverse);
        assert_eq!(link.directions.forward.rate, Some(RatePlan::Constant(Rate::from_mbit(10))));
        assert_eq!(link.directions.forward.delay, Span::from_micros(12_500));
        assert!(link.directions.forward.queue.to_string().starts_with("codel"));
        assert_eq!(link.directions.forward.loss, LossPlan::Random("1%".parse().unwrap()));
    }

    #[test]
    fn one_direction_goes_before_both() {
        let options = ["--rate", "10mbit", "--up", "2mbit", "--down-queue", "fq_codel"];
        let link = meant(&options).unwrap().links.remove(0);
        assert_eq!(link.directions.forward.rate, Some(RatePlan::Constant(Rate::from_mbit(2))));
        assert_eq!(link.directions.reverse.rate, Some(RatePlan::Constant(Rate::from_mbit(10))));
        assert_eq!(link.directions.forward.queue.to_string(), "pfifo limit 1000p");
        assert!(link.directions.reverse.queue.to_string().starts_with("fq_codel"));
        // What is said of the way up alone is not said of the way down.
        let link = meant(&["--up-queue", "codel", "--up-loss", "2%"]).unwrap().links.remove(0);
        assert_eq!(link.directions.reverse.queue.to_string(), "pfifo limit 1000p");
        assert_eq!(
            (link.directions.reverse.loss, link.directions.reverse.rate),
            (LossPlan::None, None)
        );
    }

    #[test]
    fn a_trace_takes_the_place_of_a_rate() {
        let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/traces/fading.trace");
        let link = meant(&["--rate", "10mbit", "--down-trace", trace]).unwrap().links.remove(0);
        assert!(matches!(link.directions.forward.rate, Some(RatePlan::Constant(_))));
        assert!(
            matches!(link.directions.reverse.rate, Some(RatePlan::Trace { .. })),
            "{:?}",
            link.directions.reverse
        );
        let link = meant(&["--trace", trace, "--up", "1mbit"]).unwrap().links.remove(0);
        assert!(matches!(link.directions.forward.rate, Some(RatePlan::Constant(_))));
        assert!(matches!(link.directions.reverse.rate, Some(RatePlan::Trace { .. })));
    }

    #[test]
    fn what_no_option_says_can_be_set() {
        let set = ["--set", "link.link.overhead=14", "--seed", "9"];
        let scenario = meant(&set).unwrap();
        assert_eq!(scenario.links[0].directions.forward.overhead.0, 14);
        assert_eq!(scenario.seed, 9);
    }

    #[test]
    fn a_mistake_is_told_with_its_option() {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        for (options, parts) in [
            (&["--rate", "10"][..], &["--rate", "unit", "10mbit"][..]),
            (&["--up", "1bit"], &["--up: ", "too little", "100bit"]),
            (&["--down", "1mbps"], &["--down", "ambiguous"]),
            (&["--rtt", "9999h"], &["--rtt", "too much"]),
            (&["--queue", "pffio"], &["--queue", "pffio"]),
            (&["--loss", "200%"], &["--loss"]),
            (&["--rate", "1mbit", "--trace", "x"], &["--rate", "--trace"]),
            (&["--up", "1mbit", "--up-trace", "x"], &["--up", "--up-trace"]),
            (&["--trace", "nowhere"], &["--trace nowhere: No such file"]),
            (&["--trace", "."], &["--trace .: it is a folder"]),
            (&["--down-trace", manifest], &["--down-trace: ", "line 1"]),
            (&["--set", "duration=5s"], &["--set duration", "link.link.KEY=VALUE"]),
            (&["--set", "link.link.dealy=5s"], &["--set link.link.dealy=5s", "delay"]),
        ] {
            let message = meant(options).expect_err("a mistake");
            for part in parts {
                assert!(message.contains(part), "{options:?}: no {part:?} in {message}");
            }
        }
    }
}
