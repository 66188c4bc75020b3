//! ns-2's trace of a queue: a line for each packet that arrives (`+`), leaves (`-`), is dropped
//! (`d`) or has reached the far end (`r`), with the fields event, time, from, to, kind, size,
//! flags, flow, source, destination, number, identity.

use std::collections::HashMap;

use stats::{ascending, quantile};

use super::answer::Answer;

/// The events at the queue.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// The arrival times of the waiting packets, by identity.
    arrived: HashMap<u64, f64>,
    sojourns_ms: Vec<f64>,
    pub(super) drops: u64,
    /// The lines that are the program's answer and not part of the trace.
    answer: String,
}

impl Trace {
    /// Reads one line.
    pub(super) fn line(&mut self, line: &str) -> Result<(), String> {
        let (what, rest) = line.split_at_checked(2).unwrap_or((line, ""));
        match what {
            "+ " | "- " | "d " => {}
            "r " => return Ok(()),
            _ => {
                self.answer += line;
                self.answer.push('\n');
                return Ok(());
            }
        }
        let (time_s, identity) =
            event(rest).ok_or_else(|| format!("`{line}` is not a line of a trace"))?;
        match (what, self.arrived.remove(&identity)) {
            ("+ ", _) => {
                self.arrived.insert(identity, time_s);
            }
            ("- ", Some(arrival_s)) => self.sojourns_ms.push((time_s - arrival_s) * 1e3),
            ("d ", _) => self.drops += 1,
            _ => return Err(format!("`{line}`: it leaves, and never arrived")),
        }
        Ok(())
    }

    /// The number of packets that have left.
    pub(super) fn packets(&self) -> u64 {
        self.sojourns_ms.len() as u64
    }

    /// The sojourn, in milliseconds, that this part of the packets did not exceed; `None` if no
    /// packet has left.
    pub(super) fn quantile_ms(&self, part: f64) -> Option<f64> {
        quantile(&ascending(self.sojourns_ms.iter().copied()), part)
    }

    /// The program's answer.
    pub(super) fn answer(&self) -> Result<Answer, String> {
        Answer::read(&self.answer)
    }
}

/// The time of an event, and the packet's identity.
fn event(rest: &str) -> Option<(f64, u64)> {
    let mut words = rest.split_ascii_whitespace();
    let time_s = words.next()?.parse().ok()?;
    let identity = words.nth(9)?.parse().ok()?;
    Some((time_s, identity))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "\
+ 0.0255 1 2 tcp 1500 ------- 0 0.0 3.0 0 2
- 0.0255 1 2 tcp 1500 ------- 0 0.0 3.0 0 2
+ 0.0256 1 2 tcp 1500 ------- 0 0.0 3.0 1 4
+ 0.0257 1 2 ping 84 ------- 0 0.1 3.1 -1 5
d 0.0257 1 2 ping 84 ------- 0 0.1 3.1 -1 5
r 0.0275 1 2 tcp 1500 ------- 0 0.0 3.0 0 2
- 0.0267 1 2 tcp 1500 ------- 0 0.0 3.0 1 4
+ 0.0300 1 2 tcp 1500 ------- 0 0.0 3.0 2 6
= goodput_bytes 2896
= peak_kib 9000
";

    #[test]
    fn packets_are_followed_by_their_identity() {
        let mut trace = Trace::default();
        LINES.lines().for_each(|line| trace.line(line).unwrap());
        assert_eq!((trace.packets(), trace.drops), (2, 1));
        assert_eq!(trace.quantile_ms(0.0), Some(0.0));
        assert!((trace.quantile_ms(0.95).unwrap() - 1.1).abs() < 1e-9);
        assert_eq!(trace.answer().unwrap().count("goodput_bytes"), Ok(2896));
    }

    #[test]
    fn an_empty_trace_has_no_quantiles() {
        assert_eq!(Trace::default().quantile_ms(0.5), None);
    }

    #[test]
    fn nonsense_is_an_error() {
        let wrong = ["- 0.1 1 2 tcp 1500 ------- 0 0.0 3.0 0 7", "+ 0.1 1 2", "d x y"];
        for line in wrong {
            assert!(Trace::default().line(line).unwrap_err().contains(line));
        }
    }
}
