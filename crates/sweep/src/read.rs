//! All the runs of a folder as one table, whichever process wrote them.

use std::fs;
use std::path::{Path, PathBuf};

use results::{FailedRun, GroupTable, RunMetric, Runs, SweepSummary, VariedField};

use crate::error::Error;
use crate::journal;
use crate::manifest::Manifest;
use crate::store::{MANIFEST, manifest_of};
use crate::table::{Line, Table};

/// The present contents of a folder.
#[derive(Clone, Debug)]
pub struct Folder {
    /// The sweep of the folder.
    pub manifest: Manifest,
    /// The runs that are done and did not fail.
    pub runs: Runs,
    /// The runs that failed, each with its number and error.
    pub failed: Vec<(u64, String)>,
}

impl Folder {
    /// The summary of the folder, which has this path, with these tables. Its failed runs have no command:
    /// the folder does not know the file of the scenario.
    pub fn summary(&self, folder: &Path, tables: Vec<GroupTable>) -> SweepSummary {
        let manifest = &self.manifest;
        let failed = self.failed.iter().filter(|(run, _)| *run < manifest.points);
        let failed = failed.map(|(run, error)| FailedRun {
            run: *run,
            error: error.clone(),
            command: String::new(),
        });
        let failed: Vec<FailedRun> = failed.collect();
        let done = (self.runs.index.len() + failed.len()) as u64;
        SweepSummary {
            title: manifest.title.clone(),
            folder: folder.display().to_string(),
            bottleneck: format!("{}.{}", manifest.link, manifest.direction.name()),
            points: manifest.points,
            done,
            interrupted: done < manifest.points,
            failed,
            tables,
            ..SweepSummary::default()
        }
    }
}

/// The runs in a folder, without those that failed: of all parts, all shards and all journals.
///
/// # Errors
/// If this is not a folder of runs, or if something in it cannot be read.
pub fn read(folder: &Path) -> Result<Runs, Error> {
    read_folder(folder).map(|folder| folder.runs)
}

/// The manifest of a folder of runs.
///
/// # Errors
/// If this is not a folder of runs, or if the manifest cannot be read.
pub fn manifest_in(folder: &Path) -> Result<Manifest, Error> {
    manifest_of(folder)?.ok_or_else(|| {
        let folder = folder.display();
        Error::Folder(format!("{folder} is no folder of runs: it has no {MANIFEST}"))
    })
}

/// Reads the runs in a folder, as [`read()`] does, with the manifest and the failed runs.
///
/// # Errors
/// As [`read()`].
pub fn read_folder(folder: &Path) -> Result<Folder, Error> {
    let manifest = manifest_in(folder)?;
    let fields: Vec<String> = manifest.fields().map(str::to_owned).collect();
    let id = manifest.id();
    let mut table = Table::new(fields.clone());
    for part in files(folder, "runs", manifest.format.ending())? {
        table.append(Table::read(&part, &id, &fields)?);
    }
    for path in files(folder, "journal", "jsonl")? {
        table.append(Table::of(fields.clone(), journal::read(&path)?.iter()));
    }
    table.lines.retain(|line| line.values.len() == fields.len());
    table.lines.sort_by_key(|line| line.run);
    // A run may be in a part and, after a crash, also in the journal. It may also be in the files
    // of two divisions into shards.
    table.lines.dedup_by_key(|line| line.run);
    let (good, bad): (Vec<Line>, Vec<Line>) =
        table.lines.drain(..).partition(|line| line.error.is_none());
    let failed = bad.into_iter().filter_map(|line| Some((line.run, line.error?))).collect();
    table.lines = good;
    let runs = runs(&manifest.title, &table);
    Ok(Folder { manifest, runs, failed })
}

/// The files in the folder whose names have this beginning and ending, sorted.
fn files(folder: &Path, begin: &str, ending: &str) -> Result<Vec<PathBuf>, Error> {
    let failed = |error| Error::disk("read", folder, &error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin));
        if named && path.extension().is_some_and(|found| found == ending) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Turns rows into columns.
fn runs(title: &str, table: &Table) -> Runs {
    let lines = &table.lines;
    let field = |(at, path): (usize, &String)| VariedField {
        path: path.clone(),
        values: lines.iter().map(|line| line.values[at].clone()).collect(),
    };
    let metric = |(at, name): (usize, &String)| RunMetric {
        name: name.clone(),
        values: lines.iter().map(|line| line.figures[at]).collect(),
    };
    Runs {
        title: title.into(),
        index: lines.iter().map(|line| line.run).collect(),
        fields: table.fields.iter().enumerate().map(field).collect(),
        metrics: table.names.iter().enumerate().map(metric).collect(),
    }
}
