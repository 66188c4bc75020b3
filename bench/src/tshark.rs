//! What we say of each packet of captures beside what tshark says of it (`tcp.analysis`).
//!
//! The folder holds captures, in it or in folders in it. Nothing of it is part of this project.

mod duplicates;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use captured::{Connections, Event, Observer};
use flate2::read::MultiGzDecoder;

use crate::table::{Format, Table};
use duplicates::Acks;

/// The options of `bench tshark`.
#[derive(clap::Args)]
pub(crate) struct Settings {
    /// Folder with captures.
    folder: PathBuf,
    /// Write the tables of docs/pcap.md.
    #[arg(long)]
    markdown: bool,
    /// Print the number of each packet that differs.
    #[arg(long)]
    differences: bool,
}

/// What is said of packets, with the fields of tshark that say so.
const MARKS: [(Mark, &[&str]); 5] = [
    (Mark::Again, &["tcp.analysis.retransmission"]),
    (Mark::OutOfOrder, &["tcp.analysis.out_of_order"]),
    (Mark::Probe, &["tcp.analysis.zero_window_probe", "tcp.analysis.keep_alive"]),
    (Mark::Duplicate, &["tcp.analysis.duplicate_ack"]),
    (Mark::ZeroWindow, &["tcp.analysis.zero_window"]),
];

/// A mark of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    /// Data, SYN or FIN that has been sent before.
    Again,
    /// Data before which later data has been sent.
    OutOfOrder,
    /// Data that asks whether a window has opened, or whether the other end is still there.
    Probe,
    /// A duplicate acknowledgement.
    Duplicate,
    /// A window of zero.
    ZeroWindow,
}

impl Mark {
    const fn name(self) -> &'static str {
        match self {
            Self::Again => "sent again",
            Self::OutOfOrder => "out of order",
            Self::Probe => "probe or keep-alive",
            Self::Duplicate => "duplicate acknowledgement",
            Self::ZeroWindow => "zero window",
        }
    }
}

/// The packets with each mark.
type Marked = BTreeMap<Mark, BTreeSet<u64>>;

/// What we say of the packets of a capture.
#[derive(Default)]
struct Ours {
    marked: Marked,
    /// The TCP packets that belong to a connection, and the ends of connections that sent any.
    packets: BTreeSet<u64>,
    ends: BTreeSet<(usize, usize)>,
    acks: Acks,
}

impl Observer for Ours {
    fn take(&mut self, event: &Event<'_>) {
        self.packets.insert(event.packet);
        self.ends.insert((event.connection, event.sender));
        let (effect, flags) = (&event.effect, event.segment.flags);
        let ack = effect.ack.as_ref();
        let is_offer = flags.is_ack() && !flags.is_rst() && !flags.is_syn() && !flags.is_fin();
        let marks = [
            (Mark::Again, effect.again > 0),
            (Mark::OutOfOrder, effect.is_out_of_order && effect.again == 0),
            (Mark::Probe, effect.is_probe),
            (Mark::Duplicate, ack.is_some_and(|ack| ack.is_duplicate)),
            (Mark::ZeroWindow, is_offer && effect.window == 0),
        ];
        for (mark, _) in marks.into_iter().filter(|(_, is_so)| *is_so) {
            self.marked.entry(mark).or_default().insert(event.packet);
        }
        self.acks.take(event);
    }
}

/// How often a mark is of both, and of one alone.
#[derive(Clone, Copy, Debug, Default)]
struct Agreement {
    both: u64,
    ours: u64,
    theirs: u64,
}

