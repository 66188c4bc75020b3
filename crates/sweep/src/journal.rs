//! Runs that are done but not yet in a part, one per line, so that a crash loses only the runs in
//! progress.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::files;
use crate::row::Row;

#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    /// The open file; `None` until something is written.
    file: Option<File>,
}

impl Journal {
    /// The journal at `path`, which need not exist.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Adds a run.
    pub(crate) fn add(&mut self, row: &Row) -> Result<(), Error> {
        let failed = |error| Error::disk("write", &self.path, &error);
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let options = OpenOptions::new().create(true).append(true).open(&self.path);
                self.file.insert(options.map_err(failed)?)
            }
        };
        // The line is written at once: it is torn only if the disk is full or the machine stops.
        file.write_all(line(row).as_bytes())
            .map_err(|error| Error::disk("write", &self.path, &error))
    }

    /// Keeps only these runs; without any, the file is removed.
    pub(crate) fn keep<'a>(&mut self, rows: impl Iterator<Item = &'a Row>) -> Result<(), Error> {
        self.file = None;
        let text: String = rows.map(line).collect();
        if !text.is_empty() {
            return files::replace(&self.path, text.as_bytes());
        }
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::disk("remove", &self.path, &error))
            }
            _ => Ok(()),
        }
    }
}

/// The runs in the journal at `path`; none if it does not exist. Torn lines are skipped.
pub(crate) fn read(path: &Path) -> Result<Vec<Row>, Error> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.map_err(|error| Error::disk("read", path, &error))?,
    };
    let lines = bytes.split(|byte| *byte == b'\n');
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

fn line(row: &Row) -> String {
    serde_json::to_string(row).expect("texts and finite numbers") + "\n"
}
