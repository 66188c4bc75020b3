//! Targets that are probed around the clock.
//!
//! ```text
//!  thread `watch`, one task each:
//!    target ─ Asker (datagrams) ┐
//!    target ─ TCP, HTTPS        ├─ Report ──> Watcher ──> SpikeJudge
//!    hop    ─ Asker             │                │            │
//!    heartbeat: load, clock     ┘                └─── News ───┴──> who keeps and shows it
//! ```
//!
//! Answers are waited for as long as they may come, and counted as late, not as lost. Times are those of
//! the kernel where it stamps. While the machine sleeps, has no processor or no route, probes say nothing
//! of the path: they are neither answered nor lost, and the gap is told.
//!
//! Linux only; elsewhere this crate is empty.
#![cfg(target_os = "linux")]

mod asker;
mod context;
mod error;
mod exchange;
mod heartbeat;
mod interface;
mod local;
mod news;
mod pace;
mod probe;
mod resolve;
mod route;
mod socket;
mod target;
mod watcher;

pub use error::WatchError;
pub use news::{News, Ongoing, Probed};
pub use pace::Politeness;
pub use target::{Target, TargetKind};
pub use watcher::{Settings, Watcher};
