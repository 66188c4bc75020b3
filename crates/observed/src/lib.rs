//! Simulated paths, measured as real ones are: what comes out are observations, and the truth.
//!
//! [`Path::measure`] writes a scenario, runs it in virtual time, and makes of what became of each packet
//! what `unbloat test` would have seen at both ends. So a diagnosis can be judged where the truth is
//! known, on as many paths as one likes.

mod drawn;
mod fates;
mod flows;
mod judged;
mod path;
mod plan;
mod probes;
mod table;

pub use drawn::{Drawn, Kind};
pub use judged::over_time;
pub use path::{Measured, Neighbour, Path, Waited, Way};
