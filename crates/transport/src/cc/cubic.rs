//! CUBIC: after a congestion event the window rises along a cubic curve of time: fast back to
//! where it last met congestion (`w_max`), slowly around it, then fast again to probe for more.
//!
//! Growth depends on time and not on the number of round trips, so flows of different distance
//! share more evenly. Where Reno would be faster (short round trips, small windows) it follows
//! Reno's estimate.
//!
//! Specification: RFC 9438 sections 4.1 (constants), 4.2 (the curve), 4.3 (Reno-friendly region),
//! 4.4 and 4.5 (below and above `w_max`), 4.6 (decrease), 4.7 (fast convergence), 5.8
//! (application-limited times); RFC 8511 section 3 (back-off on ECN). Where they differ in
//! mechanics, Linux 6.1 is followed.
//!
//! Deviations:
//! - section 4.2: the curve is rounded down to whole segments (away from `w_max`), as in Linux.
//! - section 4.3: the estimate keeps alpha = 8/15 after it has passed the former window.
//! - section 4.4: the bound of 1.5 windows is kept by adding at most one segment for two.
//! - section 4.8: a timeout forgets `w_max`, so that the growth before the first loss applies.
//! - Linux counts time in ticks and adjusts growth at most once a tick; here time is exact unless
//!   [`Cubic::with_tick`] says otherwise.

use units::{Span, Time};

use super::additive::{Additive, slow_start};
use super::hystart::HyStart;
use super::reno::MINIMUM_SSTHRESH;
use super::{Acked, CongestionControl, Reduction, Window};

/// The constant C, in segments per second cubed (RFC 9438 section 4.1).
const C: f64 = 0.4;
/// The denominator of the two factors below.
const SCALE: u64 = 1024;
/// The factor of a loss, the default: beta = 0.7 (RFC 9438 section 4.6), as Linux rounds it.
const BETA: u64 = 717;
/// The factor of a mark: beta_ecn = 0.85 for CUBIC (RFC 8511 section 3).
const BETA_ECN: u64 = 870;
/// The slowest growth while the window of congestion is unknown: one segment for this many, 5 % a
/// round trip (Linux `bictcp_update`).
const SLOWEST_BEFORE_LOSS: u32 = 20;
/// The fastest growth: one segment for this many, 1.5 times the window a round trip (RFC 9438
/// section 4.4).
const FASTEST: u32 = 2;
/// The number of windows in which the window grows by one at or above the curve (Linux
/// `bictcp_update`).
const STANDING: u32 = 100;
/// The time after which the curve is consulted anew, as it is after a change of the window (Linux
/// `bictcp_update`).
const REFRESH: Span = Span::from_nanos(1_000_000_000 / 32);
/// The time after a congestion event in which round-trip samples are not used (Linux
/// `cubictcp_acked`).
const BLIND: Span = Span::from_secs(1);

/// The growth since a congestion event.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Time,
    /// The time in seconds at which the curve reaches its origin: K of RFC 9438 section 4.2.
    k: f64,
    /// The plateau of the curve, in segments.
    origin: u32,
    /// The estimate of Reno's window, in whole segments: `W_est` of RFC 9438 section 4.3.
    reno_window: u32,
    /// The segments delivered towards the next segment of `W_est`.
    delivered: u64,
    /// The time at which the curve was last consulted, and the window then.
    consulted: Time,
    consulted_cwnd: u32,
    /// The number of delivered segments for each segment of growth.
    per: u32,
}

/// The state of CUBIC.
#[derive(Clone, Debug)]
pub struct Cubic {
    abe: bool,
    /// The part of the window that remains after a loss, in 1024ths.
    beta: u16,
    /// The resolution of the clock; `None` for an exact one.
    tick: Option<Span>,
    /// The window at the last congestion event, less the reduction by fast convergence; `None`
    /// before the first event.
    w_max: Option<u32>,
    epoch: Option<Epoch>,
    /// The smallest round-trip time; [`Span::MAX`] before any.
    min_rtt: Span,
    additive: Additive,
    /// True to leave slow start early.
    has_hystart: bool,
    /// The search for the end of slow start; `None` without such a search, or after its success.
    hystart: Option<Box<HyStart>>,
}

