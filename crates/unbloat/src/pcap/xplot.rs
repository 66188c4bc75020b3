//! The folder of `--xplot`: a file for each graph.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use captured::{Graph, Observer, Xplot};
use report::captured_letters;

use crate::failure::Failure;
use crate::temporary;

/// A folder of graphs, which gets its name when all of them are whole. Until then it is a temporary one beside its place,
/// and is removed if it is dropped.
pub(super) struct Graphs {
    target: PathBuf,
    temporary: PathBuf,
}

impl Graphs {
    /// Begins a folder.
    ///
    /// # Errors
    /// If there is something in the folder already, or if it cannot be made.
    pub(super) fn create(target: &Path) -> Result<Self, Failure> {
        let refuse = |why: &dyn std::fmt::Display| {
            Failure::Input(format!("--xplot {}: {why}", target.display()))
        };
        let there = fs::read_dir(target).map(|mut there| there.next().is_some());
        match there {
            Ok(true) => {
                return Err(refuse(&"there is something in this folder; name a new one"));
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(refuse(&error)),
            _ => {}
        }
        let name = target.file_name().ok_or_else(|| refuse(&"it names no folder"))?;
        let name = format!(".{}.{}.partial", name.to_string_lossy(), std::process::id());
        let temporary = target.with_file_name(name);
        temporary::create_folder(&temporary).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => refuse(&"the folder in which it is to be does not exist"),
            _ => refuse(&error),
        })?;
        Ok(Self { target: target.to_owned(), temporary })
    }

    /// Calls `read` with an observer that draws, and gives the folder its name.
    ///
    /// # Errors
    /// That of `read`, or if a file cannot be written.
    pub(super) fn draw<T>(
        self,
        read: impl FnOnce(&mut dyn Observer) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut written = Ok(());
        let mut graphs = Xplot::new(|connection, sender, graph, text: &str| {
            if written.is_ok() {
                written = self.append(connection, sender, graph, text);
            }
        });
        let done = read(&mut graphs)?;
        graphs.finish();
        let failed = |error| Failure::writing(self.target.display(), &error);
        written.map_err(failed)?;
        temporary::hold().rename(&self.temporary, &self.target).map_err(failed)?;
        Ok(done)
    }

    /// Appends a piece of a graph. The files are closed in between: there may be more than a process may have open.
    fn append(&self, connection: usize, sender: usize, graph: Graph, text: &str) -> io::Result<()> {
        let [a, b] = captured_letters(connection + 1);
        let [from, to] = if sender == 0 { [a, b] } else { [b, a] };
        let name = format!("{from}2{to}_{}.xpl", graph.suffix());
        let mut options = OpenOptions::new();
        let mut file = options.create(true).append(true).open(self.temporary.join(name))?;
        file.write_all(text.as_bytes())
    }
}

impl Drop for Graphs {
    fn drop(&mut self) {
        temporary::discard(&self.temporary);
    }
}
