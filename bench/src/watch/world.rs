//! The state of a home at a time: its queues, and what is late.

use units::Rng;

use super::home::{COPY, EARLIER, EARLIER_LENGTH, Home, HopAnswers, uniform};
use super::trouble::{Kind, Trouble};

/// The length of a step in seconds.
pub(super) const STEP: f64 = 0.01;
/// The reverse of a TCP flow: an acknowledgement of 66 bytes for two segments of 1514.
const ACKNOWLEDGEMENTS: f64 = 66.0 / 3028.0;

/// The state.
pub(super) struct World<'a> {
    home: &'a Home,
    trouble: &'a Trouble,
    rng: Rng,
    at: f64,
    queues: [f64; 2],
    /// The part that a full queue drops.
    drops: [f64; 2],
    /// The own bytes that have passed the interface, up and down, without those to other machines at home.
    pub(super) passed: [f64; 2],
    /// Those to and from other machines at home.
    pub(super) local: [f64; 2],
    page: (f64, f64, f64),
    /// The slow part of the added delay, 0 to 1: it wanders.
    wander: f64,
}

impl<'a> World<'a> {
    pub(super) fn new(home: &'a Home, trouble: &'a Trouble, rng: Rng) -> Self {
        Self {
            home,
            trouble,
            rng,
            at: 0.0,
            queues: [0.0; 2],
            drops: [0.0; 2],
            passed: [0.0; 2],
            local: [0.0; 2],
            page: (0.0, 0.0, 0.0),
            wander: 0.7,
        }
    }

    pub(super) fn step(&mut self) {
        self.at += STEP;
        let own = self.own_load();
        let others = self.others_load();
        self.wander = (self.wander + uniform(&mut self.rng, -0.03, 0.03)).clamp(0.4, 1.0);
        for way in 0..2 {
            let rate = self.home.rates[way];
            let offered = own[way] + others[way];
            let filled = (self.queues[way] + (offered - rate) * STEP).max(0.0);
            let room = self.home.buffers[way];
            self.drops[way] = if filled > room { 1.0 - rate / offered } else { 0.0 };
            self.queues[way] = filled.min(room);
            // What comes down passes the line first.
            let share = if offered > rate { rate / offered } else { 1.0 };
            let seen = if way == 0 { own[way] } else { own[way] * share };
            self.passed[way] += seen * STEP;
        }
        self.copy();
    }

    /// Copies within the local network.
    fn copy(&mut self) {
        let is_beside = self.trouble.kind == Kind::OthersCopy && self.trouble.is_on(self.at);
        let is_earlier = self.home.copied && (0.0..EARLIER_LENGTH).contains(&(self.at - COPY));
        if is_beside || is_earlier {
            let bytes = self.home.copy * STEP;
            let way = self.trouble.way;
            self.local[way] += bytes;
            self.local[1 - way] += bytes * ACKNOWLEDGEMENTS;
        }
    }

    /// The own load up and down in bytes a second.
    fn own_load(&mut self) -> [f64; 2] {
        let [up, down] = self.home.rates;
        let mut load = [2_000.0, 4_000.0];
        if self.home.film && self.at % 4.0 < 1.0 {
            load[1] += down * 0.45;
        }
        if self.home.pages {
            let (next, until, part) = self.page;
            if self.at >= next {
                let begin = self.at + uniform(&mut self.rng, 3.0, 25.0);
                let length = uniform(&mut self.rng, 0.2, 1.5);
                self.page = (begin, self.at + length, uniform(&mut self.rng, 0.2, 0.6));
            } else if self.at < until {
                load[1] += down * part;
            }
        }
        let is_beside = (self.trouble.beside_from..self.trouble.beside_to).contains(&self.at);
        if is_beside && matches!(self.trouble.kind, Kind::OthersBeside | Kind::OthersTwice) {
            let way = self.trouble.way;
            load[way] += self.home.rates[way] * self.trouble.beside;
        } else if is_beside {
            load[0] += up * self.trouble.beside * 0.3;
            load[1] += down * self.trouble.beside;
        }
        for (way, begin) in EARLIER.into_iter().enumerate() {
            if self.trouble.kind == Kind::OthersTwice {
                load[way] += if self.is_first_time(way) {
                    self.home.rates[way] * self.trouble.before
                } else {
                    0.0
                };
            } else if self.home.earlier && (0.0..EARLIER_LENGTH).contains(&(self.at - begin)) {
                load[way] += self.filling(way, self.at - begin);
            }
        }
        if self.trouble.kind == Kind::FairQueue && is_beside {
            load[0] += up;
        }
        if self.trouble.is_on(self.at) {
            let since = self.at - self.trouble.start;
            let sends = matches!(self.trouble.kind, Kind::OwnUpload | Kind::OwnBoth);
            let receives = matches!(self.trouble.kind, Kind::OwnDownload | Kind::OwnBoth);
            if sends {
                load[0] += self.filling(0, since);
            }
            if receives {
                load[1] += self.filling(1, since);
            }
            if self.trouble.kind == Kind::OwnBbr {
                let rate = self.home.rates[1];
                load[1] += rate * self.trouble.bbr.sends(since, rate, self.queues[1] / rate);
            }
        }
        // The reverse: acknowledgements.
        let [up, down] = load;
        [up + down * ACKNOWLEDGEMENTS, down + up * ACKNOWLEDGEMENTS]
    }