impl Cubic {
    /// Creates CUBIC, which leaves slow start early if `hystart`, and reduces its window to 0.85
    /// instead of 0.7 on a mark if `abe`.
    pub fn new(hystart: bool, abe: bool) -> Self {
        Self {
            abe,
            beta: BETA as u16,
            tick: None,
            w_max: None,
            epoch: None,
            min_rtt: Span::MAX,
            additive: Additive::default(),
            has_hystart: hystart,
            hystart: hystart.then(|| Box::new(HyStart::new())),
        }
    }

    /// Sets the reduction to `beta` 1024ths of the window; `beta` must be below 1024.
    pub fn with_beta(self, beta: u16) -> Self {
        debug_assert!(u64::from(beta) < SCALE, "a window falls");
        Self { beta: beta.min(SCALE as u16 - 1), ..self }
    }

    /// Counts time in ticks of this length, as Linux does, and adjusts growth to the curve at most
    /// once a tick; `None` for an exact clock. Above 1 ms a tick shows over short round trips: at
    /// 250 Hz the curve is consulted each 32 ms, and not some time after 31.25 ms.
    pub fn with_tick(self, tick: Option<Span>) -> Self {
        Self { tick, ..self }
    }

    /// The window at the last congestion event, in segments, less the reduction by fast
    /// convergence; `None` before the first event.
    pub const fn w_max(&self) -> Option<u32> {
        self.w_max
    }

    /// The time from the start of growth to the plateau: K of RFC 9438 section 4.2; `None` before
    /// growth has started.
    pub fn k(&self) -> Option<Span> {
        self.epoch.map(|epoch| Span::from_secs_f64(epoch.k))
    }

    #[inline(always)]
    fn take_rtt(&mut self, window: &mut Window, ack: &Acked, rtt: Span) {
        if self.epoch.is_some_and(|epoch| ack.now.since(epoch.start) < BLIND) {
            return;
        }
        self.min_rtt = self.min_rtt.min(rtt);
        if let Some(hystart) = &mut self.hystart
            && hystart.on_ack(window, ack, rtt, self.min_rtt)
        {
            window.ssthresh = window.cwnd;
            self.hystart = None;
        }
    }

    /// The number of delivered segments for each segment of growth now.
    #[inline(always)]
    fn pace(&mut self, cwnd: u32, delivered: u32, now: Time) -> u32 {
        let (w_max, beta) = (self.w_max, u64::from(self.beta));
        let now = self.by_clock(now);
        let min_rtt = if self.min_rtt == Span::MAX { Span::ZERO } else { self.min_rtt };
        let mut started = false;
        let epoch = self.epoch.get_or_insert_with(|| {
            started = true;
            Epoch::new(w_max, cwnd, now)
        });
        epoch.delivered += u64::from(delivered);
        let fresh = epoch.consulted_cwnd == cwnd && now.since(epoch.consulted) <= REFRESH;
        if started || !fresh {
            let is_same_tick = self.tick.is_some() && !started && epoch.consulted == now;
            (epoch.consulted, epoch.consulted_cwnd) = (now, cwnd);
            let curve =
                if is_same_tick { epoch.per } else { epoch.along_curve(cwnd, now, min_rtt) };
            let bound = if w_max.is_none() { SLOWEST_BEFORE_LOSS } else { u32::MAX };
            epoch.per = curve.min(bound).min(epoch.as_reno(cwnd, beta)).max(FASTEST);
        }
        epoch.per
    }

    /// The time that the clock shows.
    fn by_clock(&self, now: Time) -> Time {
        let Some(tick) = self.tick else { return now };
        let nanos = now.as_nanos();
        Time::from_nanos(nanos - nanos % tick.as_nanos().max(1))
    }
}

impl Epoch {
    fn new(w_max: Option<u32>, cwnd: u32, now: Time) -> Self {
        // RFC 9438 section 4.2; without a higher former window the plateau is the present window.
        let origin = w_max.unwrap_or(0).max(cwnd);
        Self {
            start: now,
            k: time_to_plateau(f64::from(origin - cwnd)),
            origin,
            reno_window: cwnd,
            delivered: 0,
            consulted: now,
            consulted_cwnd: cwnd,
            per: FASTEST,
        }
    }

