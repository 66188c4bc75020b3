//! The requests of one connection: for a single object, or for pages of several.

use units::{Bytes, Prob, Rng, Span};

use super::draws::{gamma, normal, weibull};
use super::seconds;

/// The part of connections that stay open after their first object.
const PERSISTENT: f64 = 0.09;
/// The part of persistent connections that are for a single page.
const ONE_PAGE: f64 = 0.82;
/// The number of further pages of the other persistent connections: the mean of an exponential
/// distribution.
const MORE_PAGES: f64 = 0.417;
/// The part of pages that have a single object, where a connection is for several pages.
const ONE_OBJECT: f64 = 0.69;
/// The number of further objects of the other pages: the mean of an exponential distribution.
const MORE_OBJECTS: f64 = 1.578;
/// The size in bytes up to which a response carries no object; then neither do those that follow
/// it.
const NOT_MODIFIED: u64 = 275;
/// The time from one page to the next, as a power of two of seconds.
const READING: Spread = Spread { mean: 3.22, variance: 0.73, shape: 1.85, within: 1.21 };
/// The time from one object to the next, as a power of two of seconds.
const LOOKING: Spread = Spread { mean: -4.15, variance: 3.12, shape: 2.35, within: 1.57 };
/// The size of further objects of a connection, as a power of two of bytes.
const WEIGHT: Spread = Spread { mean: 10.62, variance: 0.94, shape: 3.22, within: 2.43 };
/// The distribution of one over the server's delay in seconds: shape and scale of a Weibull
/// distribution, and the least value.
const SERVER: (f64, f64, f64) = (0.63, 305.0, 10.0);

/// The requests of one connection, and the state of their exchange.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    rng: Rng,
    request: u64,
    response: u64,
    /// The number of pages that are not complete.
    pub(super) pages: u64,
    /// The number of objects of this page that are not complete.
    pub(super) objects: u64,
    has_several_pages: bool,
    parameters: Option<RequestParameters>,
}

/// The parameters of all requests of a connection that stays open.
#[derive(Clone, Debug)]
struct RequestParameters {
    reading: Power,
    looking: Power,
    /// The sizes of further responses; `None` if all responses are as large as the first.
    weight: Option<Power>,
}

/// The variation between connections, whose location is normal, and the square of whose scale has a
/// gamma distribution of mean `within`: the variance of the values of one connection.
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
    /// A connection with requests of `request` bytes and a first response of `response` bytes.
    pub(super) fn new(mut rng: Rng, request: u64, response: u64) -> Self {
        let parameters = chance(&mut rng, PERSISTENT).then(|| RequestParameters {
            reading: READING.draw(&mut rng),
            looking: LOOKING.draw(&mut rng),
            weight: (response > NOT_MODIFIED).then(|| WEIGHT.draw(&mut rng)),
        });
        let mut visit = Self {
            rng,
            request,
            response,
            pages: 1,
            objects: 1,
            has_several_pages: false,
            parameters,
        };
        if visit.parameters.is_some() {
            if !chance(&mut visit.rng, ONE_PAGE) {
                visit.pages = 1 + visit.more(MORE_PAGES);
                visit.has_several_pages = true;
            }
            visit.objects = visit.objects_of_a_page();
        }
        visit
    }

    /// The size of the present request in bytes.
    pub(crate) fn request(&self) -> Bytes {
        Bytes(self.request.max(1))
    }

    /// The size of the response to the present request in bytes.
    pub(crate) fn response(&self) -> Bytes {
        Bytes(self.response.max(1))
    }

    /// The time that the server takes before it answers.
    pub(crate) fn server_delay(&mut self) -> Span {
        let (shape, scale, least) = SERVER;
        seconds(1.0 / weibull(&mut self.rng, shape, scale).max(least))
    }

    /// True if this is the last request.
    pub(crate) fn is_last(&self) -> bool {
        self.pages <= 1 && self.objects <= 1
    }

    /// Moves on after a complete response. Returns the time to the next request; `None` if none
    /// follows.
    pub(crate) fn advance(&mut self) -> Option<Span> {
        if self.is_last() {
            return None;
        }
        let RequestParameters { reading, looking, weight } = self.parameters.clone()?;
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

    /// The number of objects of a page; more than one if the connection stays open for a single
    /// page.
    fn objects_of_a_page(&mut self) -> u64 {
        match self.has_several_pages && chance(&mut self.rng, ONE_OBJECT) {
            true => 1,
            false => 1 + self.more(MORE_OBJECTS),
        }
    }

    /// A number of an exponential distribution, rounded up: at least 1.
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
