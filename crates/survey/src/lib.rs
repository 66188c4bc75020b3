//! What one machine says of its queues, devices and settings: the script that asks, and the reader
//! of its answer.
//!
//! [`SCRIPT`] is one text for `sh -s -- PAUSE`. It needs no rights and no program of ours, reads
//! alone, and so runs on this machine and over any connection alike. [`Survey::parse`] reads what it
//! prints. It judges nothing: crate `checkup` does.
//!
//! ```
//! use survey::Survey;
//!
//! let survey = Survey::parse("== survey 1\npause 2\nkernel Linux 6.1.0-50\n\n== end\n")?;
//! assert_eq!(survey.kernel.version, Some((6, 1)));
//! assert_eq!(survey.queues, None); // there is no tc
//! # Ok::<(), survey::SurveyError>(())
//! ```

mod device;
mod file;
mod machine;
mod queue;
mod redirect;
mod sections;
mod settings;
mod survey;

pub use device::{Counters, Device, counters};
pub use file::ConfigFile;
pub use machine::{Kernel, Module, Release};
pub use queue::{Queue, SizeTable};
pub use redirect::Redirect;
pub use sections::SurveyError;
pub use settings::Settings;
pub use survey::Survey;

/// The script that prints a survey: POSIX `sh`, whose one argument is the pause in seconds between
/// the two readings of the counters.
pub const SCRIPT: &str = include_str!("survey.sh");
