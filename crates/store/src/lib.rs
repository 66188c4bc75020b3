//! What a watch keeps: the fate of each probe, summaries of minutes and hours, the state of our own end, and
//! events, in one file of SQLite that any of its tools reads.
//!
//! A folder has one writer ([`Store`]) and any number of readers ([`Reader`]). The file is `watch.sqlite`:
//!
//! | table | a row is | columns |
//! |---|---|---|
//! | `target` | a target | `id`, `name`, `first_us` and `last_us`: first and last probe |
//! | `minute`, `hour` | what came of the regular probes of a target that were sent in it | `target`, `start`, `sent`, `late`, `lost`, `failed`, `min_us`, `p50_us`, `p95_us`, `p99_us`, `max_us`, `buckets` |
//! | `machine` | a minute of our own end | `start`, `seconds`, `up_bytes`, `down_bytes`, `lateness_us` (longest), `busy_percent` (most), `signal_dbm` (weakest), `retries` |
//! | `event` | an event | `id`, `start_us`, `end_us`, `kind`, `cause`, `json` (a `WatchEvent`) |
//! | `block` | up to 600 probes of a target | `id`, `target`, `start_us`, `end_us`, `count`, `probes` |
//! | `second` | up to 300 seconds of our own end | `id`, `start_us`, `end_us`, `count`, `seconds` |
//!
//! `start` is in seconds since 1970 (UTC), what ends in `_us` in microseconds. The views `minutes`, `hours`,
//! `events` and `machine_minutes` have names of targets, times as text and milliseconds. `probes`, `seconds`
//! and `buckets` are compact; `block.rs`, `seconds.rs` and `buckets.rs` have their layouts, and [`export()`]
//! writes what is in them as CSV, Parquet or JSON.
//!
//! A commit writes all or nothing, and once it has returned, a kill or a power cut does not take it back (WAL,
//! `synchronous=FULL`). The block that is not full yet is a row that each commit replaces. Blocks overlap where
//! an answer came late or the clock was set back; readers sort. Minutes and hours are merged bucket by bucket,
//! never averaged.

mod block;
mod buckets;
mod error;
mod event;
mod export;
mod machine;
mod micros;
mod pending;
mod reader;
mod retention;
mod rows;
mod schema;
mod seconds;
mod summary;
mod target;
mod varint;
mod writer;

pub use block::{decode, encode};
pub use buckets::Buckets;
pub use error::{Damage, StoreError};
pub use export::{Exported, Format, export};
pub use machine::MachineMinute;
pub use reader::Reader;
pub use retention::Retention;
pub use seconds::{decode_seconds, encode_seconds};
pub use summary::{Level, Percentiles, Summary};
pub use target::{Target, TargetId};
pub use writer::{Store, add_event};
