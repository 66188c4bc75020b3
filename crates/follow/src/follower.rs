//! The rules, with all that they see.

use autorate::{
    Blind, Blindness, Both, Controller, Decision, Delay, Limits, Observation, Passage, Rules,
    Sample,
};
use kernel::Clock;
use results::{AutorateSource, AutorateState};
use units::{Span, Time};

use crate::error::FollowError;
use crate::link_socket::Route;
use crate::prober::Prober;
use crate::state::{Carried, state};
use crate::{AnswersTo, RoundTrips, Source};

/// The time after which it is news that no delay is known: one lost answer is none.
const NEWS: Span = Span::from_secs(2);
/// The same time before the first answer, which may be to the third request: one is sent a second then, and
/// a server answers the first one only by asking for a proof of our address.
const FIRST_NEWS: Span = Span::from_secs(5);

/// The news of delays, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// No delay has been known yet.
    Unknown,
    /// No delay is known now.
    Lost,
    /// Delays are known.
    Known,
}

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
    /// The time before which nothing could be known.
    began: Time,
    due: Time,
    /// True once a delay has been known.
    has_known: bool,
    /// True if it was said that no delay is known.
    is_blind: bool,
    limits: Both<Limits>,
    source: AutorateSource,
    carried: Both<Carried>,
    /// The latest decision; `None` before the first.
    decision: Option<Decision>,
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
        Ok(Self {
            controller,
            prober,
            round_trips,
            samples: Vec::new(),
            began: now,
            due: now,
            has_known: false,
            is_blind: false,
            limits: settings.limits,
            source: match settings.source {
                Source::Server(_) => AutorateSource::Server,
                Source::Reflectors(_) => AutorateSource::Reflectors,
                Source::Passing => AutorateSource::Passing,
            },
            carried: Both::default(),
            decision: None,
        })
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

    /// Goes on behind a time in which there was nothing to follow: that nobody answered then tells nothing.
    pub fn go_on(&mut self, now: Time) {
        self.began = now;
        self.carried = Both::default();
    }

    /// Decides, with the traffic since the last tick.
    pub fn tick(&mut self, now: Time, traffic: Both<Passage>) -> Decision {
        if let Some(prober) = &self.prober {
            prober.take(&mut self.samples);
        }
        let passing = self.round_trips.as_mut().and_then(|all| all.sample(now));
        self.samples.extend(passing);
        self.has_known |= self.samples.iter().any(|it| it.delay != Delay::Missing);
        let seen = Observation { traffic, samples: &self.samples };
        let mut decision = self.controller.tick(now, &seen);
        decision.blind = decision.blind.map(|it| Blind { since: it.since.max(self.began), ..it });
        self.samples.clear();
        if let Some(prober) = &self.prober {
            prober.probe(decision.probing, decision.replace);
        }
        self.carried.up.add(traffic.up.departed, now);
        self.carried.down.add(traffic.down.arrived, now);
        self.decision = Some(decision);
        // A late tick is not made up for.
        self.due = (self.due + self.controller.interval()).max(now);
        decision
    }

    /// What is new about delays; `None` if nothing is. That nothing passes is no news where only what passes
    /// can tell.
    pub fn news(&mut self, now: Time) -> Option<News> {
        let patience = if self.has_known { NEWS } else { FIRST_NEWS };
        let blind = self.decision?.blind.filter(|blind| {
            let is_idle = self.source == AutorateSource::Passing && blind.cause == Blindness::Dead;
            !is_idle && now.since(blind.since) >= patience
        });
        let was_blind = std::mem::replace(&mut self.is_blind, blind.is_some());
        (was_blind != self.is_blind).then_some(match (self.is_blind, self.has_known) {
            (false, _) => News::Known,
            (true, true) => News::Lost,
            (true, false) => News::Unknown,
        })
    }

    /// The latest decision for people and programs; `None` before the first.
    pub fn state(&self, now: Time) -> Option<AutorateState> {
        Some(state(self.source, &self.decision?, self.limits, self.carried, now))
    }
}

#[cfg(test)]
mod tests {
    use units::{Bytes, Rate};

    use super::*;

    /// The news of a follower of this past, and the time of it, when traffic passes and nobody answers.
    fn first_news(has_known: bool) -> (News, Span) {
        let mbit = Rate::from_mbit;
        let limits = Limits::new(mbit(1), mbit(8), mbit(20)).unwrap();
        let limits = Both { up: limits, down: limits };
        let settings =
            Settings { interface: "lo".into(), limits, source: Source::Passing, mark: None };
        let mut follower = Follower::new(&settings, Clock::start()).unwrap();
        follower.has_known = has_known;
        let bytes = Bytes(10_000);
        let passage = Passage { arrived: bytes, departed: bytes, ..Passage::default() };
        let began = follower.began;
        let news = (1..400_u64).find_map(|tick| {
            let now = began + Span::from_millis(50) * tick;
            follower.tick(now, Both { up: passage, down: passage });
            Some((follower.news(now)?, now.since(began)))
        });
        news.expect("it is told")
    }

    #[test]
    fn before_the_first_answer_silence_is_told_later_and_in_other_words() {
        assert_eq!(first_news(false), (News::Unknown, FIRST_NEWS));
        let (news, after) = first_news(true);
        assert_eq!(news, News::Lost);
        assert!(after < FIRST_NEWS, "{after}");
    }
}
