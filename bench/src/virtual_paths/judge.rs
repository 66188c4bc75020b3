//! Judges each statement of a measurement as true, false or withheld.

use std::fmt;

use observation::Heading;
use observed::{Drawn, DrawnQueue, Measured, Waited, over_time};
use results::{Finding, FindingKind, LoadedDirection, Measurement, QueueKind};

/// The least confidence of a definite statement; below it a statement is only a possibility.
const SAID: f64 = 0.7;

/// The bytes of a full packet.
const FULL: f64 = 1500.0;

/// A statement that was made, or could have been.
pub(super) struct Statement {
    /// The subject of the statement.
    pub(super) what: &'static str,
    /// True if the statement is true; `None` if it was withheld.
    pub(super) right: Option<bool>,
    /// The stated confidence; `None` if there is none.
    pub(super) confidence: Option<f64>,
    heading: Heading,
    words: String,
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is = match self.right {
            Some(true) => "true",
            Some(false) => "FALSE",
            None => "withheld",
        };
        write!(f, "{:<8} {:?} {}: {}", is, self.heading, self.what, self.words)?;
        self.confidence.map_or(Ok(()), |confidence| write!(f, " ({confidence:.2})"))
    }
}

/// A direction, its true properties, and the findings about it.
struct Judge<'a> {
    heading: Heading,
    drawn: &'a Drawn,
    measured: &'a Measured,
    found: &'a LoadedDirection,
}

/// The statements about both directions.
pub(super) fn statements(
    drawn: &Drawn,
    measured: &Measured,
    found: &Measurement,
) -> Vec<Statement> {
    let both = [(Heading::Up, &found.upload), (Heading::Down, &found.download)];
    let judges = both.into_iter().filter_map(|(heading, found)| {
        Some(Judge { heading, drawn, measured, found: found.as_ref()? })
    });
    judges.flat_map(|judge| judge.all()).collect()
}

