//! The reasons why a run has no result.

use std::fmt;
use std::io;

use scenario::Scenario;
use units::Time;

use crate::standstill::Standstill;

/// The reason why a run has no result.
#[derive(Debug)]
pub enum Error {
    /// A feature that the scenario asks for, and that the simulator does not have. The text is a
    /// sentence.
    Unfit(String),
    /// A failure to write a table or a capture of the run.
    Write(io::Error),
    /// A clock that stands still: the events at one time did not end. That is a defect of the
    /// simulator, whatever the scenario.
    Standstill {
        /// The flow that was last asked for packets; `None` if none was.
        flow: Option<String>,
        /// The time at which the clock stands.
        time: Time,
        /// Events at that time, or packets of one event.
        events: u64,
    },
}

impl Error {
    pub(crate) fn of(standstill: Standstill, scenario: &Scenario) -> Self {
        let Standstill { time, events, flow } = standstill;
        let flow = flow.and_then(|flow| scenario.flow_names().into_iter().nth(flow));
        Self::Standstill { flow, time, events }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfit(why) => f.write_str(why),
            Self::Write(error) => error.fmt(f),
            Self::Standstill { flow, time, events } => {
                if let Some(flow) = flow {
                    write!(f, "flow `{flow}`: ")?;
                }
                write!(
                    f,
                    "the simulation stands still: {events} events at {} s, and its clock does not \
                     move; that is a mistake in unbloat, so please report the scenario and its seed",
                    time.as_secs_f64()
                )
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Write(error) => Some(error),
            Self::Unfit(_) | Self::Standstill { .. } => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}