    fn others_load(&mut self) -> [f64; 2] {
        let is_on = self.trouble.is_on(self.at);
        let since = self.at - self.trouble.start;
        match self.trouble.kind {
            Kind::OthersUpload if is_on => [self.filling(0, since), 0.0],
            Kind::OthersDownload if is_on => [0.0, self.filling(1, since)],
            Kind::OthersBeside | Kind::OthersTwice if is_on => {
                let way = self.trouble.way;
                let is_own = (self.trouble.beside_from..self.trouble.beside_to).contains(&self.at);
                self.filling_beside(way, since, if is_own { self.trouble.beside } else { 0.0 })
            }
            Kind::OthersCopy if is_on => self.filling_beside(self.trouble.way, since, 0.0),
            Kind::OthersTwice if self.is_first_time(self.trouble.way) => {
                let way = self.trouble.way;
                self.filling_beside(way, self.at - EARLIER[way], self.trouble.before)
            }
            _ => [0.0; 2],
        }
    }

    /// The load of somebody else that fills a direction, with an own one of this part of the line's rate.
    fn filling_beside(&self, way: usize, since: f64, own: f64) -> [f64; 2] {
        let mut load = [0.0; 2];
        load[way] = (self.filling(way, since) - self.home.rates[way] * own).max(0.0);
        load
    }

    /// True while somebody else fills a direction for the first time of two.
    fn is_first_time(&self, way: usize) -> bool {
        let is_on = (0.0..EARLIER_LENGTH).contains(&(self.at - EARLIER[way]));
        self.trouble.kind == Kind::OthersTwice && way == self.trouble.way && is_on
    }

    /// The rate at which TCP fills a queue, and empties it a little each 6 s, so many seconds after its
    /// beginning.
    fn filling(&self, way: usize, since: f64) -> f64 {
        let ramp = (since / 0.5).min(1.0);
        let is_filling = self.queues[way] < 0.98 * self.home.buffers[way] && (since % 6.0) < 4.0;
        let beyond = if is_filling { 1.25 } else { 0.95 };
        self.home.rates[way] * beyond * ramp
    }

    /// The delays of the queues up and down in milliseconds.
    fn queues_ms(&self) -> [f64; 2] {
        // RFC 8290 section 5: a sparse flow, as probes are, goes before the queue of a bulky one.
        if self.trouble.kind == Kind::FairQueue {
            return [0.0; 2];
        }
        [0, 1].map(|way| 1e3 * self.queues[way] / self.home.rates[way])
    }

    /// The delay that the trouble adds now, beside that of the queues.
    fn added_ms(&mut self) -> f64 {
        let burst = uniform(&mut self.rng, 0.6, 1.2);
        self.trouble.delay_ms * self.wander * burst
    }

