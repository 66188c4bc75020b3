//! Simulated paths, measured as real ones are. The results are observations, and the truth.
//!
//! [`Path::measure`] writes a scenario, runs it in virtual time, and turns the fates of its packets
//! into the observations that `unbloat test` would make at both ends. Thus a diagnosis can be
//! judged where the truth is known, on any number of paths.

mod drawn;
mod fates;
mod flows;
mod judged;
mod measure;
mod path;
mod plan;
mod probes;
mod table;

pub use drawn::{Drawn, DrawnQueue, between, one_of};
pub use judged::over_time;
pub use path::{Bottleneck, Measured, Neighbour, Path, Waited};
