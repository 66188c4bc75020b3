//! `bench captures`: random lines in virtual time, captured near the sender or near the receiver, and what
//! `unbloat pcap` tells of their queues held beside the truth.

mod line;

use std::collections::BTreeMap;

use captured::Connections;
use results::{CapturedQueue, FindingKind, Grade, LossPattern, QueueKind, QueueOwner};

use crate::table::{Format, Table};
use line::{Kind, Line, Truth};

/// The options of `bench captures`.
#[derive(clap::Args)]
pub(crate) struct Settings {
    /// Number of lines.
    #[arg(long, default_value_t = 200)]
    lines: u64,
    /// Seed of the first line; the others have the seeds that follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print each line of which something false is told.
    #[arg(long)]
    differences: bool,
    /// Write the tables of docs/pcap.md.
    #[arg(long)]
    markdown: bool,
}

/// Whether what is told of a line is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Right,
    False,
    NotTold,
}

/// How many verdicts there are of each kind.
#[derive(Clone, Copy, Debug, Default)]
struct Tally([u64; 3]);

impl Tally {
    fn add(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }

    fn cells(self) -> Vec<String> {
        let all: u64 = self.0.iter().sum();
        let percent = |count: u64| format!("{:.1}", 100.0 * count as f64 / all.max(1) as f64);
        let counts = self.0.map(percent);
        [vec![all.to_string()], counts.to_vec()].concat()
    }
}

/// Prints the tables.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    let mut tallies: BTreeMap<(String, &str), Tally> = BTreeMap::new();
    for seed in settings.seed..settings.seed + settings.lines {
        let line = Line::new(seed);
        let truth = line.run();
        let connections = Connections::read(&truth.capture[..], || true);
        let document = connections.map_err(|error| error.to_string())?.document(String::new());
        let ends = document.connections.iter().flat_map(|it| &it.ends);
        let sender =
            ends.filter(|end| end.port == truth.port).max_by_key(|end| end.counts.data_bytes);
        let queue = sender.and_then(|end| end.queue.clone()).unwrap_or_default();
        let goodput = sender.and_then(|end| end.goodput_bytes_per_s).unwrap_or(0.0);
        let goodput_mbit = goodput * 8.0 / 1e6;
        for (what, verdict) in [
            ("whose queue", whose(&line, &truth, &queue)),
            ("added delay", added(truth.added_p95_ms, queue.added_p95_ms, line.packet_ms())),
            ("longest delay", added(truth.added_most_ms, queue.added_most_ms, line.packet_ms())),
            ("losses", losses(&line, &truth, &queue)),
            ("kind of queue", kind(&line, &queue)),
            ("findings", findings(&line, &queue)),
            ("grade", grade(&line, &truth, &queue)),
            ("limit by losses", loss_limit(&line, &queue, goodput_mbit)),
        ] {
            tallies.entry((line.kind.to_string(), what)).or_default().add(verdict);
            tallies.entry(("all".into(), what)).or_default().add(verdict);
            if verdict == Verdict::False && settings.differences {
                let [p95, most] = [truth.added_p95_ms, truth.added_most_ms];
                println!("{what}: {line:?} {p95:.1} ms, {most:.1} ms at most, {queue:?}");
            }
        }
    }
    let format = Format::asked(false, settings.markdown);
    let mut table =
        Table::new(2, &["lines", "what", "number", "right, %", "false, %", "not told, %"]);
    for ((kind, what), tally) in tallies {
        table.row([vec![kind, what.to_owned()], tally.cells()].concat());
    }
    print!("{}", table.render(format));
    Ok(())
}

/// The part, and the time in milliseconds, by which a delay may differ, beside the time that a packet takes on the
/// line: a packet that waits behind one that has begun to leave waits for a part of that time.
const TOLERANCE: (f64, f64) = (0.1, 2.0);

fn whose(line: &Line, truth: &Truth, queue: &CapturedQueue) -> Verdict {
    let (least, most) = (4.0, 6.0);
    match queue.whose {
        QueueOwner::Unknown => Verdict::NotTold,
        QueueOwner::None if truth.added_p95_ms < most => Verdict::Right,
        // Where acknowledgements come in bursts, data leaves in bursts, which wait behind each other.
        QueueOwner::Own if line.kind == Kind::QuietBack && truth.added_p95_ms > least => {
            Verdict::Right
        }
        told if truth.added_p95_ms > least && line.kind.is_owner(told) => Verdict::Right,
        _ => Verdict::False,
    }
}

