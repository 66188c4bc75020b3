//! Papers whose experiments are repeated, with their figures beside ours.
//!
//! Each [`Paper`] has a module of its own: the paper's numbers, its experiments as runs of the
//! scenarios in `scenarios/papers/`, how our figures are read from the runs, and how they are
//! drawn. `run` does the runs, `judge` compares a figure of the paper with ours, `tolerance` has
//! the largest deviations that still agree, and `contents` lists the parts of each paper that are
//! repeated and those that are not.
//!
//! The caller of [`Paper::repeat`] does the runs, as a [`Runner`]: on any number of threads, with
//! progress shown, and until an interrupt.

mod apnic;
mod codel;
mod contents;
mod error;
mod fit;
mod gettys;
mod gijsbers;
mod judge;
mod paper;
mod repeated;
mod request;
mod rfc7928;
mod run;
mod tolerance;

pub use contents::contents;
pub use error::Error;
pub use paper::{PAPERS, Paper, list};
pub use repeated::Repeated;
pub use request::Request;
pub use run::{Runner, Work};