    /// The round trip in milliseconds of a probe that is sent now to a place, and the part of it that was
    /// added on the way up; infinite for a loss. Place 0 is this machine, 1 to 3 are hops, then come targets.
    pub(super) fn probe(&mut self, place: usize) -> Option<(f64, f64)> {
        let trouble = self.trouble.kind;
        let is_on = self.trouble.is_on(self.at);
        let machine = if is_on && trouble == Kind::Machine && self.trouble.in_kernel {
            self.added_ms()
        } else {
            0.0
        };
        let noise = |rng: &mut Rng, mean: f64| -mean * libm::log(1.0 - rng.next_f64());
        if place == 0 {
            return Some((0.03 + machine + noise(&mut self.rng, 0.02), 0.0));
        }
        let mut added = machine + noise(&mut self.rng, self.home.jitter_ms);
        if self.home.is_wireless && self.rng.below(100) == 0 {
            added += uniform(&mut self.rng, 5.0, 60.0);
        }
        let base = match place {
            1..4 => self.home.hops_ms[place - 1],
            _ => self.home.targets_ms[place - 4],
        };
        if let 1..4 = place {
            match self.home.hops[place - 1] {
                HopAnswers::Never => return None,
                HopAnswers::Slowly if self.rng.below(8) == 0 => {
                    added += uniform(&mut self.rng, 5.0, 80.0);
                }
                _ => {}
            }
        }
        let is_first_hop = matches!(
            trouble,
            Kind::Wireless
                | Kind::Router
                | Kind::WirelessOutage
                | Kind::RouterOutage
                | Kind::WirelessRouter
        );
        let is_struck = is_on
            && match trouble {
                _ if is_first_hop => true,
                Kind::Provider | Kind::LineOutage | Kind::Slots | Kind::FairQueue => place >= 2,
                Kind::Target | Kind::TargetOutage => place == 4 + self.trouble.target,
                _ => false,
            };
        let is_outage = matches!(
            trouble,
            Kind::LineOutage | Kind::WirelessOutage | Kind::RouterOutage | Kind::TargetOutage
        );
        let radio = is_struck && trouble == Kind::Wireless && self.rng.below(20) == 0;
        let mut lost = is_struck && is_outage || radio || self.rng.next_f64() < self.home.loss;
        if is_struck && !is_outage {
            added += self.added_ms();
        }
        let mut up = 0.0;
        if place >= 2 {
            let queues = self.queues_ms();
            up = queues[0];
            added += queues[0] + queues[1];
            lost |= trouble != Kind::FairQueue
                && self.drops.iter().any(|part| self.rng.next_f64() < *part);
        }
        Some(if lost { (f64::INFINITY, 0.0) } else { (base + added, up) })
    }

    /// The lateness of this machine in milliseconds, its signal and its retries in a second that ends now.
    pub(super) fn second(&mut self) -> (f64, Option<i8>, Option<u32>) {
        let is_on = self.trouble.is_on(self.at) || self.trouble.is_on(self.at - 1.0);
        let busy = is_on && self.trouble.kind == Kind::Machine;
        let late = if busy { self.added_ms() } else { uniform(&mut self.rng, 0.0, 2.0) };
        if !self.home.is_wireless {
            return (late, None, None);
        }
        let radio = is_on && matches!(self.trouble.kind, Kind::Wireless | Kind::WirelessOutage);
        let signal =
            -55 + self.rng.below(6) as i8 - if radio && self.trouble.weak { 22 } else { 0 };
        let retries = self.rng.below(8) as u32 + if radio { 40 } else { 0 };
        (late, Some(signal), Some(retries))
    }

    /// True if the trouble adds more to targets now than twice what strikes at most.
    pub(super) fn is_struck(&self) -> bool {
        let queues: f64 = self.queues_ms().iter().sum();
        let is_on = self.trouble.is_on(self.at);
        let is_delay = is_on
            && !matches!(self.trouble.kind, Kind::Machine | Kind::Calm)
            && !matches!(
                self.trouble.kind,
                Kind::OwnUpload
                    | Kind::OwnDownload
                    | Kind::OwnBoth
                    | Kind::OwnBbr
                    | Kind::OthersUpload
                    | Kind::OthersDownload
                    | Kind::OthersBeside
                    | Kind::OthersCopy
                    | Kind::OthersTwice
            );
        let machine = is_on && self.trouble.kind == Kind::Machine && self.trouble.in_kernel;
        let most = self.home.targets_ms.iter().copied().fold(0.0, f64::max);
        // Twice what strikes at most.
        let bound = 2.0 * (10.0_f64).max(most / 4.0).max(9.0 * self.home.jitter_ms);
        queues > bound || (is_delay || machine) && self.trouble.delay_ms * 0.4 > bound
    }
}