/// The milliseconds by which a delay may differ.
fn tolerance(added_ms: f64, packet_ms: f64) -> f64 {
    let (part, millis) = TOLERANCE;
    (part * added_ms).max(millis).max(packet_ms)
}

fn added(truth: f64, told: Option<f64>, packet_ms: f64) -> Verdict {
    let Some(told) = told else { return Verdict::NotTold };
    match (told - truth).abs() <= tolerance(truth, packet_ms) {
        true => Verdict::Right,
        false => Verdict::False,
    }
}

fn losses(line: &Line, truth: &Truth, queue: &CapturedQueue) -> Verdict {
    let is_right = match queue.losses {
        LossPattern::Unknown => return Verdict::NotTold,
        LossPattern::None => truth.drops == [0; 3],
        LossPattern::Policer => line.kind == Kind::Policed,
        LossPattern::FullQueue => truth.drops[0] > 0 && line.kind != Kind::Policed,
        LossPattern::ShortQueue => {
            truth.drops[1] + truth.drops[2] > 0 || line.kind == Kind::Policed
        }
    };
    if is_right { Verdict::Right } else { Verdict::False }
}

fn kind(line: &Line, queue: &CapturedQueue) -> Verdict {
    let is_managed = matches!(line.kind, Kind::Managed | Kind::Fair);
    let is_policed = line.kind == Kind::Policed;
    match queue.kind.map_or(QueueKind::Unknown, |it| it.kind) {
        QueueKind::Unknown | QueueKind::None => Verdict::NotTold,
        QueueKind::Aqm if is_managed => Verdict::Right,
        QueueKind::Policer if is_policed => Verdict::Right,
        QueueKind::Fifo | QueueKind::ByteFifo if !is_managed && !is_policed => Verdict::Right,
        _ => Verdict::False,
    }
}

/// Whether what is found beside the queue is so, and the lossy wire among it.
fn findings(line: &Line, queue: &CapturedQueue) -> Verdict {
    let is_lossy = line.kind == Kind::Lossy;
    let is_so = |kind: FindingKind| match kind {
        FindingKind::RandomLoss => is_lossy,
        FindingKind::OtherTraffic => {
            matches!(line.kind, Kind::Neighbours | Kind::Joining | Kind::Fair)
        }
        FindingKind::RateChanged => matches!(line.kind, Kind::Neighbours | Kind::Joining),
        FindingKind::EndLimits => {
            matches!(line.kind, Kind::Quiet | Kind::QuietBack | Kind::Pausing)
        }
        _ => false,
    };
    let sure = || queue.findings.iter().filter(|it| it.confidence >= 0.7);
    if !sure().all(|it| is_so(it.kind)) {
        return Verdict::False;
    }
    match is_lossy && sure().next().is_none() {
        true => Verdict::NotTold,
        false => Verdict::Right,
    }
}

/// Whether losses kept a connection below nine tenths of the rate of its line, where nothing else does.
fn loss_limit(line: &Line, queue: &CapturedQueue, goodput_mbit: f64) -> Verdict {
    let is_below = goodput_mbit < 0.9 * line.mbit;
    match queue.loss_limited_mbit {
        Some(_) if is_below && line.loses() => Verdict::Right,
        Some(_) => Verdict::False,
        None if is_below && line.loses() => Verdict::NotTold,
        None => Verdict::Right,
    }
}

/// Whether the grade is that of what others wait. In fq_codel and CAKE they do not wait in the queue of the connection.
fn grade(line: &Line, truth: &Truth, queue: &CapturedQueue) -> Verdict {
    let Some(grade) = queue.grade else { return Verdict::NotTold };
    let most = tolerance(truth.added_p95_ms, line.packet_ms());
    let [low, high] = [-most, most].map(|off| Grade::of(truth.added_p95_ms + off));
    match (low..=high).contains(&grade) && !line.is_fair() {
        true => Verdict::Right,
        false => Verdict::False,
    }
}
