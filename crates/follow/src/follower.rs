//! The rules, with all that they see.

use autorate::{Both, Controller, Decision, Limits, Observation, Passage, Rules, Sample};
use kernel::Clock;
use units::Time;

use crate::error::FollowError;
use crate::link_socket::Route;
use crate::prober::Prober;
use crate::{AnswersTo, RoundTrips, Source};

/// The settings of a follower.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name of the interface to the line.
    pub interface: String,
    /// The rates between which the rules choose.
    pub limits: Both<Limits>,
    /// The source of delays.
    pub source: Source,
    /// The firewall mark with which questions go past the shaper; `None` if they go through it.
    pub mark: Option<u32>,
}

/// Our rules on a real line.
pub struct Follower {
    controller: Box<dyn Controller + Send>,
    prober: Option<Prober>,
    round_trips: Option<RoundTrips>,
    samples: Vec<Sample>,
    due: Time,
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follower").field("prober", &self.prober).finish_non_exhaustive()
    }
}

impl Follower {
    /// Begins to ask the source. Times are those of this clock.
    ///
    /// # Errors
    /// If the source cannot be asked.
    pub fn new(settings: &Settings, clock: Clock) -> Result<Self, FollowError> {
        let route = Route { interface: settings.interface.clone(), mark: settings.mark };
        let prober = Prober::start(&settings.source, &route, clock)?;
        let round_trips = prober.is_none().then(RoundTrips::default);
        let now = clock.now();
        let controller = Rules::Ours.controller(settings.limits, now.as_nanos());
        Ok(Self { controller, prober, round_trips, samples: Vec::new(), due: now })
    }

    /// The mark of answers; `None` if nobody is asked.
    pub fn answers_to(&self) -> Option<AnswersTo> {
        self.prober.as_ref().map(Prober::answers)
    }

    /// The round trips of passing connections, which the driver tells of; `None` if somebody is asked.
    pub fn round_trips(&mut self) -> Option<&mut RoundTrips> {
        self.round_trips.as_mut()
    }

    /// The time of the next tick.
    pub const fn due(&self) -> Time {
        self.due
    }

    /// Decides, with the traffic since the last tick.
    pub fn tick(&mut self, now: Time, traffic: Both<Passage>) -> Decision {
        if let Some(prober) = &self.prober {
            prober.take(&mut self.samples);
        }
        let passing = self.round_trips.as_mut().and_then(|all| all.sample(now));
        self.samples.extend(passing);
        let decision = self.controller.tick(now, &Observation { traffic, samples: &self.samples });
        self.samples.clear();
        if let Some(prober) = &self.prober {
            prober.probe(decision.probing, decision.replace);
        }
        // A late tick is not made up for.
        self.due = (self.due + self.controller.interval()).max(now);
        decision
    }
}
