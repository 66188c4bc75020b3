//! The folder of a sweep, while a process works on it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::files;
use crate::journal::{self, Journal};
use crate::layout::{Layout, Part};
use crate::manifest::Manifest;
use crate::row::Row;
use crate::table::Table;

/// The name of the file that is locked while a process begins a folder.
const GATE: &str = ".begin";
/// The name of the manifest in its folder.
pub(crate) const MANIFEST: &str = "sweep.json";

/// The number of parts whose runs may stay in a journal while other runs are pending: to rewrite it
/// takes as long as to write a part.
const LEFT_IN_JOURNAL: u32 = 16;

/// A folder of runs, and the right to add to it. Runs that were added stay, whatever happens.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    manifest: Manifest,
    layout: Layout,
    shards: BTreeMap<u32, Shard>,
    missing: u64,
    /// Parts whose missing runs have not been handed out.
    ahead: VecDeque<Part>,
    /// Runs of a part that have not been handed out.
    next: VecDeque<u64>,
    /// The files that this process created.
    made: Made,
}

#[derive(Clone, Copy, Debug, Default)]
struct Made {
    folder: bool,
    manifest: bool,
}

/// The part of the work that only this process does.
#[derive(Debug)]
struct Shard {
    journal: Journal,
    /// The runs of incomplete parts, all of which are in the journal.
    pending: BTreeMap<Part, BTreeMap<u64, Row>>,
    /// The number of parts on the disk whose runs are in the journal too.
    left: u32,
    /// Parts that are on the disk.
    whole: BTreeSet<Part>,
    /// The lock on the shard, held for the lifetime of this value.
    _lock: File,
}

impl Store {
    /// Opens the folder, creates it if need be, and finds the runs in it. `only` selects one shard,
    /// from 1; `None` selects all.
    ///
    /// # Errors
    /// If the folder is of another sweep or of something else, if another process works on it, or
    /// if the disk fails.
    pub fn open(folder: &Path, manifest: Manifest, only: Option<u32>) -> Result<Self, Error> {
        let made_folder = prepare(folder)?;
        // Several processes may begin at the same moment, as shards do. One of them writes the
        // manifest.
        let gate = enter(folder)?;
        let made = Made { folder: made_folder, manifest: write_manifest(folder, &manifest)? };
        drop(gate);
        let layout = manifest.layout();
        let ours = only.map_or(1..=manifest.shards, |shard| shard..=shard);
        let locks = ours.map(|shard| Ok((shard, lock(folder, &layout.lock(shard))?)));
        let locks: Vec<(u32, File)> = locks.collect::<Result<_, Error>>()?;
        let (shards, ahead) = (BTreeMap::new(), VecDeque::new());
        let folder = folder.to_owned();
        let next = VecDeque::new();
        let mut store = Self { folder, manifest, layout, shards, missing: 0, ahead, next, made };
        locks.into_iter().try_for_each(|(shard, lock)| store.take_over(shard, lock))?;
        Ok(store)
    }

    /// Takes over the runs of this shard that are already in the folder.
    fn take_over(&mut self, number: u32, lock: File) -> Result<(), Error> {
        let layout = self.layout;
        // A look at each of a million parts would take seconds.
        let names = names(&self.folder)?;
        let there = |part: &Part| names.contains(&layout.name(*part));
        let (whole, open): (Vec<Part>, Vec<Part>) = layout.parts(number).partition(there);
        let path = self.folder.join(layout.journal(number));
        let mut pending: BTreeMap<Part, BTreeMap<u64, Row>> = BTreeMap::new();
        let whole: BTreeSet<Part> = whole.into_iter().collect();
        for row in journal::read(&path)?.into_iter().filter(|row| row.run < layout.points) {
            let part = layout.part_of(row.run);
            if part.shard == number && !whole.contains(&part) {
                pending.entry(part).or_default().insert(row.run, row);
            }
        }
        let done = |part: &Part| pending.get(part).map_or(0, BTreeMap::len) as u64;
        self.missing += open.iter().map(|part| layout.len_of(*part) - done(part)).sum::<u64>();
        let full: Vec<Part> =
            open.iter().copied().filter(|part| done(part) == layout.len_of(*part)).collect();
        self.ahead.extend(open);
        let shard = Shard { journal: Journal::new(path), pending, left: 0, whole, _lock: lock };
        self.shards.insert(number, shard);
        full.into_iter().try_for_each(|part| self.complete(part))?;
        self.tidy(number)
    }

