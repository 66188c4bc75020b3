//! What one connection is for: a single object, or pages of several.

use units::{Bytes, Prob, Rng, Span};

use super::draws::{gamma, normal, weibull};
use super::seconds;

/// Connections that stay open after their first object.
const PERSISTENT: f64 = 0.09;
/// Those of them that are for a single page.
const ONE_PAGE: f64 = 0.82;
/// How many more pages the others have: the mean of an exponential distribution.
const MORE_PAGES: f64 = 0.417;
/// Pages of a single object, where a connection is for several pages.
const ONE_OBJECT: f64 = 0.69;
/// How many more objects the others have, likewise.
const MORE_OBJECTS: f64 = 1.578;
/// A response of no more bytes than this carried no object, and neither do those that follow it.
const NOT_MODIFIED: u64 = 275;
/// From one page to the next, as a power of two of seconds.
const READING: Spread = Spread { mean: 3.22, variance: 0.73, shape: 1.85, within: 1.21 };
/// From one object to the next.
const LOOKING: Spread = Spread { mean: -4.15, variance: 3.12, shape: 2.35, within: 1.57 };
/// What further objects of a connection weigh, as a power of two of bytes.
const WEIGHT: Spread = Spread { mean: 10.62, variance: 0.94, shape: 3.22, within: 2.43 };
/// One over the server's delay in seconds: shape and scale of a Weibull distribution, and the least.
const SERVER: (f64, f64, f64) = (0.63, 305.0, 10.0);

/// A connection, as far as it has come.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    rng: Rng,
    request: u64,
    response: u64,
    /// Pages that are not complete.
    pub(super) pages: u64,
    /// Objects of this page that are not complete.
    pub(super) objects: u64,
    has_several_pages: bool,
    habit: Option<Habit>,
}

/// What is the same for all requests of a connection that stays open.
#[derive(Clone, Debug)]
struct Habit {
    reading: Power,
    looking: Power,
    /// Nothing if all responses are as the first.
    weight: Option<Power>,
}

/// How connections differ: their location is normal, their scale is the root of a gamma
/// distribution of mean 1; and how values within one do.
struct Spread {
    mean: f64,
    variance: f64,
    shape: f64,
    within: f64,
}

/// A random power of two.
#[derive(Clone, Copy, Debug)]
struct Power {
    location: f64,
    scale: f64,
}

impl Visit {
    /// One whose requests, and whose first response, weigh so much.
    pub(super) fn new(mut rng: Rng, request: u64, response: u64) -> Self {
        let habit = chance(&mut rng, PERSISTENT).then(|| Habit {
            reading: READING.draw(&mut rng),
            looking: LOOKING.draw(&mut rng),
            weight: (response > NOT_MODIFIED).then(|| WEIGHT.draw(&mut rng)),
        });
        let mut visit =
            Self { rng, request, response, pages: 1, objects: 1, has_several_pages: false, habit };
        if visit.habit.is_some() {
            if !chance(&mut visit.rng, ONE_PAGE) {
                visit.pages = 1 + visit.more(MORE_PAGES);
                visit.has_several_pages = true;
            }
            visit.objects = visit.objects_of_a_page();
        }
        visit
    }

    /// What is asked now.
    pub(crate) fn request(&self) -> Bytes {
        Bytes(self.request.max(1))
    }

    /// What is answered to it.
    pub(crate) fn response(&self) -> Bytes {
        Bytes(self.response.max(1))
    }

    /// How long the server thinks about it.
    pub(crate) fn server_delay(&mut self) -> Span {
        let (shape, scale, least) = SERVER;
        seconds(1.0 / weibull(&mut self.rng, shape, scale).max(least))
    }

    /// Is this the last request?
    pub(crate) fn is_last(&self) -> bool {
        self.pages <= 1 && self.objects <= 1
    }

    /// The response is complete: when the next request follows, if one does.
    pub(crate) fn advance(&mut self) -> Option<Span> {
        if self.is_last() {
            return None;
        }
        let Habit { reading, looking, weight } = self.habit.clone()?;
        let gap = if self.objects > 1 {
            self.objects -= 1;
            looking.draw(&mut self.rng)
        } else {
            self.pages -= 1;
            self.objects = self.objects_of_a_page();
            reading.draw(&mut self.rng)
        };
        if let Some(weight) = weight {
            self.response = weight.draw(&mut self.rng) as u64;
        }
        Some(seconds(gap))
    }

    /// A connection that stays open for a single page has several objects on it.
    fn objects_of_a_page(&mut self) -> u64 {
        match self.has_several_pages && chance(&mut self.rng, ONE_OBJECT) {
            true => 1,
            false => 1 + self.more(MORE_OBJECTS),
        }
    }

    /// Exponential, rounded up: at least 1.
    fn more(&mut self, mean: f64) -> u64 {
        (weibull(&mut self.rng, 1.0, mean).ceil() as u64).max(1)
    }
}

impl Spread {
    fn draw(&self, rng: &mut Rng) -> Power {
        let location = self.mean + self.variance.sqrt() * normal(rng);
        let scale = gamma(rng, self.shape) / self.shape;
        Power { location, scale: (scale * self.within).sqrt() }
    }
}

impl Power {
    fn draw(self, rng: &mut Rng) -> f64 {
        libm::exp2(self.location + self.scale * normal(rng))
    }
}

fn chance(rng: &mut Rng, probability: f64) -> bool {
    rng.chance(Prob::clamped(probability))
}
