//! `unbloat test --responsiveness`: the IETF's measurement.

use observation::Heading;
use responsiveness::{Error, Parameters, Progress, Test, Trust};

use crate::args::TestArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::message::note;
use crate::output;

/// Measures, and prints what was found.
pub(super) fn test(args: &TestArgs) -> Result<(), Failure> {
    let url = args.server.clone().ok_or_else(|| {
        let wrong = "name the URL of a server of the IETF's responsiveness, such as one of `unbloat \
                     serve --responsiveness`: unbloat test --responsiveness https://nq.example.net";
        Failure::Input(wrong.into())
    })?;
    let test = plan(args, url);
    interrupt::watch()?;
    let mut tell = |progress: Progress| {
        if !args.volume.quiet {
            note(line(&progress));
        }
    };
    let found = responsiveness::test(&test, &interrupt::asked, &mut tell)
        .map_err(|error| failure(error, args.ietf.insecure))?;
    if args.json {
        return output::print(&report::json(&report::told(found)));
    }
    output::print(&report::responsiveness_text(&found, output::style()))
}

fn plan(args: &TestArgs, url: String) -> Test {
    let headings = match (args.up, args.down) {
        (true, _) => vec![Heading::Up],
        (_, true) => vec![Heading::Down],
        _ => vec![Heading::Down, Heading::Up],
    };
    let interval = args.ietf.interval;
    let mut parameters = Parameters { interval, ..Parameters::default() };
    if let Some(time) = args.time {
        let intervals = time.as_nanos().div_ceil(interval.as_nanos().max(1));
        parameters.most_intervals = usize::try_from(intervals).unwrap_or(usize::MAX);
    }
    let trust = if args.ietf.insecure { Trust::Anybody } else { Trust::System };
    Test { url, trust, parameters, headings }
}

/// An interval in a line.
fn line(progress: &Progress) -> String {
    let Progress { heading, intervals, saturated, connections, goodput_mbit, rpm } = progress;
    let heading = heading.in_words();
    let until = if *saturated { "responsiveness" } else { "goodput" };
    let rpm = rpm.map_or("no".into(), |rpm| format!("{rpm:.0}"));
    format!(
        "{heading}, interval {intervals}: {goodput_mbit:.1} Mbit/s on {connections} connections, \
         {rpm} round trips a minute, until {until} settles"
    )
}

fn failure(error: Error, insecure: bool) -> Failure {
    let hint = match &error {
        Error::Tls { .. } if !insecure => {
            "; a server that made its own certificate needs --insecure"
        }
        _ => "",
    };
    if error.is_input() {
        return Failure::Input(error.to_string());
    }
    Failure::Run(format!("{error}{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_line() {
        let mut progress = Progress {
            heading: Heading::Up,
            intervals: 3,
            saturated: false,
            connections: 3,
            goodput_mbit: 1.87,
            rpm: None,
        };
        let text = line(&progress);
        assert!(text.starts_with("upload, interval 3: 1.9 Mbit/s on 3 connections, no"), "{text}");
        progress.rpm = Some(57.3);
        assert!(line(&progress).contains("57 round trips a minute, until goodput settles"));
    }
}