    /// The number of runs that are not done, in the shards of this process.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// The number of runs, done or not, in the shards of this process.
    pub fn ours(&self) -> u64 {
        self.shards.keys().map(|shard| self.layout.runs_of(*shard)).sum()
    }

    /// Up to `most` missing runs from the whole sweep.
    pub fn sample(&self, most: usize) -> Vec<u64> {
        /// The number of candidates, with which missing runs are found unless they are very few.
        const LOOKED_AT: u64 = 1 << 20;
        let points = u128::from(self.layout.points);
        // Multiples of the golden section, modulo one, are spread evenly, whatever their number.
        let at = |step: u64| ((u128::from(step) * 618_034 % 1_000_000) * points / 1_000_000) as u64;
        let mut chosen = BTreeSet::new();
        let candidates = (0..self.layout.points.min(LOOKED_AT)).map(at);
        let missing = candidates.filter(|run| self.is_missing(*run));
        missing.filter(|run| chosen.insert(*run)).take(most).collect()
    }

    fn is_missing(&self, run: u64) -> bool {
        let part = self.layout.part_of(run);
        let Some(shard) = self.shards.get(&part.shard) else { return false };
        let pending = |runs: &BTreeMap<u64, Row>| runs.contains_key(&run);
        !shard.whole.contains(&part) && !shard.pending.get(&part).is_some_and(pending)
    }

    /// The next missing run; `None` if there are no more. Each run is returned only once.
    pub fn take(&mut self) -> Option<u64> {
        loop {
            while let Some(run) = self.next.pop_front() {
                if self.is_missing(run) {
                    return Some(run);
                }
            }
            let part = self.ahead.pop_front()?;
            self.next.extend(self.layout.runs(part));
        }
    }

    /// Adds a run to the folder.
    ///
    /// # Errors
    /// If the disk fails. Runs that were added before are not lost.
    pub fn keep(&mut self, row: Row) -> Result<(), Error> {
        if !self.is_missing(row.run) {
            return Ok(());
        }
        let part = self.layout.part_of(row.run);
        let Some(shard) = self.shards.get_mut(&part.shard) else { return Ok(()) };
        shard.journal.add(&row)?;
        let runs = shard.pending.entry(part).or_default();
        runs.insert(row.run, row);
        let is_full = runs.len() as u64 == self.layout.len_of(part);
        self.missing -= 1;
        if is_full {
            self.complete(part)?;
            self.tidy_sometimes(part.shard)?;
        }
        Ok(())
    }

    /// Writes a part if all of its runs are done.
    fn complete(&mut self, part: Part) -> Result<(), Error> {
        let Some(shard) = self.shards.get_mut(&part.shard) else { return Ok(()) };
        let Some(rows) = shard.pending.get(&part) else { return Ok(()) };
        let fields = self.manifest.fields().map(str::to_owned).collect();
        let table = Table::of(fields, rows.values());
        let bytes = table.bytes(self.manifest.format, &self.manifest.id());
        files::replace(&self.folder.join(self.layout.name(part)), &bytes)?;
        shard.pending.remove(&part);
        shard.whole.insert(part);
        shard.left += 1;
        Ok(())
    }

    /// Tidies the journal if that is quick, or if much could be left out.
    fn tidy_sometimes(&mut self, number: u32) -> Result<(), Error> {
        match self.shards.get(&number) {
            Some(shard) if shard.pending.is_empty() || shard.left >= LEFT_IN_JOURNAL => {
                self.tidy(number)
            }
            _ => Ok(()),
        }
    }

    /// Reduces the journal to the runs that are in no part.
    fn tidy(&mut self, number: u32) -> Result<(), Error> {
        let Some(shard) = self.shards.get_mut(&number) else { return Ok(()) };
        shard.left = 0;
        shard.journal.keep(shard.pending.values().flat_map(BTreeMap::values))
    }