    /// The growth along the curve: a round trip from now the window lies on it (RFC 9438 sections
    /// 4.2, 4.4, 4.5).
    fn along_curve(&self, cwnd: u32, now: Time, min_rtt: Span) -> u32 {
        let t = (now.since(self.start) + min_rtt).as_secs_f64();
        let offset = cubic_offset(t, self.k);
        // DEVIATES RFC 9438 section 4.2: whole segments, as Linux counts.
        let distance = offset.abs() as u32;
        let target = if offset < 0.0 {
            self.origin.saturating_sub(distance)
        } else {
            self.origin.saturating_add(distance)
        };
        if target > cwnd { cwnd / (target - cwnd) } else { cwnd.saturating_mul(STANDING) }
    }

    /// The growth of Reno's estimate, below which the window does not stay (RFC 9438 section 4.3).
    fn as_reno(&mut self, cwnd: u32, beta: u64) -> u32 {
        // Segments of a window to be acknowledged for one of growth, 1 / alpha =
        // (1 + beta) / (3 (1 - beta)), in eighths as Linux rounds it: 15 for 0.7.
        let eighths = 8 * (SCALE + beta) / 3 / (SCALE - beta);
        // DEVIATES RFC 9438 section 4.3: alpha stays 8/15 above the former window, as in Linux.
        let per = (u64::from(cwnd) * eighths / 8).max(1);
        // As Linux, a segment is due only when more than `per` were delivered.
        let grown = self.delivered.saturating_sub(1) / per;
        self.delivered -= grown * per;
        self.reno_window = self.reno_window.saturating_add(grown as u32);
        match self.reno_window.checked_sub(cwnd) {
            Some(behind) if behind > 0 => cwnd / behind,
            _ => u32::MAX,
        }
    }
}

/// The time to a plateau that lies `distance` segments above: K of RFC 9438 section 4.2.
fn time_to_plateau(distance: f64) -> f64 {
    libm::cbrt(distance / C)
}

/// The height of the curve above its plateau, in segments: `W_cubic(t)` of RFC 9438 section 4.2.
fn cubic_offset(t: f64, k: f64) -> f64 {
    let from_plateau = t - k;
    C * from_plateau * from_plateau * from_plateau
}

impl CongestionControl for Cubic {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &Acked) {
        if let Some(rtt) = ack.rtt {
            self.take_rtt(window, ack, rtt);
        }
        if !ack.may_grow {
            return;
        }
        let mut delivered = ack.delivered;
        if window.in_slow_start() {
            delivered = slow_start(window, delivered);
        }
        if delivered > 0 {
            let per = self.pace(window.cwnd, delivered, ack.now);
            self.additive.grow(window, per, delivered);
        }
    }

    fn reduce(&mut self, window: &Window, cause: Reduction, _now: Time) -> u32 {
        let part = |factor| (u64::from(window.cwnd) * factor / SCALE) as u32;
        // RFC 9438 section 4.6.
        let own = u64::from(self.beta);
        let beta = if cause == Reduction::Ecn && self.abe { BETA_ECN } else { own };
        let ssthresh = part(beta).max(MINIMUM_SSTHRESH);
        if cause == Reduction::Timeout {
            // DEVIATES RFC 9438 section 4.8: Linux starts anew, with nothing known of the path.
            let new = Self::new(self.has_hystart, self.abe);
            *self = Self { beta: self.beta, tick: self.tick, ..new };
            return ssthresh;
        }
        self.additive.reset();
        self.epoch = None;
        // RFC 9438 section 4.7: leave room for other flows if the former peak was not reached.
        let falling = self.w_max.is_some_and(|former| window.cwnd < former);
        self.w_max = Some(if falling { part(SCALE + own) / 2 } else { window.cwnd });
        ssthresh
    }

    /// Takes idle time out of the curve, as Linux does (RFC 9438 section 5.8).
    fn on_restart(&mut self, idle: Span, now: Time) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start = (epoch.start + idle).min(now);
        }
    }
}

#[cfg(test)]
mod tests;
