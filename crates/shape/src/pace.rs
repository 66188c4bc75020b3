//! Rates that follow the line.

use autorate::{Both, Decision, Heading, Passage};
use follow::{AnswersTo, FollowError, Follower, News, RoundTrips};
use live::{Clock, LinkView};
use results::AutorateState;
use units::{Bytes, Rate, Time, Way};

use crate::direction::Direction;
use crate::program::MARK;
use crate::{Factory, FollowSettings};

/// The rules at work, and what they have been told.
#[derive(Debug)]
pub(crate) struct Pace {
    follower: Follower,
    counted: Both<Counted>,
}

/// The counts of a direction at the last tick.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    arrived: Bytes,
    departed: Bytes,
    drops: u64,
    marks: u64,
}

/// The outcome of a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paced {
    /// The rates from now on.
    pub(crate) rates: Both<Rate>,
    /// What is new about delays; `None` if nothing is.
    pub(crate) news: Option<News>,
}

impl Pace {
    pub(crate) fn new(
        interface: &str,
        settings: &FollowSettings,
        clock: Clock,
    ) -> Result<Self, FollowError> {
        let settings = follow::Settings {
            interface: interface.to_owned(),
            limits: settings.limits,
            source: settings.source.clone(),
            mark: Some(MARK),
        };
        let follower = Follower::new(&settings, clock)?;
        Ok(Self { follower, counted: Both::default() })
    }

    /// The mark of answers that must not wait; `None` if nobody is asked.
    pub(crate) fn answers_to(&self) -> Option<AnswersTo> {
        self.follower.answers_to()
    }

    /// The round trips of passing connections; `None` if nobody needs them.
    pub(crate) fn round_trips(&mut self) -> Option<&mut RoundTrips> {
        self.follower.round_trips()
    }

    /// Goes on behind a time without an interface.
    pub(crate) fn go_on(&mut self, now: Time) {
        self.follower.go_on(now);
    }

    /// Decides, if it is time.
    pub(crate) fn tick<F: Factory>(
        &mut self,
        directions: &[Direction<F>],
        links: &[LinkView<'_, F::Queue>],
        now: Time,
    ) -> Option<Paced> {
        if now < self.follower.due() {
            return None;
        }
        let mut traffic = Both::default();
        for (direction, link) in directions.iter().zip(links) {
            let heading = heading(direction.way);
            traffic[heading] = self.passage(heading, direction, link.backlog().bytes);
        }
        let Decision { rates, .. } = self.follower.tick(now, traffic);
        Some(Paced { rates, news: self.follower.news(now) })
    }

    pub(crate) fn state(&self, now: Time) -> Option<AutorateState> {
        self.follower.state(now)
    }

    /// The traffic of a direction since the last tick.
    fn passage<F>(
        &mut self,
        heading: Heading,
        direction: &Direction<F>,
        backlog: Bytes,
    ) -> Passage {
        let tally = &direction.tally;
        let now = Counted {
            arrived: direction.arrived,
            departed: tally.sent.bytes,
            drops: tally.dropped(),
            marks: tally.marked,
        };
        let before = std::mem::replace(&mut self.counted[heading], now);
        Passage {
            arrived: now.arrived - before.arrived,
            departed: now.departed - before.departed,
            backlog,
            drops: now.drops - before.drops,
            marks: now.marks - before.marks,
        }
    }
}

/// The heading of a way through the interface.
pub(crate) const fn heading(way: Way) -> Heading {
    match way {
        Way::Forward => Heading::Up,
        Way::Reverse => Heading::Down,
    }
}