    /// Restores the folder as it was found, if no run was added yet.
    pub fn abandon(self) {
        if !self.made.manifest || self.missing != self.ours() {
            return;
        }
        let _ = fs::remove_file(self.folder.join(MANIFEST));
        let _ = fs::remove_file(self.folder.join(GATE));
        for shard in self.shards.keys() {
            let _ = fs::remove_file(self.folder.join(self.layout.lock(*shard)));
        }
        if self.made.folder {
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// The names of the files in a folder.
fn names(folder: &Path) -> Result<BTreeSet<String>, Error> {
    let entries = fs::read_dir(folder).map_err(|error| Error::disk("read", folder, &error))?;
    let names = entries.flatten().map(|entry| entry.file_name());
    Ok(names.filter_map(|name| name.into_string().ok()).collect())
}

/// Ensures that the folder exists, and that it holds a sweep, or nothing but hidden files, which a
/// process that died while beginning it may have left. Returns true if the folder was created.
fn prepare(folder: &Path) -> Result<bool, Error> {
    let name = folder.display();
    match fs::read_dir(folder) {
        Ok(entries) => {
            let names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
            let is_sweep = names.iter().any(|name| name == MANIFEST);
            match names.iter().find(|name| !name.to_string_lossy().starts_with('.')) {
                Some(_) if is_sweep => Ok(false),
                None => Ok(false),
                Some(other) => Err(Error::Taken(format!(
                    "{name} is no folder of a sweep, and not empty: it holds {}; empty it",
                    other.display()
                ))),
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(folder).map_err(|error| {
                Error::Folder(format!("cannot make the folder {name}: {error}"))
            })?;
            Ok(true)
        }
        Err(error) => Err(Error::Folder(format!("{name} cannot be a folder of runs: {error}"))),
    }
}

/// The manifest in this folder; `None` if there is none.
///
/// # Errors
/// If it cannot be read.
pub fn manifest_of(folder: &Path) -> Result<Option<Manifest>, Error> {
    let path = folder.join(MANIFEST);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(Error::disk("read", &path, &error)),
    };
    let wrong = |why| {
        Error::Taken(format!(
            "{} cannot be read: {why}; without it, the sweep of these runs is not known: restore \
             it (all shards have the same file)",
            path.display()
        ))
    };
    Manifest::read(&text).map(Some).map_err(wrong)
}

fn same(folder: &Path, there: &Manifest, ours: &Manifest) -> Result<(), Error> {
    let Some(change) = there.change(ours) else { return Ok(()) };
    let folder = folder.display();
    Err(Error::Taken(format!("{folder} was begun {change}; remove that folder")))
}

/// Writes the manifest if there is none. Returns true if it was written.
fn write_manifest(folder: &Path, manifest: &Manifest) -> Result<bool, Error> {
    match manifest_of(folder)? {
        Some(there) => same(folder, &there, manifest).map(|()| false),
        None => files::replace(&folder.join(MANIFEST), manifest.text().as_bytes()).map(|()| true),
    }
}

/// Waits until no other process begins this folder. Returns the lock.
fn enter(folder: &Path) -> Result<File, Error> {
    let path = folder.join(GATE);
    let options = File::options().create(true).truncate(false).write(true).open(&path);
    let file = options.map_err(|error| Error::disk("write", &path, &error))?;
    match file.lock() {
        Err(error) if error.kind() != ErrorKind::Unsupported => {
            Err(Error::disk("lock", &path, &error))
        }
        _ => Ok(file),
    }
}

fn lock(folder: &Path, name: &str) -> Result<File, Error> {
    let path = folder.join(name);
    let options = File::options().create(true).truncate(false).write(true).open(&path);
    let file = options.map_err(|error| Error::disk("write", &path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        // Some file systems of clusters have no locks; working without a lock is better than not at
        // all.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::Error(error)) => Err(Error::disk("lock", &path, &error)),
        Err(TryLockError::WouldBlock) => Err(Error::Taken(format!(
            "another sweep is at work on {}; wait for it",
            folder.display()
        ))),
    }
}