impl Judge<'_> {
    fn all(&self) -> Vec<Statement> {
        let mut all = vec![self.delay("delay p50", 0.5), self.delay("delay p95", 0.95)];
        all.extend([self.rate(), self.filled(), self.kind()]);
        all.extend(self.line());
        all.extend(self.size());
        all.extend(self.findings());
        all
    }

    fn said(&self, what: &'static str, right: Option<bool>, words: String) -> Statement {
        Statement { what, right, confidence: None, heading: self.heading, words }
    }

    fn has(&self, kind: FindingKind) -> bool {
        self.found.findings.iter().any(|one| one.kind == kind && one.confidence >= SAID)
    }

    /// The statement on a percentile of the delay: true within 2 ms or 2 %, at the ends of the
    /// distribution 5 %.
    fn delay(&self, what: &'static str, part: f64) -> Statement {
        let waits = &self.measured.waits[usize::from(self.heading == Heading::Down)];
        let is_apart =
            matches!(self.drawn.kind(self.heading), DrawnQueue::Fair(_) | DrawnQueue::Policer);
        let only_probes = is_apart || self.drawn.path.favours_probes;
        let truth = over_time(waits, self.found.window_s, part, only_probes);
        let delay = &self.found.added_delay_ms;
        let found = if part > 0.5 { delay.p95 } else { delay.p50 };
        let share = if part > 0.5 { 0.05 } else { 0.02 };
        let is_open = self.has(FindingKind::MachineLimits);
        let right = found.filter(|_| !is_open);
        let right = right.map(|found| (found - truth).abs() <= (share * truth).max(2.0));
        self.said(what, right, format!("{:.2} ms of {truth:.2}", found.unwrap_or(f64::NAN)))
    }

    /// The statement on the rate: true within 3 % of the data that passed.
    fn rate(&self) -> Statement {
        let [from, to] = self.found.window_s;
        let waits = &self.measured.waits[usize::from(self.heading == Heading::Down)];
        let left = |one: &&Waited| (from..to).contains(&(one.at + one.wait)) && !one.is_others;
        let truth: f64 = waits.iter().filter(left).map(|one| one.bytes).sum();
        let truth = truth * 8e-6 / (to - from);
        let found = self.found.rate_mbit;
        let right = found.map(|found| (found / truth - 1.0).abs() <= 0.03);
        self.said("rate", right, format!("{:.2} of {truth:.2} Mbit/s", found.unwrap_or(f64::NAN)))
    }

    /// The statement on the line's rate, at which the buffer drains and to which a shaper is set:
    /// true within 5 %.
    fn line(&self) -> Option<Statement> {
        let buffer = self.found.buffer?;
        let found = buffer.bytes? * 8e-3 / buffer.full_ms?;
        let truth = self.drawn.mbit(self.heading);
        let is_said = self.found.saturated && !self.has(FindingKind::OtherTraffic);
        let varies = matches!(self.drawn.kind(self.heading), DrawnQueue::Varying(_));
        let right = (is_said && !varies).then(|| (found / truth - 1.0).abs() <= 0.05);
        Some(self.said("line's rate", right, format!("{found:.2} of {truth:.2} Mbit/s")))
    }

    /// The statement on whether the load filled the line, which means that it used the whole rate.
    fn filled(&self) -> Statement {
        let is_open = self.found.findings.iter().any(|one| one.kind.forbids_kind());
        let is_limited = self.drawn.kind(self.heading) != DrawnQueue::Nothing;
        let waits = &self.measured.waits[usize::from(self.heading == Heading::Down)];
        let is_full = over_time(waits, self.found.window_s, 0.5, false) > 2.0;
        let right = match (self.found.saturated, is_limited) {
            (true, is_limited) => Some(is_limited),
            // Random loss on the wire starves the load.
            (false, true) => (!is_open).then_some(!is_full),
            (false, false) => Some(true),
        };
        self.said("filled", right, format!("{}", self.found.saturated))
    }

    fn kind(&self) -> Statement {
        let truth = self.drawn.kind(self.heading);
        let Some(queue) = self.found.queue else {
            return self.said("kind", None, "none".into());
        };
        let is_fifo = matches!(truth, DrawnQueue::Bytes(_) | DrawnQueue::Packets(_));
        let is_series = self.drawn.path.beyond.is_some();
        let is_right = match queue.kind {
            QueueKind::ByteFifo => matches!(truth, DrawnQueue::Bytes(_)) || is_series && is_fifo,
            QueueKind::PacketFifo => {
                matches!(truth, DrawnQueue::Packets(_)) || is_series && is_fifo
            }
            QueueKind::Fifo => is_fifo,
            QueueKind::Aqm => matches!(truth, DrawnQueue::Managed(_)),
            QueueKind::FairQueueing => matches!(truth, DrawnQueue::Fair(_)),
            QueueKind::Policer => truth == DrawnQueue::Policer,
            QueueKind::VariableRate => matches!(truth, DrawnQueue::Varying(_)),
            QueueKind::None => truth == DrawnQueue::Nothing || !self.found.saturated,
            QueueKind::Unknown => false,
        };
        let is_said = queue.kind != QueueKind::Unknown && queue.confidence >= SAID;
        let words = format!("{} for {truth:.0?}", report::queue_kind(queue.kind));
        let right = is_said.then_some(is_right);
        Statement { confidence: Some(queue.confidence), ..self.said("kind", right, words) }
    }

    /// The statement on the buffer's size: true within 5 % (of packets 10 %) or a packet and a
    /// half. A lower bound must not exceed the size. A queue counted in packets holds fewer bytes
    /// when there are small packets, so that in bytes it is as large as its content was.
    fn size(&self) -> Option<Statement> {
        let buffer = self.found.buffer?;
        let full = 1.5 * FULL;
        let truth = match self.drawn.kind(self.heading) {
            DrawnQueue::Bytes(bytes) | DrawnQueue::Varying(bytes) => bytes,
            DrawnQueue::Packets(packets) => packets * FULL,
            _ => f64::NAN,
        };
        let found = buffer.packets.map(|packets| packets * FULL).or(buffer.bytes)?;
        // A number of packets is said with "about".
        let share = if buffer.packets.is_some() { 0.1 } else { 0.05 };
        let near = (share * truth).max(full);
        let is_right = match buffer.at_least {
            true => found <= truth + near,
            false => found <= truth + near && found >= self.least(truth, buffer.packets) - near,
        };
        let least = if buffer.at_least { "at least " } else { "" };
        let words = format!("{least}{:.1} kB of {:.1}", found / 1e3, truth / 1e3);
        let right = (buffer.confidence >= SAID).then_some(is_right);
        let said = self.said(if buffer.at_least { "at least" } else { "size" }, right, words);
        Some(Statement { confidence: Some(buffer.confidence), ..said })
    }

    /// The least content, in bytes, of a full queue whose capacity is `full` bytes; the statement
    /// gave its size in `packets` or in bytes.
    fn least(&self, full: f64, packets: Option<f64>) -> f64 {
        if packets.is_some() || !matches!(self.drawn.kind(self.heading), DrawnQueue::Packets(_)) {
            return full;
        }
        const BYTES_IN_A_MILLISECOND: f64 = 125.0;
        let waits = &self.measured.waits[usize::from(self.heading == Heading::Down)];
        let longest = over_time(waits, self.found.window_s, 0.99, false);
        full.min(longest * self.drawn.mbit(self.heading) * BYTES_IN_A_MILLISECOND)
    }

    /// The findings that were stated, and those that should have been.
    fn findings(&self) -> Vec<Statement> {
        let path = &self.drawn.path;
        let all = [
            (
                FindingKind::OtherTraffic,
                "other traffic",
                path.neighbours.iter().any(|one| one.heading == self.heading),
            ),
            (FindingKind::ProbesFavoured, "probes favoured", path.favours_probes),
            (FindingKind::RandomLoss, "random loss", self.drawn.loss > 0.0),
            (FindingKind::EndLimits, "end limits", path.most.is_some()),
            (FindingKind::MachineLimits, "machine limits", path.starved.is_some()),
        ];
        let statement = |(kind, what, is_there): (FindingKind, &'static str, bool)| {
            let found = self.found.findings.iter().find(|one| one.kind == kind);
            let said = |found: &Finding| (found.confidence >= SAID).then_some(is_there);
            let right = found.and_then(said);
            let confidence = found.map(|found| found.confidence);
            let words = format!("{:.3?}", found.and_then(|found| found.amount));
            let statement = self.said(what, right, words);
            (found.is_some() || is_there).then_some(Statement { confidence, ..statement })
        };
        all.into_iter().filter_map(statement).collect()
    }
}