/// Compares all captures of the folder.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    let mut files = Vec::new();
    captures(&settings.folder, &mut files)
        .map_err(|error| format!("{}: {error}", settings.folder.display()))?;
    files.sort();
    let mut agreements: BTreeMap<Mark, Agreement> = BTreeMap::new();
    let mut reasons: BTreeMap<(Mark, bool, String), u64> = BTreeMap::new();
    let (mut read, mut packets, mut ends) = (0, 0, 0);
    for file in &files {
        let Ok(ours) = ours(file) else { continue };
        if ours.packets.is_empty() {
            continue;
        }
        let theirs = theirs(file)?;
        (read, packets, ends) = (read + 1, packets + ours.packets.len(), ends + ours.ends.len());
        for (mark, _) in MARKS {
            let none = BTreeSet::new();
            let [one, other] =
                [&ours.marked, &theirs].map(|marked| marked.get(&mark).unwrap_or(&none));
            // What is no packet of a connection to us is not compared.
            let other: BTreeSet<u64> = other.intersection(&ours.packets).copied().collect();
            let agreement = agreements.entry(mark).or_default();
            agreement.both += one.intersection(&other).count() as u64;
            agreement.ours += one.difference(&other).count() as u64;
            agreement.theirs += other.difference(one).count() as u64;
            for number in one.symmetric_difference(&other) {
                let is_ours = one.contains(number);
                let other = if is_ours { &theirs } else { &ours.marked };
                let reason = match mark {
                    Mark::Duplicate => ours.acks.rule(*number).to_string(),
                    _ => others(other, *number),
                };
                if settings.differences {
                    let whose = if is_ours { "here" } else { "tshark" };
                    let file = file.display();
                    println!("{file} {number}: {}, {whose} alone: {reason}", mark.name());
                }
                *reasons.entry((mark, is_ours, reason)).or_default() += 1;
            }
        }
    }
    let format = Format::asked(false, settings.markdown);
    println!("{read} captures, {packets} packets of TCP, {ends} directions of connections\n");
    let mut table = Table::new(1, &["mark", "both", "here alone", "tshark alone"]);
    for (mark, it) in agreements {
        let counts = [it.both, it.ours, it.theirs].map(|count| count.to_string());
        table.row([vec![mark.name().into()], counts.to_vec()].concat());
    }
    println!("{}", table.render(format));
    let mut table = Table::new(3, &["mark", "of", "of the other, or why not", "number"]);
    for ((mark, is_ours, reason), count) in reasons {
        let whose = if is_ours { "here alone" } else { "tshark alone" };
        table.row(vec![mark.name().into(), whose.into(), reason, count.to_string()]);
    }
    print!("{}", table.render(format));
    Ok(())
}

/// What else is said of a packet.
fn others(marked: &Marked, number: u64) -> String {
    let names = marked.iter().filter(|(_, packets)| packets.contains(&number));
    let names: Vec<&str> = names.map(|(mark, _)| mark.name()).collect();
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}

/// All files of a folder, and of the folders in it.
fn captures(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => captures(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// What we say of a capture; the error is that of the reader.
fn ours(file: &Path) -> Result<Ours, String> {
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    let mut ours = Ours::default();
    let counted = Connections::with_copies();
    let read = match bytes.starts_with(&[0x1f, 0x8b]) {
        true => counted.followed(MultiGzDecoder::new(&bytes[..]), || true, &mut ours),
        false => counted.followed(&bytes[..], || true, &mut ours),
    };
    read.map_err(|error| error.to_string())?;
    Ok(ours)
}

/// What tshark says of a capture.
fn theirs(file: &Path) -> Result<Marked, String> {
    let mut command = Command::new("tshark");
    command.args(["-n", "-Y", "tcp.analysis.flags", "-T", "fields", "-e", "frame.number", "-r"]);
    command.arg(file);
    let fields = MARKS.iter().flat_map(|(mark, fields)| fields.iter().map(move |it| (*mark, it)));
    for (_, field) in fields.clone() {
        command.args(["-e", field]);
    }
    let output = command.output().map_err(|error| format!("cannot start tshark: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut marked = Marked::new();
    for line in text.lines() {
        let mut cells = line.split('\t');
        let number = cells.next().and_then(|number| number.parse().ok());
        let Some(number) = number else { continue };
        for ((mark, _), cell) in fields.clone().zip(cells) {
            if !cell.is_empty() {
                marked.entry(mark).or_default().insert(number);
            }
        }
    }
    Ok(marked)
}
