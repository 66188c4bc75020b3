//! The figures, tables and claims of the five papers, and the command that repeats each.

use std::fmt::Write;

/// A paper with its figures, tables and claims.
struct Contents {
    /// Authors, title, year.
    title: &'static str,
    shown: &'static [(&'static str, How)],
}

/// The way in which a figure, a table or a claim is repeated.
#[derive(Clone, Copy)]
enum How {
    /// By `unbloat reproduce` with these arguments.
    By(&'static str),
    /// Not at all, for this reason.
    Not(&'static str),
}
use How::{By, Not};

/// The papers with which this project began, in order of time.
const CONTENTS: [Contents; 5] = [
    Contents { title: "Gettys, Bufferbloat, a talk (2011)", shown: TALK },
    Contents {
        title: "Gettys and Nichols, Bufferbloat: Dark Buffers in the Internet (2011)",
        shown: ARTICLE,
    },
    Contents {
        title: "Gijsbers and Akkoorath, Performance simulation of buffer bloat in routers",
        shown: GIJSBERS,
    },
    Contents { title: "Nichols and Jacobson, Controlling Queue Delay (2012)", shown: CODEL },
    Contents { title: "APNIC, a home line with CAKE", shown: APNIC },
];

const TALK: &[(&str, How)] = &[
    ("a page's burst of 150 ms at 50 Mbit/s", By("gettys")),
    ("a window of 64 KB (Windows XP) hides the problem", By("gettys")),
    ("satellite, 22 s; a radio link, 400 ms", Not(UNKNOWN_BUFFERS)),
    ("a third of head ends without AQM; servers with ECN", Not(CENSUS)),
];

const ARTICLE: &[(&str, How)] = &[
    ("throughput and delay against what is in flight", By("gettys")),
    ("figures 2 to 4: an upload, its ping, round trips and windows", By("gettys")),
    ("figure 6: a shaper with a good queue", By("gettys")),
    ("256 packets at 100, 10 and 1 Mbit/s", By("gettys")),
    ("Netalyzr: 128 kB at 3 and 1 Mbit/s; the scatter of rates and buffers", By("gettys")),
    ("Netalyzr: what 130,000 sessions found", Not(CENSUS)),
    ("several buffers in a row; a computer's own on Wi-Fi", By("gettys")),
    ("DNS, DHCP and short transfers behind a full buffer of 3 s and 8 s", By("gettys")),
    ("a fibre line, 250 KB in flight", By("gettys")),
    ("DSL above 600 ms, cable above 1 s", Not(UNKNOWN_BUFFERS)),
    ("ten times the buffer, a hundred times the time to react", By("gettys")),
    ("tuning the queues of host and router alone wins 80 %", Not("it depends on his devices")),
];

const GIJSBERS: &[(&str, How)] = &[
    ("table 1 and table 2: experiment 1", By("gijsbers")),
    ("experiment 2: ping over time, queue over time (figure 3)", By("gijsbers")),
    ("longest round trip when the buffer is full", By("gijsbers")),
    ("table 3: experiment 3", By("gijsbers")),
    ("table 4 and table 5: experiments 4 and 5", By("gijsbers")),
    ("latency linear in the buffer, goodput nearly flat", By("gijsbers")),
];

const CODEL: &[(&str, How)] = &[
    ("figures 1 to 4: a good queue and a bad one", By("codel concept")),
    ("figures 5 and 6: links of constant rate", By("codel bandwidth")),
    ("figure 7: a link whose rate changes; ten packets of buffer", By("codel dynamic")),
    ("figure 8: round trips", By("codel rtt")),
    ("figure 9: fairness of drops", By("codel fairness")),
    ("the table: the consumer's edge, and its conclusion", By("codel edge")),
    ("figure 10: three ways to a queue hidden in a modem", By("codel hidden")),
    ("a target below 5 ms, and above", By("codel target")),
    ("an interval of 100 ms from 10 ms to 1 s; NewReno; several thousand runs", By("codel grid")),
    ("BLUE's defaults perform badly", By("codel bandwidth dynamic")),
];

const APNIC: &[(&str, How)] = &[
    ("the line without CAKE: 305 and 48 Mbit/s, ping to 300 ms", By("apnic line")),
    ("uploads that collapse to 5 to 10 Mbit/s beside the downloads", By("apnic line")),
    ("the line with CAKE: 263 and 41 Mbit/s, a flat ping, priorities", By("apnic cake")),
    ("CAKE's `rtt` of 30, 70, 100 and 200 ms", By("apnic rtt")),
];

const CENSUS: &str = "a census of other people's lines; there is nothing to run";
const UNKNOWN_BUFFERS: &str = "the buffers are not known; a run would only return its input";

/// The figures, tables and claims of the papers, and the command that repeats each, as text.
pub fn contents() -> String {
    let mut text = String::new();
    for Contents { title, shown } in &CONTENTS {
        // Writing into a String does not fail.
        let _ = writeln!(text, "\n{title}");
        for (what, how) in *shown {
            let _ = match how {
                By(command) => writeln!(text, "  {what}:\n      unbloat reproduce {command}"),
                Not(why) => writeln!(text, "  {what}:\n      not repeated: {why}"),
            };
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::paper::{PAPERS, Paper};

    /// Each command names a paper and its parts, and each paper and part is named by a command.
    #[test]
    fn commands_and_parts_are_the_same() {
        let mut named = BTreeSet::new();
        for (_, how) in CONTENTS.iter().flat_map(|contents| contents.shown) {
            let By(command) = how else { continue };
            let mut words = command.split(' ');
            let name = words.next().unwrap();
            let paper = PAPERS.iter().find(|paper| paper.name == name);
            let paper = paper.unwrap_or_else(|| panic!("no paper is called {name}"));
            named.insert((name, ""));
            for part in words {
                assert!(paper.parts.contains(&part), "{name} has no part {part}");
                named.insert((name, part));
            }
        }
        // RFC 7928 is none of the five.
        for Paper { name, parts, .. } in PAPERS.iter().filter(|paper| paper.name != "rfc7928") {
            assert!(named.contains(&(*name, "")), "nothing names {name}");
            for part in *parts {
                assert!(named.contains(&(*name, *part)), "nothing names {name} {part}");
            }
        }
    }

    /// The documentation page has this table, line by line.
    #[test]
    fn the_page_shows_the_table() {
        let page = include_str!("../../../docs/reproduce.md");
        for Contents { title, shown } in &CONTENTS {
            assert!(page.contains(&format!("### {title}\n")), "docs/reproduce.md lacks {title}");
            for (what, how) in *shown {
                let line = match how {
                    By(command) => format!("| {what} | `unbloat reproduce {command}` |"),
                    Not(why) => format!("| {what} | not repeated: {why} |"),
                };
                assert!(page.contains(&line), "docs/reproduce.md lacks `{line}`");
            }
        }
    }

    #[test]
    fn the_list_has_all() {
        let text = contents();
        let all = CONTENTS.iter().flat_map(|contents| contents.shown);
        assert!(all.into_iter().all(|(what, _)| text.contains(what)), "{text}");
    }
}
