//! Our figures of captures beside those of tcptrace, field by field.
//!
//! The folder holds captures, and in `OUTPUTbench` what `tcptrace -lnrW` has printed of each
//! (`NAME.long`), as the folder `input` of tcptrace's sources does. Nothing of it is part of this
//! project.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use captured::Connections;
use flate2::read::MultiGzDecoder;

use crate::table::{Format, Table};

#[derive(clap::Args)]
pub(crate) struct Settings {
    /// Folder with captures, and with `OUTPUTbench`.
    folder: PathBuf,
    /// Write the tables of docs/pcap.md.
    #[arg(long)]
    markdown: bool,
    /// Print each figure that differs.
    #[arg(long)]
    differences: bool,
}

/// The figures of both ends of each connection, by name.
type Figures = Vec<BTreeMap<String, [String; 2]>>;

/// How many figures agree.
#[derive(Clone, Copy, Debug, Default)]
struct Agreement {
    equal: u64,
    all: u64,
}

impl Agreement {
    fn add(&mut self, is_equal: bool) {
        self.equal += u64::from(is_equal);
        self.all += 1;
    }

    fn percent(self) -> f64 {
        100.0 * self.equal as f64 / self.all.max(1) as f64
    }
}

/// Compares all captures of the folder.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    let golden = settings.folder.join("OUTPUTbench");
    let mut names: Vec<String> = fs::read_dir(&golden)
        .map_err(|error| format!("{}: {error}", golden.display()))?
        .filter_map(|entry| {
            Some(entry.ok()?.file_name().to_str()?.strip_suffix(".long")?.to_owned())
        })
        .collect();
    names.sort();
    let mut by_name: BTreeMap<String, Agreement> = BTreeMap::new();
    let format = Format::asked(false, settings.markdown);
    let mut table = Table::new(1, &["capture", "connections", "figures", "equal, %"]);
    let mut total = Agreement::default();
    for name in names {
        let theirs = fs::read_to_string(golden.join(format!("{name}.long")));
        let theirs = theirs.map_err(|error| format!("{name}: {error}"))?;
        if theirs.starts_with("Unknown input file format") {
            table.row(vec![name, String::new(), String::new(), "not read by tcptrace".into()]);
            continue;
        }
        let theirs = figures(&theirs);
        let ours = match long(&settings.folder.join(&name)) {
            Ok(ours) => figures(&ours),
            Err(_) => {
                table.row(vec![name, theirs.len().to_string(), String::new(), "not read".into()]);
                continue;
            }
        };
        if theirs.is_empty() && ours.is_empty() {
            continue;
        }
        let mut here = Agreement::default();
        for (number, theirs) in theirs.iter().enumerate() {
            for (field, values) in theirs {
                let found = ours.get(number).and_then(|ours| ours.get(field));
                for side in [0, 1] {
                    let ours = found.map(|found| found[side].as_str());
                    let is_equal = ours == Some(&values[side]);
                    here.add(is_equal);
                    by_name.entry(field.clone()).or_default().add(is_equal);
                    if !is_equal && settings.differences {
                        let ours = ours.unwrap_or("nothing");
                        println!("{name} {} {side}: {field}: {} {ours}", number + 1, values[side]);
                    }
                }
            }
        }
        total.equal += here.equal;
        total.all += here.all;
        let found = format!("{:.2}", here.percent());
        table.row(vec![name, theirs.len().to_string(), here.all.to_string(), found]);
    }
    println!("{}", table.render(format));
    let mut table = Table::new(1, &["figure", "all", "equal, %"]);
    for (name, it) in by_name.into_iter().filter(|(_, it)| it.equal < it.all) {
        table.row(vec![name, it.all.to_string(), format!("{:.2}", it.percent())]);
    }
    println!("{}", table.render(format));
    println!("{} of {} figures are equal: {:.2} %", total.equal, total.all, total.percent());
    Ok(())
}

/// Our figures of a capture in the words of tcptrace; the error is that of the reader.
fn long(file: &Path) -> Result<String, String> {
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    let counted = Connections::with_copies();
    let connections = match bytes.starts_with(&[0x1f, 0x8b]) {
        true => counted.followed(MultiGzDecoder::new(&bytes[..]), || true, &mut ()),
        false => counted.followed(&bytes[..], || true, &mut ()),
    };
    let document = connections.map_err(|error| error.to_string())?.document(String::new());
    Ok(report::captured_long(&document.connections))
}

/// The figures of a text: behind the head of a connection, each line has one of both ends.
fn figures(text: &str) -> Figures {
    let mut all = Figures::new();
    for line in text.lines() {
        let number = line.strip_prefix("TCP connection ").and_then(|it| it.strip_suffix(':'));
        if number.is_some_and(|number| number.parse::<u32>().is_ok()) {
            all.push(BTreeMap::new());
        } else if let (Some(figures), Some(row)) = (all.last_mut(), line.strip_prefix("     "))
            && let Some((name, [left, right])) = figure(row)
        {
            // A name that comes twice has two units: `initial window`.
            let name = match figures.contains_key(name) {
                true => format!("{name}, again"),
                false => name.to_owned(),
            };
            figures.insert(name, [left.to_owned(), right.to_owned()]);
        }
    }
    all
}

/// The name of a row, and its two figures without their unit.
fn figure(row: &str) -> Option<(&str, [&str; 2])> {
    let (name, rest) = row.split_once(':')?;
    let (left, right) = rest.split_once(&format!("{name}:"))?;
    Some((name, [left.split_whitespace().next()?, right.split_whitespace().next()?]))
}
