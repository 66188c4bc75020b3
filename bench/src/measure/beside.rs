//! Other programs over the same link, each compared with the truth of the same time.
//!
//! irtt and fping make no load, so iperf3 does it for them, with four connections. Flent makes load
//! with netperf. All three measure round trips only, or assume that both clocks are one; the path's
//! own 20 ms are subtracted.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use flate2::read::GzDecoder;
use lab::{Between, Clock, Node, Options};
use observation::Heading;
use results::{DelaySpread, Validity};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::case::{HEADINGS, MODEM};
use super::programs::{self, Background};
use super::run_case::wait;
use super::time_of_day::TimeOfDay;
use super::truth::{spread, waits};

/// The result of one program for one direction.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) tool: String,
    pub(super) heading: Heading,
    pub(super) said: DelaySpread,
    pub(super) truth: DelaySpread,
}

/// The observations of the link by one program.
struct Seen {
    tool: &'static str,
    heading: Heading,
    /// Round trips in milliseconds.
    delays: Vec<f64>,
    /// The time of the observations, by the lab's clock.
    window: [f64; 2],
}

/// The results of all programs that are installed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Beside {
    pub(super) rows: Vec<Row>,
    /// The programs that could not be run, and why.
    pub(super) absent: Vec<String>,
    pub(super) validity: Validity,
}

/// The seconds of load before the observation, so that the buffer is full, and of the observation.
const FILLS_S: u32 = 8;
const LOOKS_S: u32 = 10;
/// Flent's own idle time at each end, in seconds.
const EDGE_S: f64 = 5.0;

