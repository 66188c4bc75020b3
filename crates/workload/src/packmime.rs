//! PackMime-HTTP: the web load of a crowd, at a given number of new connections each second.
//!
//! Bell Labs and the University of North Carolina fitted it to the traffic of two links in 2001 and
//! 2002. Connections come in clusters, more so the fewer there are; most carry one small response,
//! a few a large one; one in eleven stays open for more objects and more pages. The model has no
//! network: from the rate of connections it gives their times, the sizes of requests and responses,
//! and the delays of server and reader.
//!
//! Specification: Cao, Cleveland, Gao, Jeffay, Smith, Weigle: "Stochastic Models for Generating
//! Synthetic HTTP Source Traffic", IEEE INFOCOM 2004, with the parameters that ns-2 has for it.
//!
//! Deviations: the long-memory noise is exact where ns-2 cuts it off after 1000 (requests: 5000)
//! values, and starts in its steady state ([`noise`]). The times between pages and objects get
//! their location and scale anew for each connection, as in the paper; ns-2 draws them once a run.
//! Round trips and losses are left to the links. Tables of quantiles have fewer points; straight
//! lines between them stay within a few percent.

mod arrivals;
mod draws;
mod noise;
mod requests;
mod responses;
#[cfg(test)]
mod tests;
mod visit;

use units::{Rng, Span};

use arrivals::Arrivals;
use requests::Requests;
use responses::Responses;
pub(crate) use visit::Visit;

/// All connections of a crowd, one after the other. Their requests do not depend on the speed of
/// the network.
#[derive(Debug)]
pub(crate) struct WebLoad {
    arrivals: Arrivals,
    requests: Requests,
    responses: Responses,
    visits: Rng,
}

impl WebLoad {
    /// A load of `rate` new connections per second, more than zero.
    pub(crate) fn new(rate: f64, rng: &Rng) -> Self {
        Self {
            arrivals: Arrivals::new(rate, rng.fork("arrivals")),
            requests: Requests::new(rate, rng.fork("requests")),
            responses: Responses::new(rate, rng.fork("responses")),
            visits: rng.fork("visits"),
        }
    }

    /// The time from one connection to the next.
    pub(crate) fn gap(&mut self) -> Span {
        seconds(self.arrivals.gap())
    }

    /// The requests and responses of the next connection.
    pub(crate) fn visit(&mut self) -> Visit {
        let rng = Rng::new(self.visits.next_u64());
        Visit::new(rng, self.requests.size(), self.responses.size())
    }
}

/// The curve along which a parameter of the model follows the rate: 1 / (1 + e^-x), where
/// x = `intercept` + `slope` log2 `rate`.
fn logistic(intercept: f64, slope: f64, rate: f64) -> f64 {
    let x = intercept + slope * libm::log2(rate);
    1.0 / (1.0 + libm::exp(-x))
}

/// `seconds` as a span, cut to a week: heavy tails reach beyond any run, and so does a week.
fn seconds(seconds: f64) -> Span {
    const WEEK: f64 = 7.0 * 24.0 * 3600.0;
    Span::from_secs_f64(seconds.clamp(0.0, WEEK))
}

/// The value at `x` of a function that is known at `points`, ascending: straight lines between
/// them, and `slope` beyond the last.
fn between(points: &[(f64, f64)], slope: f64, x: f64) -> f64 {
    let above = points.partition_point(|(known, _)| *known <= x);
    match (above.checked_sub(1).map(|below| points[below]), points.get(above)) {
        (Some((x0, y0)), Some((x1, y1))) => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
        (Some((last, y)), None) => y + slope * (x - last),
        (None, Some((_, first))) => *first,
        (None, None) => 0.0,
    }
}
