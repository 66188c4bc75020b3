//! Many runs of one scenario: each is done once and kept in a folder.
//!
//! A [`Store`] is the folder. It knows which runs are missing and takes their rows; rows that it
//! has taken stay, whatever happens. [`run`] does the missing runs on several threads. [`read()`]
//! returns all the runs of a folder as one table.
//!
//! ```text
//!   sweep.json           which sweep this is: scenario, overrides, axes, version
//!   runs-00000.parquet   the rows of 64 runs, or of more if there are very many; whole or not there
//!   runs-00001.parquet
//!   journal.jsonl        runs of parts that are not whole yet, a line each; gone at the end
//!   .lock                held by the process at work
//! ```
//!
//! The part of a run depends only on the run's number, and a row only on the scenario. So the
//! folder ends up the same, to the byte, with any number of threads and after any number of
//! interrupts.

mod bottleneck;
mod error;
mod files;
mod format;
mod journal;
mod layout;
mod manifest;
mod point;
mod read;
mod row;
mod store;
mod table;
mod work;

pub use bottleneck::{bottleneck, place};
pub use error::Error;
pub use format::Format;
pub use manifest::{Manifest, Origin};
pub use point::{Points, Simulate};
pub use read::{Folder, manifest_in, read, read_folder};
pub use row::Row;
pub use store::{Store, manifest_of};
pub use work::{Watch, run};