/// Runs the programs one after the other over the link by which the project is judged. It needs a
/// process of its own with one thread.
pub(super) fn run() -> Result<Beside, String> {
    let scenario = MODEM.scenario()?;
    lab::isolate().map_err(|error| error.to_string())?;
    let options = Options { congestion: Some("cubic".into()), ..Options::default() };
    let mut absent = Vec::new();
    let work = |nodes: &[Node<'_>], clock| all(nodes, clock, &mut absent);
    let Between { document, datagrams, answer } =
        lab::between(&scenario, options, work).map_err(|error| error.to_string())?;
    let row = |seen: Seen| {
        let base = MODEM.rtt_ms as f64;
        Row {
            tool: seen.tool.into(),
            heading: seen.heading,
            said: spread(seen.delays.iter().map(|delay| delay - base).collect()),
            truth: waits(datagrams.of(MODEM.direction(seen.heading)), seen.window),
        }
    };
    let rows = answer.into_iter().map(row).collect();
    Ok(Beside { rows, absent, validity: report::told(document).validity.unwrap_or_default() })
}

fn all(nodes: &[Node<'_>], clock: Clock, absent: &mut Vec<String>) -> Vec<Seen> {
    let [client, .., server] = nodes else { return Vec::new() };
    let mut seen = Vec::new();
    for heading in HEADINGS {
        for (tool, ask) in [("irtt", irtt as Ask), ("fping", fping), ("flent", flent)] {
            match ask(client, server, heading, clock) {
                Ok((delays, window)) => seen.push(Seen { tool, heading, delays, window }),
                Err(why) => absent.push(format!("{tool}, {}: {why}", heading.name())),
            }
        }
    }
    seen
}

/// The delays in milliseconds, and the time window that they cover.
type Answer = Result<(Vec<f64>, [f64; 2]), String>;
type Ask = fn(&Node<'_>, &Node<'_>, Heading, Clock) -> Answer;

fn irtt(client: &Node<'_>, server: &Node<'_>, heading: Heading, clock: Clock) -> Answer {
    let _serving = Background::silent(server.namespace, &mut words("irtt server"))?;
    let _load = load(client, server, heading)?;
    let begin = clock.now().as_secs_f64();
    let command =
        format!("irtt client --timeouts=5s,5s -i 20ms -d {LOOKS_S}s -Q -o - {}", server.address);
    let output = programs::output(client.namespace, &mut words(&command))?;
    let window = [begin, begin + f64::from(LOOKS_S)];
    let document: Value = serde_json::from_slice(&output).map_err(|error| error.to_string())?;
    match irtt_delays(&document) {
        delays if delays.is_empty() => Err(format!("no round trips: {}", document["stats"])),
        delays => Ok((delays, window)),
    }
}

/// The round trips of answered probes, in milliseconds.
fn irtt_delays(document: &Value) -> Vec<f64> {
    let trips = document["round_trips"].as_array().into_iter().flatten();
    let delays = trips.filter_map(|trip| trip["delay"]["rtt"].as_f64());
    delays.map(|nanos| nanos / 1e6).collect()
}

fn fping(client: &Node<'_>, server: &Node<'_>, heading: Heading, clock: Clock) -> Answer {
    let _load = load(client, server, heading)?;
    let begin = clock.now().as_secs_f64();
    // fping waits for an answer no longer than it is told, and counts late answers as lost.
    let command = format!("fping -c {} -p 20 -t 5000 {}", LOOKS_S * 50, server.address);
    let output = programs::output(client.namespace, &mut words(&command))?;
    let window = [begin, begin + f64::from(LOOKS_S)];
    Ok((fping_delays(&String::from_utf8_lossy(&output)), window))
}

/// The delays in lines such as `10.0.0.4 : [3], 64 bytes, 948 ms (930 avg, 0% loss)`. Lost packets
/// have the line `timed out`.
fn fping_delays(text: &str) -> Vec<f64> {
    let delay = |line: &str| line.split_once("bytes, ")?.1.split_once(" ms")?.0.parse().ok();
    text.lines().filter_map(delay).collect()
}

fn flent(client: &Node<'_>, server: &Node<'_>, heading: Heading, clock: Clock) -> Answer {
    let _serving = Background::silent(server.namespace, &mut words("netserver -D"))?;
    let folder = std::env::temp_dir().join(format!("bench-flent-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let (test, streams) = match heading {
        Heading::Up => ("tcp_nup", "upload_streams=4"),
        Heading::Down => ("tcp_ndown", "download_streams=4"),
    };
    let length = FILLS_S + LOOKS_S;
    let command = format!(
        "flent {test} -H {} -l {length} -s 0.1 --test-parameter {streams} -D {} -f summary",
        server.address,
        folder.display()
    );
    let moment = (TimeOfDay::now(), clock.now().as_secs_f64());
    let ended = programs::output(client.namespace, &mut words(&command));
    let seen = ended.and_then(|_| flent_delays(&folder));
    // The folder is private, so it is removed here.
    let _ = fs::remove_dir_all(&folder);
    let (delays, started) = seen?;
    let from = moment.1 + started.since(moment.0) + EDGE_S + f64::from(FILLS_S);
    Ok((delays, [from, from + f64::from(LOOKS_S)]))
}

/// The delays of pings under load, and the start time, from the only data file in the folder.
fn flent_delays(folder: &Path) -> Result<(Vec<f64>, TimeOfDay), String> {
    let wrong = |error: std::io::Error| format!("flent's file: {error}");
    let file = fs::read_dir(folder).map_err(wrong)?.flatten().next();
    let file = File::open(file.ok_or("flent has written no file")?.path()).map_err(wrong)?;
    let document: Value =
        serde_json::from_reader(GzDecoder::new(file)).map_err(|e| e.to_string())?;
    let missing = || "flent's file has no times or no pings".to_owned();
    let times = document["x_values"].as_array().ok_or_else(missing)?;
    let pings = document["results"]["Ping (ms) ICMP"].as_array().ok_or_else(missing)?;
    let started = TimeOfDay::read(document["metadata"]["T0"].as_str().ok_or_else(missing)?)?;
    let from = EDGE_S + f64::from(FILLS_S);
    let window = from..from + f64::from(LOOKS_S);
    let pairs = times.iter().zip(pings);
    let pairs = pairs.filter_map(|(at, ping)| Some((at.as_f64()?, ping.as_f64()?)));
    let loaded = pairs.filter(|(at, _)| window.contains(at)).map(|(_, ping)| ping);
    Ok((loaded.collect(), started))
}

/// A load of four connections, which have filled the buffer on return.
fn load(client: &Node<'_>, server: &Node<'_>, heading: Heading) -> Result<[Background; 2], String> {
    let serving = Background::silent(server.namespace, &mut words("iperf3 --server --one-off"))?;
    wait(Duration::from_millis(300));
    let seconds = FILLS_S + LOOKS_S + 10;
    let back = match heading {
        Heading::Up => "",
        Heading::Down => " --reverse",
    };
    let command = format!("iperf3 --client {} -P 4 -t {seconds}{back}", server.address);
    let loading = Background::silent(client.namespace, &mut words(&command))?;
    wait(Duration::from_secs(FILLS_S.into()));
    Ok([loading, serving])
}

fn words(text: &str) -> Command {
    let mut words = text.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    command
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_others_print_is_read() {
        let text = "10.0.0.4 : [0], 64 bytes, 20.1 ms (20.1 avg, 0% loss)\n\
                    10.0.0.4 : [1], timed out (20.1 avg, 50% loss)\n\
                    10.0.0.4 : [2], 64 bytes, 948 ms (484 avg, 33% loss)\n\n\
                    10.0.0.4 : xmt/rcv/%loss = 3/2/33%, min/avg/max = 20.1/484/948\n";
        assert_eq!(fping_delays(text), [20.1, 948.0]);
        let document = json!({ "round_trips": [
            { "lost": "false", "delay": { "rtt": 2_500_000 } },
            { "lost": "true", "delay": {} },
        ] });
        assert_eq!(irtt_delays(&document), [2.5]);
        assert!(irtt_delays(&json!({})).is_empty());
    }
}
